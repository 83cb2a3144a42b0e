"""Tell prose from code by how its words stand."""

from __future__ import annotations

import keyword
import re

__all__ = ["is_prose"]

# Two words side by side: in code, one of them is a keyword (or the `print` of Python 2).
_PAIR = re.compile(r"(?<![\w.])([^\W\d_]+) +(?=([^\W\d_]+)(?!\w))")
_CODE_WORDS = frozenset([*keyword.kwlist, "print", "exec"])
_CODE_STARTS = frozenset(keyword.softkwlist)
# What may follow here is an argument, a text or a comment, and those may hold any words.
_OPENS = re.compile(r"[\"(\[{=#]|(?<!\w)'")
_MARKS = "*_#>-+ "
_CALL = re.compile(r"[A-Z][^\W\d_]*[!?:][*_]*\s*\Z")
_WIDE_MARKS = re.compile("[\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f\u0964\u061f\u060c]")
_CODE_LINE = re.compile(
    r"(?:def \w+|class \w+|import \w|from [\w.]+ import|print\s*\(|for \w[\w, ]{0,80} in "
    r"[^\n]{0,300}:\s*\Z|while [^\n]{1,300}:\s*\Z|if [^\n]{1,300}:\s*\Z|[A-Za-z_]\w*[ \t]*=[^=]"
    r"|#|[^\n]{0,300}[;{}\\]\s*\Z)"
)
_LOOKED_AT = 3


def is_prose(text: str) -> bool:
    """Whether a text that no program can begin with reads as sentences.

    It is told by its first three lines that are not empty; an indented first line, or one that
    begins a statement, is code.  When in doubt it is not prose.
    """
    lines = [line for line in text.splitlines() if line.strip()][:_LOOKED_AT]
    if not lines or lines[0][0].isspace() or _CODE_LINE.match(lines[0]):
        return False
    return any(map(_reads_as_sentence, lines))


def _reads_as_sentence(line: str) -> bool:
    if _CALL.match(line.lstrip(_MARKS)):
        return True  # "Thanks!", "**Explanation:**"
    plain = _OPENS.split(line, maxsplit=1)[0]
    if _WIDE_MARKS.search(plain):
        return True
    if line.split(maxsplit=1)[0] in _CODE_STARTS:
        return False
    return any(_CODE_WORDS.isdisjoint(pair.groups()) for pair in _PAIR.finditer(plain))
