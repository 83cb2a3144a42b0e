"""Where the keys of a TOML file stand, since the standard reader does not say.

Only what our own files use is followed: tables, arrays of tables, bare keys, strings of all four
kinds, arrays and inline tables.  A key inside an inline table is found at the key that holds it.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["KeyLines"]

_HEADER = re.compile(r"\s*(\[\[|\[)\s*([A-Za-z0-9_.-]+)\s*\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=\s*")
_TOKEN = re.compile(
    r"(?P<long>\"\"\"|''')|\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?P<comment>\#)|(?P<up>[\[{])|(?P<down>[\]}])"
)

Path_ = tuple[str | int, ...]


class KeyLines:
    """The line of each key, and of each line of a long string.

    A key is named by its path: ``("references", 1, "code")`` is the code of the second reference.
    """

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines: dict[Path_, int] = {}
        self._content: dict[Path_, int] = {}
        self._scan(text)

    def at(self, *keys: str | int) -> str:
        """Return ``file:line`` of a key, or of the nearest one around it that has a line."""
        known = keys
        while known and known not in self._lines:
            known = known[:-1]
        return f"{self._path}:{self._lines[known]}" if known else str(self._path)

    def inside(self, *keys: str | int, offset: int) -> str:
        """Return ``file:line`` of line ``offset`` (from 0) of a string."""
        if keys not in self._content:
            return self.at(*keys)
        return f"{self._path}:{self._content[keys] + offset}"

    def _scan(self, text: str) -> None:
        table: Path_ = ()
        counts: dict[str, int] = {}
        closing: str | None = None
        depth = 0
        for number, line in enumerate(text.split("\n"), start=1):
            rest = line
            if closing is None and depth == 0:
                header = _HEADER.match(line)
                if header:
                    table = self._enter(header[1], header[2], counts, number)
                    continue
                key = _KEY.match(line)
                if key:
                    path = (*table, key[1])
                    rest = line[key.end() :]
                    self._lines[path] = number
                    self._content[path] = number + (rest.rstrip("\r") in ("'''", '"""'))
            closing, depth = _follow(rest, closing, depth)

    def _enter(self, bracket: str, name: str, counts: dict[str, int], number: int) -> Path_:
        table: Path_ = tuple(name.split("."))
        if bracket == "[[":
            index = counts.get(name, 0)
            counts[name] = index + 1
            self._lines.setdefault(table, number)
            table = (*table, index)
        self._lines[table] = number
        return table


def _follow(line: str, closing: str | None, depth: int) -> tuple[str | None, int]:
    """Return which long string and how many brackets are open after a line."""
    position = 0
    while True:
        if closing is not None:
            found = line.find(closing, position)
            if found < 0:
                return closing, depth
            position = found + len(closing)
            closing = None
        match = _TOKEN.search(line, position)
        if match is None or match["comment"]:
            return None, depth
        position = match.end()
        if match["long"]:
            closing = match["long"]
        elif match["up"]:
            depth += 1
        elif match["down"]:
            depth -= 1
