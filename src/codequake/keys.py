"""Content keys of records: who has the same key is the same thing and is worked on once."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence

from codequake.canonical import content_key
from codequake.codec import to_plain
from codequake.records import Completion, JsonText, Message, Reply, Request, Step

__all__ = ["new_request", "reply_key", "variant_key"]


def variant_key(problem_id: str, chain: Sequence[Step], seed: int, text: str) -> str:
    """Return the ``variant_id``: 16 hex digits over problem, chain, seed and text."""
    steps = [[step.name, step.arguments] for step in chain]
    return content_key([problem_id, steps, seed, text], length=16)


def new_request(
    model: str,
    engine: str,
    messages: Sequence[Message],
    decoding: JsonText,
    sample: int,
) -> Request:
    """Return a request with its key: messages, model, engine, decoding and sample index."""
    request = Request("", model, engine, tuple(messages), decoding, sample)
    fields = {name: value for name, value in to_plain(request).items() if name != "key"}
    return dataclasses.replace(request, key=content_key(fields))


def reply_key(reply: Reply | Completion) -> str:
    """Return 32 hex digits over what a grader reads of a reply: text, stop reason and error.

    A verdict carries it, so that one on another reply to the same request is known as stale.
    Tokens, scores and reasoning do not count.
    """
    digest = hashlib.sha256()
    for part in (reply.stop_reason.value, reply.error, reply.text):
        # Lengths keep the parts apart; an empty error is not a missing one.
        coded = (part or "").encode("utf-8", "backslashreplace")
        digest.update(b"-" if part is None else f"{len(coded)}:".encode() + coded)
    return digest.hexdigest()[:32]
