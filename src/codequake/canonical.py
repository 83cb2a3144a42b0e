"""Canonical JSON and content keys: the only thing that codequake ever hashes.

Canonical means: keys sorted, no blanks, UTF-8 without escapes where JSON allows it, and no value
that JSON cannot carry exactly (NaN, infinities, tuples are written as lists).  Two values with the
same canonical text are the same value, and so are their keys.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from typing import Any

from codequake.errors import DataError

__all__ = ["canonical_json", "content_key", "list_key", "parse_json"]


def canonical_json(value: Any) -> str:
    """Return the canonical text of a JSON value.

    Raises ``DataError`` for NaN, infinities, non-string keys, lone surrogates and every type that
    JSON has not, instead of choosing a spelling for them.
    """
    _refuse_inexact(value)
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
        )
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"value cannot be written as JSON: {error}") from error
    return text


def _refuse_inexact(value: Any) -> None:
    """Refuse what ``json.dumps`` would silently change (keys 1 and "1" collide)."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for key in item:
                if not isinstance(key, str):
                    raise DataError(f"JSON object key {key!r} is not a string")
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
        elif isinstance(item, float) and not math.isfinite(item):
            raise DataError(f"number {item!r} has no JSON form; use null with a reason")


def content_key(value: Any, *, length: int = 64) -> str:
    """Return the first ``length`` hex digits of SHA-256 over the canonical JSON of ``value``.

    ``length`` is 1 to 64; 16 digits name a variant, 64 everything that must never collide.
    """
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()[:length]


def list_key(values: Iterable[Any]) -> str:
    """Return what ``content_key(list(values))`` is, and hold one value at a time.

    Raises what ``canonical_json`` raises.
    """
    digest = hashlib.sha256(b"[")
    for number, value in enumerate(values):
        digest.update((("," if number else "") + canonical_json(value)).encode("utf-8"))
    digest.update(b"]")
    return digest.hexdigest()


def parse_json(text: str, *, place: str = "", nan_as_null: bool = False) -> Any:
    """Parse JSON strictly: no NaN, no infinity, no duplicate key, no text after the value.

    ``nan_as_null`` reads NaN and infinities as ``None``, for files of tools that write them.
    Raises ``DataError`` with ``place`` (``file:line``) in front.
    """

    def refuse_constant(name: str) -> Any:
        if nan_as_null:
            return None
        raise DataError(f"{name} is not JSON; use null", place=place)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, item in pairs:
            if key in found:
                raise DataError(f"key {key!r} stands twice in one object", place=place)
            found[key] = item
        return found

    try:
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=unique)
    except RecursionError as error:
        raise DataError("JSON is nested too deeply", place=place) from error
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at column {error.colno}", place=place) from error
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"not JSON: {error}", place=place) from error
