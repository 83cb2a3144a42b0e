"""Constraints that distract: true sentences among the real ones that exclude no legal input."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator

from codequake.canonical import canonical_json
from codequake.errors import UsageError
from codequake.perturb.inert import ANY, own_sentences
from codequake.perturb.layout import join_sections, split_sections
from codequake.perturb.spec import (
    Draft,
    NotApplicableError,
    Request,
    arguments_of,
    perturbation,
    rng_of,
    step_of,
)
from codequake.records import JsonText, Problem, Step, TaskKind
from codequake.statements import SectionKind

__all__ = ["distracting_constraints"]

_FEWEST, _MOST = 3, 5


@perturbation("distracting_constraints", task=TaskKind.KEPT)
def distracting_constraints(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield prompts without end, each with three to five inert sentences among the constraints.

    Argument ``kind`` is ``inert``, which is also what is taken without it.
    """
    kind = arguments_of(request.spec, kind="'inert'").get("kind", "inert")
    if kind != "inert":
        raise UsageError(
            f"argument kind of 'distracting_constraints' is {kind!r}; allowed: 'inert'"
        )
    if problem.structure is None:
        raise NotApplicableError("the problem has no structured statement")
    sections = split_sections(problem.statement, problem.structure)
    places = [at for at, section in enumerate(sections) if section.kind is SectionKind.CONSTRAINTS]
    if not places:
        raise NotApplicableError("the statement has no constraints to put others among")
    at = places[0]
    for index in itertools.count():
        rng = rng_of(problem, request, index)
        added = _sentences(problem, rng)
        lines = _mixed_in(sections[at].lines, added, rng)
        changed = dataclasses.replace(sections[at], lines=lines)
        chosen = JsonText(canonical_json({"index": index, "sentences": added}))
        yield Draft(
            join_sections((*sections[:at], changed, *sections[at + 1 :])),
            (step_of(request), Step("add_inert", chosen)),
        )


def _sentences(problem: Problem, rng: random.Random) -> list[str]:
    """Draw sentences, one or two of them about this problem's interface or inputs."""
    own = own_sentences(problem)
    count = rng.randint(_FEWEST, _MOST)
    mine = rng.sample(own, min(len(own), rng.randint(1, 2)))
    chosen = mine + rng.sample(ANY, count - len(mine))
    rng.shuffle(chosen)
    return chosen


def _mixed_in(lines: tuple[str, ...], added: list[str], rng: random.Random) -> tuple[str, ...]:
    """Put sentences between the lines of a list, which keep their order and their marks."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    mark = "- " if any(line.startswith("- ") for line in lines) else ""
    mixed = list(lines[:end])
    for sentence in added:
        mixed.insert(rng.randint(0, len(mixed)), f"{mark}{sentence}")
    return (*mixed, *lines[end:])
