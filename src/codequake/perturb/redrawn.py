"""Other examples, other bounds, other constants: the problem drawn anew, with its tests.

The problem's own generator and references make them, so they are right by construction; the gate
runs the new examples all the same.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from codequake.canonical import canonical_json, content_key
from codequake.codec import to_plain
from codequake.errors import CheckFailedError, UsageError
from codequake.grading import outputs_agree
from codequake.perturb.spec import (
    Draft,
    NotApplicableError,
    Request,
    arguments_of,
    perturbation,
    step_of,
)
from codequake.problems import can_redraw, redraw
from codequake.records import ChangeKind, JsonText, Problem, Step, TaskKind
from codequake.seeding import seed_for

__all__ = ["example_perturbation", "numeric_perturbation"]

_NUMERIC = {"bounds": ChangeKind.BOUNDS, "constants": ChangeKind.CONSTANTS}
_ATTEMPTS = 4
"""Draws that may fail in a row: some values leave too few inputs that tell programs apart."""


@perturbation("example_perturbation", task=TaskKind.KEPT, draws=True)
def example_perturbation(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield prompts with other examples of the same task, drawn from the problem's generator."""
    arguments_of(request.spec)
    return _redrawn(problem, request, ChangeKind.EXAMPLES, "")


@perturbation("numeric_perturbation", task=TaskKind.KEPT, draws=True)
def numeric_perturbation(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield prompts with other numbers.

    Argument ``kind`` is ``bounds``, which is also what is taken without it (other limits of the
    input, and the same answers), or ``constants`` (other numbers of the task itself, and so other
    answers: the task is changed).
    """
    kind = arguments_of(request.spec, kind="'bounds' or 'constants'").get("kind", "bounds")
    if not isinstance(kind, str) or kind not in _NUMERIC:
        raise UsageError(
            f"argument kind of 'numeric_perturbation' is {kind!r}; allowed: 'bounds', 'constants'"
        )
    return _redrawn(problem, request, _NUMERIC[kind], kind)


def _redrawn(problem: Problem, request: Request, kind: ChangeKind, name: str) -> Iterator[Draft]:
    reason = can_redraw(problem, kind)
    if reason is not None:
        raise NotApplicableError(reason)
    if request.oracle is None:
        raise NotApplicableError("drawing a problem anew takes a sandbox for its programs")
    made, failed = 0, 0
    for index in itertools.count():
        seed = seed_for(
            request.seed, problem.problem_id, request.spec.name, request.spec.arguments, index
        )
        try:
            new = redraw(problem, kind, request.oracle, agree=outputs_agree, seed=seed)
        except CheckFailedError as error:
            failed += 1
            if failed >= _ATTEMPTS and not made:
                raise NotApplicableError(str(error)) from error
            if failed >= _ATTEMPTS:
                return
            continue
        made, failed = made + 1, 0
        judge = dataclasses.replace(new, problem_id=f"{new.problem_id}-{_mark(new)}")
        drawn = {"index": index, "kind": kind.value}
        step = Step("redraw", JsonText(canonical_json(drawn)))
        yield Draft(new.statement, (step_of(request), step), judged_by=judge, kind=name)


def _mark(problem: Problem) -> str:
    """Return what tells one drawn problem from another: equal contents have equal marks."""
    return content_key(to_plain(problem), length=8)
