"""Content keys of records: who has the same key is the same thing and is worked on once."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from codequake.canonical import content_key
from codequake.codec import to_plain
from codequake.records import JsonText, Message, Request, Step

__all__ = ["new_request", "variant_key"]


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
