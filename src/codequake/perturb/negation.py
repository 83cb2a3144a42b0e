"""The opposite of a task, or a milder reversal, as the author of the problem wrote it.

Each has references of its own, which answer its examples and its tests: a model that solves the
original task fails them.
"""

from __future__ import annotations

from collections.abc import Iterator

from codequake.canonical import canonical_json
from codequake.perturb.spec import (
    Draft,
    NotApplicableError,
    Request,
    arguments_of,
    perturbation,
    step_of,
)
from codequake.records import ChangeKind, JsonText, Problem, Step, TaskKind

__all__ = ["hard_negation", "soft_negation"]


@perturbation("hard_negation", task=TaskKind.CHANGED)
def hard_negation(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with the opposite objective, once."""
    return _negated(problem, request, ChangeKind.HARD_NEGATION)


@perturbation("soft_negation", task=TaskKind.CHANGED)
def soft_negation(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with a milder reversal inside the same task, once."""
    return _negated(problem, request, ChangeKind.SOFT_NEGATION)


def _negated(problem: Problem, request: Request, kind: ChangeKind) -> Iterator[Draft]:
    arguments_of(request.spec)
    found = [one for one in request.versions if one.change and one.change.kind is kind]
    if not found:
        raise NotApplicableError(
            f"its set has no version of it with a {kind.value.replace('_', ' ')}"
        )
    for version in found:
        assert version.change is not None
        nature = {"nature": version.change.nature, "version": version.problem_id}
        step = Step("author", JsonText(canonical_json(nature)))
        yield Draft(version.statement, (step_of(request), step), judged_by=version)
