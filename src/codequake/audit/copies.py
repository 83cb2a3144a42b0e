"""Cells that are the same where that would be a rare coincidence, and cells found elsewhere."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from codequake.audit.cells import Cell, Role, Sheet
from codequake.audit.counts import counts_of, is_countable

__all__ = ["Coincidence", "Equal", "borrowed_from", "coincidence", "find_coincidences"]

_MOST_NAMES = 60
_RARE = 0.01


@dataclass(frozen=True, slots=True)
class Equal:
    """In one row (or column), the cells of two columns (or rows) that are printed alike.

    ``chance`` is that of at least so many equal cells among those that can be compared.
    """

    name: str
    first: tuple[Cell, ...]
    second: tuple[Cell, ...]
    compared: int
    chance: float


@dataclass(frozen=True, slots=True)
class Coincidence:
    """Two columns (or rows) of a table that share cells in several rows (or columns).

    ``bound`` is an upper bound on the expected number of such sets of coincidences in the table,
    if the counts were independent: the product of the chances, times the ways to choose the rows,
    times the pairs of columns.
    """

    table: str
    axis: str
    first: str
    second: str
    equal: tuple[Equal, ...]
    bound: float


def coincidence(count: int, n: int) -> float:
    """Return the chance that two independent binomial counts of ``n`` are equal.

    Both have the success rate ``count / n`` that was seen.  All or none passed gives 1, so that
    such cells never speak for a copy.
    """
    rate = count / n
    if rate in (0.0, 1.0):
        return 1.0
    logs = (
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(rate)
        + (n - k) * math.log1p(-rate)
        for k in range(n + 1)
    )
    return min(1.0, math.fsum(math.exp(2.0 * log) for log in logs))


def borrowed_from(cell: Cell, cells: Iterable[Cell]) -> Cell | None:
    """Return a cell of another table, same row and column, that rounds to ``cell`` as printed.

    Asked of cells that are no count over their ``n``.  ``None`` when there is none, or only one
    that is printed no more exactly.
    """
    for other in cells:
        if (
            (other.row, other.column, other.unit) == (cell.row, cell.column, cell.unit)
            and other.table != cell.table
            and other.role is not Role.DELTA
            and other.printed.half < cell.printed.half
            and abs(other.printed.value - cell.printed.value) <= cell.printed.half
        ):
            return other
    return None


def find_coincidences(sheet: Sheet) -> tuple[Coincidence, ...]:
    """Return the pairs of columns, and of rows, that share more than chance explains.

    Two columns are compared in each row by their classes: only cells that are counts over the
    same ``n`` count, and at least two of them must be equal.  Pairs whose bound is below 0.01 are
    returned.  Tables with more than 60 rows or columns are not compared.
    """
    cells = [
        line.cell
        for line in sheet.cells
        if line.cell.role is Role.CELL and is_countable(line.cell) and counts_of(line.cell)[1]
    ]
    found: list[Coincidence] = []
    tables = dict.fromkeys(cell.table for cell in cells)
    for table in tables:
        inside = [cell for cell in cells if cell.table == table]
        found += _compare(table, "columns", inside, lambda cell: (cell.column, cell.row))
        found += _compare(table, "rows", inside, lambda cell: (cell.row, cell.column))
    return tuple(found)


def _compare(
    table: str, axis: str, cells: Sequence[Cell], names: Callable[[Cell], tuple[str, str]]
) -> list[Coincidence]:
    """Compare every pair of main names over the other names that both have."""
    grid: dict[str, dict[str, dict[str, Cell]]] = defaultdict(lambda: defaultdict(dict))
    for cell in cells:
        main, other = names(cell)
        grid[main][other][cell.group] = cell
    if len(grid) > _MOST_NAMES or len({names(cell)[1] for cell in cells}) > _MOST_NAMES:
        return []
    pairs = list(combinations(grid, 2))
    found = []
    for first, second in pairs:
        shared = [other for other in grid[first] if other in grid[second]]
        equal = [
            same
            for other in shared
            if (same := _equal(other, grid[first][other], grid[second][other])) is not None
        ]
        if not equal:
            continue
        ways = math.comb(len(shared), len(equal)) * len(pairs)
        bound = math.prod(same.chance for same in equal) * ways
        if bound < _RARE:
            found.append(Coincidence(table, axis, first, second, tuple(equal), bound))
    return found


def _equal(name: str, first: Mapping[str, Cell], second: Mapping[str, Cell]) -> Equal | None:
    """The classes in which two sets of cells are printed alike, when at least two are."""
    groups = [group for group in first if group in second and first[group].n == second[group].n]
    same = [g for g in groups if first[g].printed.value == second[g].printed.value]
    if len(same) < 2:
        return None
    chances = []
    for group in groups:
        n = first[group].n
        assert n is not None
        # The rate of an unequal pair lies between the two; one half way serves.
        counts = (counts_of(first[group])[0][0] + counts_of(second[group])[0][0]) // 2
        chances.append(coincidence(counts, n))
    return Equal(
        name,
        tuple(first[group] for group in same),
        tuple(second[group] for group in same),
        len(groups),
        _at_least(chances, len(same)),
    )


def _at_least(chances: Sequence[float], wanted: int) -> float:
    """The chance of at least ``wanted`` of independent events, by adding one after the other."""
    spread = [1.0]
    for chance in chances:
        longer = [0.0] * (len(spread) + 1)
        for hits, weight in enumerate(spread):
            longer[hits] += weight * (1.0 - chance)
            longer[hits + 1] += weight * chance
        spread = longer
    return min(1.0, math.fsum(spread[wanted:]))
