"""Read published cells from CSV, strictly: what is not allowed is named with its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import NoReturn, TypeVar

from codequake.audit.cells import (
    ANY,
    Cell,
    Item,
    Printed,
    ProblemGroup,
    Reference,
    Role,
    Sheet,
    Unit,
)
from codequake.audit.relating import relate
from codequake.documents import open_document, utf8_text
from codequake.errors import DataError
from codequake.plain import plain_text

__all__ = ["COLUMNS", "MOST_CELLS", "parse_printed", "read_cells", "read_sheet"]

COLUMNS = {
    "table": True,
    "row": True,
    "column": True,
    "class": True,
    "value": True,
    "unit": True,
    "n": False,
    "metric": False,
    "role": False,
    "item": False,
    "of": False,
    "minus": False,
    "tests": False,
}
"""The columns of the file, and whether each must be there."""

MOST_CELLS = 5_000
_MOST_BYTES = 4_000_000
_MOST_ITEMS = 1_000_000
_MOST_TESTED = 2_000
_LONGEST_NAME = 100
_VALUE = re.compile(r"[+-]?[0-9]{1,9}(\.([0-9]{1,6}))?")
_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
_TESTS = re.compile(r"([1-9][0-9]{0,3})x([1-9][0-9]{0,2})")
_SELF = "."
# These have a meaning in references.
_RESERVED = frozenset(":;*")
Choice = TypeVar("Choice", bound=StrEnum)


def read_sheet(name: str) -> Sheet:
    """Read a file of cells (``-`` is standard input, gzip is unpacked) and resolve its references.

    Raises ``DataError`` with ``file:line``, the value and what is allowed.
    """
    with open_document(name) as file:
        raw = file.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise DataError(f"more than {_MOST_BYTES} bytes; allowed: that many", place=name)
    return relate(read_cells(utf8_text(raw, name), name))


def read_cells(text: str, name: str) -> tuple[Cell, ...]:
    """Parse the text of one CSV file; ``name`` stands in every message.

    The first line names the columns, in any order.  Blank lines are passed over.  Raises
    ``DataError``, also for a file without cells.
    """
    lines = _lines(text, name)
    place, header = next(lines, (f"{name}:1", []))
    _check_header(header, place)
    cells: list[Cell] = []
    for place, values in lines:
        if len(values) != len(header):
            raise DataError(
                f"{len(values)} fields; allowed: {len(header)}, as in the first line", place=place
            )
        if len(cells) == MOST_CELLS:
            raise DataError(f"a further cell; allowed: {MOST_CELLS} in one file", place=place)
        cells.append(_Line(dict(zip(header, values, strict=True)), place).cell())
    if not cells:
        raise DataError("no cells below the names of the columns; allowed: 1 or more", place=name)
    return tuple(cells)


def _lines(text: str, name: str) -> Iterator[tuple[str, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            values = next(reader, None)
        except csv.Error as error:
            raise DataError(f"not CSV: {error}", place=f"{name}:{reader.line_num}") from error
        if values is None:
            return
        if values:
            yield f"{name}:{reader.line_num}", [value.strip() for value in values]


def _check_header(header: list[str], place: str) -> None:
    for number, column in enumerate(header):
        if column not in COLUMNS:
            raise DataError(
                f"unknown column {column[:80]!r}; allowed: {', '.join(COLUMNS)}", place=place
            )
        if column in header[:number]:
            raise DataError(f"column {column!r} stands twice; allowed: once", place=place)
    for column, needed in COLUMNS.items():
        if needed and column not in header:
            raise DataError(f"the column {column!r} is missing", place=place)


def parse_printed(text: str) -> Printed | None:
    """Return a printed number with its precision, ``None`` when the text is not one.

    Allowed: an optional sign, one to nine digits, and up to six decimals behind a point.
    """
    found = _VALUE.fullmatch(text)
    if found is None:
        return None
    return Printed(text, Fraction(text), Fraction(1, 2 * 10 ** len(found[2] or "")))


@dataclass(frozen=True, slots=True)
class _Line:
    """The fields of one line, each read on demand."""

    fields: dict[str, str]
    place: str

    def cell(self) -> Cell:
        role = self._choice("role", Role, Role.CELL)
        n = self._items(role)
        cell = Cell(
            table=self._name("table"),
            row=self._name("row"),
            column=self._name("column"),
            group=self._name("class"),
            printed=self._printed(role),
            unit=self._unit(role),
            n=n,
            metric=self._metric(),
            role=role,
            item=self._choice("item", Item, Item.YES_NO),
            of=self._references("of", role is not Role.CELL),
            minus=self._references("minus", role is Role.DELTA),
            tests=self._tests(n),
            place=self.place,
        )
        if role is Role.DELTA and (len(cell.of), len(cell.minus)) != (1, 1):
            self._refuse("minus" if len(cell.of) == 1 else "of", "one reference for a delta")
        return cell

    def _get(self, column: str) -> str:
        return self.fields.get(column, "")

    def _refuse(self, column: str, allowed: str) -> NoReturn:
        raise DataError(
            f"{column} is {self._get(column)[:80]!r}; allowed: {allowed}", place=self.place
        )

    def _name(self, column: str) -> str:
        name = self._get(column)
        if (
            not 0 < len(name) <= _LONGEST_NAME
            or name == _SELF
            or _RESERVED & set(name)
            or plain_text(name, keep="") != name
        ):
            self._refuse(
                column,
                f"1 to {_LONGEST_NAME} visible characters in one line without : ; *, "
                "and not a dot alone",
            )
        return name

    def _metric(self) -> str:
        return self._name("metric") if self._get("metric") else ""

    def _printed(self, role: Role) -> Printed:
        printed = parse_printed(self._get("value"))
        if printed is None:
            self._refuse("value", "a number as it is printed, such as 93.9 or -6.1, no unit")
        if self._get("unit") == Unit.COUNT and role is not Role.MEAN and "." not in printed.text:
            # A whole count is not rounded: it stands for itself alone.
            return replace(printed, half=Fraction(0))
        return printed

    def _choice(self, column: str, choices: type[Choice], default: Choice | None) -> Choice:
        text = self._get(column)
        if not text and default is not None:
            return default
        allowed = [str(choice) for choice in choices]
        if text not in allowed:
            self._refuse(column, ", ".join(allowed))
        return choices(text)

    def _unit(self, role: Role) -> Unit:
        unit = self._choice("unit", Unit, None)
        if unit is Unit.POINTS and self._get("n"):
            self._refuse("unit", "%, share, count or score where n is given")
        if unit is Unit.PERCENT and role is Role.DELTA:
            self._refuse("unit", "points for a delta of percentages")
        return unit

    def _items(self, role: Role) -> int | None:
        text = self._get("n")
        if not text:
            return None
        if role in (Role.DELTA, Role.MEAN, Role.SUM):
            self._refuse("n", f"nothing for a {role}")
        if not _NUMBER.fullmatch(text) or int(text) > _MOST_ITEMS:
            self._refuse("n", f"a whole number from 1 to {_MOST_ITEMS}, or nothing")
        return int(text)

    def _references(self, column: str, wanted: bool) -> tuple[Reference, ...]:
        text = self._get(column)
        if bool(text) is not wanted:
            role = self._get("role") or Role.CELL
            self._refuse(column, f"{'references' if wanted else 'nothing'} for a {role}")
        own = [self._get(name) for name in ("table", "row", "column", "class")]
        found = []
        for part in text.split(";") if text else ():
            names = [name.strip() for name in part.split(":")]
            if len(names) != 4 or not all(names):
                self._refuse(column, "table:row:column:class, several with ; between them")
            found.append(
                Reference(*(own[at] if name == _SELF else name for at, name in enumerate(names)))
            )
        if column == "minus" and any(ANY in (r.table, r.row, r.column, r.group) for r in found):
            self._refuse(column, "a reference without *")
        return tuple(found)

    def _tests(self, n: int | None) -> tuple[ProblemGroup, ...]:
        text = self._get("tests")
        groups = []
        for word in text.split():
            found = _TESTS.fullmatch(word)
            if found is None:
                self._refuse("tests", "PROBLEMSxTESTS, such as '67x2 32x3 1x4', or nothing")
            groups.append(ProblemGroup(int(found[1]), int(found[2])))
        if groups and (n is None or n > _MOST_TESTED or sum(g.problems for g in groups) != n):
            self._refuse("tests", f"problems that add up to n, with n from 1 to {_MOST_TESTED}")
        return tuple(groups)
