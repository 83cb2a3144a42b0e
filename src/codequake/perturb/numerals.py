"""Small numbers and their names."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["NAMES", "NUMERALS"]

_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)

NUMERALS: Mapping[str, str] = {word: str(value) for value, word in enumerate(_WORDS)}
"""Name of a number -> its digits."""

NAMES: Mapping[str, str] = {digits: word for word, digits in NUMERALS.items()}
"""Digits of a number -> its name."""
