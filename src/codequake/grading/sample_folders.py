"""The folder form of EvalPlus: ``TASK/NUMBER.py``, with ``_`` for ``/`` in the name of the task."""

from __future__ import annotations

from pathlib import Path

from codequake.documents import utf8_text
from codequake.errors import DataError
from codequake.grading.given import Given, GivenRows, NamedBy, text_of

__all__ = ["MAX_PROGRAM", "read_sample_folder"]

MAX_PROGRAM = 16 << 20
"""Bytes that one file may have."""


def read_sample_folder(folder: Path) -> GivenRows:
    """Yield the programs of a folder, by name of the task and number; other files are no samples.

    The first row is an error when there is none.
    """
    try:
        paths = sorted(folder.glob("*/*.py"), key=_order)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=str(folder)) from error
    if not paths:
        yield DataError("the folder has no samples; allowed: TASK/NUMBER.py", place=str(folder))
    for path in paths:
        try:
            yield _given(path)
        except DataError as error:
            yield error


def _order(path: Path) -> tuple[str, int, str]:
    number = int(path.stem) if path.stem.isdecimal() and len(path.stem) < 20 else -1
    return path.parent.name, number, path.name


def _given(path: Path) -> Given:
    place = str(path)
    if not path.is_file():
        raise DataError("is no plain file", place=place)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_PROGRAM + 1)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=place) from error
    if len(raw) > MAX_PROGRAM:
        raise DataError(f"the file has more than {MAX_PROGRAM >> 20} MiB", place=place)
    number = _order(path)[1]
    return Given(
        place,
        "EvalPlus sample folder",
        text_of("the name of the folder", path.parent.name, place),
        utf8_text(raw, place),
        whole=True,
        named_by=NamedBy.FOLDER,
        sample=number if number >= 0 else None,
    )
