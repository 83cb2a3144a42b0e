"""A published cell as data: where it stands, what is printed, and what it is said to be made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

__all__ = [
    "ANY",
    "Cell",
    "Item",
    "Printed",
    "ProblemGroup",
    "Reference",
    "Related",
    "Role",
    "Sheet",
    "Unit",
    "name_of",
]

ANY = "*"


class Unit(StrEnum):
    """What the printed number counts in."""

    PERCENT = "%"
    SHARE = "share"
    COUNT = "count"
    SCORE = "score"
    POINTS = "points"


class Item(StrEnum):
    """What each of the ``n`` items behind a cell can contribute.

    ``yes-no``: 0 or 1, so that the cell is a count over ``n``.  ``number``: any number, so that
    the cell is a mean of which nothing but its range is known.
    """

    YES_NO = "yes-no"
    NUMBER = "number"


class Role(StrEnum):
    """What a cell is said to be, by which it can be checked.

    ``total`` is the share over all items of its parts, ``mean`` the plain mean of other cells,
    ``sum`` their sum, ``delta`` one cell minus another.
    """

    CELL = "cell"
    TOTAL = "total"
    MEAN = "mean"
    SUM = "sum"
    DELTA = "delta"


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it is printed: it stands for every value within ``half`` of ``value``.

    ``half`` is half a unit of the last printed digit, 0 for a whole count.  Both ends count as
    covered, since a tie may be rounded up, down or to even, and binary floating point decides
    some of them.
    """

    text: str
    value: Fraction
    half: Fraction

    @property
    def low(self) -> Fraction:
        """The smallest value that can have been printed so."""
        return self.value - self.half

    @property
    def high(self) -> Fraction:
        """The largest value that can have been printed so."""
        return self.value + self.half


@dataclass(frozen=True, slots=True)
class Reference:
    """The cells with these four names; ``*`` stands for any name."""

    table: str
    row: str
    column: str
    group: str


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """So many problems with so many tests each."""

    problems: int
    tests: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed number.  ``group`` is the class of items (a difficulty), ``all`` for every one.

    ``n`` is the number of items that is claimed, ``None`` when none is.  ``tests`` says how many
    tests its problems have, empty when that is not known.  ``place`` is ``file:line``.
    """

    table: str
    row: str
    column: str
    group: str
    printed: Printed
    unit: Unit
    n: int | None
    metric: str
    role: Role
    item: Item
    of: tuple[Reference, ...]
    minus: tuple[Reference, ...]
    tests: tuple[ProblemGroup, ...]
    place: str


@dataclass(frozen=True, slots=True)
class Related:
    """A cell with the cells that it refers to, in the order of the file."""

    cell: Cell
    of: tuple[Cell, ...]
    minus: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """All cells that are audited together."""

    cells: tuple[Related, ...]


def name_of(cell: Cell) -> str:
    """Return ``table, row, column, class`` as it stands in every message."""
    names = f"{cell.table}, {cell.row}, {cell.column}, {cell.group}"
    return f"{names} (delta)" if cell.role is Role.DELTA else names
