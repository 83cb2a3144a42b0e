"""The C programs of the benchmark: the right ones are right to run, the wrong ones differ."""

from __future__ import annotations

import json
import random
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.grading.grading_samples import LIMITS

from codequake.sandbox import BubblewrapBackend, Job, Mode
from codequake.tasks import Language

FILE = Path(__file__).parents[2] / "benchmarks" / "c_programs.toml"
PROGRAMS: list[dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))["program"]


def drawn(reads: str, source: random.Random) -> str:
    """The numbers that one entry of ``reads`` asks for, with spaces between."""
    if reads.startswith("list "):
        _, kind, low, high, most = reads.split()
        count = source.randint(1, int(most))
        numbers = [drawn(f"{kind} {low} {high}", source) for _ in range(count)]
        return " ".join([str(count), *numbers])
    kind, low, high = reads.split()
    if kind == "int":
        return str(source.randint(int(low), int(high)))
    return f"{source.uniform(float(low), float(high)):.3f}"


def sibling(program: dict[str, Any]) -> str:
    right, wrong = program["wrong"]
    return str(program["program"]).replace(right, wrong)


def test_the_programs_are_fifty_and_each_change_is_clear() -> None:
    assert len({program["name"] for program in PROGRAMS}) == len(PROGRAMS) == 50
    assert len({program["program"] for program in PROGRAMS}) == 50
    for program in PROGRAMS:
        assert program["program"].count(program["wrong"][0]) == 1, program["name"]


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            program,
            id=program["name"],
            marks=() if zlib.crc32(program["name"].encode()) % 10 == 0 else (pytest.mark.quality,),
        )
        for program in PROGRAMS
    ],
)
def test_program_and_its_wrong_sibling(
    backend: BubblewrapBackend, survivors: Callable[[], list[str]], program: dict[str, Any]
) -> None:
    source = random.Random(program["name"])
    inputs = tuple(
        json.dumps(" ".join(drawn(reads, source) for reads in program["reads"]) + "\n")
        for _ in range(100)
    )
    outputs = []
    for text in (program["program"], sibling(program)):
        outcome = backend.run(Job(Language.C, text, Mode.STDIN, None, inputs, LIMITS))
        assert outcome.harness_error is None
        assert outcome.build.ok, outcome.build.why
        assert all(run.read_input for run in outcome.runs)
        outputs.append([run.output for run in outcome.runs])
        assert None not in outputs[-1], [run.detail for run in outcome.runs]
    right, wrong = outputs
    assert sum(one != other for one, other in zip(right, wrong, strict=True)) >= 3
    assert len(set(right)) > 1
    assert all("nan" not in output and "inf" not in output for output in right if output)
    assert survivors() == []
