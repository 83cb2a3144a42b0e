"""Programs that misbehave, written by somebody who had not read the grader."""

from __future__ import annotations

import dataclasses
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.grading.grading_samples import ADD, LIMITS

from codequake.grading.grader import Judgement, job_for, judge
from codequake.records import Comparison, Interface, JsonText, Language, Problem, Test
from codequake.sandbox import BubblewrapBackend

FOLDER = Path(__file__).parent / "cases"
# What must end at a limit of time gets little; what must end otherwise gets enough on any machine.
SHORT = dataclasses.replace(LIMITS, cpu_seconds=0.4, wall_factor=4.0)
LONG = dataclasses.replace(LIMITS, cpu_seconds=4.0, wall_factor=10.0)

# Both read nothing of an input that is not empty and answer wrongly: that has a status of its own.
ALSO_RIGHT = {
    "records-printed-by-main": "ignores_input",
    "constructor-leaves-first": "ignores_input",
}


def load(name: str, language: Language) -> list[tuple[Problem, dict[str, Any]]]:
    content = tomllib.loads((FOLDER / name).read_text("utf-8"))
    problems = {
        key: dataclasses.replace(
            ADD,
            problem_id=f"hostile/{key}",
            language=Language(table.get("language", language)),
            interface=Interface(table["interface"]),
            entry_point=table.get("entry_point"),
            tests=tuple(
                Test(JsonText(item["input"]), JsonText(item["expected"]), item["visible"])
                for item in table["tests"]
            ),
            comparison=Comparison(digits=table.get("digits")),
        )
        for key, table in content["problem"].items()
    }
    return [(problems[case["problem"]], case) for case in content["case"]]


CASES = [*load("hostile_python.toml", Language.PYTHON), *load("hostile_c.toml", Language.C)]


def every_third(problem: Problem, case: dict[str, Any]) -> Any:
    """A fixed third of the programs runs each time, all of them with the quality tests."""
    name = f"{problem.language}-{case['name']}"
    marks = () if zlib.crc32(name.encode()) % 3 == 0 else (pytest.mark.quality,)
    return pytest.param(problem, case, id=name, marks=marks)


@pytest.mark.parametrize(("problem", "case"), [every_third(*item) for item in CASES])
def test_hostile_program(
    backend: BubblewrapBackend,
    survivors: Callable[[], list[str]],
    problem: Problem,
    case: dict[str, Any],
) -> None:
    limits = SHORT if "timeout" in case["allowed"] else LONG
    job = job_for(problem, case["program"], None, limits)
    judged: Judgement = judge(problem, backend.run(job))
    allowed = [*case["allowed"], ALSO_RIGHT.get(case["name"])]
    assert judged.status.value in allowed, (judged.message, judged.failure)
    if "outcomes" in case:
        assert [test.status.value for test in judged.tests] == case["outcomes"]
    assert survivors() == []
