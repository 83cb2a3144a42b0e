"""Reading the fields of a TOML table strictly: nothing missing, nothing unknown, right types."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, TypeVar

from codequake.errors import DataError
from codequake.problems.lines import KeyLines

__all__ = ["Fields"]

Choice = TypeVar("Choice", bound=StrEnum)
_MISSING = object()
_NAMES = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class Fields:
    """One table of a file; every problem with it is a ``DataError`` with file and line."""

    def __init__(
        self, values: dict[str, Any], lines: KeyLines, path: tuple[str | int, ...]
    ) -> None:
        self._values = values
        self._lines = lines
        self._path = path
        self._known: set[str] = set()

    def has(self, name: str) -> bool:
        """Tell whether a field is there."""
        self._known.add(name)
        return name in self._values

    def place(self, name: str | None = None) -> str:
        """Return ``file:line`` of a field, or of the table."""
        return self._lines.at(*self._path, *(() if name is None else (name,)))

    def fault(self, name: str, message: str) -> DataError:
        """Return the error that says what is wrong with a field."""
        return DataError(f"{self._label(name)} {message}", place=self.place(name))

    def _label(self, name: str) -> str:
        parts = [f"{part + 1}" if isinstance(part, int) else part for part in self._path]
        return ".".join([*parts, name])

    def _take(self, name: str, wanted: type, default: Any = _MISSING) -> Any:
        self._known.add(name)
        value = self._values.get(name, default)
        if value is _MISSING:
            raise DataError(f"the field {self._label(name)} is missing", place=self.place())
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            try:
                value = float(value)
            except OverflowError as error:
                raise self.fault(name, "is too large; allowed: a number up to 1e308") from error
        if value is not default and (
            not isinstance(value, wanted)
            or (isinstance(value, bool) and wanted not in (bool, object))
        ):
            shown = repr(value)
            shown = shown if len(shown) <= 60 else shown[:57] + "..."
            raise self.fault(name, f"is {shown}; allowed: {_NAMES[wanted]}")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string that is not blank; with a default it may be left out."""
        value = self._take(name, str, _MISSING if default is None else default)
        assert isinstance(value, str)
        if not value.strip() and value is not default:
            raise self.fault(name, "is empty; allowed: text")
        return value

    def text_lines(self, name: str, *, needed: bool = True) -> list[tuple[str, str]]:
        """Return (place, line) of each line of a string that is not blank."""
        text = self._take(name, str, _MISSING if needed else "")
        path = (*self._path, name)
        found = [
            (self._lines.inside(*path, offset=offset), line)
            for offset, line in enumerate(text.split("\n"))
            if line.strip()
        ]
        if needed and not found:
            raise self.fault(name, "is empty; allowed: text")
        return found

    def number(self, name: str) -> float | None:
        """Return a finite number, or ``None`` when it was left out."""
        value = self._take(name, float, None)
        assert value is None or isinstance(value, float)
        if value is not None and not math.isfinite(value):
            raise self.fault(name, f"is {value}; allowed: a finite number")
        return value

    def integer(self, name: str) -> int | None:
        """Return an integer, or ``None`` when it was left out."""
        value = self._take(name, int, None)
        assert value is None or isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        """Return true or false; false when it was left out."""
        return bool(self._take(name, bool, False))

    def choice(self, name: str, kind: type[Choice], default: Choice | None = None) -> Choice:
        """Return a member of a closed set."""
        value = self._take(name, str, _MISSING if default is None else default)
        allowed = [member.value for member in kind]
        if value not in allowed:
            raise self.fault(name, f"is {value!r}; allowed: {', '.join(allowed)}")
        return kind(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings; empty when it was left out."""
        value = self._take(name, list, [])
        for item in value:
            if not isinstance(item, str) or not item.strip():
                raise self.fault(name, f"holds {item!r}; allowed: strings with text")
        return tuple(value)

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return a table of strings in the order of the file; empty when it was left out."""
        value = self._take(name, dict, {})
        for key, item in value.items():
            if not isinstance(item, str) or not item.strip():
                raise self.fault(name, f"gives {key!r} the value {item!r}; allowed: text")
        return tuple(value.items())

    def names(self) -> tuple[str, ...]:
        """Return the names of all fields that are there, in the order of the file."""
        return tuple(self._values)

    def anything(self, name: str) -> Any:
        """Return a value of any type that must be there."""
        return self._take(name, object)

    def sequence(self, name: str) -> tuple[Any, ...]:
        """Return a list of anything; empty when it was left out."""
        return tuple(self._take(name, list, []))

    def table(self, name: str) -> Fields:
        """Return a table inside this one."""
        return Fields(self._take(name, dict), self._lines, (*self._path, name))

    def tables(self, name: str, *, at_least: int = 0) -> Iterator[Fields]:
        """Yield the tables of a list, which holds at least so many."""
        value = self._take(name, list, [])
        if len(value) < at_least:
            raise self.fault(name, f"has {len(value)} entries; allowed: {at_least} or more")
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                raise self.fault(name, f"holds {item!r}; allowed: tables")
            yield Fields(item, self._lines, (*self._path, name, index))

    def close(self) -> None:
        """Refuse what was not asked for."""
        for name in self._values:
            if name not in self._known:
                allowed = ", ".join(sorted(self._known))
                raise self.fault(name, f"is not a known field; allowed: {allowed}")
