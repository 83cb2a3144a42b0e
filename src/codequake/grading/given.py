"""What the files of other tools give for grading: one reply or program, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from codequake.errors import DataError
from codequake.records import StopReason

__all__ = ["Given", "GivenRows", "NamedBy", "required", "shown", "text_of"]


class NamedBy(StrEnum):
    """How a row says which problem it answers: an id, or something that leads to one.

    ``FOLDER``: the id with ``_`` for ``/``.  ``STATEMENT``: the text of the task.  ``PROMPT``:
    a prompt of code that ends in the open function, told in its own way.
    """

    ID = "id"
    FOLDER = "folder"
    STATEMENT = "statement"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Given:
    """One row of a file.

    ``whole`` says that ``text`` is a program, already cut out of its reply by the tool that wrote
    the file; else it is a reply, or the continuation of the prompt.  ``sample`` is ``None`` where
    the file does not number samples: repeated ids are then further samples, in their order.
    """

    place: str
    layout: str
    problem: str
    text: str
    whole: bool
    named_by: NamedBy = NamedBy.ID
    model: str = ""
    variant: str = ""
    sample: int | None = None
    stop_reason: StopReason = StopReason.UNKNOWN
    model_reported: str | None = None
    reasoning: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    error: str | None = None


GivenRows = Iterator[Given | DataError]
"""The rows of a file in order; a bad one is an error with its place, and others follow it."""


def required(values: dict[str, Any], name: str, place: str) -> Any:
    """Return a field.  Raises ``DataError`` when it is missing."""
    if name not in values:
        raise DataError(f"the field {name!r} is missing", place=place)
    return values[name]


def text_of(name: str, found: object, place: str) -> str:
    """Return a string that can be written as UTF-8.  Raises ``DataError`` for anything else."""
    if not isinstance(found, str):
        raise DataError(f"{name} is {shown(found)}; allowed: a string", place=place)
    try:
        found.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{name} has half a surrogate pair at character {error.start}; allowed: Unicode",
            place=place,
        ) from error
    return found


def shown(value: object) -> str:
    """Return a value for a sentence, cut when it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
