"""What a perturbation is: a named function from a problem to drafts of changed prompts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.errors import CodequakeError, UsageError
from codequake.ports import Oracle
from codequake.records import Check, JsonText, Problem, Step, TaskKind
from codequake.registry import Table
from codequake.seeding import generator_for

__all__ = [
    "PERTURBATIONS",
    "Draft",
    "Freedom",
    "Make",
    "NotApplicableError",
    "Perturbation",
    "PerturbationSpec",
    "Request",
    "arguments_of",
    "perturbation",
    "rng_of",
    "step_of",
]


_NONE = JsonText("{}")


class NotApplicableError(CodequakeError):
    """A perturbation does not apply to a problem; the message is the reason that is reported."""


@dataclass(frozen=True, slots=True)
class PerturbationSpec:
    """A perturbation as a study asks for it.

    ``arguments`` is the canonical JSON of an object; ``count`` is the number of different
    variants that are wanted of each problem.
    """

    name: str
    arguments: JsonText = _NONE
    count: int = 1


@dataclass(frozen=True, slots=True)
class Request:
    """What a perturbation is asked for: its spec and the seed of the study.

    ``oracle`` runs references and generators; ``None`` where nothing can be run.  ``versions`` are
    the problems that the author of this one made from it.
    """

    spec: PerturbationSpec
    seed: int
    oracle: Oracle | None = None
    versions: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A changed prompt that no gate has seen yet; the fields are those of ``Variant``.

    ``base`` is the draft that a mitigation was applied to.  ``entry_point`` is the name that its
    program must define, where that is not the problem's own.  ``judged_by`` is the problem whose
    tests judge it, where that is not the problem itself.  ``kind`` tells kinds of one family
    apart in tables; it is empty for the usual kind.
    """

    text: str
    chain: tuple[Step, ...]
    formula: str | None = None
    distance: int | None = None
    distance_proved: bool | None = None
    assumptions: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    base: Draft | None = None
    entry_point: str | None = None
    judged_by: Problem | None = None
    kind: str = ""


Make = Callable[[Problem, Request], Iterator[Draft]]
"""Yields drafts, each from the problem and a generator of its own index; it may end early.

Raises ``NotApplicableError`` where the perturbation does not apply, ``UsageError`` for arguments
that it does not know.
"""


class Freedom(StrEnum):
    """What a perturbation may change by its rule.

    The gate puts all but the last back before it checks.  ``WORDING`` is that of the task: its
    protected pieces may then stand in another order.
    """

    EXAMPLE_ORDER = "example_order"
    SECTION_ORDER = "section_order"
    LAYOUT = "layout"
    SPELLING = "spelling"
    WORDING = "wording"


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A registered perturbation.

    ``task`` says whether it keeps the task, unless the problem that judges a draft has another;
    ``may_repeat`` that its text may be that of the clean prompt or of another of its variants (all
    others are dropped as having changed nothing).  ``freedoms`` are what it changes by its rule,
    ``draws`` says that it runs the programs of a problem to make a draft.
    """

    name: str
    task: TaskKind
    make: Make
    may_repeat: bool
    freedoms: frozenset[Freedom] = frozenset()
    draws: bool = False


PERTURBATIONS: Table[Perturbation] = Table("perturbation")
"""All known perturbations by name; other packages add theirs through an entry point."""


def perturbation(
    name: str,
    *,
    task: TaskKind,
    may_repeat: bool = False,
    freedoms: Iterable[Freedom] = (),
    draws: bool = False,
) -> Callable[[Make], Make]:
    """Return a decorator that registers a function as a perturbation.

    Raises ``UsageError`` when the name is taken.
    """

    def register(make: Make) -> Make:
        made = Perturbation(name, task, make, may_repeat, frozenset(freedoms), draws)
        PERTURBATIONS.add(name)(made)
        return make

    return register


def rng_of(problem: Problem, request: Request, index: int) -> random.Random:
    """Return the generator of one draft: it depends on what the draft is, not on the others."""
    spec = request.spec
    return generator_for(request.seed, problem.problem_id, spec.name, spec.arguments, index)


def step_of(request: Request) -> Step:
    """Return the first step of a chain: the perturbation with its arguments."""
    return Step(request.spec.name, request.spec.arguments)


def arguments_of(spec: PerturbationSpec, **allowed: str) -> dict[str, Any]:
    """Return the arguments of a spec; ``allowed`` maps names to what they may be, in words.

    Raises ``UsageError`` when they are no JSON object, not canonical, or hold another name.
    """
    value = parse_json(spec.arguments)
    if not isinstance(value, dict) or canonical_json(value) != spec.arguments:
        raise UsageError(
            f"arguments of {spec.name!r} are {spec.arguments!r}; allowed: canonical JSON object"
        )
    for name in value:
        if name not in allowed:
            known = ", ".join(f"{key} ({words})" for key, words in allowed.items()) or "none"
            raise UsageError(f"{spec.name!r} has no argument {name!r}; allowed: {known}")
    return value
