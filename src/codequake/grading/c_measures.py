"""Measures of a C or C++ program, counted in its tokens.

There is no parser here and no preprocessor: macros are not expanded, both sides of an ``#if`` are
counted, and ``&&`` is a decision also where C++ means a reference.  Measures therefore say that
they are approximate.  Decisions: ``if``, ``for``, ``while`` (``do ... while`` once), ``case``,
``catch``, ``?``, ``&&`` and ``||``, outside of the lines of the preprocessor.
"""

from __future__ import annotations

import re

from codequake.grading.counts import (
    SHOWN_LITERAL,
    Measures,
    Unmeasured,
    filled_lines,
    one_line_end,
)
from codequake.grading.python_text import MAX_PARSED

__all__ = ["measure_c"]

# A quote that is never closed ends with its line, so that no text is looked at twice.
_TOKEN = re.compile(
    r"(?P<comment>//(?:[^\n\\]|\\.|\\\n|\\\Z)*|/\*)"
    r"|(?P<raw>(?:u8|[uUL])?R\"(?P<mark>[^()\\\s\"]{0,16})\()"
    r"|(?P<string>(?:u8|[uUL])?\"(?:[^\"\\\n]|\\.|\\\n)*\"?"
    r"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*'?)"
    r"|(?P<directive>#)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.]|'(?=\w))*)"
    r"|(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||::|<<|>>|[<>=!+\-*/%&|^]=|[^\s\\])"
    r"|(?P<line>\\?\n)",
    re.ASCII,
)
_DECIDES = frozenset({"if", "for", "while", "case", "catch", "?", "&&", "||"})
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        alignas alignof auto bool break case catch char class const constexpr continue default
        delete do double else enum explicit extern false float for friend goto if inline int long
        mutable namespace new noexcept nullptr operator private protected public register restrict
        return short signed sizeof static static_cast struct switch template this throw true try
        typedef typename union unsigned using virtual void volatile while
        """,
    )
)
_PAIRS = {")": "(", "]": "[", "}": "{"}


class _Counted:
    """What was seen so far; ``directive`` while the line is one of the preprocessor."""

    def __init__(self) -> None:
        self.tokens = 0
        self.decisions = 0
        self.code: set[int] = set()
        self.comments: set[int] = set()
        self.names: set[str] = set()
        self.literals: set[str] = set()
        self.open: list[str] = []
        self.balanced = True
        self.directive = False

    def take(self, kind: str, text: str, row: int, fresh: bool) -> None:
        """Count one token of code; ``fresh``: it is the first of its line."""
        self.tokens += 1
        self.code.update(range(row, row + text.count("\n") + 1))
        if kind == "directive":
            self.directive = self.directive or fresh
            return
        if kind in ("raw", "string", "number"):
            self.literals.add(text[:SHOWN_LITERAL])
            return
        if kind == "word" and text not in _KEYWORDS and not self.directive:
            self.names.add(text)
        if self.directive:
            return
        self.decisions += text in _DECIDES
        if text in ("(", "[", "{"):
            self.open.append(text)
        elif text in _PAIRS and (not self.open or self.open.pop() != _PAIRS[text]):
            self.balanced = False


def measure_c(program: str) -> Measures | Unmeasured:
    """Return the approximate measures of a C or C++ program, or why it has none."""
    if len(program) > MAX_PARSED:
        why = f"it has {len(program)} characters, and at most {MAX_PARSED} are parsed"
        return Unmeasured(f"it does not parse: {why}")
    text = one_line_end(program)
    if "\0" in text:
        return Unmeasured("it does not parse: it holds a null byte")
    counted = _counted(text)
    if counted.open or not counted.balanced:
        return Unmeasured("it does not parse: its brackets do not close")
    if not counted.tokens and not counted.comments:
        return Unmeasured("there is no program")
    return Measures(
        lines=filled_lines(text),
        code_lines=len(counted.code),
        comment_lines=len(counted.comments),
        docstring_lines=0,
        tokens=counted.tokens,
        nodes=None,
        complexity=1 + counted.decisions,
        approximate=True,
        names=tuple(sorted(counted.names)),
        literals=tuple(sorted(counted.literals)),
    )


def _counted(text: str) -> _Counted:
    found = _Counted()
    row, position, fresh = 1, 0, True
    while (match := _TOKEN.search(text, position)) is not None:
        kind = match.lastgroup or ""
        if match["raw"] is not None:
            kind = "raw"
        end = _end(text, match, kind)
        piece = text[match.start() : end]
        if kind == "line":
            fresh = fresh if piece == "\\\n" else True
            found.directive = found.directive and piece == "\\\n"
        elif kind == "comment":
            found.comments.update(range(row, row + piece.count("\n") + 1))
        else:
            found.take(kind, piece, row, fresh)
            fresh = False
        row += piece.count("\n")
        position = end
    return found


def _end(text: str, match: re.Match[str], kind: str) -> int:
    """Where a token ends; a comment or raw string that is never closed takes the rest."""
    closing = {"comment": "*/", "raw": f'){match["mark"]}"'}.get(kind)
    if closing is None or (kind == "comment" and match[0].startswith("//")):
        return match.end()
    at = text.find(closing, match.end())
    return len(text) if at < 0 else at + len(closing)
