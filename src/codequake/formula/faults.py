"""The one error of the formula engine, with the place in the text that it speaks of."""

from __future__ import annotations

from codequake.errors import DataError

__all__ = ["FormulaError"]

_BEFORE = 40
_AFTER = 30


class FormulaError(DataError):
    """A text is no formula, or a formula is not of the kind that was asked for.

    ``column`` counts from 1 and is ``None`` when the message speaks of no place.  With a place
    the message ends in two more lines: the text around it and a caret below the character.
    """

    def __init__(self, message: str, *, text: str = "", column: int | None = None) -> None:
        self.column = column
        if column is not None:
            message = f"{message} (column {column})\n{_pointed(text, column)}"
        super().__init__(message)


def _pointed(text: str, column: int) -> str:
    """Return the text around a column and a caret below it; control characters become blanks."""
    start = max(0, column - 1 - _BEFORE)
    window = text[start : column - 1 + _AFTER]
    shown = "".join(char if char.isprintable() else " " for char in window)
    lead = "..." if start else ""
    tail = "..." if column - 1 + _AFTER < len(text) else ""
    return f"  {lead}{shown}{tail}\n  {' ' * (len(lead) + column - 1 - start)}^"
