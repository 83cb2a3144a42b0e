"""Records to plain JSON values and back, driven by their type hints alone."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from enum import StrEnum
from typing import Any, TypeVar

from codequake.errors import DataError

__all__ = ["field_types", "from_plain", "to_plain"]

Record = TypeVar("Record")


@functools.cache
def field_types(record_type: type) -> dict[str, Any]:
    """Return field name -> resolved type of a record type, in the order of declaration."""
    hints = typing.get_type_hints(record_type)
    return {field.name: _base(hints[field.name]) for field in dataclasses.fields(record_type)}


def _base(hint: Any) -> Any:
    """Resolve ``NewType`` to the type that it stands for."""
    while isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    return hint


def to_plain(value: Any) -> Any:
    """Return the JSON value of a record, or of anything that a record's field can hold."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    return value


def from_plain(record_type: type[Record], value: Any, *, place: str = "") -> Record:
    """Build a record from its JSON value.

    Every field must be there with its type, none may be unknown; fields with a default may be
    left out.  Raises ``DataError`` naming ``place``, the field, the value and what is allowed.
    """
    built = _build(record_type, value, place, record_type.__name__)
    assert isinstance(built, record_type)
    return built


def _build(hint: Any, value: Any, place: str, path: str) -> Any:
    hint = _base(hint)
    if dataclasses.is_dataclass(hint):
        return _build_record(typing.cast("type", hint), value, place, path)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [item for item in typing.get_args(hint) if item is not type(None)]
        return None if value is None else _build(inner[0], value, place, path)
    if origin is tuple:
        if not isinstance(value, list):
            raise _wrong(path, value, "a list", place)
        item_type = typing.get_args(hint)[0]
        return tuple(
            _build(item_type, item, place, f"{path}[{index}]") for index, item in enumerate(value)
        )
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        allowed = [member.value for member in hint]
        if not isinstance(value, str) or value not in allowed:
            raise _wrong(path, value, " or ".join(repr(name) for name in allowed), place)
        return hint(value)
    return _build_scalar(hint, value, place, path)


def _build_scalar(hint: Any, value: Any, place: str, path: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, bool) and hint is not bool:
        raise _wrong(path, value, _TYPE_NAMES[hint], place)
    if not isinstance(value, hint):
        raise _wrong(path, value, _TYPE_NAMES[hint], place)
    return value


_TYPE_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


def _build_record(record_type: type, value: Any, place: str, path: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(path, value, "an object", place)
    hints = field_types(record_type)
    unknown = sorted(set(value) - set(hints))
    if unknown:
        raise DataError(
            f"{path} has an unknown field {unknown[0]!r}; allowed: {', '.join(hints)}", place=place
        )
    arguments = {}
    for field in dataclasses.fields(record_type):
        if field.name in value:
            arguments[field.name] = _build(
                hints[field.name], value[field.name], place, f"{path}.{field.name}"
            )
        elif field.default is dataclasses.MISSING and (
            field.default_factory is dataclasses.MISSING
        ):
            raise DataError(f"{path} lacks the field {field.name!r}", place=place)
    return record_type(**arguments)


def _wrong(path: str, value: Any, allowed: str, place: str) -> DataError:
    shown = repr(value)
    if len(shown) > 80:
        shown = shown[:77] + "..."
    return DataError(f"{path} is {shown}; allowed: {allowed}", place=place)
