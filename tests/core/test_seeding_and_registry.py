from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequake.errors import UnknownNameError, UsageError
from codequake.registry import Table
from codequake.seeding import generator_for, seed_for

names = st.lists(st.text(st.characters(exclude_categories=("Cs",))) | st.integers(), max_size=3)


@given(st.integers(0, 2**32), names, names)
def test_other_names_give_other_seeds(seed: int, one: list[str], two: list[str]) -> None:
    assert (seed_for(seed, *one) == seed_for(seed, *two)) == (one == two)


def test_seed_is_stable_over_releases() -> None:
    # blake2b-64 of the canonical JSON [7,"a",1]; a change here changes every published study.
    assert seed_for(7, "a", 1) == 546994538538145155
    assert generator_for(7, "a").random() == generator_for(7, "a").random()


def test_joined_names_are_not_the_same_as_parts() -> None:
    assert seed_for(1, "ab") != seed_for(1, "a", "b")
    assert seed_for(1, "1") != seed_for(1, 1)


def test_unknown_names_come_with_near_ones() -> None:
    table: Table[int] = Table("colour")
    table.add("crimson")(1)
    table.add("blue")(2)
    assert table["crimson"] == 1
    assert list(table) == ["blue", "crimson"]
    with pytest.raises(UnknownNameError, match="colour 'crimsom' is not known; near names: crims"):
        table["crimsom"]
    with pytest.raises(UnknownNameError, match="allowed: blue, crimson"):
        table["xyz"]


def test_a_taken_name_shows_both() -> None:
    table: Table[int] = Table("colour")
    table.add("blue")(1)
    with pytest.raises(UsageError, match="colour 'blue' is registered twice: 1 and 2"):
        table.add("blue")(2)
