"""Verdicts on recorded programs of models: the recorded ones, or differences that are explained."""

from __future__ import annotations

import ast
import dataclasses
import json
import tomllib
from pathlib import Path

import pytest
from benchmarks.parity import (
    Difference,
    FileResult,
    compare,
    draw,
    grade,
    read_records,
    row_of,
    table_of_counts,
)
from benchmarks.parity_causes import Cause, Record

from codequake.grading import Grader, Program, grade_programs
from codequake.problems import load_set
from codequake.records import Status, Verdict
from codequake.sandbox import BubblewrapBackend

DOCUMENTED = tomllib.loads((Path(__file__).parent / "cases" / "parity.toml").read_text("utf-8"))
DIFFERENCES = tuple(
    Difference(**row | {"cause": Cause(row["cause"])}) for row in DOCUMENTED["difference"]
)
COUNTS = tuple(FileResult(**row) for row in DOCUMENTED["file"])
PAGE = Path(__file__).parents[2] / "docs" / "verdict-parity.md"
SAMPLE, SEED = 40, 20
# What these come to depends on the interpreter and on the speed of the machine.
MAY_AGREE = (Cause.TIME, Cause.HASH_ORDER)


def key(item: Difference | Record) -> tuple[str, str]:
    return item.file, item.task_id


def assert_documented(records: tuple[Record, ...], verdicts: list[Verdict]) -> None:
    known = {key(item): item for item in DIFFERENCES}
    for record, verdict in zip(records, verdicts, strict=True):
        assert verdict.status is not Status.HARNESS_ERROR, (key(record), verdict.message)
        if {record.passed, record.published} != {verdict.status is Status.PASSED}:
            documented = known.get(key(record))
            assert documented is not None, (key(record), verdict.status, verdict.message)
            assert verdict.status.value == documented.ours or documented.cause in MAY_AGREE


def test_a_sample_has_the_recorded_verdicts(test_data: Path) -> None:
    records = draw(read_records(test_data), SAMPLE, SEED)
    assert len(records) == SAMPLE
    assert len({record.file for record in records}) == len(COUNTS)
    assert len({record.passed for record in records}) == 2
    assert_documented(records, grade(test_data, records))


def test_each_kind_of_difference_has_its_cause(test_data: Path) -> None:
    """One program of each cause: the verdict is the documented one, and so is what explains it."""
    chosen = {item.cause: item for item in DIFFERENCES if item.cause not in MAY_AGREE}
    wanted = {key(item): item for item in chosen.values()}
    records = tuple(record for record in read_records(test_data) if key(record) in wanted)
    _, found = compare(records, grade(test_data, records))
    assert {key(item): (item.cause, item.ours) for item in found} == {
        name: (item.cause, item.ours) for name, item in wanted.items()
    }
    assert set(chosen) | set(MAY_AGREE) == set(Cause) - {Cause.UNEXPLAINED}


def test_a_wrong_verdict_would_be_unexplained(test_data: Path) -> None:
    """A record that says "fail" of a right program: no cause fits, and none is made up."""
    explained = {key(item) for item in DIFFERENCES}
    right = next(
        item for item in read_records(test_data) if item.passed and key(item) not in explained
    )
    record = dataclasses.replace(right, rerun="fail")
    verdicts = grade(test_data, [right])
    assert verdicts[0].status is Status.PASSED
    (found,) = compare([record], verdicts)[1]
    assert (found.cause, found.recorded, found.ours) == (Cause.UNEXPLAINED, "fail", "passed")


def test_the_page_shows_what_was_found() -> None:
    page = PAGE.read_text("utf-8").splitlines()
    counted = table_of_counts(COUNTS)
    start = page.index(counted[0])
    assert page[start : start + len(counted)] == counted
    assert [line for line in page if line.startswith(("| humaneval__", "| mbpp__"))][
        len(COUNTS) :
    ] == [row_of(item) for item in DIFFERENCES]
    for cause in {item.cause for item in DIFFERENCES}:
        count = sum(item.cause is cause for item in DIFFERENCES)
        assert any(line.startswith(f"| {cause.value} | {count} |") for line in page), cause
    assert sum(item.harness_errors for item in COUNTS) == 0


@pytest.mark.quality
@pytest.mark.timeout(1200)
def test_all_verdicts(test_data: Path) -> None:
    records = read_records(test_data)
    assert len(records) == 2156
    verdicts = grade(test_data, records)
    assert_documented(records, verdicts)
    _, found = compare(records, verdicts)
    causes = {key(item): item.cause for item in found}
    for item in DIFFERENCES:
        assert causes.get(key(item)) is item.cause or item.cause in MAY_AGREE, key(item)


# A task that asks for a function ``check``, as MBPP/349 does, in the layout of HumanEval.
BINARY = {
    "task_id": "Own/0",
    "prompt": 'def check(string):\n    """Say whether a string has only 0 and 1."""\n',
    "entry_point": "check",
    "canonical_solution": "    return 'Yes' if set(string) <= {'0', '1'} else 'No'\n",
}
BODIES = {
    "by name": '    assert check("0101") == "Yes"\n    assert check("name0") == "No"\n',
    "as candidate": '    assert candidate("01") == "Yes" and candidate("a") == "No"\n',
}


@pytest.mark.parametrize("body", BODIES)
def test_a_task_that_asks_for_check(tmp_path: Path, backend: BubblewrapBackend, body: str) -> None:
    path = tmp_path / "own.jsonl"
    row = BINARY | {"test": f"def check(candidate):\n{BODIES[body]}"}
    path.write_text(json.dumps(row), "utf-8")
    (problem,) = load_set(f"humaneval:{path}")
    texts = (
        problem.references[0].code,
        "def check(string):\n    return 'Yes'\n",
        "def verify(string):\n    return 'Yes'\n",
    )
    programs = [Program(problem, text, None) for text in texts]
    found = [item.status for item in grade_programs(Grader(backend), programs, workers=1)]
    assert found == [Status.PASSED, Status.WRONG_ANSWER, Status.MISSING_ENTRY_POINT]
    ast.parse(json.loads(problem.tests[0].input))
