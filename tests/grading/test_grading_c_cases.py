"""C programs in every way that they are run: right ones agree to the byte, hostile ones are held.

The programs were written by somebody who had not read the sandbox or the grader.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from codequake.sandbox import BubblewrapBackend, Care, Ending, Job, Limits, Mode, Outcome
from codequake.tasks import Language

FOLDER = Path(__file__).parent / "cases"
# Where this project and the data of whoever runs it lie.
OUR_FOLDERS = (str(Path(__file__).parents[2]), str(Path.home()))
LIMITS = Limits(
    cpu_seconds=4.0,
    wall_factor=10.0,
    memory_bytes=512 << 20,
    output_bytes=2 << 20,
    total_output_bytes=8 << 20,
    build_cpu_seconds=4.0,
    build_memory_bytes=512 << 20,
)
# What may end at a limit of time gets little; what must end otherwise gets enough on any machine.
SHORT = dataclasses.replace(LIMITS, cpu_seconds=0.4, wall_factor=4.0)

Case = dict[str, Any]
Way = Callable[[BubblewrapBackend, Job], Outcome]
Survivors = Callable[[], list[str]]

# The ways to run a C program; a new one is one line.  The first is the authority.
WAYS: dict[str, Way] = {
    "alone": lambda backend, job: backend.run(job),
    "together": lambda backend, job: backend.run_all([job], Care.TOGETHER)[0],
}
AUTHORITY, *OTHERS = WAYS

LIMIT_ENDINGS = (Ending.TIMEOUT, Ending.MEMORY_LIMIT, Ending.OUTPUT_LIMIT)
NEIGHBOUR: Case = {
    "inputs": ["1 2\n", "2 0.5\n", "-3 4\n"],
    "expected": ["3.000 0.500 1\n", "2.500 4.000 1\n", "1.000 -0.750 1\n"],
    "program": r"""
#include <stdio.h>
#include <stdlib.h>
static char secret[] = "neighbour-secret-8391";
static int runs;
int main(void) {
    double a, b, *v = calloc(4, sizeof *v);
    scanf("%lf %lf", &a, &b);
    v[0] = a + b;
    v[1] = a / b;
    runs += secret[0] == 'n' && v[3] == 0;
    printf("%.3f %.3f %d\n", v[0], v[1], runs);
    free(v);
    return 0;
}
""",
}


def cases(pattern: str) -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob(pattern)):
        found += tomllib.loads(path.read_text("utf-8"))["case"]
    return found


PLAIN = cases("c_plain_*.toml")
HOSTILE = cases("c_hostile*.toml")
SOURCES = cases("c_sources*.toml")


def sampled(found: Sequence[Case], one_in: int) -> list[Any]:
    """A fixed part of the programs runs each time, all of them with the quality tests."""

    def marks(case: Case) -> tuple[pytest.MarkDecorator, ...]:
        chosen = zlib.crc32(case["name"].encode()) % one_in == 0 and not case.get("slow", False)
        return () if chosen else (pytest.mark.quality,)

    return [pytest.param(case, id=case["name"], marks=marks(case)) for case in found]


def texts(case: Case) -> list[str]:
    large = [
        item.get("before", "") + item["piece"] * item["times"] for item in case.get("large", ())
    ]
    return [*case.get("inputs", ()), *large]


def source(case: Case) -> str:
    """The program: written out, or a piece of text so often between two others."""
    if "program" in case:
        return str(case["program"])
    made = "".join(
        case["piece"].replace("@@", str(number)).replace("@+", str(number + 1))
        for number in range(case["times"])
    )
    return str(case.get("before", "")) + made + str(case.get("after", ""))


def job(case: Case, limits: Limits = LIMITS) -> Job:
    inputs = tuple(json.dumps(text) for text in texts(case))
    return Job(Language.C, source(case), Mode.STDIN, None, inputs, limits)


def outcome_of(way: str, backend: BubblewrapBackend, job: Job) -> Outcome:
    """What a way says; what the authority says where the way leaves the question open.

    A way may leave a program that it cannot run to the authority, and so does the grader.
    """
    outcome = WAYS[way](backend, job)
    assert outcome.harness_error is None
    well = outcome.build.ok and all(run.ending is Ending.RETURNED for run in outcome.runs)
    return outcome if outcome.settled or well else WAYS[AUTHORITY](backend, job)


def printed(outcome: Outcome) -> list[str]:
    """What each run printed; that all of them ended well is a part of being well-defined."""
    assert outcome.harness_error is None
    assert outcome.build.ok, outcome.build.why
    assert [(run.ending, run.detail) for run in outcome.runs if run.output is None] == []
    return [json.loads(run.output or "") for run in outcome.runs]


def test_the_cases_are_as_many_as_claimed() -> None:
    for found in (PLAIN, HOSTILE, SOURCES):
        assert len({case["name"] for case in found}) == len(found)
    assert len(PLAIN) >= 220
    assert sum("expected" in case for case in PLAIN) >= 40
    assert len(HOSTILE) >= 45
    assert len(SOURCES) >= 25
    for case in PLAIN:
        assert 3 <= len(texts(case)) <= 6, case["name"]
        assert len(case.get("expected", case.get("inputs", ()))) == len(case.get("inputs", ()))


@pytest.mark.parametrize("case", sampled(PLAIN, 6))
def test_plain_program(backend: BubblewrapBackend, survivors: Survivors, case: Case) -> None:
    right = printed(outcome_of(AUTHORITY, backend, job(case)))
    assert len(right) == len(texts(case))
    for want, got in zip(case.get("expected", ()), right, strict=False):
        assert got == want
    for name in OTHERS:
        assert printed(outcome_of(name, backend, job(case))) == right, name
    backend.kill_all()  # workers that wait for more
    assert survivors() == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", sampled(HOSTILE, 8))
def test_hostile_program(
    backend: BubblewrapBackend, survivors: Survivors, case: Case, way: str
) -> None:
    """Each run ends as allowed, prints only what is allowed, and nothing of it lives on."""
    limits = SHORT if "timeout" in case["allowed"] else LIMITS
    outcome = outcome_of(way, backend, job(case, limits))
    assert outcome.harness_error is None
    assert outcome.build.ok, outcome.build.why
    assert len(outcome.runs) == len(texts(case))
    after_limit = False
    for index, run in enumerate(outcome.runs):
        allowed = [*case["allowed"], *(["not_run"] if after_limit else [])]
        assert run.ending.value in allowed, (index, run.ending, run.detail)
        after_limit = after_limit or run.ending in LIMIT_ENDINGS
        if run.ending is Ending.RETURNED:
            got = json.loads(run.output or "")
            assert not re.search(case.get("never", r"root:|:/bin/"), got)
            assert not any(folder in got for folder in OUR_FOLDERS)
            if "prints" in case:
                assert got in case["prints"][index], index
    backend.kill_all()  # workers that wait for more
    assert survivors() == []


@pytest.mark.parametrize("case", sampled(HOSTILE, 16))
def test_neighbours_are_not_harmed(
    backend: BubblewrapBackend, survivors: Survivors, case: Case
) -> None:
    """Right programs that run beside a hostile one, with the least care, are right as ever."""
    limits = SHORT if "timeout" in case["allowed"] else LIMITS
    neighbour = dataclasses.replace(job(NEIGHBOUR), limits=limits)
    jobs = [neighbour, job(case, limits), neighbour, neighbour]
    first, hostile, *later = backend.run_all(jobs, Care.TOGETHER)
    assert hostile.harness_error is None
    for run in hostile.runs:
        assert "neighbour-secret" not in (run.output or "")
    for outcome in (first, *later):
        assert printed(outcome) == NEIGHBOUR["expected"]
    backend.kill_all()  # workers that wait for more
    assert survivors() == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", sampled(SOURCES, 6))
def test_hostile_source(
    backend: BubblewrapBackend, survivors: Survivors, case: Case, way: str
) -> None:
    """It compiles or does not, as allowed, within its limits, and no file's text leaks."""
    outcome = outcome_of(way, backend, job(case))
    assert outcome.harness_error is None
    got = "compiles" if outcome.build.ok else "compile_error"
    assert got in case["allowed"], outcome.build.why
    leak = re.compile(case.get("never", r"root:|:/bin/|PATH=|HOME="))
    assert not leak.search(outcome.build.why)
    assert len(outcome.build.why) < 2000
    assert "\n" not in outcome.build.why
    assert outcome.build.ok or outcome.build.why
    assert len(outcome.runs) == (len(texts(case)) if outcome.build.ok else 0)
    for index, run in enumerate(outcome.runs):
        assert run.ending.value in case.get("endings", ["returned"]), (index, run.detail)
        if run.output is not None:
            got = json.loads(run.output)
            assert not leak.search(got)
            if "prints" in case:
                assert got in case["prints"][index], index
    backend.kill_all()  # workers that wait for more
    assert survivors() == []
