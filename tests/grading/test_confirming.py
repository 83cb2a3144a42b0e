"""The share of fast passes that gcc confirms, and what a fast path that lies comes to."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import pytest
from tests.grading.grading_samples import ADD, LIMITS

from codequake.errors import UsageError
from codequake.grading import Grader, Program, grade_programs
from codequake.grading.confirming import is_to_confirm
from codequake.grading.grader import CONFIRMED_SHARE
from codequake.records import Interface, JsonText, Language, Problem, Status, Test
from codequake.sandbox import (
    BubblewrapBackend,
    Build,
    Care,
    Job,
    Mode,
    Outcome,
    Returned,
    native_program,
)

DOUBLE = dataclasses.replace(
    ADD,
    problem_id="tests/distance",
    language=Language.C,
    interface=Interface.STDIN,
    entry_point=None,
    tests=tuple(
        Test(JsonText(json.dumps(given)), JsonText(json.dumps(wanted)), visible=False)
        for given, wanted in (("3\n", "3\n"), ("-4\n", "4\n"))
    ),
)
RIGHT = (
    "#include <stdio.h>\n#include <stdlib.h>\n"
    'int main(void) { int n; scanf("%d", &n); printf("%d\\n", abs(n)); return 0; }\n'
)
WRONG = RIGHT.replace("abs(n)", "labs(n) + (n < 0)")


def fast_outcome(problem: Problem, care: Care = Care.TOGETHER) -> Outcome:
    text = "\n".join(test.expected for test in problem.tests)
    runs = Returned(text, len(problem.tests))
    return Outcome(Build(True, ""), None, runs, 0.0, None, "x", care=care, settled=False)


def job(number: int, language: Language = Language.C) -> Job:
    return Job(language, f"{RIGHT}// {number}", Mode.STDIN, None, ("1",))


def chosen(share: float, count: int = 4000) -> list[int]:
    outcome = fast_outcome(DOUBLE)
    return [n for n in range(count) if is_to_confirm(DOUBLE, job(n), outcome, share)]


def test_the_choice_is_the_programs_own() -> None:
    assert chosen(0.25) == chosen(0.25)
    assert set(chosen(0.01)) <= set(chosen(0.25))  # a larger share confirms the same and more
    other = dataclasses.replace(DOUBLE, problem_id="tests/other")
    outcome = fast_outcome(other)
    assert [n for n in range(4000) if is_to_confirm(other, job(n), outcome, 0.25)] != chosen(0.25)


def test_the_share_is_what_it_says() -> None:
    assert chosen(0.0) == []
    assert len(chosen(1.0)) == 4000
    # five standard deviations of a binomial count on either side
    assert abs(len(chosen(0.25)) - 1000) < 5 * (4000 * 0.25 * 0.75) ** 0.5
    assert abs(len(chosen(CONFIRMED_SHARE)) - 40) < 5 * (4000 * 0.01 * 0.99) ** 0.5


def test_only_passes_of_the_fast_path_are_confirmed() -> None:
    assert not is_to_confirm(DOUBLE, job(1), fast_outcome(DOUBLE, Care.APART), 1.0)
    assert not is_to_confirm(DOUBLE, job(1, Language.PYTHON), fast_outcome(DOUBLE), 1.0)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_a_share_is_between_0_and_1(backend: BubblewrapBackend, share: float) -> None:
    with pytest.raises(UsageError, match="allowed: 0 to 1"):
        Grader(backend, confirmed_share=share)


def test_the_share_is_part_of_the_version(backend: BubblewrapBackend) -> None:
    assert "0.01 of fast C passes confirmed" in Grader(backend).version
    assert Grader(backend, confirmed_share=0.5).version != Grader(backend).version


def grade(backend: BubblewrapBackend, text: str, share: float) -> tuple[Status, str, str | None]:
    grader = Grader(backend, LIMITS, confirmed_share=share)
    (found,) = grade_programs(grader, [Program(DOUBLE, text, None)], workers=1)
    return found.status, found.message, found.failure.got if found.failure else None


def test_what_gcc_confirms_stays_a_pass(backend: BubblewrapBackend) -> None:
    assert grade(backend, RIGHT, 1.0) == (Status.PASSED, "", None)
    assert grade(backend, WRONG, 1.0)[0] is Status.WRONG_ANSWER


def test_a_library_that_lies_is_found_out(
    backend: BubblewrapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is built whose labs() is one too small for numbers below 0."""
    sources = native_program.native_sources()
    lie = "static long lie(long n)\n{\n    return n < 0 ? -n - 1 : n;\n}\n\nconst struct symbol"
    changed = sources["symbols.c"].replace("const struct symbol", lie, 1)
    changed = changed.replace("{NULL, NULL},", '{"labs", (const void *)lie},\n    {NULL, NULL},')
    changed = changed.replace("X(labs) ", "")
    assert changed.count("lie") == 2
    monkeypatch.setattr(native_program, "native_sources", lambda: {**sources, "symbols.c": changed})
    lying = BubblewrapBackend()
    try:
        assert grade(lying, WRONG, 0.0)[0] is Status.PASSED  # what confirming is there for
        status, message, got = grade(lying, WRONG, 1.0)
    finally:
        lying.kill_all()
    assert status is Status.HARNESS_ERROR
    assert "test 2: the fast path passes it and gcc says wrong_answer" in message
    assert got == '{"fast":"\\"4\\\\n\\"","gcc":"\\"5\\\\n\\""}'


def test_nothing_else_than_a_pass_of_gcc_confirms(
    backend: BubblewrapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lie(jobs: Sequence[Job], found: list[Outcome | None], care: Care) -> None:
        if care is Care.TOGETHER:
            found[:] = [fast_outcome(DOUBLE) for _ in jobs]

    monkeypatch.setattr(backend._ladder, "run", lie)
    for text in (WRONG, "int main(void) { return 3; }", "int main(void) { return"):
        status, message, _ = grade(backend, text, 1.0)
        assert status is Status.HARNESS_ERROR
        assert "the fast path passes it" in message
