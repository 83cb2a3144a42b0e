"""Filters on a set: ``SET?key=value&key=value``, the same for bundled sets and files of any format.

``difficulty``, ``id``, ``topic``
    one word or several with commas between; an id may have ``*`` and ``?`` and is matched whole or
    without the name of its set.
``first``
    the first so many problems, in the order of the file, of those that the other keys leave.
``platform``
    of LiveCodeBench: ``leetcode``, ``atcoder``, ``codeforces``.
``from``, ``to``
    days such as ``2024-01-31``, both included; of formats that have dates.
``release``
    of LiveCodeBench in a folder, in its own words: ``release_v2`` is everything up to the second
    file, ``v2`` the second file alone, ``v2_v4`` the files from the second to the fourth.
``errata``
    of LiveCodeBench: ``drop`` (the default), ``keep`` or ``only`` problems with known defects.
``slice``
    of LiveCodeBench: ``cocc``, which stands for the keys in ``SLICES``.
"""

from __future__ import annotations

import datetime as dt
import difflib
import fnmatch
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from codequake.errors import UsageError
from codequake.records import Difficulty, Problem

__all__ = ["SLICES", "Errata", "Facts", "Selection", "split_selection", "without_filter"]


class Errata(StrEnum):
    """What to do with problems whose tests are known to be wrong or to know one answer of many."""

    DROP = "drop"
    KEEP = "keep"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a row says that is no part of a problem; ``None`` where it says nothing."""

    platform: str | None = None
    day: dt.date | None = None
    difficulty: Difficulty | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter; the one without any key takes everything but problems with known defects."""

    text: str = ""
    difficulty: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    platform: tuple[str, ...] = ()
    start: dt.date | None = None
    end: dt.date | None = None
    release: str | None = None
    first: int | None = None
    errata: Errata = Errata.DROP

    def lacks(self, facts: Facts) -> str | None:
        """Return what a row must say for this filter and does not."""
        if self.platform and facts.platform is None:
            return "platform"
        return "date" if (self.start or self.end) and facts.day is None else None

    def may_take(self, facts: Facts) -> bool:
        """Tell from a row's facts alone whether its problem may pass; others are never built."""
        if self.platform and facts.platform not in self.platform:
            return False
        if facts.day is not None and (
            (self.start is not None and facts.day < self.start)
            or (self.end is not None and facts.day > self.end)
        ):
            return False
        return not self.difficulty or facts.difficulty in (None, *self.difficulty)

    def takes(self, problem: Problem) -> bool:
        """Tell whether a problem passes the keys that all formats know; ``first`` is not one."""
        own = problem.problem_id.partition("/")[2]
        return (
            (not self.difficulty or problem.difficulty in self.difficulty)
            and (not self.topic or any(topic.lower() in self.topic for topic in problem.topics))
            and (
                not self.id
                or any(
                    fnmatch.fnmatchcase(name, pattern)
                    for name in (problem.problem_id, own)
                    for pattern in self.id
                )
            )
        )


SLICES: Mapping[str, str] = {"cocc": "release=release_v2&platform=leetcode&first=100&errata=keep"}
"""The problems of published studies: ``cocc`` are those of Chain-of-Code Collapse."""

_COMMON = ("difficulty", "first", "id", "topic")
_DATES = ("from", "to")
_OF_FORMAT = {
    "lcb": ("errata", *_DATES, "platform", "release", "slice"),
    "leetcode-dataset": _DATES,
}
_PLATFORMS = ("atcoder", "codeforces", "leetcode")
_RELEASE = re.compile(r"release_(?:v[1-6]|latest)|v[1-6](?:_v[1-6])?")


def without_filter(name: str, base: Path = Path()) -> tuple[str, str, str]:
    """Return the name of a set, ``?`` and its filter; both empty where there is no filter.

    A name or path that is a file, as seen from ``base``, has none.
    """
    places = [match.start() for match in re.finditer(r"\?(?=[A-Za-z_]+=)", name)]
    if _is_file(name, base) or not places:
        return name, "", ""
    # The first question mark counts, since values of id may hold others, but for names of files.
    at = next((place for place in places if _is_file(name[:place], base)), places[0])
    return name[:at], "?", name[at + 1 :]


def _is_file(name: str, base: Path) -> bool:
    path = name.partition(":")[2]
    return (base / name).is_file() or bool(path and (base / path).is_file())


def split_selection(name: str) -> tuple[str, Selection]:
    """Return the name of a set without its filter, and the filter.

    Raises ``UsageError`` for a key that is not known, that the format does not have or that
    stands twice, and for a value that is not allowed.
    """
    bare, sign, text = without_filter(name)
    if not sign:
        return name, Selection()
    known = re.match(r"([A-Za-z][A-Za-z0-9+_-]*):", bare)
    kind = known[1] if known else ""
    kind = "lcb" if kind == "hub" else kind  # all datasets that need no format are LiveCodeBench's
    allowed = tuple(sorted((*_COMMON, *_OF_FORMAT.get(kind, ()))))
    return bare, _Reader(name, kind, allowed).read(text)


class _Reader:
    """Reads the text of one filter; every fault names the set as it was written."""

    def __init__(self, name: str, kind: str, allowed: tuple[str, ...]) -> None:
        self._name = name
        self._kind = kind
        self._allowed = allowed

    def read(self, text: str) -> Selection:
        pairs = self._pairs(text)
        if "slice" in pairs:
            given = self._word("slice", pairs.pop("slice"), tuple(SLICES))
            for key, value in self._pairs(SLICES[given]).items():
                pairs.setdefault(key, value)
        fields: dict[str, Any] = {}
        for key, value in pairs.items():
            name, read = self._fields()[key]
            fields[name] = read(key, value)
        found = Selection(text=text, **fields)
        if found.start and found.end and found.start > found.end:
            raise self._fault(f"from={found.start} is after to={found.end}")
        return found

    def _fields(self) -> dict[str, tuple[str, Callable[[str, str], object]]]:
        return {
            "difficulty": ("difficulty", lambda k, v: self._words(k, v, tuple(Difficulty))),
            "errata": ("errata", lambda k, v: Errata(self._word(k, v, tuple(Errata)))),
            "first": ("first", self._count),
            "from": ("start", self._day),
            "id": ("id", lambda k, v: self._words(k, v, None)),
            "platform": ("platform", lambda k, v: self._words(k, v, _PLATFORMS)),
            "release": ("release", self._release),
            "to": ("end", self._day),
            "topic": ("topic", lambda k, v: tuple(map(str.lower, self._words(k, v, None)))),
        }

    def _pairs(self, text: str) -> dict[str, str]:
        pairs: dict[str, str] = {}
        for piece in text.split("&"):
            key, sign, value = piece.partition("=")
            if not sign:
                raise self._fault(f"{piece!r} is no filter; allowed: key=value")
            if key not in self._allowed:
                raise self._fault(self._unknown(key))
            if key in pairs:
                raise self._fault(f"{key} stands twice; allowed: once, with commas in the value")
            pairs[key] = unquote(value).strip()
        return pairs

    def _unknown(self, key: str) -> str:
        every = {name for names in _OF_FORMAT.values() for name in names}
        if key in every:
            return f"{self._kind or 'this set'} has no {key}; allowed: {', '.join(self._allowed)}"
        near = difflib.get_close_matches(key, self._allowed, n=1, cutoff=0.6)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return f"filter {key!r} is not known{hint}; allowed: {', '.join(self._allowed)}"

    def _word(self, key: str, value: str, allowed: tuple[str, ...]) -> str:
        if value not in allowed:
            raise self._fault(f"{key} is {value!r}; allowed: {', '.join(allowed)}")
        return value

    def _words(self, key: str, value: str, allowed: tuple[str, ...] | None) -> tuple[str, ...]:
        words = tuple(word.strip() for word in value.split(","))
        if not all(words):
            raise self._fault(f"{key} is {value!r}; allowed: words with commas between")
        return words if allowed is None else tuple(self._word(key, w, allowed) for w in words)

    def _count(self, key: str, value: str) -> int:
        if not re.fullmatch(r"[1-9][0-9]{0,8}", value):
            raise self._fault(f"{key} is {value!r}; allowed: a whole number from 1")
        return int(value)

    def _day(self, key: str, value: str) -> dt.date:
        try:
            if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
                return dt.date.fromisoformat(value)
        except ValueError:
            pass
        raise self._fault(f"{key} is {value!r}; allowed: a day such as 2024-01-31")

    def _release(self, key: str, value: str) -> str:
        if not _RELEASE.fullmatch(value):
            raise self._fault(
                f"{key} is {value!r}; allowed: release_v1 to release_v6, v1 to v6, or v1_v3"
            )
        return value

    def _fault(self, message: str) -> UsageError:
        return UsageError(f"{self._name}: {message}")
