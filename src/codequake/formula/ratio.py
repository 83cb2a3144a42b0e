"""Comparison of two formulas in a prime field: by value, and equations by the ratio of sides.

An equation stands for ``g = left - right``.  Two of them hold at the same points when
``g2 = u * g1`` with a factor ``u`` that is never 0: here a number times powers of coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from codequake.formula.field import PRIME, FieldWorld
from codequake.formula.nodes import Node

__all__ = ["FieldAnswer", "FieldComparison", "compare_equations", "compare_expressions"]

_LARGEST_POWER = 12


class FieldAnswer(StrEnum):
    """What random evaluation says; ``DIFFERENT`` is no proof about real numbers."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class FieldComparison:
    """An answer and the points used.

    ``scaled_by`` holds the coefficients in the factor between two equations, with their powers.
    """

    answer: FieldAnswer
    scaled_by: tuple[tuple[str, int], ...]
    points: int


def compare_expressions(
    first: Node, second: Node, names: tuple[str, ...], world: FieldWorld
) -> FieldComparison:
    """Compare the values of two expressions at one random point."""
    point = {name: world.draw() for name in names}
    one, two = world.value(first, point), world.value(second, point)
    if one is None or two is None:
        return FieldComparison(FieldAnswer.UNDEFINED, (), 1)
    return FieldComparison(FieldAnswer.EQUAL if one == two else FieldAnswer.DIFFERENT, (), 1)


def compare_equations(
    first: Node,
    second: Node,
    names: tuple[str, ...],
    coefficients: frozenset[str],
    world: FieldWorld,
) -> FieldComparison:
    """Compare two equations around one random point, moving each name in turn.

    The factor must stay the same when a variable moves, and must grow by ``t**k``, ``|k| <= 12``,
    when a coefficient is multiplied by ``t``.
    """
    base = {name: world.draw() for name in names}
    one, two = world.value(first, base), world.value(second, base)
    if one is None or two is None:
        return FieldComparison(FieldAnswer.UNDEFINED, (), 1)
    if not one or not two:
        # Zero at a random point is zero everywhere: the equation always holds.
        same = one == two
        return FieldComparison(FieldAnswer.EQUAL if same else FieldAnswer.DIFFERENT, (), 1)
    factor = two * pow(one, -1, PRIME) % PRIME
    scaled = []
    for count, name in enumerate(names, start=2):
        stretch = world.draw()
        moved = _factor(first, second, base | {name: base[name] * stretch % PRIME}, world)
        if moved is None:
            return FieldComparison(FieldAnswer.UNDEFINED, (), count)
        change = moved * pow(factor, -1, PRIME) % PRIME
        if change == 1:
            continue
        power = _power(change, stretch)
        if name not in coefficients or power is None:
            return FieldComparison(FieldAnswer.DIFFERENT, (), count)
        scaled.append((name, power))
    return FieldComparison(FieldAnswer.EQUAL, tuple(scaled), 1 + len(names))


def _factor(first: Node, second: Node, point: Mapping[str, int], world: FieldWorld) -> int | None:
    one, two = world.value(first, point), world.value(second, point)
    if not one or not two:
        return None
    return two * pow(one, -1, PRIME) % PRIME


def _power(change: int, stretch: int) -> int | None:
    for power in range(-_LARGEST_POWER, _LARGEST_POWER + 1):
        if change == pow(stretch, power, PRIME):
            return power
    return None
