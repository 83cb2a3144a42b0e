"""A log of Inspect with everything that a study needs of it, one sample at a time."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.errors import DataError
from codequake.grading.given import Given
from codequake.grading.inspect_logs import (
    log_sample,
    read_header,
    read_member,
    sample_members,
    sample_texts,
)
from codequake.records import Message

__all__ = ["InspectLog", "LogSample", "open_log"]


@dataclass(frozen=True, slots=True)
class LogSample:
    """One sample: its reply, what was asked, its metadata, how long it took and when it ended.

    ``seconds`` and ``ended`` are ``None`` where the log does not say.
    """

    given: Given
    messages: tuple[Message, ...]
    metadata: dict[str, Any]
    seconds: float | None
    ended: str | None


class InspectLog:
    """An open ``.eval`` file."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self.name = name
        self.archive = archive
        self.members = sample_members(archive)
        header = read_header(archive, name)
        self._eval = _part(header, "eval")
        self._plan = _part(header, "plan")

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self._eval.get("model", ""))

    @property
    def created(self) -> str:
        """When the log was begun, as an ISO date."""
        return str(self._eval.get("created", ""))

    @property
    def metadata(self) -> dict[str, Any]:
        """What the task says of itself."""
        return _part(self._eval, "metadata")

    @property
    def epochs(self) -> int:
        """How many replies each sample has."""
        found = _part(self._eval, "config").get("epochs")
        return found if isinstance(found, int) and not isinstance(found, bool) else 1

    @property
    def decoding(self) -> dict[str, Any]:
        """The settings of generation that were set, Inspect's own of connections included."""
        merged = {**_part(self._eval, "model_generate_config"), **_part(self._plan, "config")}
        return {name: value for name, value in merged.items() if value is not None}

    def __len__(self) -> int:
        return len(self.members)

    def samples(self) -> Iterator[LogSample | DataError]:
        """Yield the samples in the order of their names; a bad one is an error with its place."""
        for member in self.members:
            place = f"{self.name} ({member})"
            try:
                yield self._sample(read_member(self.archive, member, self.name), place)
            except DataError as error:
                yield error

    def _sample(self, value: Any, place: str) -> LogSample:
        given = log_sample(value, self.model, place)
        asked = value.get("input")
        if isinstance(asked, str):
            asked = [{"role": "user", "content": asked}]
        if not isinstance(asked, list) or not all(isinstance(part, dict) for part in asked):
            raise DataError("input is no text and no list of messages", place=place)
        messages = tuple(
            Message(str(part.get("role")), sample_texts(value, part.get("content", ""), place))
            for part in asked
        )
        seconds = value.get("working_time")
        ended = value.get("completed_at")
        return LogSample(
            given,
            messages,
            _part(value, "metadata"),
            float(seconds) if isinstance(seconds, int | float) else None,
            ended if isinstance(ended, str) else None,
        )


@contextlib.contextmanager
def open_log(path: Path) -> Iterator[InspectLog]:
    """Open an ``.eval`` file; nothing is unpacked to disk, and one sample is in memory at a time.

    Raises ``DataError`` when it is none.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            yield InspectLog(archive, str(path))
    except zipfile.BadZipFile as error:
        raise DataError(
            f"not a log of Inspect ({error}); allowed: an .eval file, which "
            "`inspect log convert --to eval` makes of others",
            place=str(path),
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"cannot be read: {reason}", place=str(path)) from error


def _part(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
