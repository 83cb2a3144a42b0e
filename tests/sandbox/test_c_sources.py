"""The C sources of the worker: their size, and how they are compiled and kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codequake.errors import SandboxUnavailableError
from codequake.sandbox import caching, native_program
from codequake.sandbox.caching import made_once
from codequake.sandbox.native_program import find_native_program, native_sources

FOLDER = Path(native_program.__file__).parent / "native"
SOURCES = sorted(FOLDER.rglob("*.[ch]"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_files_and_functions_are_short(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= 400
    assert all(len(line) <= 100 for line in lines)
    start = 0
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        if line == "}":
            assert number - start < 60, f"the function that ends in line {number + 1}"


def test_the_worker_is_there_and_kept() -> None:
    found = find_native_program()
    assert found.path is not None, found.why
    assert found.path.stat().st_mode & 0o555 == 0o555
    assert not found.path.stat().st_mode & 0o022
    before = found.path.stat().st_mtime_ns
    again = find_native_program()
    assert again.path == found.path
    assert again.path.stat().st_mtime_ns == before


def test_another_source_is_another_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_native_program()
    changed = {**native_sources(), "more.c": "int more(void);\nint more(void) { return 1; }\n"}
    monkeypatch.setattr(native_program, "native_sources", lambda: changed)
    other = find_native_program()
    assert other.path is not None
    assert other.path != found.path


def test_sources_that_do_not_compile_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {**native_sources(), "more.c": "int more(void) { return }\n"}
    monkeypatch.setattr(native_program, "native_sources", lambda: broken)
    found = find_native_program()
    assert found.path is None
    assert found.why.startswith("gcc cannot build the worker for C programs")


@pytest.mark.parametrize(
    ("name", "why"),
    [("COMPILER", "no C compiler"), ("_NEEDED", "libnowhere.a is not installed")],
)
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, name: str, why: str) -> None:
    value = "/nowhere/gcc" if name == "COMPILER" else ("libnowhere.a",)
    monkeypatch.setattr(native_program, name, value)
    found = find_native_program()
    assert found.path is None
    assert found.why.startswith(why)


# -- the cache -----------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(caching, "CACHE_ROOT", tmp_path)
    return tmp_path / f"codequake-{os.getuid()}"


def fill(folder: Path) -> None:
    folder.mkdir()
    (folder / "file").write_text("made")


def test_a_folder_is_made_once_and_open_to_all(cache: Path) -> None:
    before = os.umask(0o077)
    try:
        found = made_once("thing", fill)
    finally:
        os.umask(before)
    assert found == cache / "thing"
    assert (found / "file").stat().st_mode & 0o777 == 0o644
    assert all(path.stat().st_mode & 0o777 == 0o755 for path in (cache, found))
    assert made_once("thing", lambda _: pytest.fail("made again")) == found


def test_what_was_interrupted_is_made_again(cache: Path) -> None:
    def interrupted(folder: Path) -> None:
        fill(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made_once("thing", interrupted)
    assert list(cache.iterdir()) == []
    assert (made_once("thing", fill) / "file").read_text() == "made"


def test_what_was_killed_leaves_nothing_that_looks_finished(cache: Path) -> None:
    script = (
        "import os, pathlib, signal, sys\n"
        "from codequake.sandbox import caching\n"
        "caching.CACHE_ROOT = pathlib.Path(sys.argv[1])\n"
        "def make(folder):\n    folder.mkdir()\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "caching.made_once('thing', make)\n"
    )
    source = str(Path(caching.__file__).parents[2])
    command = [sys.executable, "-c", script, str(cache.parent)]
    done = subprocess.run(command, env={"PYTHONPATH": source}, check=False)
    assert done.returncode == -9
    assert not (cache / "thing").exists()
    assert (made_once("thing", fill) / "file").read_text() == "made"


def test_another_that_was_faster_wins(cache: Path) -> None:
    def overtaken(folder: Path) -> None:
        fill(folder)
        (cache / "thing").mkdir()
        (cache / "thing" / "file").write_text("theirs")

    assert (made_once("thing", overtaken) / "file").read_text() == "theirs"


def test_a_cache_that_others_can_write_is_refused(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.raises(SandboxUnavailableError, match="only this user can write"):
        made_once("thing", fill)
