"""Files of problems that other projects publish: rows of JSON Lines or of one JSON array.

Every format has a file of its own that turns one row into one problem.  Here is what they share:
reading the rows, asking for their fields, and keeping the good rows when others are bad.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json
from codequake.documents import first_byte, json_pieces, numbered_lines, open_document, utf8_text
from codequake.errors import DataError
from codequake.problems.shape import refuse_malformed
from codequake.records import JsonText, Problem

__all__ = [
    "MAX_ROW",
    "Origin",
    "ProblemFile",
    "Row",
    "canonical_text",
    "read_foreign",
    "read_rows",
]

MAX_ROW = 256 << 20
"""Bytes that one row of a problem file may have: some carry megabytes of tests."""


class Origin(StrEnum):
    """Whose rules the problems of a set follow, which decides what can be asked of them.

    ``AUTHORED``: ours, with a second reference, a generator and a number of hidden tests.
    ``PUBLISHED``: another project's.  ``ANSWERED``: another project's, and its file has no expected
    outputs, so that they were taken from its reference.
    """

    AUTHORED = "authored"
    PUBLISHED = "published"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """What a file of problems holds: the good ones, and a sentence for each bad line.

    ``places`` has ``file:line`` of each good one, or is empty where there are no lines.
    """

    problems: tuple[Problem, ...]
    faults: tuple[str, ...]
    places: tuple[str, ...] = ()
    origin: Origin = Origin.AUTHORED


class Row:
    """One row of a file; what is wrong with a field is a ``DataError`` with file and line."""

    def __init__(self, values: dict[str, Any], place: str) -> None:
        self._values = values
        self.place = place

    def fault(self, message: str) -> DataError:
        """Return the error that says what is wrong with the row."""
        return DataError(message, place=self.place)

    def has(self, name: str) -> bool:
        """Tell whether a field is there and not null."""
        return self._values.get(name) is not None

    def value(self, name: str) -> Any:
        """Return a field of any type.  Raises ``DataError`` when it is missing."""
        if name not in self._values:
            raise self.fault(f"the field {name!r} is missing")
        return self._values[name]

    def text(self, name: str) -> str:
        """Return a string that is not blank."""
        found = self._string(name, self.value(name))
        if not found.strip():
            raise self.fault(f"{name} is empty; allowed: text")
        return found

    def optional_text(self, name: str) -> str:
        """Return a string; empty when it is missing or null."""
        return self._string(name, self._values[name]) if self.has(name) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings; empty when it is missing or null."""
        found = self._values[name] if self.has(name) else []
        if not isinstance(found, list):
            raise self.wrong(name, found, "a list of strings")
        return tuple(self._string(name, item) for item in found)

    def identity(self, name: str) -> str:
        """Return an id, a string or an integer, as text."""
        found = self.value(name)
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
        return self.text(name)

    def wrong(self, name: str, found: object, allowed: str) -> DataError:
        """Return the error for a field of a wrong type or value."""
        shown = repr(found)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return self.fault(f"{name} is {shown}; allowed: {allowed}")

    def _string(self, name: str, found: object) -> str:
        if not isinstance(found, str):
            raise self.wrong(name, found, "a string")
        try:
            found.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self.fault(
                f"{name} has half a surrogate pair at character {error.start}; allowed: Unicode"
            ) from error
        return found


def read_foreign(
    path: Path, build: Callable[[Row], Problem], origin: Origin = Origin.PUBLISHED
) -> ProblemFile:
    """Read a file, plain or gzip, and build one problem a row.

    The first row of an id counts, later ones are bad.  A fault is one sentence with file and
    line.  Raises ``DataError`` when the file cannot be read at all.
    """
    problems: list[Problem] = []
    faults: list[str] = []
    first: dict[str, str] = {}
    for item in read_rows(path):
        try:
            if isinstance(item, DataError):
                raise item
            problem = build(item)
            refuse_malformed(problem, place=item.place)
            if problem.problem_id in first:
                where = first[problem.problem_id]
                raise item.fault(f"id {problem.problem_id!r} stands twice, first at {where}")
        except DataError as error:
            faults.append(str(error))
        else:
            first[problem.problem_id] = item.place
            problems.append(problem)
    return ProblemFile(tuple(problems), tuple(faults), tuple(first.values()), origin)


def read_rows(path: Path) -> Iterator[Row | DataError]:
    """Yield the rows of a file, plain or gzip; in place of a bad one, what is wrong with it.

    Raises ``DataError`` when the file cannot be read at all.
    """
    name = str(path)
    with open_document(name) as file:
        if first_byte(file) != b"[":
            for number, raw in numbered_lines(file, MAX_ROW):
                if raw is None or raw.strip():
                    yield _row(raw, f"{name}:{number}")
            return
        try:
            for piece in json_pieces(file, name, lambda where: where == (), MAX_ROW):
                yield _row(piece.raw, piece.place(name))
        except DataError as error:
            yield error


def _row(raw: bytes | None, place: str) -> Row | DataError:
    try:
        if raw is None:
            raise DataError(f"the row has more than {MAX_ROW >> 20} MiB", place=place)
        value = _parse(utf8_text(raw, place), place)
        if not isinstance(value, dict):
            shown = repr(value)[:60]
            raise DataError(f"the row is {shown}; allowed: an object", place=place)
    except DataError as error:
        return error
    return Row(value, place)


def _parse(text: str, place: str) -> Any:
    """Parse JSON as Python writes it: NaN and infinities become their tags."""
    try:
        return json.loads(text, parse_constant=_tagged)
    except RecursionError as error:
        raise DataError("JSON is nested too deeply", place=place) from error
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" starting at")
        raise DataError(f"not JSON: {what} at column {error.colno}", place=place) from error
    except ValueError as error:
        raise DataError(f"not JSON: {error}", place=place) from error


def _tagged(name: str) -> dict[str, str]:
    return {"$float": {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[name]}


def canonical_text(value: Any, row: Row, what: str) -> JsonText:
    """Return the canonical JSON of a value; the error names the row and ``what`` it is."""
    try:
        return JsonText(canonical_json(value))
    except DataError as error:
        raise row.fault(f"{what}: {error}") from error
