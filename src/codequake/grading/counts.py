"""What is counted in a program's text."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SHOWN_LITERAL", "Measures", "Unmeasured", "filled_lines", "one_line_end"]

SHOWN_LITERAL = 80
"""Characters of a literal that are kept."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What a program's text is made of.

    ``lines`` are those that are not blank; a line may count among ``code_lines``,
    ``comment_lines`` and ``docstring_lines`` (which have the blank ones inside) at once.
    ``tokens`` are those of code, an f-string and a docstring being one each.  ``nodes`` are those
    of the syntax tree, ``None`` for C and C++.  ``complexity`` is one more than the number of
    decisions (McCabe, IEEE TSE 2 (1976) 308) over the whole text.  ``approximate``: it was counted
    in tokens, without the preprocessor.
    ``names`` are the identifiers that the program defines, takes or uses, attributes left out;
    ``literals`` its numbers and texts.  Both are sorted, each once.
    """

    lines: int
    code_lines: int
    comment_lines: int
    docstring_lines: int
    tokens: int
    nodes: int | None
    complexity: int
    approximate: bool
    names: tuple[str, ...]
    literals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """There are no measures; ``reason`` is one clause that says why."""

    reason: str


def one_line_end(text: str) -> str:
    """Return a text with the line ends that every lexer here counts alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def filled_lines(text: str) -> int:
    """Return how many lines of a text are not blank."""
    return sum(1 for line in text.split("\n") if line.strip())
