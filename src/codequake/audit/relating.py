"""Find the cells that a cell refers to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from codequake.audit.cells import ANY, Cell, Reference, Related, Role, Sheet, Unit, name_of
from codequake.errors import DataError

__all__ = ["relate"]


def relate(cells: Sequence[Cell]) -> Sheet:
    """Resolve all references among ``cells``.

    A reference with ``*`` finds cells, totals and sums, never means and never the cell that
    refers; deltas are never found.  Raises ``DataError`` when two cells stand at one place, when
    a reference finds nothing, or when units do not go together.
    """
    _refuse_twins(cells)
    by_table: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.role is not Role.DELTA:
            by_table[cell.table].append(cell)
    known: dict[Reference, tuple[Cell, ...]] = {}

    def find(cell: Cell, references: tuple[Reference, ...], column: str) -> tuple[Cell, ...]:
        found: list[Cell] = []
        for reference in references:
            if reference not in known:
                among = (
                    by_table[reference.table]
                    if reference.table != ANY
                    else [item for items in by_table.values() for item in items]
                )
                known[reference] = tuple(item for item in among if _matches(item, reference))
            others = [item for item in known[reference] if item is not cell]
            if not others:
                raise DataError(
                    f"{column} holds {_text_of(reference)!r}, which names no other cell; "
                    "allowed: names that stand in the file",
                    place=cell.place,
                )
            found += others
        if len({id(item) for item in found}) != len(found):
            raise DataError(f"{column} names a cell twice; allowed: once", place=cell.place)
        return tuple(found)

    lines = []
    for cell in cells:
        line = Related(cell, find(cell, cell.of, "of"), find(cell, cell.minus, "minus"))
        _check_units(line)
        lines.append(line)
    return Sheet(tuple(lines))


def _refuse_twins(cells: Sequence[Cell]) -> None:
    seen: dict[tuple[str, str, str, str, bool], Cell] = {}
    for cell in cells:
        key = (cell.table, cell.row, cell.column, cell.group, cell.role is Role.DELTA)
        if key in seen:
            raise DataError(
                f"{name_of(cell)} stands at {seen[key].place} already; allowed: once",
                place=cell.place,
            )
        seen[key] = cell


def _matches(cell: Cell, reference: Reference) -> bool:
    pairs = (
        (reference.table, cell.table),
        (reference.row, cell.row),
        (reference.column, cell.column),
        (reference.group, cell.group),
    )
    loose = any(wanted == ANY for wanted, _ in pairs)
    if loose and cell.role is Role.MEAN:
        return False
    return all(wanted in (ANY, has) for wanted, has in pairs)


def _text_of(reference: Reference) -> str:
    return f"{reference.table}:{reference.row}:{reference.column}:{reference.group}"


def _check_units(line: Related) -> None:
    cell = line.cell
    if cell.role is Role.DELTA and len(line.of) != 1:
        raise DataError(
            f"of names {len(line.of)} cells; allowed: one for a delta", place=cell.place
        )
    points = cell.role is Role.DELTA and cell.unit is Unit.POINTS
    wanted = Unit.PERCENT if points else cell.unit
    for other in (*line.of, *line.minus):
        if other.unit is not wanted:
            raise DataError(
                f"unit is {cell.unit.value!r} and that of {name_of(other)} is "
                f"{other.unit.value!r}; allowed: {wanted.value!r} there",
                place=cell.place,
            )
