"""The journal of replies: append-only segments that survive a kill at any moment.

A segment is a JSON Lines file ``<writer>-<n>.jsonl`` that one process writes and nobody changes
afterwards.  A row carries a checksum and reaches the file by one ``write(2)``; it is synced to the
disk at the end of each batch.  Readers take the union of all segments by key, which is also how
two studies merge.  A torn last row (the process died in the middle of it) is passed over; any
other damage is an error that names file and line, since a silent gap would change results.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from codequake.canonical import canonical_json, content_key, parse_json
from codequake.codec import from_plain, to_plain
from codequake.errors import DataError, StorageError
from codequake.files import make_folder
from codequake.keys import reply_key
from codequake.records import SCHEMA_VERSION, Measurement, Message, Reply, Request, StopReason

__all__ = ["Entry", "Journal", "Replies", "read_journal", "read_segment"]

_SUM_LENGTH = 16
# A line is the canonical JSON of {"row": ..., "sum": "<16 hex digits>"}, put together from its
# parts, so that the row is written, and hashed, once.
_HEAD, _MIDDLE, _TAIL = '{"row":', ',"sum":"', '"}'
_ROW = slice(len(_HEAD), -len(_MIDDLE) - _SUM_LENGTH - len(_TAIL))


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
        text = canonical_json(row)
        line = f"{_HEAD}{text}{_MIDDLE}{_sum_of(text.encode('utf-8'))}{_TAIL}\n"
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


class _Place(NamedTuple):
    """Where the line of a reply stands, and what is asked of it without its texts."""

    path: Path
    offset: int
    length: int
    reply_key: str
    bare: Reply
    measurement: Measurement


class Replies(Mapping[str, Entry]):
    """The rows of a journal by request key; each is read from its segment when it is wanted.

    What is held of each is its place and its few numbers; the texts of a large study are more than
    memory may hold.  Rows that come into the journal later are not seen.  Iteration is in the order
    of segments and lines.  Segments must stay where they are; a row that changed meanwhile is a
    ``DataError``.  ``also`` gives other names to keys that are here: these are found under both,
    and counted and iterated over once, under their own.
    """

    def __init__(self, places: dict[str, _Place], also: Mapping[str, str] | None = None) -> None:
        self._places = places
        self._found = places
        if also:
            self._found = {**places, **{name: places[key] for name, key in also.items()}}

    def named(self, also: Mapping[str, str]) -> Replies:
        """Return the same replies that are found under other names, too: name -> request key."""
        return Replies(self._places, also)

    def __getitem__(self, key: str) -> Entry:
        return _read_at(self._found[key])

    def __contains__(self, key: object) -> bool:
        return key in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def failed(self, key: str) -> bool:
        """Whether the reply to a request that is here is an error."""
        return self._found[key].bare.stop_reason is StopReason.ERROR

    def bare(self, key: str) -> Reply:
        """Return the reply to a request that is here, without text, reasoning and token scores."""
        return self._found[key].bare

    def measurement(self, key: str) -> Measurement:
        """Return how long the reply to a request that is here took, where and when."""
        return self._found[key].measurement

    def reply_key(self, key: str) -> str:
        """Return the content key (``keys.reply_key``) of the reply to a request that is here."""
        return self._found[key].reply_key


def read_journal(folder: Path) -> Replies:
    """Return the union of all segments by request key.

    Where a key stands twice, a reply without error wins over one with, then the one with the
    smaller canonical text, so that the order of files does not matter.  Raises ``DataError`` for
    damage other than a torn last row.
    """
    found: dict[str, _Place] = {}
    if not folder.is_dir():
        return Replies(found)
    shared: dict[str, str] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for offset, length, entry in _rows(path):
            key = entry.request.key
            known = found.get(key)
            if known is None or _rank(entry) < _rank(_read_at(known)):
                found[key] = _place(path, offset, length, entry, shared)
    return Replies(found)


def _place(path: Path, offset: int, length: int, entry: Entry, shared: dict[str, str]) -> _Place:
    """``shared`` holds the texts that many rows have, so that each is in memory once."""

    def once(text: str) -> str:
        return shared.setdefault(text, text)

    reply, measured = entry.reply, entry.measurement
    bare = dataclasses.replace(
        reply,
        key=entry.request.key,
        text="",
        reasoning=None,
        tokens=None,
        model_reported=once(reply.model_reported),
        error=None if reply.error is None else once(reply.error),
    )
    measurement = dataclasses.replace(
        measured,
        kind=once(measured.kind),
        key=entry.request.key if measured.key == entry.request.key else measured.key,
        host=once(measured.host),
        at=once(measured.at),
    )
    return _Place(path, offset, length, reply_key(reply), bare, measurement)


def _rank(entry: Entry) -> tuple[bool, str]:
    return (entry.reply.stop_reason is StopReason.ERROR, canonical_json(to_plain(entry.reply)))


def _read_at(place: _Place) -> Entry:
    where = f"{place.path}, byte {place.offset}"
    try:
        with place.path.open("rb") as file:
            file.seek(place.offset)
            raw = file.read(place.length)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=where) from error
    return _read_row(raw, place=where)


def read_segment(path: Path) -> Iterator[Entry]:
    """Yield the rows of one segment.  Raises ``DataError`` for damage but a torn last row.

    Rows are read one at a time, and equal prompts are held once, since a large study asks each
    many times.
    """
    prompts: dict[tuple[Message, ...], tuple[Message, ...]] = {}
    for _, _, entry in _rows(path):
        messages = entry.request.messages
        shared = prompts.setdefault(messages, messages)
        entry.request = dataclasses.replace(entry.request, messages=shared)
        yield entry


def _rows(path: Path) -> Iterator[tuple[int, int, Entry]]:
    """Yield where each row of a segment begins, its length in bytes, and the row."""
    offset = 0
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if not raw.endswith(b"\n"):
                    # The writer died inside this last row, so its reply never counted as done.
                    return
                yield offset, len(raw) - 1, _read_row(raw[:-1], place=f"{path}:{number}")
                offset += len(raw)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=str(path)) from error


def _read_row(raw: bytes, *, place: str) -> Entry:
    row = _checked_row(raw, place)
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


def _checked_row(raw: bytes, place: str) -> dict[str, Any]:
    """Return the row of a line whose checksum holds, also where its JSON is spelt otherwise."""
    found = raw[_ROW]
    as_written = f"{_MIDDLE}{_sum_of(found)}{_TAIL}".encode()
    if raw.startswith(_HEAD.encode()) and raw.endswith(as_written):
        with contextlib.suppress(ValueError):
            written: Any = json.loads(found)  # canonical, as the checksum says
            if isinstance(written, dict):
                return written
    try:
        value: Any = parse_json(raw.decode("utf-8"), place=place)
    except (UnicodeDecodeError, DataError) as error:
        raise DataError("damaged row; restore the file or remove the line", place=place) from error
    row = value.get("row") if isinstance(value, dict) else None
    if not isinstance(row, dict) or value.get("sum") != content_key(row, length=_SUM_LENGTH):
        raise DataError(
            "row does not match its checksum; restore the file or remove the line", place=place
        )
    return row


def _sum_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:_SUM_LENGTH]
