"""The check of equivalence shares no code with what makes mutants: read from the imports."""

from __future__ import annotations

import ast
from pathlib import Path

import codequake.formula

FOLDER = Path(codequake.formula.__file__).parent
# Trees, text and names: what every part of the engine stands on.
SHARED = {
    *("assumptions", "contract_parser", "cursor", "faults", "layout", "names", "nodes"),
    *("parser", "printer", "sorts", "tokens"),
}
OWN = {
    *("balls", "checker", "comparisons", "contract_checker", "contract_states"),
    *("contract_values", "domain", "equivalence", "exact", "field", "matching", "points"),
    *("program", "ratio", "referee", "samples", "substitution", "verdicts", "witness"),
}
MAKERS = ("rules", "mutation", "space", "reduction", "cancellation")


def imported(module: str) -> set[str]:
    """The modules of the engine that one of them imports."""
    found = set()
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module != "codequake.formula", "the package imports the rules"
            names = [node.module or ""]
        for name in names:
            parts = name.split(".")
            if parts[:2] == ["codequake", "formula"]:
                found.add(parts[2])
    return found


def test_equivalence_imports_nothing_that_makes_mutants() -> None:
    reached: set[str] = set()
    left = {"equivalence", "referee_process"}
    while left:
        module = left.pop()
        reached.add(module)
        left |= imported(module) - reached
    assert reached == reached & (SHARED | OWN | {"referee_process"})
    assert not reached.intersection(MAKERS)


def test_the_makers_exist() -> None:
    for module in MAKERS:
        assert (FOLDER / f"{module}.py").exists(), "rename it here too"


def test_the_shared_modules_import_no_other() -> None:
    for module in SHARED:
        assert imported(module) <= SHARED
