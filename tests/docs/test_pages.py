"""What the pages say is true: their commands run, their files load, their links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.docs.pages import PAGES, ROOT, Block, anchors_of, blocks_of, commands_of, links_of
from tests.running import command_environment

SHELL = ("console", "sh")
# Blocks that are passed over, by page; a new one has to be entered here with its reason beside it.
NOT_RUN = {
    "README.md": ("installs packages", "asks a paid provider"),
    "CONTRIBUTING.md": ("installs packages", "runs the tests"),
    "verdict-parity.md": ("takes minutes",),
    "how-to.md": (
        "asks a server",
        "takes minutes",
        "serves until it is stopped",
        "asks a server",
        "needs Docker",
    ),
}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_COMMANDS = [
    page for page in PAGES if any(block.language in (*SHELL, "python") for block in blocks_of(page))
]


class Desk:
    """An empty folder with a shell in which ``codequake`` and ``python`` are the tested ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.plugins = folder / "site"
        self._programs = folder / "bin"
        for path in (self.folder, self.plugins, self._programs):
            path.mkdir()
        inspect = Path(sys.executable).with_name("inspect")
        programs = (("codequake", "-m codequake "), ("python", ""), ("inspect", f"{inspect} "))
        for name, arguments in programs:
            script = self._programs / name
            script.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments}"$@"\n')
            script.chmod(0o755)

    def write(self, block: Block) -> None:
        assert block.file is not None
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        environment = command_environment()
        environment["PATH"] = f"{self._programs}:{environment['PATH']}"
        environment["PYTHONPATH"] += f":{self.plugins}"
        if command.startswith("inspect "):
            environment.pop("PYTHONPATH")  # see ``installed_environment``
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def install(self, source: str) -> None:
        """Put a package where pip would, without pip: its modules and its entry points."""
        folder = self.folder / source
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
        info = self.plugins / f"{project['name']}-{project['version']}.dist-info"
        info.mkdir()
        head = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(head.format(**project))
        lines = []
        for group, entries in project["entry-points"].items():
            lines += [f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        for module in folder.glob("*.py"):
            os.link(module, self.plugins / module.name)


def agrees(shown: str, output: str) -> bool:
    """Whether output is what a page shows; ``...`` stands for anything, alone for any lines."""
    pattern = []
    for line in shown.splitlines():
        if line.strip() == "...":
            pattern.append(r"(?:[^\n]*\n)*?")
        else:
            pieces = (re.escape(piece) for piece in line.rstrip().split("..."))
            pattern.append(r"[^\n]*?".join(pieces) + r"[ ]*\n")
    return re.fullmatch("".join(pattern), output.rstrip("\n") + "\n") is not None


@pytest.mark.parametrize(
    ("shown", "output", "right"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a\nc\n", False),
        ("a\n...", "a\nb\nc\n", True),
        ("a\n...\nc", "a\nc\n", True),
        ("a\n...\nd", "a\nb\nc\n", False),
        ("n: ... of 3", "n: 2 of 3\n", True),
        ("n: ... of 3", "n: 2 of 4\n", False),
    ],
)
def test_shown_output_is_compared(shown: str, output: str, right: bool) -> None:
    assert agrees(shown, output) is right


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
@pytest.mark.timeout(900)  # a page of commands, on a machine that may be busy
def test_commands_and_examples_run(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    desk = Desk(tmp_path)
    blocks = blocks_of(page)
    for block in blocks:
        if block.file is not None:
            desk.write(block)
    ran = 0
    for block in blocks:
        place = f"{name_of(page)}:{block.line}"
        if block.not_run is not None or block.file is not None:
            continue
        if block.language == "python":
            (desk.folder / "example.py").write_text(block.text, "utf-8")
            done = desk.run("python example.py")
            assert done.returncode == 0, f"{place}\n{done.stderr}"
            ran += 1
        if block.language not in SHELL:
            continue
        for command in commands_of(block):
            ran += 1
            if command.text.startswith("pip install ./"):
                desk.install(command.text.removeprefix("pip install ./"))
                continue
            done = desk.run(command.text)
            seen = done.stdout if block.exit_code == 0 else done.stdout + done.stderr
            report = f"{place}: $ {command.text}\n{done.stdout}\n{done.stderr}"
            assert done.returncode == block.exit_code, report
            assert "Traceback" not in done.stderr, report
            if command.shown:
                assert agrees(command.shown, seen), report
    assert ran or all(block.not_run for block in blocks if block.language in SHELL)


def test_every_command_that_is_not_run_has_its_reason() -> None:
    passed_over: dict[str, list[str]] = {}
    commands = 0
    for page in PAGES:
        for block in blocks_of(page):
            if block.language in SHELL:
                commands += len(commands_of(block))
            if block.not_run is not None:
                assert block.language in SHELL, f"{name_of(page)}:{block.line}"
                passed_over.setdefault(page.name, []).append(block.not_run)
    assert set(passed_over) == set(NOT_RUN)
    for name, reasons in passed_over.items():
        assert len(reasons) == len(NOT_RUN[name]), (name, reasons)
        for reason, start in zip(reasons, NOT_RUN[name], strict=True):
            assert reason.startswith(start), (name, reason)
    assert commands > 3 * sum(len(reasons) for reasons in passed_over.values())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in links_of(page):
        if target.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), f"{name_of(page)} links to {target}"
        assert place.is_relative_to(ROOT), f"{name_of(page)} links out of the project: {target}"
        if anchor:
            assert anchor in anchors_of(place), f"{name_of(page)} links to {target}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    pending = [ROOT / "README.md"]
    while pending:
        page = pending.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        for target in links_of(page):
            path = (page.parent / target.partition("#")[0]).resolve()
            if not target.startswith("https://") and path.is_file():
                pending.append(path)
    assert set(PAGES) <= seen


def test_pictures_are_small() -> None:
    for picture in (ROOT / "docs" / "images").iterdir():
        assert picture.stat().st_size < 300_000, picture.name


def test_the_reference_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        env=command_environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
