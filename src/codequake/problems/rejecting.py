"""Hidden tests of a problem that was drawn anew, mended until they reject its wrong programs.

Authors choose edge cases that tell the mistakes from the task.  With other constants or bounds
those may tell no longer, so inputs are drawn that do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from codequake.ports import Oracle
from codequake.problems.drawing import fresh_inputs, valid_inputs
from codequake.problems.judging import Judge
from codequake.problems.pairing import paired
from codequake.problems.rendering import input_stands_in
from codequake.records import JsonText, Problem, Reference, Test

__all__ = ["reject_mistakes"]

_DRAWN = 400


def reject_mistakes(
    judge: Judge, tests: Sequence[Test], kept: Sequence[bool], seed: int
) -> tuple[Problem, tuple[Test, ...]]:
    """Return the judge's problem and its hidden tests, some of them replaced by better ones.

    Afterwards each wrong program is rejected by a test of its own, and each relaxed one by some
    test; programs of which no drawn input shows that they are wrong are left out of the problem.
    ``tests`` are its hidden tests, and those that ``kept`` marks stay.  Their number is the same.
    """
    problem = judge.problem
    found = _Rejecting(judge, tests)
    if not found.lacks():
        return problem, tuple(tests)
    pool = [*tests, *_more(problem, judge.oracle, tests, seed)]
    found = _Rejecting(judge, pool)
    needed = found.needed()
    late = sorted(at for at in needed if at >= len(tests))
    free = [at for at in range(len(tests)) if at not in needed and not kept[at]]
    out = set(free[len(free) - min(len(late), len(free)) :])
    chosen = [at for at in range(len(tests)) if at not in out] + late[: len(out)]
    good = tuple(pool[at] for at in chosen)
    wrong, relaxed = _Rejecting(judge, good).proven()
    return dataclasses.replace(problem, wrong=wrong, relaxed=relaxed), good


class _Rejecting:
    """Which tests reject each wrong and each relaxed program of a problem."""

    def __init__(self, judge: Judge, tests: Sequence[Test]) -> None:
        inputs = [test.input for test in tests]

        def rejecting(program: Reference) -> set[int]:
            right = judge.right(tests, judge.answers(program, inputs))
            return {number for number, good in enumerate(right) if not good}

        self._problem = judge.problem
        self._wrong = [rejecting(program) for program in judge.problem.wrong]
        self._relaxed = [rejecting(program) for program in judge.problem.relaxed]
        self._pairs = paired(self._wrong)

    def lacks(self) -> bool:
        """Tell whether a program is rejected by no test, or a wrong one by none of its own."""
        return len(self._pairs) < len(self._wrong) or not all(self._relaxed)

    def needed(self) -> set[int]:
        """Return one test for each program that can be rejected, the earliest where it may be."""
        return {*self._pairs.values(), *(min(tests) for tests in self._relaxed if tests)}

    def proven(self) -> tuple[tuple[Reference, ...], tuple[Reference, ...]]:
        """Return the wrong and the relaxed programs that are rejected as they have to be."""
        wrong = tuple(self._problem.wrong[index] for index in sorted(self._pairs))
        rows = zip(self._problem.relaxed, self._relaxed, strict=True)
        return wrong, tuple(program for program, tests in rows if tests)


def _more(problem: Problem, oracle: Oracle, tests: Sequence[Test], seed: int) -> list[Test]:
    """Draw valid inputs that are neither tested nor shown, with the answers of the reference."""
    known = {test.input for test in (*problem.tests, *tests)}
    drawn = fresh_inputs(problem, oracle, seed, _DRAWN)
    inputs: list[JsonText] = [
        item
        for item in valid_inputs(problem, dict.fromkeys(drawn), oracle)
        if item not in known and not input_stands_in(problem, item, problem.statement)
    ]
    answers = oracle.answers(problem, problem.references[0], inputs)
    return [
        Test(item, answer.output, visible=False)
        for item, answer in zip(inputs, answers, strict=True)
        if answer.output is not None
    ]
