"""Rows that differ in the column that deltas start from, and in no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from codequake.audit.cells import Cell
from codequake.audit.deltas import Counted, DeltaReading, counted
from codequake.audit.totals import TotalReading
from codequake.stats import fisher_exact

__all__ = ["Alike", "Compared", "find_alike"]

_MOST_ROWS = 60
_FEWEST_COLUMNS = 3
_FAR = 0.001
_NEAR = 0.05
_MOST_ITEMS = 5_000


@dataclass(frozen=True, slots=True)
class Compared:
    """Fisher's two-sided p value that two rows have equal shares in one column."""

    table: str
    column: str
    first: Counted
    second: Counted
    p_value: float


@dataclass(frozen=True, slots=True)
class Alike:
    """Two rows that are far apart at the start (``p < 0.001``) and nowhere after (``p > 0.05``)."""

    first: str
    second: str
    start: Compared
    others: tuple[Compared, ...]


def find_alike(
    deltas: Sequence[DeltaReading], totals: Mapping[str, TotalReading]
) -> tuple[Alike, ...]:
    """Return the pairs of rows that only the start of their deltas tells apart.

    What a delta subtracts is the start, what it subtracts from is another column; both are read
    as counts of items (a total's from its parts), whatever the total prints.  A pair needs three
    or more other columns.  Columns whose counts are not exact are left out.  Tables with more
    than 60 rows are not compared.
    """
    starts: dict[str, dict[str, Cell]] = {}
    others: dict[str, dict[tuple[str, str], Cell]] = {}
    for delta in deltas:
        if delta.first.role.value != "total":
            continue
        starts.setdefault(delta.first.row, {})[delta.second.column] = delta.second
        key = (delta.first.table, delta.first.column)
        others.setdefault(delta.first.row, {})[key] = delta.first
    if len(starts) > _MOST_ROWS:
        return ()
    found = []
    for first, second in combinations(starts, 2):
        pair = _compare_rows(starts, others, first, second, totals)
        if pair is not None:
            found.append(pair)
    return tuple(found)


def _compare_rows(
    starts: Mapping[str, Mapping[str, Cell]],
    others: Mapping[str, Mapping[tuple[str, str], Cell]],
    first: str,
    second: str,
    totals: Mapping[str, TotalReading],
) -> Alike | None:
    columns = [name for name in starts[first] if name in starts[second]]
    if len(columns) != 1:
        return None
    start = _compare(starts[first][columns[0]], starts[second][columns[0]], totals)
    if start is None or start.p_value >= _FAR:
        return None
    compared = []
    for key in others[first]:
        if key not in others[second]:
            continue
        one = _compare(others[first][key], others[second][key], totals)
        if one is None:
            continue
        if one.p_value <= _NEAR:
            return None
        compared.append(one)
    if len(compared) < _FEWEST_COLUMNS:
        return None
    return Alike(first, second, start, tuple(compared))


def _compare(first: Cell, second: Cell, totals: Mapping[str, TotalReading]) -> Compared | None:
    one, two = counted(first, totals), counted(second, totals)
    if one is None or two is None or max(one.n, two.n) > _MOST_ITEMS:
        return None
    if not (one.exact and two.exact and len(one.counts) == len(two.counts) == 1):
        return None
    p_value = float(fisher_exact(one.counts[0], one.n, two.counts[0], two.n))
    return Compared(first.table, first.column, one, two, p_value)
