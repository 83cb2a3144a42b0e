"""Records to plain JSON values and back, driven by their type hints alone."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
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


_AS_IS = frozenset({str, int, float, bool, type(None)})


def to_plain(value: Any) -> Any:
    """Return the JSON value of a record, or of anything that a record's field can hold."""
    kind = type(value)
    if kind in _AS_IS:
        return value
    if kind is tuple:
        return [to_plain(item) for item in value]
    return _writer(typing.cast("type", kind))(value)


@functools.cache
def _writer(kind: type) -> Callable[[Any], Any]:
    """Return what turns values of a type into JSON; looked up once, since each field needs it."""
    if dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
        return lambda record: {name: to_plain(getattr(record, name)) for name in names}
    if issubclass(kind, StrEnum):
        texts = {member: member.value for member in kind}
        return texts.__getitem__
    if issubclass(kind, tuple):
        return lambda values: [to_plain(item) for item in values]
    return lambda value: value


class _Misfit(Exception):  # noqa: N818 - never leaves this file
    """A value that does not fit; ``path`` grows outwards, and costs nothing where all fits."""

    def __init__(self, tail: str) -> None:
        super().__init__(tail)
        self.path = ""
        self.tail = tail


_Read = Callable[[Any], Any]


def from_plain(record_type: type[Record], value: Any, *, place: str = "") -> Record:
    """Build a record from its JSON value.

    Every field must be there with its type, none may be unknown; fields with a default may be
    left out.  Raises ``DataError`` naming ``place``, the field, the value and what is allowed.
    """
    try:
        built = _reader(typing.cast("type", record_type))(value)
    except _Misfit as misfit:
        text = f"{record_type.__name__}{misfit.path} {misfit.tail}"
        raise DataError(text, place=place) from None
    assert isinstance(built, record_type)
    return built


@functools.cache
def _reader(hint: Any) -> _Read:
    """Return what builds a value of a type from JSON, or raises ``_Misfit``."""
    hint = _base(hint)
    if dataclasses.is_dataclass(hint):
        return _record_reader(typing.cast("type", hint))
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = _reader(next(item for item in typing.get_args(hint) if item is not type(None)))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return _tuple_reader(_reader(typing.get_args(hint)[0]))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum_reader(hint)
    return _scalar_reader(hint)


def _tuple_reader(read_item: _Read) -> _Read:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise _wrong(value, "a list")
        built: list[Any] = []
        try:
            for item in value:
                built.append(read_item(item))  # noqa: PERF401 - their number says which failed
        except _Misfit as misfit:
            misfit.path = f"[{len(built)}]{misfit.path}"
            raise
        return tuple(built)

    return read


def _enum_reader(hint: type[StrEnum]) -> _Read:
    members = {member.value: member for member in hint}

    def read(value: Any) -> Any:
        found = members.get(value) if isinstance(value, str) else None
        if found is None:
            raise _wrong(value, " or ".join(repr(name) for name in members))
        return found

    return read


def _scalar_reader(hint: type) -> _Read:
    def read(value: Any) -> Any:
        kind = type(value)
        if kind is hint:
            return value
        if hint is float and isinstance(value, int) and kind is not bool:
            return float(value)
        if kind is bool or not isinstance(value, hint):
            raise _wrong(value, _TYPE_NAMES[hint])
        return value

    return read


_TYPE_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


@functools.cache
def _fields(record_type: type) -> tuple[tuple[str, _Read, bool], ...]:
    """Return name, reader, and whether it must be there, of each field of a record type."""
    hints = field_types(record_type)
    return tuple(
        (
            field.name,
            _reader(hints[field.name]),
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(record_type)
    )


def _record_reader(record_type: type) -> _Read:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _wrong(value, "an object")
        hints = field_types(record_type)
        if not value.keys() <= hints.keys():
            unknown = sorted(set(value) - set(hints))
            raise _Misfit(f"has an unknown field {unknown[0]!r}; allowed: {', '.join(hints)}")
        arguments = {}
        name = ""
        try:
            for name, read_field, needed in _fields(record_type):
                if name in value:
                    arguments[name] = read_field(value[name])
                elif needed:
                    break
            else:
                return record_type(**arguments)
        except _Misfit as misfit:
            misfit.path = f".{name}{misfit.path}"
            raise
        raise _Misfit(f"lacks the field {name!r}")

    return read


def _wrong(value: Any, allowed: str) -> _Misfit:
    shown = repr(value)
    if len(shown) > 80:
        shown = shown[:77] + "..."
    return _Misfit(f"is {shown}; allowed: {allowed}")
