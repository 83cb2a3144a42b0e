"""Two texts side by side: which words or lines are only in one of them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

__all__ = ["Piece", "SideBySide", "compare_lines", "compare_words"]

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_TOO_LONG = 6_000  # tokens; the comparison takes quadratic time


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; ``changed`` when the other side lacks it."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Both texts in pieces; ``compared`` is false when they were too long to compare."""

    left: tuple[Piece, ...]
    right: tuple[Piece, ...]
    compared: bool


def compare_words(left: str, right: str) -> SideBySide:
    """Compare two texts word by word."""
    return _compare(_WORDS.findall(left), _WORDS.findall(right))


def compare_lines(left: str, right: str) -> SideBySide:
    """Compare two programs line by line."""
    return _compare(left.splitlines(keepends=True), right.splitlines(keepends=True))


def _compare(left: list[str], right: list[str]) -> SideBySide:
    if len(left) + len(right) > _TOO_LONG:
        whole = ((Piece("".join(left), False),), (Piece("".join(right), False),))
        return SideBySide(*whole, compared=False)
    before: list[Piece] = []
    after: list[Piece] = []
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    for kind, left_from, left_to, right_from, right_to in matcher.get_opcodes():
        for pieces, text in (
            (before, "".join(left[left_from:left_to])),
            (after, "".join(right[right_from:right_to])),
        ):
            if text:
                pieces.append(Piece(text, kind != "equal"))
    return SideBySide(tuple(before), tuple(after), compared=True)
