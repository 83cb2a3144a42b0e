"""The journal of replies: append-only segments that survive a kill at any moment.

A segment is a JSON Lines file ``<writer>-<n>.jsonl`` that one process writes and nobody changes
afterwards.  A row carries a checksum and reaches the file by one ``write(2)``; it is synced to the
disk at the end of each batch.  Readers take the union of all segments by key, which is also how
two studies merge.  A torn last row (the process died in the middle of it) is passed over; any
other damage is an error that names file and line, since a silent gap would change results.
"""

from __future__ import annotations

import dataclasses
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from codequake.canonical import canonical_json, content_key, parse_json
from codequake.codec import from_plain, to_plain
from codequake.errors import DataError, StorageError
from codequake.files import make_folder
from codequake.records import SCHEMA_VERSION, Measurement, Message, Reply, Request, StopReason

__all__ = ["Entry", "Journal", "read_journal", "read_segment"]

_SUM_LENGTH = 16


class Entry:
    """One row of the journal: what was asked, what came back, how long it took."""

    __slots__ = ("measurement", "reply", "request")

    def __init__(self, request: Request, reply: Reply, measurement: Measurement) -> None:
        self.request = request
        self.reply = reply
        self.measurement = measurement


class Journal:
    """Writes replies into a segment of its own; use it as a context manager.

    Raises ``StorageError`` when the folder cannot be written or the disk is full; rows that were
    written before stay whole.
    """

    def __init__(self, folder: Path, *, sync_every: int = 16) -> None:
        self._folder = folder
        self._sync_every = sync_every
        self._unsynced = 0
        self._handle: int | None = None
        self._path = folder / f"{uuid.uuid4().hex[:12]}-0.jsonl"

    def append(self, entry: Entry) -> None:
        """Write one row; when this returns, the reply counts as done."""
        row = {
            "version": SCHEMA_VERSION,
            "request": to_plain(entry.request),
            "reply": to_plain(entry.reply),
            "measurement": to_plain(entry.measurement),
        }
        line = canonical_json({"row": row, "sum": content_key(row, length=_SUM_LENGTH)}) + "\n"
        try:
            if self._handle is None:
                make_folder(self._folder)
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
                self._handle = os.open(self._path, flags, 0o666)
            data = line.encode("utf-8")
            written = os.write(self._handle, data)
            if written != len(data):
                # Cut the torn row off, so that a later append does not grow onto it.
                os.ftruncate(self._handle, os.fstat(self._handle).st_size - written)
                raise StorageError(f"cannot write {self._path}: only part of a row was taken")
            self._unsynced += 1
            if self._unsynced >= self._sync_every:
                self.sync()
        except OSError as error:
            if isinstance(error, StorageError):
                raise
            raise StorageError(
                f"cannot write {self._path}: {error.strerror or error}; what was done stays"
            ) from error

    def sync(self) -> None:
        """Bring what was written to the disk.  Raises ``StorageError``."""
        if self._handle is not None and self._unsynced:
            try:
                os.fsync(self._handle)
            except OSError as error:
                raise StorageError(
                    f"cannot write {self._path}: {error.strerror or error}"
                ) from error
            self._unsynced = 0

    def close(self) -> None:
        """Sync and close the segment."""
        if self._handle is not None:
            self.sync()
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_journal(folder: Path) -> dict[str, Entry]:
    """Return the union of all segments by request key.

    Where a key stands twice, a reply without error wins over one with, then the one with the
    smaller canonical text, so that the order of files does not matter.  Raises ``DataError`` for
    damage other than a torn last row.
    """
    found: dict[str, Entry] = {}
    if not folder.is_dir():
        return found
    for path in sorted(folder.glob("*.jsonl")):
        for entry in read_segment(path):
            known = found.get(entry.request.key)
            if known is None or _rank(entry) < _rank(known):
                found[entry.request.key] = entry
    return found


def _rank(entry: Entry) -> tuple[bool, str]:
    return (entry.reply.stop_reason is StopReason.ERROR, canonical_json(to_plain(entry.reply)))


def read_segment(path: Path) -> Iterator[Entry]:
    """Yield the rows of one segment.  Raises ``DataError`` for damage but a torn last row.

    Rows are read one at a time, and equal prompts are held once, since a large study asks each
    many times.
    """
    prompts: dict[tuple[Message, ...], tuple[Message, ...]] = {}
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if not raw.endswith(b"\n"):
                    # The writer died inside this last row, so its reply never counted as done.
                    return
                entry = _read_row(raw[:-1], place=f"{path}:{number}")
                messages = entry.request.messages
                shared = prompts.setdefault(messages, messages)
                entry.request = dataclasses.replace(entry.request, messages=shared)
                yield entry
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=str(path)) from error


def _read_row(raw: bytes, *, place: str) -> Entry:
    try:
        value: Any = parse_json(raw.decode("utf-8"), place=place)
    except (UnicodeDecodeError, DataError) as error:
        raise DataError("damaged row; restore the file or remove the line", place=place) from error
    row = value.get("row") if isinstance(value, dict) else None
    if not isinstance(row, dict) or value.get("sum") != content_key(row, length=_SUM_LENGTH):
        raise DataError(
            "row does not match its checksum; restore the file or remove the line", place=place
        )
    if row.get("version") != SCHEMA_VERSION:
        raise DataError(
            f"row has schema version {row.get('version')!r}; this codequake reads {SCHEMA_VERSION}",
            place=place,
        )
    return Entry(
        from_plain(Request, row.get("request"), place=place),
        from_plain(Reply, row.get("reply"), place=place),
        from_plain(Measurement, row.get("measurement"), place=place),
    )
