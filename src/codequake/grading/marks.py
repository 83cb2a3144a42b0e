"""Marks that stand in front of the lines of a program and are no part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codequake.grading.invisible import INVISIBLE, without_invisible_edges

__all__ = ["without_marks"]

_LANGUAGE_LINES = ("python", "python3", "py", "c", "c99", "c11")
_CELL = re.compile(r"[ \t]*In ?\[[\d *]*\]:(?:[ ]|(?=\s)|\Z)")
_MORE = re.compile(r"[ \t]*\.{3,}:(?:[ ]|(?=\s)|\Z)")
_SHOWN = re.compile(r"[ \t]*Out ?\[[\d *]*\]:")
_WHITE = " \t\r\n\f\v"
_MAGICS = ("%", "!", "?")


def without_marks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield (text without a kind of mark, whether it was at the start) for each kind there is.

    Kinds: a language's name alone on the first line, the prompts of an interactive session, of
    Python or of a notebook (what it printed is dropped), the signs of a diff (removed lines and its
    head are dropped), and invisible characters around the text or at the edges of its lines.
    """
    body = text.lstrip(INVISIBLE)
    kept = body.rstrip(INVISIBLE + _WHITE)
    if body[len(kept) :].strip():
        body = kept
    if body != text:
        yield body, True
    head, _, rest = body.lstrip().partition("\n")
    if head.strip().lower() in _LANGUAGE_LINES:
        yield rest, True
    lines = body.splitlines(keepends=True)
    if not body.isascii():
        lines = without_invisible_edges(lines)
        visible = "".join(lines)
        if visible != body:
            yield visible, False
    if any(line.lstrip().startswith(">>> ") for line in lines):
        yield "".join(_typed(lines)), False
    if any(_CELL.match(line) for line in lines):
        cells = list(_cells(lines))
        # A cell that a value answers only shows it.
        yield "".join(code for code, shown in cells if not shown), False
        yield "".join(code for code, _ in cells), False
    if any(line.startswith(("@@", "+++ ")) for line in lines):
        yield "".join(_added(lines)), False


def _typed(lines: list[str]) -> Iterator[str]:
    for line in lines:
        typed = line.lstrip()
        if typed.startswith((">>> ", "... ")):
            yield typed[4:]
        elif typed.rstrip() == "...":
            yield typed[3:]


def _cells(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the code of each cell of a notebook, and whether a value of it was shown.

    Where a prompt stands alone on its line, the code is what follows up to the next mark.
    """
    cell: list[str] = []
    alone = shown = False
    for line in lines:
        if prompt := _CELL.match(line):
            yield "".join(cell), shown
            code = line[prompt.end() :]
            cell, alone, shown = [code], not code.strip(), False
        elif more := _MORE.match(line):
            cell.append(line[more.end() :])
        elif _SHOWN.match(line):
            alone, shown = False, True
        elif alone:
            cell.append(line)
        if cell and cell[-1].startswith(_MAGICS):
            cell.pop()
    yield "".join(cell), shown


def _added(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith(("+++", "---", "@@", "-", "diff ", "index ")):
            continue
        yield line[1:] if line.startswith(("+", " ")) else line
