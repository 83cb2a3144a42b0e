"""Marks that stand in front of the lines of a program and are no part of it."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["without_marks"]

_LANGUAGE_LINES = ("python", "python3", "py", "c", "c99", "c11")
_INVISIBLE = "\ufeff\u200b\u2060"


def without_marks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield (text without a kind of mark, whether it was at the start) for each kind there is.

    Kinds: a language's name alone on the first line, the prompts of an interactive session (what
    it printed is dropped), the signs of a diff (removed lines and its head are dropped), and
    invisible characters at the start.
    """
    body = text.lstrip(_INVISIBLE)
    if body != text:
        yield body, True
    head, _, rest = body.lstrip().partition("\n")
    if head.strip().lower() in _LANGUAGE_LINES:
        yield rest, True
    lines = body.splitlines(keepends=True)
    if any(line.lstrip().startswith(">>> ") for line in lines):
        yield "".join(_typed(lines)), False
    if any(line.startswith(("@@", "+++ ")) for line in lines):
        yield "".join(_added(lines)), False


def _typed(lines: list[str]) -> Iterator[str]:
    for line in lines:
        typed = line.lstrip()
        if typed.startswith((">>> ", "... ")):
            yield typed[4:]
        elif typed.rstrip() == "...":
            yield typed[3:]


def _added(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith(("+++", "---", "@@", "-", "diff ", "index ")):
            continue
        yield line[1:] if line.startswith(("+", " ")) else line
