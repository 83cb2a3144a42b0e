"""Files of problems that other projects publish: rows of JSON Lines or of one JSON array.

Every format has a file of its own that turns one row into one problem.  Here is what they share:
reading the rows, asking for their fields, and keeping the good rows when others are bad.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from codequake.canonical import canonical_json
from codequake.documents import first_byte, json_pieces, numbered_lines, open_document, utf8_text
from codequake.errors import DataError
from codequake.problems.errata import Erratum
from codequake.problems.selection import Errata, Facts, Selection
from codequake.problems.shape import refuse_malformed
from codequake.records import JsonText, Problem

__all__ = [
    "MAX_ROW",
    "Format",
    "LeftOut",
    "Note",
    "Origin",
    "ProblemFile",
    "Row",
    "canonical_text",
    "read_foreign",
    "read_rows",
]

_PARQUET = b"PAR1"
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
class LeftOut:
    """A problem that could be read and was left out, and why: one sentence without the id."""

    problem: Problem
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """What was repaired in a problem, or is doubtful in it: one sentence without the id."""

    problem_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """What a file of problems holds: the good ones, and a sentence for each bad line.

    ``places`` has ``file:line`` of each good one, or is empty where there are no lines.
    ``changed`` are versions of them with a changed task.
    ``left_out`` are problems with known defects, ``notes`` what was repaired or is doubtful.
    ``filtered`` says that a filter was asked for, and ``unwanted`` counts the problems that it did
    not take (of those that were read: one for the first so many ends the reading).
    """

    problems: tuple[Problem, ...]
    faults: tuple[str, ...]
    places: tuple[str, ...] = ()
    origin: Origin = Origin.AUTHORED
    changed: tuple[Problem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[Note, ...] = ()
    unwanted: int = 0
    filtered: bool = False

    def told(self) -> tuple[str, ...]:
        """Return what a user should know beside the faults: what was left out, and the notes.

        Alike sentences are told once, with their number and the first of their problems.
        """
        return (*_grouped("left out", self.left_out), *_grouped("", self.notes))


def _grouped(lead: str, items: Iterable[LeftOut | Note]) -> Iterator[str]:
    pairs = [
        (item.problem.problem_id, item.reason)
        if isinstance(item, LeftOut)
        else (item.problem_id, item.text)
        for item in items
    ]
    counts = Counter(text for _, text in pairs)
    first = {text: problem_id for problem_id, text in reversed(pairs)}
    for text, count in counts.items():
        more = f" (and {count - 1} more)" if count > 1 else ""
        yield f"{first[text]}{more}{f' {lead}' if lead else ''}: {text}"


class Row:
    """One row of a file; what is wrong with a field is a ``DataError`` with file and line."""

    def __init__(self, values: dict[str, Any], place: str) -> None:
        self._values = values
        self.place = place
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Remember what was repaired in the row, or is doubtful in it."""
        if text not in self.notes:
            self.notes.append(text)

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

    def day(self, name: str) -> dt.date | None:
        """Return the day of a date or a time in ISO form; ``None`` when it is missing or blank."""
        text = self.optional_text(name).strip()
        if not text:
            return None
        try:
            return dt.datetime.fromisoformat(text).date()
        except ValueError as error:
            raise self.wrong(name, text, "a date such as 2024-01-31") from error

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
        # Some files carry the line ends of another system inside of programs and texts.
        return found.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class Format:
    """What turns the rows of a file into problems.

    ``facts`` is asked before ``build``, which may be costly; ``erratum`` after it.
    """

    build: Callable[[Row], Problem]
    origin: Origin = Origin.PUBLISHED
    facts: Callable[[Row], Facts] | None = None
    erratum: Callable[[Row, Problem], Erratum | None] | None = None


def read_foreign(paths: Path | Sequence[Path], form: Format, wanted: Selection) -> ProblemFile:
    """Read files, plain or gzip, and build one problem from each row that is wanted.

    The first row of an id counts, later ones are bad.  A fault is one sentence with file and
    line.  Raises ``DataError`` when a file cannot be read at all.
    """
    reading = _Reading(form, wanted)
    for path in [paths] if isinstance(paths, Path) else paths:
        for item in read_rows(path):
            reading.take(item)
            if reading.full:
                return reading.found()
    return reading.found()


class _Reading:
    """The problems, faults, notes and counts of one reading."""

    def __init__(self, form: Format, wanted: Selection) -> None:
        self._form = form
        self._wanted = wanted
        self._problems: list[Problem] = []
        self._faults: list[str] = []
        self._first: dict[str, str] = {}
        self._notes: list[Note] = []
        self._left_out: list[LeftOut] = []
        self._unwanted = 0
        self._taken = 0

    @property
    def full(self) -> bool:
        """Whether there are as many problems as are wanted; those with defects count, too."""
        return self._wanted.first is not None and self._taken >= self._wanted.first

    def take(self, item: Row | DataError) -> None:
        try:
            if isinstance(item, DataError):
                raise item
            if not self._may_be_wanted(item):
                self._unwanted += 1
                return
            problem = self._form.build(item)
            refuse_malformed(problem, place=item.place)
            if not self._wanted.takes(problem):
                self._unwanted += 1
                return
            if problem.problem_id in self._first:
                where = self._first[problem.problem_id]
                raise item.fault(f"id {problem.problem_id!r} stands twice, first at {where}")
        except DataError as error:
            self._faults.append(str(error))
        else:
            self._add(item, problem)

    def _may_be_wanted(self, row: Row) -> bool:
        if self._form.facts is None:
            return True
        facts = self._form.facts(row)
        lacking = self._wanted.lacks(facts)
        if lacking is not None:
            raise row.fault(f"the row has no {lacking}, and the filter asks for one")
        return self._wanted.may_take(facts)

    def _add(self, row: Row, problem: Problem) -> None:
        self._first[problem.problem_id] = row.place
        erratum = None if self._form.erratum is None else self._form.erratum(row, problem)
        defect = erratum is not None and erratum.leaves_out
        if not defect and self._wanted.errata is Errata.ONLY:
            self._unwanted += 1
            return
        self._taken += 1
        if erratum is not None and defect and self._wanted.errata is Errata.DROP:
            reason = f"{erratum.defect} ({erratum.source}); errata=keep takes it"
            self._left_out.append(LeftOut(problem, reason))
            return
        if erratum is not None:
            row.note(f"{erratum.defect} ({erratum.source})")
        self._notes += [Note(problem.problem_id, text) for text in row.notes]
        self._problems.append(problem)

    def found(self) -> ProblemFile:
        return ProblemFile(
            tuple(self._problems),
            tuple(self._faults),
            tuple(self._first[item.problem_id] for item in self._problems),
            self._form.origin,
            left_out=tuple(self._left_out),
            notes=tuple(self._notes),
            unwanted=self._unwanted,
            filtered=bool(self._wanted.text),
        )


def read_rows(path: Path) -> Iterator[Row | DataError]:
    """Yield the rows of a file; in place of a bad one, what is wrong with it.

    The file is JSON Lines or one JSON array, plain or gzip, or Parquet.  Raises ``DataError`` when
    it cannot be read at all.
    """
    name = str(path)
    with open_document(name) as file:
        start = file.tell()  # behind a byte order mark
        if file.read(4) == _PARQUET:
            yield from _parquet_rows(name, file)
            return
        file.seek(start)
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


def _parquet_rows(name: str, file: BinaryIO) -> Iterator[Row | DataError]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file.seek(0)
    number = 0
    try:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=64):
            for values in batch.to_pylist():
                number += 1
                plain = {
                    key: value.isoformat() if isinstance(value, dt.date) else value
                    for key, value in values.items()
                }
                yield Row(plain, f"{name} (record {number})")
    except pa.ArrowException as error:
        why = str(error).splitlines()[0]
        yield DataError(f"not Parquet: {why}", place=f"{name} (record {number + 1})")


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
