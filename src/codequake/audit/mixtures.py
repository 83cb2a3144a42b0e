"""The weights that a total of two parts implies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from codequake.audit.cells import Cell

__all__ = ["Mixture", "solve_mixture"]


@dataclass(frozen=True, slots=True)
class Mixture:
    """The weight of the first of two parts in their total.

    ``low`` to ``high``: all weights with which two values that are printed so give a total that is
    printed so.  ``claimed``: the weight by the claimed sizes.  ``sizes``: the whole numbers of the
    ``n`` items, given to the first part, whose weight lies in the range; empty when none does.
    """

    first: Cell
    second: Cell
    low: Fraction
    high: Fraction
    claimed: Fraction
    sizes: range


def solve_mixture(total: Cell, parts: Sequence[Cell]) -> Mixture | None:
    """Solve ``total = w * first + (1 - w) * second`` for ``w`` over the intervals of rounding.

    ``w = (second - total) / (second - first)`` is monotone in each of the three, so its extremes
    lie at the corners.  ``None`` unless there are two parts with sizes whose printed intervals
    do not touch, since the weight is then not determined.
    """
    if len(parts) != 2:
        return None
    first, second = parts
    a, b = first.printed, second.printed
    if first.n is None or second.n is None or (a.low <= b.high and b.low <= a.high):
        return None
    n = first.n + second.n
    weights = [
        (y - t) / (y - x)
        for x, y, t in product(
            (a.low, a.high), (b.low, b.high), (total.printed.low, total.printed.high)
        )
    ]
    low, high = min(weights), max(weights)
    start = max(0, math.ceil(low * n))
    return Mixture(
        first,
        second,
        low,
        high,
        Fraction(first.n, n),
        range(start, max(start, min(n, math.floor(high * n)) + 1)),
    )
