"""Deltas: whether they follow from what they subtract, and what they are like for like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from codequake.audit.cells import Cell, Related, Role, Unit
from codequake.audit.counts import counts_of, is_countable, scale_of
from codequake.audit.flattened import possible_with
from codequake.audit.totals import TotalReading
from codequake.audit.uncertainty import Difference, compare_shares

__all__ = ["Change", "Counted", "DeltaReading", "LikeForLike", "counted", "read_delta"]

_MOST_PAIRS = 10_000


class Change(StrEnum):
    """What becomes of a printed gain or loss when the same quantity is subtracted on both sides.

    ``kept``: the sign is the same.  ``reversed``: it is the other one.  ``vanished``: the
    difference is 0.  ``appeared``: 0 is printed and the difference is not 0.  ``undetermined``:
    the cells allow more than one of these.
    """

    KEPT = "kept"
    REVERSED = "reversed"
    VANISHED = "vanished"
    APPEARED = "appeared"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of ``n`` items passed, by the parts of a cell or by the cell itself.

    ``exact`` is false where the nearest counts stand in for cells that are no counts.
    """

    counts: range
    n: int
    exact: bool


@dataclass(frozen=True, slots=True)
class LikeForLike:
    """A difference of the same quantity: ``low`` to ``high`` in the delta's unit."""

    low: Fraction
    high: Fraction
    change: Change


@dataclass(frozen=True, slots=True)
class DeltaReading:
    """A printed delta beside what its two cells give.

    ``value`` is the difference of the printed values; ``follows`` says whether the delta is that,
    or the difference of two values that are printed so.  ``two_metrics`` names why the two cells
    are not the same quantity, empty when nothing shows it.  ``items`` is the difference of the
    shares of items; ``flattened`` that of flattened early-stop means, with the first as printed.
    ``difference`` is ``None`` unless both counts are exact and single.
    """

    cell: Cell
    first: Cell
    second: Cell
    value: Fraction
    follows: bool
    two_metrics: str
    items: LikeForLike | None
    flattened: LikeForLike | None
    difference: Difference | None


def counted(cell: Cell, totals: Mapping[str, TotalReading]) -> Counted | None:
    """Return the counts behind a cell: a total's from its parts, else its own.

    ``totals`` are the readings by the place of the total.  ``None`` where there are no counts.
    """
    total = totals.get(cell.place)
    if total is not None and total.passes is not None and total.n is not None:
        return Counted(total.passes, total.n, total.exact)
    if is_countable(cell):
        assert cell.n is not None
        counts, fits = counts_of(cell)
        return Counted(counts, cell.n, fits)
    return None


def read_delta(line: Related, totals: Mapping[str, TotalReading]) -> DeltaReading:
    """Compare a delta with its two cells, as printed and like for like."""
    cell, (first,), (second,) = line.cell, line.of, line.minus
    value = first.printed.value - second.printed.value
    one, two = counted(first, totals), counted(second, totals)
    items = difference = None
    if one is not None and two is not None:
        scale = 100 if cell.unit is Unit.POINTS else 1
        if cell.unit is not Unit.COUNT or one.n == two.n:
            items = _items_difference(cell, one, two, scale)
        if one.exact and two.exact and len(one.counts) == len(two.counts) == 1:
            difference = compare_shares(one.counts[0], one.n, two.counts[0], two.n)
    return DeltaReading(
        cell,
        first,
        second,
        value,
        _follows(cell, first, second),
        _two_metrics(first, second, totals),
        items,
        _flattened_difference(cell, first, second, two),
        difference,
    )


def _follows(cell: Cell, first: Cell, second: Cell) -> bool:
    """Whether a delta is the difference of the printed values, or of values that are printed so.

    Where both cells are counts that fit, only differences of such counts are possible.
    """
    gap = abs(first.printed.value - second.printed.value - cell.printed.value)
    if gap <= cell.printed.half:
        return True
    fits = [
        counts_of(item) if is_countable(item) else (range(0), False) for item in (first, second)
    ]
    if not all(fit for _, fit in fits) or len(fits[0][0]) * len(fits[1][0]) > _MOST_PAIRS:
        return gap <= first.printed.half + second.printed.half + cell.printed.half
    one, two = (
        [Fraction(scale_of(item.unit, item.n or 1) * count, item.n or 1) for count in counts]
        for item, (counts, _) in zip((first, second), fits, strict=True)
    )
    return any(cell.printed.low <= a - b <= cell.printed.high for a in one for b in two)


def _items_difference(cell: Cell, one: Counted, two: Counted, scale: int) -> LikeForLike:
    if cell.unit is Unit.COUNT:
        scale = scale_of(Unit.COUNT, one.n)
    low = Fraction(scale * one.counts[0], one.n) - Fraction(scale * two.counts[-1], two.n)
    high = Fraction(scale * one.counts[-1], one.n) - Fraction(scale * two.counts[0], two.n)
    return LikeForLike(low, high, _change(cell.printed.value, low, high))


def _flattened_difference(
    cell: Cell, first: Cell, second: Cell, two: Counted | None
) -> LikeForLike | None:
    """The first cell as printed, less what the second would be as a flattened mean."""
    if not first.tests or not second.tests or two is None or second.n != two.n:
        return None
    scale = scale_of(second.unit, two.n)
    given = [possible_with(second.tests, count) for count in two.counts]
    low = first.printed.low - scale * max(item.high_mean for item in given)
    high = first.printed.high - scale * min(item.low_mean for item in given)
    return LikeForLike(low, high, _change(cell.printed.value, low, high))


def _change(published: Fraction, low: Fraction, high: Fraction) -> Change:
    if (low < 0 <= high) or (low <= 0 < high):
        return Change.UNDETERMINED
    if published == 0:
        return Change.KEPT if low == high == 0 else Change.APPEARED
    if low == high == 0:
        return Change.VANISHED
    return Change.KEPT if (published > 0) == (high > 0) else Change.REVERSED


def _two_metrics(first: Cell, second: Cell, totals: Mapping[str, TotalReading]) -> str:
    """Why two cells are not the same quantity, by their names or by their arithmetic."""
    if first.metric and second.metric and first.metric != second.metric:
        return f"the first is called {first.metric!r}, the second {second.metric!r}"
    holds = [_is_share_of_items(cell, totals) for cell in (first, second)]
    if holds == [False, True]:
        return "the first is not the share of items that its parts or its n give, the second is"
    if holds == [True, False]:
        return "the second is not the share of items that its parts or its n give, the first is"
    return ""


def _is_share_of_items(cell: Cell, totals: Mapping[str, TotalReading]) -> bool | None:
    """Whether a cell is the share of its items that passed; ``None`` when it cannot be told."""
    if cell.role is Role.TOTAL:
        return totals[cell.place].follows
    return counts_of(cell)[1] if is_countable(cell) else None
