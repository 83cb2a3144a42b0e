"""Programs that share one process, written by somebody who had not read the grader."""

from __future__ import annotations

import dataclasses
import tomllib
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from tests.grading.grading_samples import LIMITS
from tests.grading.test_grading_hostile import FOLDER, load
from tests.grading.together_run import grade_together

from codequake.records import Language, Problem
from codequake.sandbox import BubblewrapBackend

CASES = load("together.toml", Language.PYTHON)
NEIGHBOURS = tomllib.loads((FOLDER / "together.toml").read_text("utf-8"))["neighbour"]
# Enough for everything that ends by itself; a case about time names its own limit.
CPU_SECONDS = 4.0


def every_third(problem: Problem, case: dict[str, Any]) -> Any:
    """A fixed third of the quick cases runs each time, all cases with the quality tests."""
    often = zlib.crc32(case["name"].encode()) % 3 == 0 and not case.get("slow", False)
    marks = () if often else (pytest.mark.quality,)
    return pytest.param(problem, case, id=case["name"], marks=marks)


def neighbours(case: dict[str, Any], side: str) -> list[dict[str, Any]]:
    """The programs on one side of a case; a string is the name of one that several cases have."""
    return [NEIGHBOURS[item] if isinstance(item, str) else item for item in case.get(side, [])]


@pytest.mark.parametrize(("problem", "case"), [every_third(*item) for item in CASES])
def test_program_among_neighbours(
    backend: BubblewrapBackend,
    survivors: Callable[..., list[str]],
    problem: Problem,
    case: dict[str, Any],
) -> None:
    seconds = case.get("cpu_seconds", CPU_SECONDS)
    limits = dataclasses.replace(LIMITS, cpu_seconds=seconds, wall_factor=10.0)
    row = [*neighbours(case, "before"), case, *neighbours(case, "after")]
    programs = [item["program"] for item in row]
    statuses = grade_together(problem, programs, backend=backend, limits=limits)
    assert [
        (place, status.value, item["allowed"])
        for place, (status, item) in enumerate(zip(statuses, row, strict=True))
        if status.value not in item["allowed"]
    ] == []
    assert len(survivors(2)) <= 2  # the workers of both kinds that wait for more
    backend.kill_all()
    assert survivors() == []


def test_names_are_unique_and_each_case_is_explained() -> None:
    names = [case["name"] for _, case in CASES]
    assert len(names) == len(set(names))
    assert all(case["why"].endswith(".") and case["allowed"] for _, case in CASES)
