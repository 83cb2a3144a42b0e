"""The programs that misbehave, graded as a batch is: the fast way first, beside each other."""

from __future__ import annotations

import dataclasses
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import groupby

import pytest
from tests.grading.grading_samples import ADD, LIMITS, completion
from tests.grading.test_grading_hostile import ALSO_RIGHT, CASES, LONG, SHORT

from codequake.grading import GradeItem, Grader, Program, grade_items, grade_programs
from codequake.records import Interface, Language, Problem, Status
from codequake.sandbox import BubblewrapBackend

Case = tuple[Problem, dict[str, object]]
FUNCTIONS = sorted(
    (
        item
        for item in CASES
        if item[0].interface is Interface.FUNCTION and item[0].language is Language.PYTHON
    ),
    key=lambda item: item[0].problem_id,
)
BATCHES = {key: list(rows) for key, rows in groupby(FUNCTIONS, lambda item: item[0].problem_id)}
EVERY_DAY = sorted(BATCHES)[1::4]


def batches() -> Iterator[object]:
    for name, rows in BATCHES.items():
        marks = () if name in EVERY_DAY else (pytest.mark.quality,)
        yield pytest.param(rows, id=name, marks=marks)


@pytest.mark.parametrize("rows", list(batches()))
def test_hostile_programs_beside_each_other(
    backend: BubblewrapBackend, survivors: Callable[..., list[str]], rows: list[Case]
) -> None:
    for limits in (SHORT, LONG):
        chosen = [row for row in rows if ("timeout" in _allowed(row)) is (limits is SHORT)]
        programs = [Program(problem, str(case["program"]), None) for problem, case in chosen]
        judged = list(grade_programs(Grader(backend, limits), programs, workers=2))
        wrong = [
            (row[1]["name"], judgement.status.value, judgement.message)
            for row, judgement in zip(chosen, judged, strict=True)
            if judgement.status.value not in _allowed(row)
        ]
        assert wrong == []
    assert survivors() == []


def _allowed(row: Case) -> list[object]:
    allowed = row[1]["allowed"]
    assert isinstance(allowed, list)
    return [*allowed, ALSO_RIGHT.get(str(row[1]["name"]))]


def test_every_third_program_is_wrong_in_a_batch_from_an_iterator(
    backend: BubblewrapBackend,
) -> None:
    texts = [
        f"def add(a, b):\n    return a {'-' if number % 3 == 0 else '+'} b\nN = {number}\n"
        for number in range(500)
    ]
    items = (GradeItem(ADD, completion(text, sample=n), None) for n, text in enumerate(texts))
    seen: list[tuple[int, int]] = []
    results = list(
        grade_items(
            Grader(backend, LIMITS),
            items,
            workers=2,
            progress=lambda done, total: seen.append((done, total)),
        )
    )
    assert [verdict.sample for verdict, _ in results] == list(range(500))
    expected = [Status.WRONG_ANSWER if n % 3 == 0 else Status.PASSED for n in range(500)]
    assert [verdict.status for verdict, _ in results] == expected
    assert seen[-1] == (500, 500)


MEMORY = """
import resource, sys
from codequake.grading import Grader, Program, grade_programs
from codequake.sandbox import BubblewrapBackend
from tests.grading.grading_samples import ADD, LIMITS
count = int(sys.argv[1])
texts = (f"def add(a, b):\\n    return a + b\\nNUMBER = {n}\\n" for n in range(count))
found = grade_programs(
    Grader(BubblewrapBackend(), LIMITS), (Program(ADD, text, None) for text in texts), workers=2
)
assert sum(item.status.value == "passed" for item in found) == count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.parametrize(
    ("few", "many"), [(500, 5_000), pytest.param(1_000, 100_000, marks=pytest.mark.quality)]
)
def test_memory_of_the_driver_does_not_grow_with_the_programs(few: int, many: int) -> None:
    def peak(count: int) -> int:
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, str(count)], capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    assert peak(many) - peak(few) < 8 << 20


def test_limits_of_this_process_are_left_alone(backend: BubblewrapBackend) -> None:
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)
    before = [resource.getrlimit(kind) for kind in kinds]
    programs = [Program(dataclasses.replace(ADD), "def add(a, b):\n    return a + b\n", None)]
    (judged,) = grade_programs(Grader(backend, LIMITS), programs, workers=1)
    assert judged.status is Status.PASSED
    assert [resource.getrlimit(kind) for kind in kinds] == before
