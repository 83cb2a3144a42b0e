"""The same inputs with the answers of another task: what tells who solved which of the two."""

from __future__ import annotations

import dataclasses

from codequake.ports import Oracle
from codequake.problems.building import DISCRIMINATING
from codequake.problems.drawing import ordinary_tests
from codequake.problems.judging import Agree, Judge
from codequake.records import ChangeKind, Problem, Test

__all__ = ["DISCRIMINATING", "contrast_with", "has_new_oracle"]


def has_new_oracle(kind: ChangeKind) -> bool:
    """Tell whether a change of this kind gives other answers, and not only other inputs."""
    match kind:
        case ChangeKind.HARD_NEGATION | ChangeKind.SOFT_NEGATION | ChangeKind.CONSTANTS:
            return True
        case ChangeKind.BOUNDS | ChangeKind.EXAMPLES:
            return False


def contrast_with(changed: Problem, original: Problem, oracle: Oracle, agree: Agree) -> Problem:
    """Return the changed problem with the answers of the original task.

    Its tests are the hidden ones of ``changed`` that tell the two tasks apart: the original's
    reference answers them, and its answer is wrong for the changed task.  There may be none.  The
    id is that of ``changed`` and ``~original``.  Raises ``DataError`` when the checker of the
    problem fails and ``MachineError`` when nothing can be run.
    """
    tests = [test for test in ordinary_tests(changed) if not test.visible]
    judge = Judge(changed, oracle, agree)
    answers = oracle.answers(original, original.references[0], [test.input for test in tests])
    right = judge.right(tests, answers)
    kept = tuple(
        Test(test.input, answer.output, visible=False)
        for test, answer, same in zip(tests, answers, right, strict=True)
        if not same and answer.output is not None
    )
    return dataclasses.replace(
        original,
        problem_id=f"{changed.problem_id}~original",
        tests=kept,
        change=changed.change,
    )
