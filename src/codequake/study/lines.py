"""The line of a TOML text where a setting stands, for messages about settings."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["Lines"]

_TABLE = re.compile(r"\s*(\[\[|\[)\s*([^\[\]#]+?)\s*(\]\]|\])\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\"' -]+?)\s*=\s*(.*)$")
_LONG = ('"""', "'''")


class Lines:
    """Paths such as ``decoding.top_p`` or ``models[1].base_url`` to lines, counted from 1.

    The text must be TOML.  What stands inside a value (an inline table, a list) has the line of
    its key; keys that a user wrote with dots are found by their whole path.
    """

    def __init__(self, text: str) -> None:
        self._found: dict[str, int] = {}
        counts: Counter[str] = Counter()
        prefix = ""
        closing = ""
        for number, line in enumerate(text.splitlines(), start=1):
            if closing:
                closing = "" if closing in line else closing
                continue
            if (table := _TABLE.match(line)) is not None:
                prefix = _indexed(_plain(table[2]), counts)
                if table[1] == "[[":
                    counts[prefix] += 1
                    self._found.setdefault(prefix, number)
                    prefix = f"{prefix}[{counts[prefix] - 1}]"
                self._found.setdefault(prefix, number)
            elif (pair := _KEY.match(line)) is not None:
                key = _plain(pair[1])
                self._found.setdefault(f"{prefix}.{key}" if prefix else key, number)
                closing = _left_open(pair[2])

    def of(self, path: str) -> int:
        """Return the line of a setting, else that of what holds it, else 1."""
        while path:
            if path in self._found:
                return self._found[path]
            cut = max(path.rfind("."), path.rfind("["))
            path = path[:cut] if cut > 0 else ""
        return 1


def _indexed(path: str, counts: Counter[str]) -> str:
    """Return a path whose lists stand at their last item: a table inside one belongs to that."""
    found = ""
    *outer, last = path.split(".")
    for part in outer:
        found += f".{part}" if found else part
        if counts[found]:
            found += f"[{counts[found] - 1}]"
    return f"{found}.{last}" if found else last


def _plain(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def _left_open(value: str) -> str:
    """Return the quotes of a long string that goes on in the next line, else nothing."""
    for quotes in _LONG:
        if value.startswith(quotes) and quotes not in value[3:]:
            return quotes
    return ""
