"""Which mutation types a walk draws, and how likely each is: four strategies as weights of types.

Source: syntactic-robustness paper, section 5, Algorithms 1 and 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import assert_never

from codequake.errors import UsageError
from codequake.formula.rules import EQUATION_TYPES, EXPRESSION_TYPES

__all__ = ["MeasuredPrompt", "Profile", "Strategy", "draw_weights", "profile", "profile_of_weights"]


class Strategy(StrEnum):
    """How a walk draws the type of its next step (Algorithm 2).

    ``NAIVE``: evenly, and a formula may turn out to be closer than the walk was long.
    ``UNIFORM``: evenly; ``WEIGHTED``: by measured weights; ``TOP_K``: evenly among the types that
    hurt most.  These three keep a step only if it leads further away.
    """

    NAIVE = "naive"
    UNIFORM = "uniform"
    WEIGHTED = "weighted"
    TOP_K = "top-k"


@dataclass(frozen=True, slots=True)
class MeasuredPrompt:
    """Degrees of syntactic robustness of one prompt, each 0 to 1.

    ``original`` is that of the prompt as it is, ``mutated`` that after one step of a type; types
    that do not apply to the prompt are absent.
    """

    original: float
    mutated: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profiling found, for equations or for expressions.

    ``weights`` holds the mean loss of every type, in the order of the catalogue, ``None`` for
    a type that applied to no prompt: it is unmeasured, which is not 0.  ``top`` holds the types
    with the greatest weights, greatest first.
    """

    weights: tuple[tuple[str, float | None], ...]
    top: tuple[str, ...]

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The types that applied to no prompt."""
        return tuple(name for name, weight in self.weights if weight is None)


def profile(
    prompts: Sequence[MeasuredPrompt],
    *,
    equations: bool,
    k: int | None = None,
    divide_by_types: bool = False,
) -> Profile:
    """Return the weight of every mutation type and the ``k`` types with the greatest weights.

    The weight of a type is the degree of the original minus that of the mutant, as a mean over
    the prompts to which the type applies.  With ``divide_by_types`` the sum over the prompts is
    divided by the number of types instead, as Algorithm 1 prints it.  For ``k`` and ties see
    ``profile_of_weights``.  Equations and expressions are profiled apart.

    Raises ``UsageError`` for a type that is not in the catalogue, a degree outside 0 to 1, and a
    ``k`` that is not 1 to the number of types.
    """
    types = _types(equations=equations)
    losses: dict[str, list[float]] = {name: [] for name in types}
    for prompt in prompts:
        _check_degree(prompt.original)
        for name, degree in prompt.mutated.items():
            _check_type(name, types)
            _check_degree(degree)
            losses[name].append(prompt.original - degree)
    weights = {
        name: None if not seen else math.fsum(seen) / len(types) if divide_by_types else fmean(seen)
        for name, seen in losses.items()
    }
    return profile_of_weights(weights, equations=equations, k=k)


def profile_of_weights(
    weights: Mapping[str, float | None], *, equations: bool, k: int | None = None
) -> Profile:
    """Return the profile of given weights; a type without one is unmeasured.

    The top holds the ``k`` types with the greatest weights, by default half of the types: 9 for
    equations, 6 for expressions.  Equal weights are ranked in the order of the catalogue, so
    that ``k`` types are chosen whenever ``k`` are measured; an unmeasured type never is.
    Raises ``UsageError`` for an unknown type, a weight that is no finite number, and a ``k`` that
    is not 1 to the number of types.
    """
    types = _types(equations=equations)
    chosen = len(types) // 2 if k is None else k
    if not 1 <= chosen <= len(types):
        raise UsageError(f"k is {k}; allowed: 1 to {len(types)}")
    for name, weight in weights.items():
        _check_type(name, types)
        if weight is not None and not math.isfinite(weight):
            raise UsageError(f"weight of {name} is {weight}; allowed: finite numbers")
    ordered = tuple((name, weights.get(name)) for name in types)
    measured = [(weight, name) for name, weight in ordered if weight is not None]
    # Sorting is stable, so that equal weights stay in the order of the catalogue.
    ranked = sorted(measured, key=lambda item: -item[0])
    return Profile(ordered, tuple(name for _, name in ranked[:chosen]))


def _types(*, equations: bool) -> tuple[str, ...]:
    return EQUATION_TYPES if equations else EXPRESSION_TYPES


def _check_type(name: str, types: tuple[str, ...]) -> None:
    if name not in types:
        raise UsageError(f"mutation type {name!r} is unknown; allowed: {', '.join(types)}")


def _check_degree(degree: float) -> None:
    if not 0 <= degree <= 1:
        raise UsageError(f"degree of robustness is {degree}; allowed: 0 to 1")


def draw_weights(
    strategy: Strategy, types: tuple[str, ...], found: Profile | None
) -> dict[str, float]:
    """Return the weight with which a walk draws each type; types that it never draws are absent.

    Negative weights count as 0.  Raises ``UsageError`` when a strategy needs a profile and has
    none, or when no type is left.
    """
    match strategy:
        case Strategy.NAIVE | Strategy.UNIFORM:
            return dict.fromkeys(types, 1.0)
        case Strategy.WEIGHTED | Strategy.TOP_K:
            if found is None:
                raise UsageError(f"strategy {strategy.value!r} needs the weights of a profile")
        case _:
            assert_never(strategy)
    if strategy is Strategy.TOP_K:
        drawn = dict.fromkeys((name for name in types if name in found.top), 1.0)
    else:
        drawn = {name: weight for name, weight in found.weights if weight is not None}
        drawn = {name: weight for name, weight in drawn.items() if weight > 0 and name in types}
    if not drawn:
        raise UsageError(
            f"strategy {strategy.value!r} can draw no type: none of {', '.join(types)} has a "
            "positive weight"
        )
    return drawn
