"""Read C and C++ without compiling: is there code, is it closed, is there a main function."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codequake.grading.fitness import Fit, other_language
from codequake.grading.prose import is_prose

__all__ = [
    "Dialect",
    "c_before_prose",
    "c_fit",
    "c_names",
    "c_regions",
    "dialect_of",
]

_RAW_STRING = r"\bR\"(?P<raw>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=raw)\""
_NOISE = re.compile(
    _RAW_STRING + r"|//(?:[^\n\\]|\\(?:\r?\n|.))*|/\*(?:.|\n)*?(?:\*/|\Z)"
    r"|\"(?:[^\"\\\n]|\\(?:\r?\n|.))*\"|'(?:[^'\\\n]|\\.)+'"
)
_DEFINES = re.compile(r"\b(\w+)[ \t]*\([^;{}()]{0,400}\)\s{0,40}\{")
_NAMES_MACRO = re.compile(r"#[ \t]*define[ \t]+(\w+)\(")
_CALLS = re.compile(r"\b(\w+)[ \t]*\(")
# The parameters of old C stand between the brackets and the body.
_DEFINES_MAIN = re.compile(r"\bmain\s*\([^(){}]{0,400}\)[\w\s*,;\[\]]{0,400}\{")
_MAIN = re.compile(r"\bmain\s*\(")
_TYPES = (
    r"(?:static |const |unsigned |inline )*"
    r"(?:int|double|float|void|char|long|short|bool|struct|typedef|enum|union)"
)
_CLOSERS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What tells a dialect of C: the names of its languages, a line of it, its first line."""

    own: frozenset[str]
    shape: re.Pattern[str]
    start: re.Pattern[str]


def dialect_of(own: tuple[str, ...], starts: str = "") -> Dialect:
    """Return a dialect.

    ``own`` are the languages that it takes, as ``codequake.grading.fitness`` names them, and
    ``starts`` is a pattern of what a line may begin with besides what C has.
    """
    more = f"|{starts}" if starts else ""
    return Dialect(
        frozenset(own),
        re.compile(
            rf"^[ \t]*(?:#[ \t]*(?:include|define)\b|{_TYPES}\b{more})|[;{{}}][ \t]*$", re.MULTILINE
        ),
        re.compile(rf"[ \t]*(?:#[ \t]*(?:include|define)\b|/\*|//|{_TYPES}\s+[\w*]{more})"),
    )


def c_fit(dialect: Dialect, text: str, entry_point: str | None) -> Fit:
    """Return how well a text fits as the program of a dialect that was asked for.

    A main program is asked for, or one that defines ``entry_point``.
    """
    bare = _bare(text)
    if not bare.strip():
        return Fit.NOTHING
    foreign = other_language(bare, own=dialect.own)
    if foreign is not None and not (foreign == "Python" and _DEFINES_MAIN.search(bare)):
        return Fit.FOREIGN
    wanted = _MAIN if entry_point is None else re.compile(rf"\b{re.escape(entry_point)}\s*\(")
    named = bool(wanted.search(bare))
    if not _balanced(bare):
        if named:
            return Fit.BROKEN_ENTRY
        return Fit.BROKEN if dialect.shape.search(bare) else Fit.NOTHING
    if named and "{" in bare:
        return Fit.WHOLE
    return Fit.PARTIAL if dialect.shape.search(bare) else Fit.NOTHING


def c_names(text: str) -> tuple[set[str], set[str]]:
    """Return the names that a program calls without defining them, and those that it defines.

    The name ``#include`` stands for the headers; a piece with a main function offers nothing, for
    there can be one only.
    """
    bare = _bare(text)
    offered = {match[1] for match in _DEFINES.finditer(bare)}
    offered |= {match[1] for match in _NAMES_MACRO.finditer(bare)}
    includes = "#include" if "#include" in bare.replace(" ", "") else ""
    used = {match[1] for match in _CALLS.finditer(bare)} - offered
    if not includes:
        used.add("#include")
    if "main" in offered:
        return used, set()
    return used, offered | ({includes} if includes else set())


def _bare(text: str) -> str:
    """The text without comments, and with empty strings."""

    def blank(match: re.Match[str]) -> str:
        return " " if match[0].startswith("/") else match[0][0] * 2

    return _NOISE.sub(blank, text)


def _balanced(bare: str) -> bool:
    waiting: list[str] = []
    for sign in bare:
        if sign in "([{":
            waiting.append(sign)
        elif sign in _CLOSERS and (not waiting or waiting.pop() != _CLOSERS[sign]):
            return False
    return not waiting


def c_regions(dialect: Dialect, text: str, entry_point: str | None) -> list[tuple[str, bool]]:
    """Return the piece of mixed text from the first line of C to the last closing brace."""
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if dialect.start.match(line)), None)
    if start is None:
        return []
    ends = [number for number, line in enumerate(lines) if line.rstrip().endswith(("}", "};"))]
    if not ends or ends[-1] < start:
        return []
    piece = "".join(lines[start : ends[-1] + 1])
    return [(piece, not "".join(lines[ends[-1] + 1 :]).strip())]


def c_before_prose(dialect: Dialect, text: str, entry_point: str | None) -> str | None:
    """Return the program in front of prose that ends a text; ``None`` where no prose ends it."""
    pieces = c_regions(dialect, text, entry_point)
    if not pieces or pieces[0][1]:
        return None
    end = text.rindex(pieces[0][0]) + len(pieces[0][0])
    behind = text[end:]
    if dialect.shape.search(_bare(behind)) or not is_prose(behind):
        return None
    return text[:end]
