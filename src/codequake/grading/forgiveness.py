"""What the tolerance of a comparison decides: the same outputs at a tenth and ten times of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from codequake.grading.compare import outputs_agree
from codequake.records import JsonText, Problem
from codequake.sandbox import Ending, Run

__all__ = ["Forgiveness", "ToleranceCounts", "count_tolerance"]

_TENTH, _TEN, _NONE = Fraction(1, 10), Fraction(10), Fraction(0)


@dataclass(frozen=True, slots=True)
class ToleranceCounts:
    """How verdicts and prompts depend on the tolerance.

    ``passes`` is the number of passes whose outputs were compared again: ``fail_at_tenth`` of
    them would be wrong at a tenth of the tolerance.  ``pass_at_ten`` of ``wrong_answers`` would
    be right at ten times.  ``prompts`` is the number of problems with such a pass: on
    ``prompts_in_need`` of them a pass has a number that differs from the expected one at all.
    """

    passes: int
    fail_at_tenth: int
    wrong_answers: int
    pass_at_ten: int
    prompts: int
    prompts_in_need: int


@dataclass(frozen=True, slots=True)
class Forgiveness:
    """Whether the outputs of a program are right at other tolerances than that of its problem.

    ``None`` where outputs are not compared: a checker or statements judge them.
    """

    problem_id: str
    at_tenth: bool | None = None
    at_ten: bool | None = None
    at_none: bool | None = None

    @classmethod
    def of_runs(cls, problem: Problem, runs: Sequence[Run]) -> Forgiveness:
        """Compare the outputs on the tests of a problem."""
        if problem.checker is not None or problem.assertions is not None:
            return cls(problem.problem_id)
        found = [_all_agree(problem, runs, scale) for scale in (_TENTH, _TEN, _NONE)]
        return cls(problem.problem_id, *found)

    def with_runs(self, problem: Problem, runs: Sequence[Run]) -> Forgiveness:
        """Return it with the need for any tolerance of more outputs added."""
        if self.at_none is None or not self.at_none:
            return self
        return dataclasses.replace(self, at_none=_all_agree(problem, runs, _NONE))


def _all_agree(problem: Problem, runs: Sequence[Run], scale: Fraction) -> bool:
    return len(runs) == len(problem.tests) and all(
        run.ending is Ending.RETURNED
        and (
            run.output == test.expected
            or outputs_agree(
                test.expected,
                JsonText(run.output or ""),
                problem.comparison,
                problem.interface,
                scale=scale,
            )
        )
        for test, run in zip(problem.tests, runs, strict=True)
    )


def count_tolerance(
    passes: Iterable[Forgiveness], wrong_answers: Iterable[Forgiveness]
) -> ToleranceCounts:
    """Count what changes; programs whose outputs are not compared are in no count."""
    compared = [item for item in passes if item.at_none is not None]
    wrong = [item for item in wrong_answers if item.at_ten is not None]
    return ToleranceCounts(
        passes=len(compared),
        fail_at_tenth=sum(item.at_tenth is False for item in compared),
        wrong_answers=len(wrong),
        pass_at_ten=sum(item.at_ten is True for item in wrong),
        prompts=len({item.problem_id for item in compared}),
        prompts_in_need=len({item.problem_id for item in compared if item.at_none is False}),
    )
