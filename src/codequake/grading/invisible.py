"""Characters that show nothing: all format characters of Unicode (category Cf)."""

from __future__ import annotations

import string
from collections.abc import Iterable

__all__ = ["INVISIBLE", "without_invisible_edges"]

# Unicode 16: one pair of ends a range.  A test compares this with the tables of the interpreter.
_RANGES = (
    (0x00AD, 0x00AD),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0001, 0xE0001),
    (0xE0020, 0xE007F),
)
INVISIBLE = "".join(chr(code) for first, last in _RANGES for code in range(first, last + 1))
"""Each of them once."""

_NOTHING = dict.fromkeys(map(ord, INVISIBLE))
_EDGE = INVISIBLE + string.whitespace + "\u00a0>"
_BLANKS = INVISIBLE + " \t"


def without_invisible_edges(lines: Iterable[str]) -> list[str]:
    """Take invisible characters out of the start and the end of each line.

    The start is what stands before the first character that is neither blank nor the mark of a
    quotation; visible blanks stay.
    """
    return [line if line.isascii() else _visible_edges(line) for line in lines]


def _visible_edges(line: str) -> str:
    rest = line.lstrip(_EDGE)
    head = line[: len(line) - len(rest)].translate(_NOTHING)
    code = rest.rstrip("\r\n")
    end = rest[len(code) :]
    body = code.rstrip(_BLANKS)
    return head + body + code[len(body) :].translate(_NOTHING) + end
