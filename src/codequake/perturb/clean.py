"""The prompt as it stands: the baseline, and the same again as the floor of noise."""

from __future__ import annotations

from collections.abc import Iterator

from codequake.errors import UsageError
from codequake.perturb.spec import Draft, Request, arguments_of, perturbation, step_of
from codequake.records import Problem, TaskKind

__all__ = ["clean", "repeat"]


@perturbation("clean", task=TaskKind.KEPT, may_repeat=True)
def clean(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the clean prompt, once."""
    return _as_it_stands(problem, request)


@perturbation("repeat", task=TaskKind.KEPT, may_repeat=True)
def repeat(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the clean prompt, once; the study asks it with other sample indices than ``clean``."""
    return _as_it_stands(problem, request)


def _as_it_stands(problem: Problem, request: Request) -> Iterator[Draft]:
    arguments_of(request.spec)
    if request.spec.count != 1:
        raise UsageError(f"count of {request.spec.name!r} is {request.spec.count}; allowed: 1")
    formula = None if problem.formula is None else problem.formula.text
    distance = None if problem.formula is None else 0
    assumptions = () if problem.formula is None else problem.formula.assumptions
    yield Draft(
        problem.statement,
        (step_of(request),),
        formula,
        distance,
        None if distance is None else True,
        assumptions,
    )
