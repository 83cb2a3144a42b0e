"""Plausible mistakes: programs that differ from a right one in one place.

A mutant is not proved wrong; problems that list their own wrong programs do not need any.
"""

from __future__ import annotations

import re

from codequake.grading.readers import reader_of
from codequake.records import Language

__all__ = ["mutants"]

# One operator taken for another, as people and models do.  Both sides stand between blanks or
# names, so that pointers, unpacking, shebangs and includes stay as they are.
_SWAPS = (
    (r"(?<=[\w\)\]]) \+ (?=[\w\(\[])", " - "),
    (r"(?<=[\w\)\]]) - (?=[\w\(\[])", " + "),
    (r"(?<=[\w\)\]]) \* (?=[\w\(\[])", " + "),
    (r"(?<=[\w\)\]]) / (?=[\w\(\[])", " * "),
    (r"(?<=[\w\)\]]) // (?=[\w\(\[])", " * "),
    (r"(?<=[\w\)\]]) % (?=[\w\(\[])", " - "),
    (r" < ", " > "),
    (r" > ", " < "),
    (r" <= ", " < "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r"\bmin\(", "max("),
    (r"\bmax\(", "min("),
    (r"\bTrue\b", "False"),
    (r"\bFalse\b", "True"),
)


def mutants(code: str, language: Language) -> list[str]:
    """Return programs that each differ from ``code`` in one place, at least one.

    A program without any operator of the table gets a constant as its result instead.
    """
    found = []
    for pattern, replacement in _SWAPS:
        for match in re.finditer(pattern, code):
            mutant = code[: match.start()] + replacement + code[match.end() :]
            if not _in_text(code, match.start()):
                found.append(mutant)
    return list(dict.fromkeys(found)) or [_constant(code, language)]


def _in_text(code: str, position: int) -> bool:
    """Whether a position stands inside a string or a comment of its line."""
    line = code[code.rfind("\n", 0, position) + 1 : position]
    return line.count('"') % 2 == 1 or line.count("'") % 2 == 1 or "#" in line or "//" in line


def _constant(code: str, language: Language) -> str:
    if language is not Language.PYTHON:
        return reader_of(language).constant
    name = re.search(r"^def (\w+)", code, flags=re.MULTILINE)
    if name is None:
        return 'print("")'
    return f"def {name.group(1)}(*values):\n    return None"
