"""Awkward replies, collected by somebody who had not read the extraction."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from codequake.grading import extract
from codequake.records import Language, StopReason

FOLDER = Path(__file__).parent / "cases"


def load(name: str) -> list[dict[str, Any]]:
    replies: list[dict[str, Any]] = tomllib.loads((FOLDER / name).read_text("utf-8"))["reply"]
    return replies


CASES = [*load("replies.toml"), *load("replies_more.toml")]
SOLUTION = "def first(items):\n    return items[0]\n"
SENTENCE = "We look at the list, for example [3, 1], and if it is long, we look again. "


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_reply(case: dict[str, Any]) -> None:
    found = extract(
        case["reply"],
        language=Language(case["language"]),
        entry_point=case["entry_point"] or None,
        stop_reason=StopReason(case["stop_reason"]),
    )
    programs = [*case.get("programs", []), *([case["program"]] if "program" in case else [])]
    statuses = [*case.get("statuses", []), *([case["status"]] if "status" in case else [])]
    assert programs or statuses
    if found.status is not None:
        assert found.program == ""
        assert found.status.value in statuses, (found.rule, found.message)
    else:
        assert _trimmed(found.program) in map(_trimmed, programs), found.rule


@pytest.mark.parametrize("marks", ["```python\n{}```\n", "\n{}\n"], ids=["fenced", "bare"])
def test_program_amid_two_hundred_kilobytes_of_prose(marks: str) -> None:
    paragraphs = (SENTENCE * 10 + "\n\n") * (100_000 // (10 * len(SENTENCE)))
    reply = paragraphs + marks.format(SOLUTION) + "\n" + paragraphs
    assert len(reply) > 190_000
    found = extract(
        reply, language=Language.PYTHON, entry_point="first", stop_reason=StopReason.STOP
    )
    assert found.status is None
    assert _trimmed(found.program) == _trimmed(SOLUTION)


def test_names_are_unique_and_each_reply_is_explained() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names))
    assert all(case["why"].endswith(".") for case in CASES)


def _trimmed(program: str) -> str:
    lines = program.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)
