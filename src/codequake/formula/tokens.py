"""Text to tokens: the smallest pieces of a formula, each with its column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from codequake.formula.faults import FormulaError

__all__ = ["MAX_DIGITS", "MAX_TEXT", "Kind", "Token", "tokenise"]

MAX_TEXT = 20_000
"""Characters that a formula may have."""

MAX_DIGITS = 60
"""Characters that a number may have."""

# Longer signs come before those that they begin with; ``0..n`` is a range, no broken number.
_PATTERN = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9]*(?:_(?:[A-Za-z0-9]+|\{[A-Za-z0-9]+\}))?)"
    r"|(?P<prime>')"
    r"|(?P<sign><==>|==>|!in\b|\.Length[01]?\b|&&|\|\||==|!=|<=|>=|\.\.|::|[-+*/%^=()<>,!|[\]])"
    r"|(?P<blank>[ \t\r\n]+)"
)
_HINTS = {
    "{": "write x_1 or x_{12} for a subscript and x^(a+b) for a power",
    "\\": "this reader takes plain text, not LaTeX",
    ".": "write 0.5 with a digit on both sides of the point",
    "&": "write && for and",
    ":": "write :: after the names of a quantifier",
    "\N{MINUS SIGN}": "write - for minus",
    "\N{MULTIPLICATION SIGN}": "write * for a product",
    "\N{MIDDLE DOT}": "write * for a product",
    "\N{DOT OPERATOR}": "write * for a product",
    "\N{DIVISION SIGN}": "write / for a quotient",
    "\N{NOT EQUAL TO}": "write != for not equal",
    "\N{LESS-THAN OR EQUAL TO}": "write <= for at most",
    "\N{GREATER-THAN OR EQUAL TO}": "write >= for at least",
    "\N{SQUARE ROOT}": "write sqrt(x) for a root",
    "\N{SUPERSCRIPT TWO}": "write ^2 for a square",
    "\N{GREEK SMALL LETTER PI}": "write pi for the number",
}


class Kind(StrEnum):
    """What a token is; ``END`` stands after the last one.

    ``GROUP`` is a brace of LaTeX, ``{`` or ``}``: it holds together and is not seen.
    """

    NUMBER = "number"
    NAME = "name"
    PRIME = "prime"
    SIGN = "sign"
    GROUP = "group"
    END = "end"


_KINDS = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its text and its column, counted from 1."""

    kind: Kind
    text: str
    column: int


def tokenise(text: str) -> list[Token]:
    """Return the tokens of a text, ``END`` last.

    ``x_{12}`` is the name ``x_12``.  Raises ``FormulaError`` with the place.
    """
    if len(text) > MAX_TEXT:
        raise FormulaError(f"formula has {len(text)} characters; allowed: at most {MAX_TEXT}")
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        column = position + 1
        if match is None:
            hint = _HINTS.get(text[position], "allowed: numbers, names, + - * / ^ ( ) = < > '")
            raise FormulaError(
                f"character {text[position]!r} is not part of a formula; {hint}",
                text=text,
                column=column,
            )
        kind = match.lastgroup
        assert kind is not None
        position = match.end()
        if kind == "blank":
            continue
        piece = match.group()
        if kind == "number" and len(piece) > MAX_DIGITS:
            raise FormulaError(
                f"number has more than {MAX_DIGITS} characters", text=text, column=column
            )
        if kind == "name" and piece.endswith("}"):
            piece = piece.replace("{", "").replace("}", "")
        tokens.append(Token(_KINDS[kind], piece, column))
    tokens.append(Token(Kind.END, "", len(text) + 1))
    return tokens
