from __future__ import annotations

import dataclasses

import pytest
from tests.grading.grading_samples import ADD

from codequake.errors import UsageError
from codequake.grading import Grader
from codequake.grading.signatures import SignatureKind, signatures_of
from codequake.records import Language, Reference


def program(name: str, body: str, entry: str = "add") -> Reference:
    return Reference(name, Language.PYTHON, f"def {entry}(a, b):\n    {body}\n")


PROBLEM = dataclasses.replace(
    ADD,
    relaxed=(program("first-only", "return a"),),
    wrong=(
        program("crashes", "return a + b if a != 5 else 1 // 0"),
        program("right-after-all", "return b + a"),
        program("as-floats", "return float(a)"),
        program("no-program", "return ("),
    ),
)
ORIGINAL = dataclasses.replace(
    ADD,
    problem_id="tests/times",
    entry_point="times",
    references=(program("product", "return a * b", "times"),),
)


def test_known_programs_are_run_on_the_tests(grader: Grader) -> None:
    found = {item.name: item for item in signatures_of(grader, PROBLEM, ORIGINAL)}
    # The tests are (1, 2), (5, -5) and (2, 2).
    assert found["crashes"].outputs == ("=", "!crashed", "=")
    assert found["product"].outputs[2] == "="
    assert found["product"].outputs[0] not in ("=", found["product"].outputs[1])
    assert found["product"].kind is SignatureKind.ORIGINAL
    # Equal values have equal marks, however they are written.
    assert found["first-only"].outputs == found["as-floats"].outputs
    assert "=" not in found["first-only"].outputs
    # What is right, or does not run, can be matched with nothing.
    assert found["right-after-all"].outputs == found["no-program"].outputs == ()


def test_they_are_sorted_and_belong_to_the_problem(grader: Grader) -> None:
    found = signatures_of(grader, PROBLEM)
    assert [(item.kind.value, item.name) for item in found] == [
        ("relaxed", "first-only"),
        ("wrong", "as-floats"),
        ("wrong", "crashes"),
        ("wrong", "no-program"),
        ("wrong", "right-after-all"),
    ]
    assert {item.problem_id for item in found} == {"tests/add"}
    assert signatures_of(grader, ADD) == ()


def test_a_problem_that_cannot_be_run_is_refused(grader: Grader) -> None:
    with pytest.raises(UsageError, match="cannot be run here"):
        signatures_of(grader, dataclasses.replace(PROBLEM, environment="a network"))
