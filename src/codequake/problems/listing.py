"""Problem sets and problems as people read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codequake.canonical import parse_json
from codequake.ports import Oracle
from codequake.problems.sets import set_names, whole_set
from codequake.records import Problem

__all__ = ["listing_of", "listing_text", "problem_text"]

Rows = dict[str, list[dict[str, Any]]]


def listing_of(name: str | None, oracle: Oracle | None, say: Callable[[str], None]) -> Rows:
    """Return set name -> one row a problem, of one set or file, or of all bundled sets.

    A row has ``set``, ``problem_id``, ``title``, ``difficulty``, ``interface``, ``topics`` and
    ``versions``, the ids of its changed versions.  ``say`` is told what was left out of a set and
    what was repaired.  Raises ``DataError`` for the first bad line of a file, and as ``read_set``
    does.
    """
    rows: Rows = {}
    for known in (name,) if name else set_names():
        found = whole_set(known, oracle)
        for text in found.told():
            say(text)
        versions: dict[str, list[str]] = {}
        for item in found.changed:
            assert item.change is not None
            versions.setdefault(item.change.original_id, []).append(item.problem_id)
        rows[known] = [
            {
                "set": known,
                "problem_id": item.problem_id,
                "title": item.title,
                "difficulty": item.difficulty,
                "interface": item.interface,
                "topics": list(item.topics),
                "versions": versions.get(item.problem_id, []),
            }
            for item in found.problems
        ]
    return rows


def listing_text(sets: Rows) -> str:
    """Return the listing as lines of text, each set under its name."""
    lines = []
    for name, rows in sets.items():
        versions = sum(len(row["versions"]) for row in rows)
        more = f", {versions} changed versions" if versions else ""
        lines.append(f"{name}: {len(rows)} problems{more}")
        for row in rows:
            marks = [row["difficulty"] or "", *(one.partition("~")[2] for one in row["versions"])]
            told = ", ".join(mark for mark in marks if mark)
            lines.append(f"  {row['problem_id']}  {row['title']}" + (f"  ({told})" if told else ""))
    return "\n".join(lines)


def problem_text(problem: Problem) -> str:
    """Return a problem as text: statement, tests, constants and references."""
    licence = f"{problem.language}, {problem.licence}"
    lines = [f"{problem.problem_id}: {problem.title} ({licence})"]
    if problem.change is not None:
        nature = f", {problem.change.nature}" if problem.change.nature else ""
        lines.append(f"Made from {problem.change.original_id}: {problem.change.kind}{nature}")
    lines += ["", problem.statement, ""]
    visible = sum(test.visible for test in problem.tests)
    lines.append(f"Tests: {visible} visible, {len(problem.tests) - visible} hidden")
    for item in problem.constants:
        others = ", ".join(str(parse_json(one)) for one in item.others)
        lines.append(f"{item.role} constant {item.name}: {parse_json(item.value)}; or {others}")
    for reference in problem.references:
        lines.append(f"\nReference {reference.name} ({reference.language}):")
        lines.append(reference.code.rstrip())
    return "\n".join(lines)
