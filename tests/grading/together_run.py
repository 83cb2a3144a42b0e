"""Grading several programs at once as a study does it, with more care for what did not pass."""

from __future__ import annotations

from collections.abc import Sequence

from tests.grading.grading_samples import LIMITS

from codequake.grading.grader import job_for, judge
from codequake.records import Problem, Status
from codequake.sandbox import Backend, Care, Limits, Outcome, open_backend


def grade_together(
    problem: Problem,
    programs: Sequence[str],
    *,
    backend: Backend | None = None,
    limits: Limits = LIMITS,
) -> list[Status]:
    """What each program gets when all of them are graded in one batch, in their order.

    Only a pass is believed of a program that ran beside others: every other outcome is taken again
    with more care, and once more alone where it is not settled even then.
    """
    backend = backend or open_backend("bwrap")
    jobs = [job_for(problem, program, None, limits) for program in programs]

    def passed(outcome: Outcome) -> bool:
        return judge(problem, outcome).status is Status.PASSED

    outcomes = list(backend.run_all(jobs, Care.TOGETHER))
    cares = (Care.TOGETHER, Care.APART, Care.FORKED, Care.ALONE)
    for care in cares[1:]:
        again = [
            index
            for index, outcome in enumerate(outcomes)
            if not (passed(outcome) or outcome.settled)
            and (care is Care.ALONE or cares.index(outcome.care) < cares.index(care))
        ]
        renewed = backend.run_all([jobs[index] for index in again], care)
        for index, outcome in zip(again, renewed, strict=True):
            outcomes[index] = outcome
    return [judge(problem, outcome).status for outcome in outcomes]
