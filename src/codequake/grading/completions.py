"""Read completions that people already have, in any layout; bad rows become sentences.

The layout is seen from the content: a folder of programs, an Inspect log (zip or JSON), a CSV log,
a JSON array or document, or JSON Lines.  ``json_rows``, ``inspect_logs``, ``cocc_csv`` and
``sample_folders`` say what each holds.  Any file may be packed with gzip.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from codequake.canonical import content_key, parse_json
from codequake.documents import first_byte, json_pieces, numbered_lines, open_document, utf8_text
from codequake.errors import DataError
from codequake.grading.cocc_csv import looks_like_log, read_cocc_log
from codequake.grading.continuation import Continuations
from codequake.grading.given import Given, GivenRows, shown
from codequake.grading.inspect_logs import MAX_SAMPLE, log_sample, read_zipped_log
from codequake.grading.json_rows import JsonLayout, layout_of, own_rows
from codequake.grading.matching import Matcher
from codequake.grading.sample_folders import read_sample_folder
from codequake.records import Completion, Problem

__all__ = ["MAX_LINE", "CompletionFile", "read_completions"]

MAX_LINE = 16 << 20
"""Bytes that one line of JSON Lines may have."""

_ZIP = b"PK"
_HEAD = 1 << 16
_SOME_OBJECT = re.compile(rb"^[ \t]*\{", re.MULTILINE)
_LAYOUTS = "JSON Lines, a JSON array, an Inspect log, a CSV log with question_content and output"
_DOCUMENT = re.compile(rb'\s*\{\s*"(?:version|status|eval|date|hash|pass_at_k|samples)"\s*:')


@dataclass(frozen=True, slots=True)
class CompletionFile:
    """The good rows of a file, one sentence with ``file:line`` for each bad one, and its layout.

    ``outside`` counts the rows that answer other problems of the set than those that are here.
    """

    rows: tuple[Completion, ...]
    problems: tuple[str, ...]
    layout: str
    outside: int = 0


def read_completions(
    path: Path | str,
    known: Sequence[Problem] | None = None,
    set_name: str = "the set",
    *,
    subset: bool = False,
) -> CompletionFile:
    """Read the completions of a file, a folder, or ``-`` for standard input.

    With ``known`` each row gets the id of the problem that it answers, and a reply that continues
    the prompt of that problem gets the prompt; a row of no such problem is left out and described.
    So is one that is no JSON (cut off), too long, has a missing or wrong field, or repeats an
    earlier (problem, variant, model, sample).  Blank lines are passed over.  ``subset`` says that
    ``known`` is a part of a set; rows that none of it fits are then counted.  Raises ``DataError``
    when the file cannot be read at all.
    """
    collected = _Collected(None if known is None else Matcher(known, set_name, subset=subset))
    name = str(path)
    try:
        if name != "-" and Path(name).is_dir():
            collected.take(read_sample_folder(Path(name)))
        else:
            with open_document(name) as file:
                collected.take(_rows_of(file, name))
    except DataError as error:
        if not collected.rows and not collected.problems:
            raise
        collected.problems.append(str(error))
    if not collected.rows and not collected.problems:
        text = f"; all {collected.outside} are outside of {set_name}" if collected.outside else ""
        collected.problems.append(f"{name}: the file has no completions{text}")
    return CompletionFile(
        tuple(collected.rows), tuple(collected.problems), collected.layout, collected.outside
    )


class _Collected:
    """The rows so far, with what is needed to number them and to see that one stands twice."""

    def __init__(self, matcher: Matcher | None) -> None:
        self._matcher = matcher
        self._continuations = Continuations()
        self._places: dict[tuple[str, str, str, int], str] = {}
        self._next: dict[tuple[str, str, str], int] = {}
        self.rows: list[Completion] = []
        self.problems: list[str] = []
        self.layout = ""
        self.outside = 0

    def take(self, rows: GivenRows) -> None:
        for row in rows:
            try:
                if isinstance(row, DataError):
                    raise row
                self.layout = self.layout or row.layout
                matched = self._matched(row)
                if matched is None:
                    self.outside += 1
                else:
                    self.rows.append(self._numbered(matched))
            except DataError as error:
                self.problems.append(str(error))

    def _matched(self, row: Given) -> Given | None:
        if self._matcher is None:
            return row
        problem = self._matcher.find(row)
        if problem is None:
            return None
        text = row.text
        if not row.whole:
            text = self._continuations.complete(problem, text, row.stop_reason)
        return dataclasses.replace(row, problem=problem.problem_id, text=text)

    def _numbered(self, row: Given) -> Completion:
        group = (row.problem, row.variant, row.model)
        sample = self._next.get(group, 0) if row.sample is None else row.sample
        key = (*group, sample)
        if key in self._places:
            raise DataError(
                f"problem {shown(row.problem)}, variant {row.variant!r}, model {row.model!r}, "
                f"sample {sample} stands already in {self._places[key]}",
                place=row.place,
            )
        self._places[key] = row.place
        self._next[group] = max(self._next.get(group, 0), sample + 1)
        return _completion(row, sample)


def _completion(row: Given, sample: int) -> Completion:
    return Completion(
        problem_id=row.problem,
        variant_id=row.variant,
        model=row.model,
        sample=sample,
        key=content_key([row.problem, row.variant, row.model, sample, row.text]),
        text=row.text,
        reasoning=row.reasoning,
        model_reported=row.model if row.model_reported is None else row.model_reported,
        stop_reason=row.stop_reason,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        error=row.error,
    )


def _rows_of(file: BinaryIO, name: str) -> GivenRows:
    """Yield the rows of a file, by what it begins with."""
    start = file.tell()
    head = file.read(_HEAD)
    file.seek(start)
    if head.startswith(_ZIP):
        return read_zipped_log(file, name)
    if looks_like_log(head.split(b"\n", 1)[0]):
        return read_cocc_log(file, name)
    if first_byte(file) == b"[":
        return _array(file, name)
    if _DOCUMENT.match(head):
        return _document(file, name)
    if head.strip() and not _SOME_OBJECT.search(head):
        raise DataError(f"is in no layout that can be read; allowed: {_LAYOUTS}", place=name)
    return _lines(file, name)


def _lines(file: BinaryIO, name: str) -> GivenRows:
    layout: JsonLayout | None = None
    for number, line in numbered_lines(file, MAX_LINE):
        place = f"{name}:{number}"
        try:
            if line is None:
                raise DataError(f"the line has more than {MAX_LINE >> 20} MiB", place=place)
            if not line.strip():
                continue
            value = _object(parse_json(utf8_text(line, place), place=place), "the line", place)
            layout = layout or layout_of(value)
            yield from (layout or own_rows)(value, place)
        except DataError as error:
            yield error


def _array(file: BinaryIO, name: str) -> GivenRows:
    """Yield the rows of a JSON array of objects, such as a LiveCodeBench output file."""
    layout: JsonLayout | None = None
    for piece in json_pieces(file, name, lambda path: path == (), MAX_SAMPLE):
        place = piece.place(name)
        try:
            value = _object(_parsed(piece.raw, place), "the record", place)
            layout = layout or layout_of(value)
            yield from (layout or own_rows)(value, place)
        except DataError as error:
            yield error


def _opened(path: tuple[str | int, ...]) -> bool:
    """Open the document, the samples of an Inspect log, and the results of EvalPlus by task."""
    return not path or path in (("samples",), ("eval",)) or (path[0] == "eval" and len(path) == 2)


def _document(file: BinaryIO, name: str) -> GivenRows:
    """Yield the rows of a JSON log of Inspect, or of the results that EvalPlus writes."""
    model = ""
    for piece in json_pieces(file, name, _opened, MAX_SAMPLE):
        place = piece.place(name)
        try:
            match piece.path:
                case ("eval", "model"):
                    found = _parsed(piece.raw, place)
                    model = found if isinstance(found, str) else ""
                case ("samples", int()):
                    # A score that is missing stands there as NaN.
                    yield log_sample(_parsed(piece.raw, place, nan_as_null=True), model, place)
                case ("eval", str(), int()):
                    value = _object(_parsed(piece.raw, place), "the result", place)
                    if layout_of(value) is not None:
                        yield from (layout_of(value) or own_rows)(value, place)
                case _:
                    pass
        except DataError as error:
            yield error


def _parsed(raw: bytes | None, place: str, *, nan_as_null: bool = False) -> Any:
    if raw is None:
        raise DataError(f"the record has more than {MAX_SAMPLE >> 20} MiB", place=place)
    return parse_json(utf8_text(raw, place), place=place, nan_as_null=nan_as_null)


def _object(value: Any, what: str, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{what} is {shown(value)}; allowed: an object", place=place)
    return value
