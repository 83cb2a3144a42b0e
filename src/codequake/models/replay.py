"""Recorded replies: a journal folder, or one JSON Lines file in the format of the journal."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from codequake.canonical import canonical_json, content_key
from codequake.codec import to_plain
from codequake.errors import DataError, UsageError
from codequake.journal import read_journal, read_segment
from codequake.records import Message, Reply, StopReason

__all__ = ["Recording"]


class Recording:
    """Replies by what was asked (messages and sample index), whatever model gave them."""

    def __init__(self, path: Path) -> None:
        """Read the recording.

        Raises ``UsageError`` when there is nothing at the path, and ``DataError`` when a row is
        damaged, when no reply is whole, or when two rows answer the same question differently.
        """
        self._path = path
        self._replies: dict[str, Reply] = {}
        if path.is_dir():
            entries = list(read_journal(path).values())
        elif path.is_file():
            entries = list(read_segment(path))
        else:
            raise UsageError(f"no recording at {path}; give a journal folder or a .jsonl file")
        for entry in entries:
            if entry.reply.stop_reason is StopReason.ERROR:
                continue
            key = _key(entry.request.messages, entry.request.sample)
            known = self._replies.setdefault(key, entry.reply)
            if _content(known) != _content(entry.reply):
                raise DataError(
                    f"two different replies to one prompt (sample {entry.request.sample}, models "
                    f"{known.model_reported!r} and {entry.reply.model_reported!r}); record one "
                    "model and one decoding a file",
                    place=str(path),
                )
        if not self._replies:
            raise DataError("holds no reply", place=str(path))

    @property
    def digest(self) -> str:
        """A key of everything that can be answered, in any order of rows."""
        digest = hashlib.sha256()
        for key in sorted(self._replies):
            digest.update(f"{key}{_content(self._replies[key])}\n".encode())
        return digest.hexdigest()[:16]

    def answer(self, messages: Sequence[Message], sample: int) -> Reply:
        """Return the recorded reply.  Raises ``DataError`` when there is none."""
        reply = self._replies.get(_key(messages, sample))
        if reply is None:
            last = messages[-1].content if messages else ""
            raise DataError(
                f"no recorded reply to sample {sample} of {last[:60]!r}", place=str(self._path)
            )
        return reply


def _key(messages: Sequence[Message], sample: int) -> str:
    return content_key([[[part.role, part.content] for part in messages], sample])


def _content(reply: Reply) -> str:
    """Everything in a reply but the key of its request, which names the model that was asked."""
    plain = to_plain(reply)
    return canonical_json({name: value for name, value in plain.items() if name != "key"})
