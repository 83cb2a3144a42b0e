"""Read completions that other tools wrote, one JSON object a line; bad lines become sentences."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from codequake.canonical import content_key, parse_json
from codequake.errors import DataError
from codequake.records import Completion, StopReason

__all__ = ["MAX_LINE", "CompletionFile", "read_completions"]

MAX_LINE = 16 << 20
"""Bytes that one line may have."""

_TEXTS = ("problem_id", "variant_id", "model", "completion")
_ALLOWED = ("problem_id", "variant_id", "model", "sample", "completion")


@dataclass(frozen=True, slots=True)
class CompletionFile:
    """The good lines of a file, and one sentence with ``file:line`` for each bad one."""

    rows: tuple[Completion, ...]
    problems: tuple[str, ...]


def read_completions(path: Path | str) -> CompletionFile:
    """Read ``{"problem_id", "variant_id"?, "model"?, "sample"?, "completion"}``, one a line.

    ``-`` is standard input.  Left-out names are empty, a left-out sample is 0.  A line that is no
    JSON (cut off), too long, has an unknown, missing or wrong field, or repeats an earlier
    (problem, variant, model, sample) is left out and described; blank lines are passed over.
    Raises ``DataError`` when the file cannot be read at all.
    """
    name = str(path)
    rows: dict[tuple[str, str, str, int], tuple[Completion, int]] = {}
    problems: list[str] = []
    for number, line in _numbered_lines(name):
        place = f"{name}:{number}"
        try:
            row = _row(line, place)
            if row is None:
                continue
            key = (row.problem_id, row.variant_id, row.model, row.sample)
            if key in rows:
                raise DataError(
                    f"problem {row.problem_id!r}, variant {row.variant_id!r}, model "
                    f"{row.model!r}, sample {row.sample} stands already in line {rows[key][1]}",
                    place=place,
                )
            rows[key] = (row, number)
        except DataError as error:
            problems.append(str(error))
    if not rows and not problems:
        problems.append(f"{name}: the file has no completions")
    return CompletionFile(tuple(row for row, _ in rows.values()), tuple(problems))


def _numbered_lines(name: str) -> Iterator[tuple[int, bytes | None]]:
    """Yield (line number, line); ``None`` stands for a line that is too long."""
    try:
        if name == "-":
            yield from _lines_of(sys.stdin.buffer)
        else:
            with Path(name).open("rb") as file:
                yield from _lines_of(file)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=name) from error


def _lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) <= MAX_LINE:
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(1 << 20)
        yield number, None


def _row(line: bytes | None, place: str) -> Completion | None:
    if line is None:
        raise DataError(f"the line has more than {MAX_LINE >> 20} MiB", place=place)
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", place=place) from error
    if not text.strip():
        return None
    value = parse_json(text, place=place)
    if not isinstance(value, dict):
        raise DataError(f"the line is {_shown(value)}; allowed: an object", place=place)
    unknown = sorted(set(value) - set(_ALLOWED))
    if unknown:
        allowed = ", ".join(_ALLOWED)
        raise DataError(f"unknown field {unknown[0]!r}; allowed: {allowed}", place=place)
    fields = {name: value.get(name, "") for name in _TEXTS}
    for name in ("problem_id", "completion"):
        if name not in value:
            raise DataError(f"the field {name!r} is missing", place=place)
    for name, found in fields.items():
        _check_text(name, found, place)
    if not fields["problem_id"]:
        raise DataError("problem_id is empty", place=place)
    sample = value.get("sample", 0)
    if not isinstance(sample, int) or isinstance(sample, bool) or sample < 0:
        raise DataError(f"sample is {_shown(sample)}; allowed: 0, 1, 2, ...", place=place)
    return _completion(fields, sample)


def _check_text(name: str, found: Any, place: str) -> None:
    if not isinstance(found, str):
        raise DataError(f"{name} is {_shown(found)}; allowed: a string", place=place)
    try:
        found.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{name} has half a surrogate pair at character {error.start}; allowed: Unicode",
            place=place,
        ) from error


def _completion(fields: dict[str, str], sample: int) -> Completion:
    names = [fields["problem_id"], fields["variant_id"], fields["model"], sample]
    return Completion(
        problem_id=fields["problem_id"],
        variant_id=fields["variant_id"],
        model=fields["model"],
        sample=sample,
        key=content_key([*names, fields["completion"]]),
        text=fields["completion"],
        reasoning=None,
        model_reported=fields["model"],
        stop_reason=StopReason.UNKNOWN,
        input_tokens=None,
        output_tokens=None,
        error=None,
    )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
