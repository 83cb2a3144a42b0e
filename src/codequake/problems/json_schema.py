"""The JSON Schema of a line of a problem file, worked out from the records."""

from __future__ import annotations

import dataclasses
import importlib.resources
import inspect
import json
import types
import typing
from enum import StrEnum
from typing import Any

from codequake.records import JsonText, Problem

__all__ = ["SCHEMA_FILE", "problem_schema", "schema_text"]

SCHEMA_FILE = "problem.schema.json"
"""The file beside this module that holds the schema; ``docs/generate.py`` writes it."""

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}
# What the shape of a problem asks for beyond the types of its fields (``problems.shape``).
_RULES: dict[str, dict[str, Any]] = {
    "problem_id": {"pattern": "^[^/]+/."},
    "statement": {"pattern": "\\S"},
    "tests": {"minItems": 1},
    "parameters": {"items": {"type": "string", "pattern": "^[^\\W\\d]\\w*$"}},
}
_IF_FUNCTION = {
    "if": {"properties": {"interface": {"const": "function"}}},
    "then": {"properties": {"entry_point": {"type": "string", "pattern": "^[^\\W\\d]\\w*$"}}},
    "else": {
        "properties": {
            "entry_point": {"type": "null"},
            "parameters": {"maxItems": 0},
            "assertions": {"type": "null"},
        }
    },
}


def schema_text() -> str:
    """Return the schema file of this version, as it is shipped."""
    folder = importlib.resources.files("codequake.problems")
    return (folder / SCHEMA_FILE).read_text("utf-8")


def problem_schema() -> str:
    """Return the schema as text, made from the records; every other part has its own entry.

    A line that the schema refuses is refused by ``codequake``, too.  The other way round that is
    not so: whether a text is canonical JSON, or a test has the number of arguments that the
    function takes, no schema can say.
    """
    parts: dict[str, Any] = {}
    schema = _record(Problem, parts)
    for name, rules in _RULES.items():
        schema["properties"][name] |= rules
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A problem of codequake: one line of a JSON Lines file",
        **schema,
        **_IF_FUNCTION,
        "$defs": dict(sorted(parts.items())),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _record(kind: type, parts: dict[str, Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    fields = dataclasses.fields(kind)
    return {
        "description": " ".join(inspect.cleandoc(kind.__doc__ or "").replace("``", "`").split()),
        "type": "object",
        "properties": {item.name: _of(hints[item.name], parts) for item in fields},
        "required": [
            item.name
            for item in fields
            if item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        ],
        "additionalProperties": False,
    }


def _of(hint: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type hint; records become parts of their own."""
    if hint is JsonText:
        return {"type": "string", "contentMediaType": "application/json"}
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = next(item for item in typing.get_args(hint) if item is not type(None))
        return {"anyOf": [_of(inner, parts), {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _of(typing.get_args(hint)[0], parts)}
    if dataclasses.is_dataclass(hint):
        kind = typing.cast("type", hint)
        if kind.__name__ not in parts:
            parts[kind.__name__] = {}  # it may hold itself
            parts[kind.__name__] = _record(kind, parts)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    return {"type": _PLAIN[hint]}
