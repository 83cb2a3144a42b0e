"""Which whole counts a printed share can come from, and by which rule of rounding."""

from __future__ import annotations

import math
from enum import StrEnum
from fractions import Fraction

from codequake.audit.cells import Cell, Item, Printed, Unit

__all__ = [
    "Rounding",
    "conventions",
    "counts_of",
    "fitting_counts",
    "is_countable",
    "nearest_counts",
    "rounded",
    "scale_of",
]


class Rounding(StrEnum):
    """Where a tie goes: away from zero, or to the even digit."""

    HALF_UP = "half up"
    HALF_EVEN = "half even"


def scale_of(unit: Unit, n: int) -> int:
    """Return what ``n`` of ``n`` is printed as: 100 for %, 1 for a share, ``n`` for a count."""
    if unit is Unit.COUNT:
        return n
    return 100 if unit in (Unit.PERCENT, Unit.POINTS) else 1


def is_countable(cell: Cell) -> bool:
    """Whether the cell claims to be a count over ``n``: only then can counts be fitted."""
    return cell.n is not None and cell.item is Item.YES_NO and cell.unit is not Unit.SCORE


def rounded(value: Fraction, half: Fraction, rule: Rounding) -> Fraction:
    """Round to a multiple of ``2 * half``; exact, and ties go where ``rule`` says.

    A ``half`` of 0 means that nothing is rounded.
    """
    if half == 0:
        return value
    scaled = value / (2 * half)
    if rule is Rounding.HALF_EVEN:
        return round(scaled) * 2 * half
    away = math.floor(abs(scaled) + Fraction(1, 2))
    return (away if scaled >= 0 else -away) * 2 * half


def fitting_counts(printed: Printed, n: int, scale: int) -> range:
    """Return the counts ``k`` of 0 to ``n`` with ``scale * k / n`` within half a last digit.

    This is the GRIM test (Brown and Heathers, Social Psychological and Personality Science 8
    (2017) 363): an empty range means that no count over ``n`` is printed so, whatever the rule of
    rounding.  ``n >= 1``.
    """
    low = max(0, math.ceil(printed.low * n / scale))
    high = min(n, math.floor(printed.high * n / scale))
    return range(low, max(low, high + 1))


def conventions(count: int, n: int, scale: int, printed: Printed) -> tuple[Rounding, ...]:
    """Return the rules by which ``count / n`` is printed as it is; empty only at a tie.

    Exact arithmetic is meant; a program that rounds binary floating point can print a tie of its
    own accord either way, so that an empty answer does not refute the count.
    """
    value = Fraction(scale * count, n)
    return tuple(rule for rule in Rounding if rounded(value, printed.half, rule) == printed.value)


def nearest_counts(printed: Printed, n: int, scale: int) -> range:
    """Return the one count over ``n`` nearest to the printed value, or two that are equally near.

    Used where no count fits, so that the rest of a table can still be read; what rests on it is
    marked as not exact.
    """
    place = printed.value * n / scale
    low, high = math.floor(place), math.ceil(place)
    if place - low < high - place:
        high = low
    elif place - low > high - place:
        low = high
    low, high = (min(n, max(0, end)) for end in (low, high))
    return range(low, high + 1)


def counts_of(cell: Cell) -> tuple[range, bool]:
    """Return the counts behind a countable cell and whether they fit (else the nearest ones)."""
    assert cell.n is not None
    scale = scale_of(cell.unit, cell.n)
    found = fitting_counts(cell.printed, cell.n, scale)
    return (found, True) if found else (nearest_counts(cell.printed, cell.n, scale), False)
