"""Text of others made harmless for a terminal: nothing in it can move, colour or hide anything."""

from __future__ import annotations

import unicodedata

__all__ = ["plain_text"]

# Cc: control, Cf: invisible format (bidi, zero width), Cs: lone surrogate, Co and Cn: no meaning,
# Zl and Zp: line breaks that not everything shows as such.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def plain_text(text: str, *, keep: str = "\n\t") -> str:
    r"""Return ``text`` with each invisible or controlling character spelled as ``\xNN``.

    Characters of ``keep`` stay (default: line feed and tab).  The result can be printed to any
    terminal and encoded in UTF-8.
    """
    return "".join(_spell(letter, keep) for letter in text)


def _spell(letter: str, keep: str) -> str:
    if letter in keep or unicodedata.category(letter) not in _HIDDEN:
        return letter
    code = ord(letter)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
