"""A share of what the fast path for C calls right is judged again by gcc.

The fast path proves programs right on a compiler that is no authority.  Which passes are looked at
again depends on the program and its problem alone, so that it is the same in every order of work.
"""

from __future__ import annotations

from codequake.canonical import canonical_json
from codequake.grading.grader import Judgement
from codequake.records import Failure, JsonText, Language, Problem, Status, TestStatus
from codequake.sandbox import Care, Job, Outcome
from codequake.seeding import seed_for

__all__ = ["confirmed", "is_to_confirm"]

_SEEDS = 1 << 64
_SHOWN = 2000


def is_to_confirm(problem: Problem, job: Job, outcome: Outcome, share: float) -> bool:
    """Whether a pass came from the fast path and is among the share that gcc looks at again."""
    if job.language is not Language.C or outcome.care is not Care.TOGETHER:
        return False
    source = job.source.encode("utf-8", "backslashreplace").decode("utf-8")
    return seed_for(0, "confirm", problem.problem_id, source) < share * _SEEDS


def confirmed(
    problem: Problem, fast: Outcome, passed: Judgement, sure: Outcome, judged: Judgement
) -> Judgement:
    """Return what a pass of the fast path comes to, now that gcc has judged the program, too.

    A disagreement is a fault of ours until it is understood: ``harness_error``, with what both
    printed on the first test that gcc does not pass.
    """
    if judged.status is Status.PASSED:
        return passed
    if judged.status is Status.HARNESS_ERROR:
        return judged
    index = next(
        (
            index
            for index, test in enumerate(judged.tests)
            if test.status not in (TestStatus.PASSED, TestStatus.NOT_RUN)
        ),
        0,
    )
    test = problem.tests[index]
    printed = [_output(fast, index), _output(sure, index)]
    message = (
        f"test {index + 1}: the fast path passes it and gcc says {judged.status.value} "
        f"({judged.message}); outputs: {printed[0]} and {printed[1]}"
    )
    got = JsonText(canonical_json({"fast": printed[0], "gcc": printed[1]}))
    failure = Failure(index, test.input, test.expected, got)
    return Judgement(Status.HARNESS_ERROR, judged.tests, message, failure)


def _output(outcome: Outcome, index: int) -> str | None:
    if index >= len(outcome.runs):
        return None
    output = outcome.runs[index].output
    return None if output is None else output.encode("utf-8", "replace").decode()[:_SHOWN]
