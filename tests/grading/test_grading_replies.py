"""Awkward replies, collected by somebody who had not read the extraction."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from codequake.grading import extract
from codequake.records import Language, StopReason

FILE = Path(__file__).parent / "cases" / "replies.toml"
CASES: list[dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))["reply"]


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


def _trimmed(program: str) -> str:
    lines = program.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)
