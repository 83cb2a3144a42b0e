"""What scraping did to problems of contest sites, and its repair where the row itself proves it.

- A string that stands without its quotes (``0012`` for a parameter of type ``str``) is taken as
  the text that it is.
- The raised digit of a power is lost, so that ``10^5`` reads ``105``.  It is put back where a test
  shows a larger value or a longer list than the bound as it reads; else it is only told.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codequake.errors import DataError

__all__ = ["Powers", "Scraped", "restore_powers", "scraped_value"]


@dataclass(frozen=True, slots=True)
class Scraped:
    """A value, and whether a string in it stood without quotes."""

    value: Any
    unquoted: bool = False


def scraped_value(text: str, annotation: str | None) -> Scraped:
    """Read a value of a test as its annotation says: strings may stand without quotes.

    ``annotation`` is Python text such as ``List[str]``; without one the text is JSON.  Numbers
    where strings belong keep their spelling.  Raises ``DataError`` for what is no JSON, and for a
    string where its beginning quote stands alone.
    """
    kind = "" if annotation is None else re.sub(r"\s|\"|'", "", annotation)
    kind = re.sub(r"^(?:typing\.)?Optional\[(.*)\]$|^(.*)\|None$", r"\1\2", kind)
    bare = text.strip()
    if kind == "str":
        return _string(bare)
    if re.fullmatch(r"(?:typing\.)?[Ll]ist\[(?:(?:typing\.)?[Ll]ist\[)*str\]+", kind):
        # Digits stay as they are spelled, so that a string of them is the same text.
        value = _parse(bare, spelled=True)
        return _strings(value)
    return Scraped(_parse(bare))


def _string(text: str) -> Scraped:
    try:
        value = _parse(text, spelled=True)
    except DataError:
        if text[:1] in ('"', "[", "{"):
            raise
        if text[:1] == "'":
            return _single_quoted(text)
        return Scraped(text, unquoted=True)
    if isinstance(value, _Digits):
        return Scraped(text, unquoted=True)
    if isinstance(value, bool):
        return Scraped(text, unquoted=True)
    if value is not None and not isinstance(value, str):
        raise DataError(f"not a string: {text[:60]!r}")
    return Scraped(value)


def _single_quoted(text: str) -> Scraped:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, str):
        raise DataError(f"not a string: {text[:60]!r}")
    return Scraped(value, unquoted=True)


def _strings(value: Any) -> Scraped:
    if isinstance(value, _Digits):
        return Scraped(str(value), unquoted=True)
    if isinstance(value, list):
        items = [_strings(item) for item in value]
        return Scraped([item.value for item in items], any(item.unquoted for item in items))
    if value is None or isinstance(value, str):
        return Scraped(value)
    raise DataError(f"not a list of strings: {json.dumps(value)[:60]}")


class _Digits(str):
    """A number as it is spelled."""

    __slots__ = ()


def _parse(text: str, *, spelled: bool = False) -> Any:
    def refuse(name: str) -> Any:
        raise DataError(f"not JSON: {name}")

    options: dict[str, Any] = {"parse_int": _Digits, "parse_float": _Digits} if spelled else {}
    try:
        return json.loads(text, parse_constant=refuse, **options)
    except RecursionError as error:
        raise DataError("JSON is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at column {error.colno}") from error
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"not JSON: {error}") from error


@dataclass(frozen=True, slots=True)
class Powers:
    """A text with its powers, the bounds that were put back, and those that may be powers, too."""

    text: str
    restored: tuple[str, ...]
    doubtful: tuple[str, ...]


# A bound of at least 10^3 that lost its mark: 103 to 109 and 1010 to 1018.
_POWER = r"10(?P<raised>[3-9]|1[0-8])"
_BOUND = re.compile(
    rf"(?P<name>[A-Za-z_]\w*)(?P<part>\.length|(?:\[\w+\])+(?:\.length)?)?\s*(?:<=|≤|<)\s*"
    rf"(?P<factor>\d+\s*\*\s*)?{_POWER}(?![\w.^*])"
)
_LOWER = re.compile(rf"^(\s*[-*]?\s*-){_POWER}(?=\s*(?:<=|≤|<))")
_CONSTRAINTS = re.compile(r"^Constraints:.*?(?=^Follow|^Note|\Z)", re.MULTILINE | re.DOTALL)


def restore_powers(text: str, parameters: Sequence[str], inputs: Iterable[Sequence[Any]]) -> Powers:
    """Put back the powers of the constraints that the inputs of the tests prove.

    A bound of a parameter, of its length or of its items, that an input exceeds as it reads, and
    keeps as a power, is one.  ``inputs`` are lists of arguments, in the order of ``parameters``.
    """
    section = _CONSTRAINTS.search(text)
    if section is None or _BOUND.search(section[0]) is None:
        return Powers(text, (), ())
    largest = _largest(parameters, inputs)
    restored: list[str] = []
    doubtful: list[str] = []

    def put_back(match: re.Match[str]) -> str:
        whole = match[0]
        shown = f"10{match['raised']}"
        power = int(match["raised"])
        factor = int((match["factor"] or "1").rstrip("* "))
        found = largest.get((match["name"], _part(match["part"])))
        if found is None or found <= factor * int(shown) or found > factor * 10**power:
            doubtful.append(f"{match['name']}{match['part'] or ''} <= {shown}")
            return whole
        restored.append(f"{match['name']}{match['part'] or ''} <= 10^{power}")
        return whole[: -len(shown)] + f"10^{power}"

    lines = []
    for line in section[0].split("\n"):
        new = _BOUND.sub(put_back, line)
        # The lower bound of a line that lost its marks lost its own, too.
        lines.append(new if new == line else _LOWER.sub(r"\g<1>10^\g<raised>", new))
    whole = text[: section.start()] + "\n".join(lines) + text[section.end() :]
    return Powers(whole, tuple(restored), tuple(doubtful))


def _part(part: str | None) -> str:
    if part is None:
        return "value"
    if part == ".length":
        return "length"
    return "item length" if part.endswith(".length") else "item"


def _largest(
    parameters: Sequence[str], inputs: Iterable[Sequence[Any]]
) -> Mapping[tuple[str, str], int]:
    """Return the largest value, length, item and length of an item of each parameter."""
    found: dict[tuple[str, str], int] = {}

    def see(name: str, part: str, number: int) -> None:
        found[name, part] = max(found.get((name, part), number), number)

    for arguments in inputs:
        for name, value in zip(parameters, arguments, strict=False):
            if isinstance(value, int) and not isinstance(value, bool):
                see(name, "value", abs(value))
            elif isinstance(value, str | list):
                see(name, "length", len(value))
                for item in _items(value):
                    if isinstance(item, int) and not isinstance(item, bool):
                        see(name, "item", abs(item))
                    elif isinstance(item, str | list):
                        see(name, "item length", len(item))
    return found


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, list):
        for item in value:
            yield item
            if isinstance(item, list):
                yield from item
