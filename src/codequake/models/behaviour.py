"""What a simulated coder does how often: a small TOML file, checked strictly.

description = "Falls on stories."

[accuracy]               # chances of a right program, 0 to 1
default = 0.9            # families that are not named below

[accuracy.families]      # by the family of the variant
storytelling = 0.5

[accuracy.distances]     # by formula distance, for family "formula"
1 = 0.7                  # a distance between two rows takes the lower row
5 = 0.3

[replies]                # chances that a reply is something else, before any accuracy
truncated = 0.0
prose = 0.0
wrong_language = 0.0
refused = 0.0

[noise]
share = 0.0              # share of replies that ignore the difficulty of their problem
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from codequake.canonical import content_key
from codequake.codec import to_plain
from codequake.errors import DataError, UnknownNameError
from codequake.files import read_text
from codequake.records import Variant

__all__ = ["Behaviour", "Chance", "accuracy_on", "behaviour_names", "load_behaviour"]

_SHAPES = ("truncated", "prose", "wrong_language", "refused")


@dataclass(frozen=True, slots=True)
class Chance:
    """A name and a chance of 0 to 1."""

    name: str
    chance: float


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a simulated coder behaves; see the module for the meaning of each part.

    ``distances`` are sorted by distance, their names are its digits.  ``digest`` identifies all
    other fields.
    """

    name: str
    description: str
    default: float
    families: tuple[Chance, ...]
    distances: tuple[Chance, ...]
    truncated: float
    prose: float
    wrong_language: float
    refused: float
    noise: float
    digest: str


def behaviour_names() -> tuple[str, ...]:
    """Return the names of the bundled behaviours."""
    folder = files("codequake.models") / "behaviours"
    found = (item.name for item in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def load_behaviour(name_or_path: str) -> Behaviour:
    """Read a bundled behaviour by name, or a file by a path that ends in ``.toml``.

    Raises ``UnknownNameError`` for another name and ``DataError`` with ``file:line`` for anything
    in the file that is not allowed.
    """
    if name_or_path.endswith(".toml"):
        path = Path(name_or_path)
        return _parse(read_text(path), path.stem, str(path))
    if name_or_path not in behaviour_names():
        raise UnknownNameError(
            f"behaviour {name_or_path!r} is not known; allowed: {', '.join(behaviour_names())} "
            "or a path that ends in .toml"
        )
    file_name = f"{name_or_path}.toml"
    text = (files("codequake.models") / "behaviours" / file_name).read_text("utf-8")
    return _parse(text, name_or_path, file_name)


def accuracy_on(behaviour: Behaviour, variant: Variant) -> float:
    """Return the chance of a right program for a variant.

    A variant of family ``formula`` with a distance goes by the distance table when there is one:
    by the row with the largest distance that is not above its own, and by ``families`` or the
    default when its distance is below the first row.
    """
    if variant.family == "formula" and variant.distance is not None:
        below = [row for row in behaviour.distances if int(row.name) <= variant.distance]
        if below:
            return below[-1].chance
    for row in behaviour.families:
        if row.name == variant.family:
            return row.chance
    return behaviour.default


class _Reader:
    """Takes values out of a parsed file and knows the line of each for its errors."""

    def __init__(self, text: str, place: str) -> None:
        self._lines = text.splitlines()
        self._place = place

    def wrong(self, table: str, key: str, message: str) -> DataError:
        line = self._line_of(table, key)
        return DataError(message, place=f"{self._place}:{line}" if line else self._place)

    def _line_of(self, table: str, key: str) -> int | None:
        inside = ""
        for number, line in enumerate(self._lines, start=1):
            if header := re.match(r"\s*\[\s*([^\]]+?)\s*\]", line):
                inside = header.group(1)
                if f"{table}.{key}".lstrip(".") == inside:
                    return number
            elif inside == table and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*=""", line):
                return number
        return None

    def table(self, parent: Mapping[str, Any], name: str, allowed: tuple[str, ...] | None) -> Any:
        """Return a table inside the file, empty when it is not there."""
        key = name.rpartition(".")[2]
        value = parent.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(name.rpartition(".")[0], key, f"{name} is not a table")
        for found in value:
            if allowed is not None and found not in allowed:
                raise self.wrong(
                    name, found, f"{name} has an unknown key {found!r}; allowed: {list(allowed)}"
                )
        return value

    def chance(self, table: Mapping[str, Any], name: str, key: str, default: float | None) -> float:
        """Return a chance of 0 to 1."""
        value = table.get(key, default)
        if value is None:
            raise self.wrong("", name, f"{name} lacks {key!r}")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value <= 1:
            raise self.wrong(name, key, f"{name}.{key} is {value!r}; allowed: a number of 0 to 1")
        return float(value)


def _parse(text: str, name: str, place: str) -> Behaviour:
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = f"{place}:{line.group(1)}" if line else place
        raise DataError(f"not TOML: {error}", place=where) from error
    reader = _Reader(text, place)
    top = ("description", "accuracy", "replies", "noise")
    for key in value:
        if key not in top:
            raise reader.wrong("", key, f"unknown key {key!r}; allowed: {list(top)}")
    description = value.get("description")
    if not isinstance(description, str):
        raise reader.wrong("", "description", f"description is {description!r}; allowed: a string")
    accuracy = reader.table(value, "accuracy", ("default", "families", "distances"))
    families = reader.table(accuracy, "accuracy.families", None)
    distances = reader.table(accuracy, "accuracy.distances", None)
    for key in distances:
        if not re.fullmatch(r"[1-9][0-9]{0,5}", key):
            raise reader.wrong(
                "accuracy.distances", key, f"distance {key!r}; allowed: a whole number from 1"
            )
    replies = reader.table(value, "replies", _SHAPES)
    shapes = {shape: reader.chance(replies, "replies", shape, 0.0) for shape in _SHAPES}
    if sum(shapes.values()) > 1:
        raise reader.wrong(
            "",
            "replies",
            f"the chances of [replies] add up to {sum(shapes.values())}; allowed: at most 1",
        )
    noise = reader.table(value, "noise", ("share",))
    behaviour = Behaviour(
        name,
        description,
        reader.chance(accuracy, "accuracy", "default", None),
        tuple(
            Chance(key, reader.chance(families, "accuracy.families", key, None))
            for key in sorted(families)
        ),
        tuple(
            Chance(key, reader.chance(distances, "accuracy.distances", key, None))
            for key in sorted(distances, key=int)
        ),
        **shapes,
        noise=reader.chance(noise, "noise", "share", 0.0),
        digest="",
    )
    return _with_digest(behaviour)


def _with_digest(behaviour: Behaviour) -> Behaviour:
    plain = to_plain(behaviour)
    return dataclasses.replace(behaviour, digest=content_key(plain, length=16))
