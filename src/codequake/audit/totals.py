"""Totals, sums and means: what they must be, given the cells that they are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from codequake.audit.cells import Cell, Item, Related, Role
from codequake.audit.counts import counts_of, is_countable, scale_of
from codequake.audit.flattened import Flattened, read_flattened
from codequake.audit.mixtures import Mixture, solve_mixture

__all__ = ["PlainReading", "Reading", "TotalReading", "read_plain", "read_total"]


class Reading(StrEnum):
    """Which arithmetic gives the printed total.

    ``items``: the share of all items, from the parts.  ``flattened``: not that, but a flattened
    early-stop mean with whole numbers.  ``neither``: none of the two.  ``open``: the parts
    do not say enough to tell.
    """

    ITEMS = "items"
    FLATTENED = "flattened"
    NEITHER = "neither"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class TotalReading:
    """A total beside its parts.

    ``n``: the items of all parts, ``None`` when a part has no ``n``.  ``passes``: the counts that
    the parts add up to, ``None`` when they are no counts.  ``exact``: whether every part has a
    fitting count (else the nearest one stands in).  ``low`` and ``high``: what the parts allow the
    total to be, in the total's unit.  ``follows``: whether the printed total can be that; ``None``
    when it cannot be told.  ``flattened`` is ``None`` without the tests or the counts.
    """

    cell: Cell
    parts: tuple[Cell, ...]
    n: int | None
    passes: range | None
    exact: bool
    low: Fraction
    high: Fraction
    follows: bool | None
    flattened: Flattened | None
    mixture: Mixture | None

    @property
    def sizes_agree(self) -> bool:
        """Whether the claimed ``n`` is what the parts add up to, where both are there."""
        return self.n is None or self.cell.n is None or self.n == self.cell.n

    @property
    def reading(self) -> Reading:
        """Which arithmetic gives the printed total."""
        if self.follows is None:
            return Reading.OPEN
        if self.follows:
            return Reading.ITEMS
        if self.flattened is not None and self.flattened.fits:
            return Reading.FLATTENED
        return Reading.NEITHER


def read_total(line: Related) -> TotalReading:
    """Compare a total with its parts, weighted by their ``n``.

    Where every part is a count that fits, the total must be a whole number of the possible counts
    over all items; where a part is no count, the intervals of rounding are added up instead; and
    where a part has no ``n``, the total must lie between the smallest and the largest part.
    """
    cell, parts = line.cell, line.of
    sizes = [part.n for part in parts if part.n is not None]
    n = sum(sizes) if len(sizes) == len(parts) else None
    if n is None:
        low = min(part.printed.low for part in parts)
        high = max(part.printed.high for part in parts)
        meets = _meets(cell, low, high)
        # A mixture of unknown sizes can be anywhere between; only outside is something known.
        return TotalReading(
            cell, parts, None, None, False, low, high, False if not meets else None, None, None
        )
    mixture = solve_mixture(cell, parts)
    if cell.item is Item.NUMBER or not all(is_countable(part) for part in parts):
        low, high = _weighted(parts, n)
        return TotalReading(
            cell, parts, n, None, False, low, high, _meets(cell, low, high), None, mixture
        )
    found = [counts_of(part) for part in parts]
    passes = range(
        sum(counts[0] for counts, _ in found), sum(counts[-1] for counts, _ in found) + 1
    )
    exact = all(fits for _, fits in found)
    scale = scale_of(cell.unit, n)
    if exact:
        low, high = Fraction(scale * passes[0], n), Fraction(scale * passes[-1], n)
        # Only whole counts are possible, so a printed value between two of them does not follow.
        follows = _count_between(cell, passes, n, scale)
    else:
        low, high = _weighted(parts, n)
        follows = _meets(cell, low, high)
    flattened = None
    if cell.tests and cell.n == n:
        flattened = read_flattened(cell.printed, scale, passes, cell.tests)
    return TotalReading(cell, parts, n, passes, exact, low, high, follows, flattened, mixture)


def _meets(cell: Cell, low: Fraction, high: Fraction) -> bool:
    return cell.printed.low <= high and cell.printed.high >= low


def _count_between(cell: Cell, passes: range, n: int, scale: int) -> bool:
    first = max(passes[0], math.ceil(cell.printed.low * n / scale))
    return first <= min(passes[-1], math.floor(cell.printed.high * n / scale))


def _weighted(parts: Sequence[Cell], n: int) -> tuple[Fraction, Fraction]:
    """The smallest and largest mean over all items that the parts' rounding allows."""
    low = sum((part.printed.low * (part.n or 0) for part in parts), Fraction(0))
    high = sum((part.printed.high * (part.n or 0) for part in parts), Fraction(0))
    return low / n, high / n


@dataclass(frozen=True, slots=True)
class PlainReading:
    """A mean or a sum beside what the cells give: ``low`` to ``high`` by their rounding.

    ``value`` is the mean or sum of the printed values as they stand.
    """

    cell: Cell
    parts: tuple[Cell, ...]
    value: Fraction
    low: Fraction
    high: Fraction
    follows: bool


def read_plain(line: Related) -> PlainReading:
    """Compare a mean or a sum with the cells that it is of; all of them count the same."""
    cell, parts = line.cell, line.of
    by = len(parts) if cell.role is Role.MEAN else 1
    value = sum((part.printed.value for part in parts), Fraction(0)) / by
    spread = sum((part.printed.half for part in parts), Fraction(0)) / by
    low, high = value - spread, value + spread
    return PlainReading(cell, parts, value, low, high, _meets(cell, low, high))
