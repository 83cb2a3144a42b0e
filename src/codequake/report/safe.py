"""Text of strangers made harmless for each place that it is shown in."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["csv_cell", "fenced", "markdown_cell", "one_line", "visible_text"]

# Control, format (bidi overrides, zero width), surrogate, line and paragraph separators.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_KEPT = frozenset("\n\t")
_FORMULA_STARTS = frozenset("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20\u2212")
# What opens markup inside a line, and what turns a bare address or name into a link.
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#|~&$@!]|(?<=:)/(?=/)|(?<=www)\.", re.IGNORECASE)


def visible_text(text: str) -> str:
    r"""Return ``text`` with characters that hide or reorder others written as ``\u{...}``.

    Line breaks and tabs stay; a carriage return before a line break goes.
    """
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{{{ord(char):x}}}"
        if char not in _KEPT and unicodedata.category(char) in _HIDDEN
        else char
        for char in text
    )


def one_line(text: str, *, limit: int = 200) -> str:
    """Return visible text in one line of at most ``limit`` characters."""
    line = " ".join(visible_text(text).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def csv_cell(text: str) -> str:
    """Return text that no spreadsheet takes for a formula, in one line."""
    line = " ".join(visible_text(text).split())
    return f"'{line}" if line and line[0] in _FORMULA_STARTS else line


def markdown_cell(text: str, *, limit: int = 200) -> str:
    """Return text for a Markdown table or paragraph in which nothing is markup."""
    return _MARKDOWN.sub(lambda found: f"&#{ord(found.group())};", one_line(text, limit=limit))


def fenced(text: str, language: str = "") -> str:
    """Return a Markdown code block whose fence is longer than any in the text."""
    body = visible_text(text)
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"
