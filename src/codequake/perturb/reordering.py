"""The same prompt in another order: of its examples, or of its sections."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from codequake.canonical import canonical_json
from codequake.perturb.layout import own_structure
from codequake.perturb.restoring import example_blocks, titled_parts
from codequake.perturb.spec import (
    Draft,
    Freedom,
    NotApplicableError,
    Request,
    arguments_of,
    perturbation,
    rng_of,
    step_of,
)
from codequake.records import JsonText, Problem, Step, TaskKind

__all__ = ["example_reorder", "section_reorder"]

_MOST = 720
"""Orders to draw from; more would not be told apart by a reader."""


@perturbation("example_reorder", task=TaskKind.KEPT, freedoms=(Freedom.EXAMPLE_ORDER,))
def example_reorder(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with its examples in each other order, numbered anew."""
    arguments_of(request.spec)
    found = example_blocks(own_structure(problem), problem.statement)
    if found is None:
        raise NotApplicableError("the statement has no two numbered examples")
    before, blocks, after = found
    for order in _orders(len(blocks), rng_of(problem, request, 0)):
        lines = [f"Example {place}:\n{blocks[at]}" for place, at in enumerate(order, start=1)]
        examples = before + "\n" + "\n\n".join(lines)
        text = "\n\n".join([examples, after] if after else [examples])
        yield Draft(text, (step_of(request), _step(order)))


@perturbation("section_reorder", task=TaskKind.KEPT, freedoms=(Freedom.SECTION_ORDER,))
def section_reorder(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with its titled sections in each other order, behind the task."""
    arguments_of(request.spec)
    structure = own_structure(problem)
    parts = titled_parts(structure, problem.statement)
    if parts is None or structure.sections[0].title or len(parts) < 3:
        raise NotApplicableError("the statement has no two titled sections behind the task")
    first, *rest = parts
    for order in _orders(len(rest), rng_of(problem, request, 0)):
        yield Draft(
            "\n\n".join([first, *(rest[at] for at in order)]), (step_of(request), _step(order))
        )


def _orders(count: int, rng: random.Random) -> Iterator[tuple[int, ...]]:
    """Yield every order but the one that stands, in a drawn sequence."""
    every = list(itertools.islice(itertools.permutations(range(count)), 1, _MOST))
    rng.shuffle(every)
    yield from every


def _step(order: tuple[int, ...]) -> Step:
    return Step("reorder", JsonText(canonical_json({"order": list(order)})))
