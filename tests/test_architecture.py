"""The rules of the layout, read from the source: who may import whom, sizes, public names."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import codequake

PACKAGE = Path(codequake.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Lower may not import higher; neighbours in one row do not import each other.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors"}),
    frozenset({"canonical", "plain"}),
    frozenset({"documents", "files", "codec", "statements", "statuses", "tasks"}),
    frozenset({"records", "seeding", "registry", "formula", "sandbox", "stats"}),
    frozenset({"keys", "ports"}),
    frozenset({"store", "journal", "problems"}),
    frozenset({"grading"}),
    frozenset({"perturb", "metrics"}),
    frozenset({"attack", "audit"}),
    frozenset({"report", "models"}),
    frozenset({"study", "terminal"}),
    frozenset({"command_options"}),
    frozenset({"problem_commands", "study_commands", "audit_commands", "export_commands"}),
    frozenset({"formula_commands"}),
    frozenset({"formula_space_commands"}),
    frozenset({"transfer_commands"}),
    frozenset({"cli"}),
)
LEVEL = {name: number for number, row in enumerate(LAYERS) for name in row}
# Weight that may be imported in one folder only.
HOMES = {
    "inspect_ai": {"models"},
    "xllamacpp": {"models"},
    "altair": {"report"},
    "vl_convert": {"report"},
    "jinja2": {"report"},
    "typer": {
        "audit_commands",
        "cli",
        "command_options",
        "export_commands",
        "problem_commands",
        "study_commands",
        "formula_commands",
        "formula_space_commands",
        "transfer_commands",
    },
    "click": {"cli"},
    "rich": {"terminal"},
    "sympy": {"formula"},
    "flint": {"formula", "problems"},
    "huggingface_hub": {"problems"},
    "scipy": {"stats"},
    "statsmodels": {"stats"},
    "numpy": {"stats"},
}


def unit_of(path: Path) -> str:
    """The row entry that a file belongs to: its top folder or its own name."""
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imported_names(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            names.append(node.module)
            if node.module == "codequake":
                names += [f"codequake.{alias.name}" for alias in node.names]
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    unit = unit_of(path)
    if unit in {"__init__", "__main__"}:
        return
    for name in imported_names(path):
        parts = name.split(".")
        if parts[0] == "codequake" and len(parts) > 1 and parts[1] != "__version__":
            other = parts[1]
            assert other in LEVEL, f"{unit} imports {name}, which stands in no layer"
            assert other == unit or LEVEL[other] < LEVEL[unit], f"{unit} must not import {name}"
        elif parts[0] in HOMES:
            assert unit in HOMES[parts[0]], f"{unit} must not import {parts[0]}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_shape(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 400, "a file has at most 400 lines"
    assert len(relative.parts) <= 3, "folders are at most two deep"
    assert "utils" not in relative.as_posix()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 60, f"{node.name} has more than 60 lines"
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"line {node.lineno}: bare except"


def public_modules() -> list[str]:
    return sorted(
        ".".join(("codequake", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        for path in MODULES
        if path.stem != "__main__"
    )


@pytest.mark.parametrize("name", public_modules())
def test_public_names_are_a_decision(name: str) -> None:
    source = Path(PACKAGE.parent, *name.split("."))
    path = source / "__init__.py" if source.is_dir() else source.with_suffix(".py")
    tree = ast.parse(path.read_text("utf-8"))
    if "inspect_ai" in path.read_text("utf-8") or "xllamacpp" in path.read_text("utf-8"):
        pytest.importorskip("inspect_ai")
    module = importlib.import_module(name)
    defined = [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
    ]
    exported = list(getattr(module, "__all__", []))
    assert len(exported) == len(set(exported))  # its order is ruff's business (RUF022)
    if not name.endswith(("cli", "_commands")):  # its functions are reached as commands
        assert set(defined) <= set(exported), "every public name stands in __all__"
    for item in exported:
        value = getattr(module, item)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, f"{name}.{item} has no docstring"


HEAVY = (
    "huggingface_hub",
    "inspect_ai",
    "xllamacpp",
    "altair",
    "scipy",
    "sympy",
    "flint",
    "pyarrow",
    "duckdb",
)


@pytest.mark.parametrize("code", ["import codequake", "import codequake.cli"])
def test_import_stays_light(code: str) -> None:
    if code.endswith("cli") and not (PACKAGE / "cli.py").exists():
        pytest.fail("codequake has no command line")
    script = f"{code}, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script.replace(", sys", "\nimport sys", 1)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(PACKAGE.parent), "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.strip() == "[]"
