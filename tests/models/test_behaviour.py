from __future__ import annotations

from pathlib import Path

import pytest
from tests.models.worlds import problem, variant

from codequake.errors import DataError, UnknownNameError
from codequake.models.behaviour import accuracy_on, behaviour_names, load_behaviour

WHOLE = """\
description = "All parts."

[accuracy]
default = 0.8

[accuracy.families]
storytelling = 0.5
formula = 0.7

[accuracy.distances]
10 = 0.1
2 = 0.4

[replies]
truncated = 0.25
refused = 0.5

[noise]
share = 1
"""


def read(folder: Path, text: str) -> object:
    path = folder / "own.toml"
    path.write_text(text)
    return load_behaviour(str(path))


def test_all_parts_are_read(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(WHOLE)
    behaviour = load_behaviour(str(tmp_path / "own.toml"))
    assert (behaviour.name, behaviour.description) == ("own", "All parts.")
    assert (behaviour.truncated, behaviour.prose, behaviour.refused) == (0.25, 0.0, 0.5)
    assert behaviour.noise == 1.0
    assert [row.name for row in behaviour.distances] == ["2", "10"]


@pytest.mark.parametrize(
    ("family", "distance", "chance"),
    [
        ("clean", None, 0.8),
        ("storytelling", None, 0.5),
        ("formula", None, 0.7),
        ("formula", 1, 0.7),
        ("formula", 2, 0.4),
        ("formula", 9, 0.4),
        ("formula", 10, 0.1),
        ("formula", 99, 0.1),
        ("reduced", 10, 0.8),
    ],
)
def test_accuracy_by_family_and_distance(
    tmp_path: Path, family: str, distance: int | None, chance: float
) -> None:
    (tmp_path / "own.toml").write_text(WHOLE)
    behaviour = load_behaviour(str(tmp_path / "own.toml"))
    assert accuracy_on(behaviour, variant(problem(), family, distance=distance)) == chance


@pytest.mark.parametrize(
    ("old", "new", "place", "part"),
    [
        ("default = 0.8", "default = 1.5", ":4: ", "accuracy.default is 1.5; allowed: a number"),
        ("default = 0.8", "default = true", ":4: ", "accuracy.default is True"),
        ("storytelling = 0.5", 'storytelling = "x"', ":7: ", "is 'x'"),
        ("2 = 0.4", "two = 0.4", ":12: ", "distance 'two'; allowed: a whole number from 1"),
        ("refused = 0.5", "refusal = 0.5", ":16: ", "unknown key 'refusal'; allowed: .*'refused'"),
        ("refused = 0.5", "refused = 0.9", ":14: ", r"add up to 1.15; allowed: at most 1"),
        ("share = 1", "rate = 1", ":19: ", "unknown key 'rate'"),
        ("[noise]", "[noize]", ":18: ", "unknown key 'noize'"),
        ("default = 0.8", "", "", "accuracy lacks 'default'"),
        ('description = "All parts."', "description = 3", ":1: ", "description is 3"),
        ("[noise]", "noise]", ":18: ", "not TOML"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, old: str, new: str, place: str, part: str) -> None:
    with pytest.raises(DataError, match=part) as caught:
        read(tmp_path, WHOLE.replace(old, new))
    assert f"own.toml{place}" in str(caught.value)


def test_bundled_behaviours_load_and_differ() -> None:
    assert behaviour_names() == ("fragile", "messy", "sturdy")
    loaded = [load_behaviour(name) for name in behaviour_names()]
    assert len({behaviour.digest for behaviour in loaded}) == 3
    fragile, messy, sturdy = loaded
    story = variant(problem(), "storytelling")
    assert accuracy_on(fragile, story) < accuracy_on(sturdy, story)
    assert messy.truncated > 0
    assert accuracy_on(fragile, variant(problem(), "reduced", distance=3)) == 0.9


def test_unknown_behaviour_lists_the_known() -> None:
    with pytest.raises(UnknownNameError, match="'bold' is not known; allowed: fragile, messy"):
        load_behaviour("bold")
    with pytest.raises(DataError, match=r"none\.toml: cannot be read"):
        load_behaviour("none.toml")


def test_the_digest_follows_the_content(tmp_path: Path) -> None:
    first = read(tmp_path, WHOLE)
    assert read(tmp_path, "# a comment\n" + WHOLE) == first
    assert read(tmp_path, WHOLE.replace("0.8", "0.7")) != first
