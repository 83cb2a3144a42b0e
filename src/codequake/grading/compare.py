"""Whether an output is right: the one comparator of codequake.

Results of functions are compared as data.

- Numbers are equal when Python's ``==`` says so: ``1`` and ``1.0`` are one value, as LiveCodeBench
  and EvalPlus have it.  Unlike there, a boolean equals only a boolean: a program that answers
  ``True`` where a number is asked for, or ``0`` for ``False``, has not done what the task says.
  ``strict=True`` keeps integers and floats apart, too.
- Only where the expected number ``u`` is a float, the output ``v`` may differ from it:
  ``|u - v| <= max(10**-digits, relative * max(|u|, |v|))``; without ``digits`` the first term is
  1e-12, which is rounding noise around zero.  Both are taken as the decimal fractions that they
  are written as, so that 2.000001 is exactly 0.000001 from 2.  The tolerance belongs to that one
  number; ``scale`` multiplies it, to see what it decides.
- NaN equals NaN only where NaN is expected, infinities equal themselves, ``-0.0`` equals ``0.0``.
- Tuples and lists are alike at any depth (both arrive as JSON lists).  Strings, ``null``, bytes
  and the keys of dictionaries are exact; sets match as multisets.

Texts that programs print are compared token by token.  Tokens are what stands between blanks
(space, tab, line feed, carriage return, form feed, vertical tab); how they are spread over lines
does not matter, their number and order do.  Grammar of a token::

    integer = [+-] digit+
    float   = [+-] (digit+ "." digit* | "." digit+) [exponent]  |  [+-] digit+ exponent
    special = [+-] ("nan" | "inf" | "infinity")          upper or lower case

A digit is one of ``0`` to ``9``.  So ``1e5``, ``+3``, ``.5``, ``5.`` and ``-0`` are numbers.
Anything else is text and compared exactly: ``0x10``, ``1_000``, ``1,5`` (a comma is neither a
separator nor a decimal point), ``1e`` and digits of other scripts.  An expected integer asks for
the same number, however it is written (``3``, ``+3``, ``03``, ``3.0``); the tolerance above
applies only where the expected token is a float.  Labels, units and text behind the number
(``x = 3``, ``3 m``) are more tokens than expected, and the output is wrong:
prompts say what to print, and show it.  A number of more than 400 characters, or with an exponent
beyond 400, has no value here: it equals only its own spelling (an integer: itself).

``UNORDERED`` compares the items of the outermost list, or the tokens of a text, as multisets: a
one-to-one match must exist.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from codequake.errors import DataError
from codequake.records import Comparison, Interface, JsonText, OutputOrder

__all__ = ["numbers_agree_in_text", "outputs_agree", "parse_output", "token_values"]

Agree = Callable[[Any, Any], bool]

_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE]([+-]?[0-9]+))?\Z")
# ASCII: a dotless i is the same letter to a pattern that ignores case, and to no program.
_SPECIAL = re.compile(r"([+-]?)(nan|inf|infinity)\Z", re.IGNORECASE | re.ASCII)
_FLOOR = Fraction(1, 10**12)
_MOST_DIGITS = 400
_MOST_EXPONENT = 400
_SAFE_INT_DIGITS = 4000
_MATCH_LIMIT = 400


class _LongInt(str):
    """An integer that is too long to be converted; JSON writes it in one way only."""

    __slots__ = ()


def parse_output(text: str) -> Any:
    """Parse JSON that a program's result arrived in.  Raises ``DataError`` when it is none."""

    def integer(digits: str) -> Any:
        return int(digits) if len(digits) <= _SAFE_INT_DIGITS else _LongInt(digits)

    def refuse(name: str) -> Any:
        raise DataError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_int=integer, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise DataError(f"the output is not JSON: {error}") from error


def outputs_agree(
    expected: JsonText,
    got: JsonText,
    comparison: Comparison,
    interface: Interface,
    *,
    strict: bool = False,
    scale: Fraction = Fraction(1),
) -> bool:
    """Return whether ``got`` is a right answer where ``expected`` is the reference's.

    Both are JSON in the data-only encoding of the sandbox.  ``got`` may be anything: what is not
    JSON is wrong.  ``scale`` (0 or more) multiplies the tolerance; 0 asks for equal numbers.
    Raises ``DataError`` when ``expected`` is not JSON.
    """
    wanted = parse_output(expected)
    try:
        found = parse_output(got)
    except DataError:
        return False
    tolerance = _tolerance(comparison, scale)
    unordered = comparison.order is OutputOrder.UNORDERED
    if interface is Interface.STDIN:
        if not isinstance(wanted, str) or not isinstance(found, str):
            return False
        return _texts_agree(wanted, found, tolerance, unordered=unordered)
    data = _Data(tolerance, strict=strict)
    if unordered and isinstance(wanted, list) and isinstance(found, list):
        return _match(wanted, found, data.agree)
    return data.agree(wanted, found)


def numbers_agree_in_text(expected: JsonText, got: JsonText, comparison: Comparison) -> bool:
    """Return whether a wrong text has the expected numbers, with other words among them.

    Such an output stays wrong; a reader of the verdict learns that only its form is.  Only outputs
    that are numbers and nothing else are looked at.
    """
    wanted, found = parse_output(expected), parse_output(got)
    if not isinstance(wanted, str) or not isinstance(found, str):
        return False
    if not all(map(_is_number, _tokens(wanted))):
        return False
    numbers = " ".join(filter(_is_number, _tokens(found.replace("=", " ").replace(":", " "))))
    unordered = comparison.order is OutputOrder.UNORDERED
    return _texts_agree(wanted, numbers, _tolerance(comparison, Fraction(1)), unordered=unordered)


def _is_number(token: str) -> bool:
    return any(pattern.match(token) for pattern in (_INTEGER, _FLOAT, _SPECIAL))


@dataclass(frozen=True, slots=True)
class _Tolerance:
    """How far a number may be from a float: the larger of the two counts."""

    absolute: Fraction
    relative: Fraction


def _tolerance(comparison: Comparison, scale: Fraction) -> _Tolerance:
    digits = comparison.digits
    absolute = _FLOOR if digits is None else Fraction(1, 10**digits)
    return _Tolerance(absolute * scale, Fraction(comparison.relative) * scale)


class _Data:
    """Compares parsed JSON under one tolerance."""

    def __init__(self, tolerance: _Tolerance, *, strict: bool) -> None:
        self._tolerance = tolerance
        self._strict = strict

    def agree(self, wanted: Any, found: Any) -> bool:
        if isinstance(wanted, list):
            return (
                isinstance(found, list)
                and len(wanted) == len(found)
                and all(map(self.agree, wanted, found))
            )
        if isinstance(wanted, _LongInt):
            return isinstance(found, _LongInt) and str(wanted) == str(found)
        if isinstance(found, _LongInt):
            return False
        wanted, found = _special(wanted), _special(found)
        if isinstance(wanted, dict):
            return isinstance(found, dict) and self._tables(wanted, found)
        if isinstance(wanted, int | float) and not isinstance(wanted, bool):
            number = isinstance(found, int | float) and not isinstance(found, bool)
            return number and self._numbers(wanted, found)
        return type(wanted) is type(found) and bool(wanted == found)

    def _numbers(self, wanted: int | float, found: int | float) -> bool:
        if self._strict and type(wanted) is not type(found):
            return False
        if not isinstance(wanted, float):
            return wanted == found
        if not math.isfinite(wanted) or (isinstance(found, float) and not math.isfinite(found)):
            return wanted == found or (math.isnan(wanted) and math.isnan(found))
        return _near(_as_written(wanted), _as_written(found), self._tolerance)

    def _tables(self, wanted: dict[str, Any], found: dict[str, Any]) -> bool:
        for tag in ("$set", "$dict"):
            left, right = wanted.get(tag), found.get(tag)
            if len(wanted) == 1 and isinstance(left, list):
                return (
                    len(found) == 1 and isinstance(right, list) and _match(left, right, self.agree)
                )
        return wanted.keys() == found.keys() and all(
            self.agree(value, found[key]) for key, value in wanted.items()
        )


def _special(value: Any) -> Any:
    """Turn the tag of a NaN or an infinity into the float."""
    if isinstance(value, dict) and len(value) == 1:
        text = value.get("$float")
        if text in ("nan", "inf", "-inf"):
            return float(text)
    return value


def _as_written(number: int | float) -> Fraction:
    """The decimal value that a number is written as, so that 2.000001 is 0.000001 from 2."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _near(wanted: Fraction, found: Fraction, tolerance: _Tolerance) -> bool:
    largest = max(abs(wanted), abs(found))
    return abs(wanted - found) <= max(tolerance.absolute, tolerance.relative * largest)


def _texts_agree(wanted: str, found: str, tolerance: _Tolerance, *, unordered: bool) -> bool:
    left, right = _tokens(wanted), _tokens(found)
    if len(left) != len(right):
        return False

    def agree(one: str, other: str) -> bool:
        return _tokens_agree(one, other, tolerance)

    if unordered:
        return _match(left, right, agree)
    return all(map(agree, left, right))


def _tokens(text: str) -> list[str]:
    return [token for token in _BLANKS.split(text) if token]


def _tokens_agree(wanted: str, found: str, tolerance: _Tolerance) -> bool:
    if wanted == found:
        return True
    if _INTEGER.match(wanted) and _INTEGER.match(found):
        return _plain_integer(wanted) == _plain_integer(found)
    one, other = _SPECIAL.match(wanted), _SPECIAL.match(found)
    if one is not None and other is not None:
        return _spelled(one) == _spelled(other)
    left, right = _value(wanted), _value(found)
    if left is None or right is None:
        return False
    return left == right or (bool(_FLOAT.match(wanted)) and _near(left, right, tolerance))


def token_values(text: str) -> tuple[str | Fraction, ...]:
    """Return what each token of a printed text stands for.

    Numbers are exact values, specials have one spelling, and all else stands as it is.  Tokens
    that this gives equal values agree; those of a float may agree within its tolerance, too.
    """
    return tuple(map(_meaning, _tokens(text)))


def _meaning(token: str) -> str | Fraction:
    special = _SPECIAL.match(token)
    if special is not None:
        return _spelled(special)
    value = _value(token)
    if value is None and _INTEGER.match(token):
        return _plain_integer(token)
    return token if value is None else value


def _plain_integer(token: str) -> str:
    digits = token.lstrip("+-").lstrip("0")
    if not digits:
        return "0"
    return "-" + digits if token.startswith("-") else digits


def _spelled(match: re.Match[str]) -> str:
    """One spelling of a special; the sign of a NaN means nothing (C prints ``-nan``)."""
    if match[2].lower() == "nan":
        return "nan"
    return "-inf" if match[1] == "-" else "inf"


def _value(token: str) -> Fraction | None:
    """The exact value of a number token, ``None`` for text and for absurd lengths."""
    if len(token) > _MOST_DIGITS:
        return None
    if _INTEGER.match(token):
        return Fraction(int(token))
    match = _FLOAT.match(token)
    if match is None or (match[1] is not None and abs(int(match[1])) > _MOST_EXPONENT):
        return None
    return Fraction(token if token[-1] != "." else token + "0")


def _match(wanted: Sequence[Any], found: Sequence[Any], agree: Agree) -> bool:
    """Whether a one-to-one match exists between the items of two lists.

    Items with one spelling are taken out first, what is left is matched by augmenting paths.  A
    tolerance is not transitive, so where that fails and floats are expected, a match without
    taking out is looked for: 1.0 and 1.1 match 1.1 and 1.2 within 0.1.  More than 400 items that
    would have to be matched like that do not match.
    """
    if len(wanted) != len(found):
        return False
    left, right = _without_twins(wanted, found)
    if _paired(left, right, agree):
        return True
    floats = any(mark in _spelling(item) for item in wanted for mark in ".eE")
    return floats and len(left) < len(wanted) and _paired(wanted, found, agree)


def _without_twins(wanted: Sequence[Any], found: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return what is left of both when each item has gone with one that is spelled the same."""
    waiting: dict[str, int] = {}
    for item in found:
        key = _spelling(item)
        waiting[key] = waiting.get(key, 0) + 1
    left = []
    for item in wanted:
        key = _spelling(item)
        if waiting.get(key, 0):
            waiting[key] -= 1
        else:
            left.append(item)
    right = []
    for item in found:
        key = _spelling(item)
        if waiting[key]:
            waiting[key] -= 1
            right.append(item)
    return left, right


def _paired(left: Sequence[Any], right: Sequence[Any], agree: Agree) -> bool:
    """Whether all items find a partner each; at most 400 are tried."""
    if len(left) > _MATCH_LIMIT:
        return False
    partner: dict[int, int] = {}

    def place(index: int, seen: set[int]) -> bool:
        for other, item in enumerate(right):
            if other not in seen and agree(left[index], item):
                seen.add(other)
                if other not in partner or place(partner[other], seen):
                    partner[other] = index
                    return True
        return False

    return all(place(index, set()) for index in range(len(left)))


def _spelling(item: Any) -> str:
    return json.dumps(item, sort_keys=True)  # no NaN can stand here
