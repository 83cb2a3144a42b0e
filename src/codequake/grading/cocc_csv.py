"""The CSV logs of Chain-of-Code Collapse: one reply a record, its problem named by its text.

Columns used: ``question_content`` or ``orig_question_content``, ``output`` (the reply), else
``solution_code``, ``model``, and ``perturbation_type``, which becomes the variant.  The reply comes
first here: the log of a reply without a closed fence has no code, and no verdict of its own.
Records of a perturbation that changes the task are refused: the tests of the old task would judge
answers to a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from codequake.documents import numbered_lines, utf8_text
from codequake.errors import DataError
from codequake.grading.given import Given, GivenRows, NamedBy, shown, text_of

__all__ = ["MAX_RECORD", "looks_like_log", "read_cocc_log"]

MAX_RECORD = 16 << 20
"""Bytes that one record may have, over all of its lines."""

_QUESTIONS = ("orig_question_content", "question_content")
_REPLIES = ("output", "solution_code")
_FIELD = re.compile(r'[ \t]*(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n?\Z)')
_CHANGES_THE_TASK = re.compile(r"negat|numeric", re.IGNORECASE)


def looks_like_log(header: bytes) -> bool:
    """Tell whether the first line of a file names the columns of such a log."""
    names = {name.strip().strip(b'"') for name in header.rstrip(b"\r\n").split(b",")}
    return any(name.encode() in names for name in _QUESTIONS) and any(
        name.encode() in names for name in _REPLIES
    )


def read_cocc_log(file: BinaryIO, name: str) -> GivenRows:
    """Yield the records of a log, each with the line that it begins in."""
    columns: list[str] | None = None
    for line, raw in _records(file):
        place = f"{name}:{line}"
        try:
            if raw is None:
                raise DataError(f"the record has more than {MAX_RECORD >> 20} MiB", place=place)
            fields = _fields(utf8_text(raw, place), place)
            if columns is None:
                columns = [field.strip() for field in fields]
                continue
            if len(fields) != len(columns):
                raise DataError(
                    f"the record has {len(fields)} fields; allowed: {len(columns)}", place=place
                )
            yield _given(dict(zip(columns, fields, strict=True)), place)
        except DataError as error:
            yield error


def _given(record: dict[str, str], place: str) -> Given:
    question = next((record[name] for name in _QUESTIONS if record.get(name)), "")
    if not question.strip():
        raise DataError("the record names no question", place=place)
    kind = text_of("perturbation_type", record.get("perturbation_type", ""), place)
    if _CHANGES_THE_TASK.search(kind):
        raise DataError(
            f"perturbation_type is {shown(kind)}, which changes the task; allowed: kinds that keep "
            "it, since only its old tests are here",
            place=place,
        )
    reply = record.get("output", "")
    return Given(
        place,
        "Chain-of-Code-Collapse log",
        question,
        reply or record.get("solution_code", ""),
        whole=not reply,
        named_by=NamedBy.STATEMENT,
        model=record.get("model", ""),
        variant=kind,
    )


def _records(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield (first line, record); quotes hold a record together over lines.

    A record without an end goes on to the end of the file, and only its beginning is kept.
    """
    start, parts, size, quotes = 0, list[bytes](), 0, 0
    for number, line in numbered_lines(file, MAX_RECORD):
        if not size:
            if line is not None and not line.strip():
                continue
            start = number
        size += MAX_RECORD + 1 if line is None else len(line)
        quotes += 0 if line is None else line.count(b'"')
        if size <= MAX_RECORD and line is not None:
            parts.append(line)
        else:
            parts.clear()
        if quotes % 2 == 0:
            yield start, b"".join(parts) if size <= MAX_RECORD else None
            parts, size, quotes = [], 0, 0
    if size:
        yield start, b"".join(parts) if size <= MAX_RECORD else None


def _fields(text: str, place: str) -> list[str]:
    fields: list[str] = []
    position = 0
    while True:
        match = _FIELD.match(text, position)
        if match is None:
            cut = text.count('"', position) % 2
            why = "a quote is never closed" if cut else "text stands beside a quoted field"
            raise DataError(f"not CSV: {why} in field {len(fields) + 1}", place=place)
        quoted, plain, end = match.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if end != ",":
            return fields
