from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequake.canonical import canonical_json, content_key, list_key, parse_json
from codequake.errors import DataError

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc\u00e9\u2028"), inner),
    max_leaves=12,
)


@given(json_values)
def test_canonical_text_is_a_fixed_point(value: object) -> None:
    text = canonical_json(value)
    assert canonical_json(parse_json(text)) == text


def test_key_order_does_not_matter() -> None:
    assert content_key({"b": 1, "a": [2]}) == content_key({"a": [2], "b": 1})


def test_known_key() -> None:
    # The first digits that `printf '[1,2]' | sha256sum` prints.
    assert content_key((1, 2), length=16) == "49a64717d5d4cb19"
    assert len(content_key([1, 2])) == 64


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, {"a": -math.inf}, {1: "a"}, "\ud800", {"a": {3}}, object()]
)
def test_what_json_cannot_carry_is_refused(value: object) -> None:
    with pytest.raises(DataError):
        canonical_json(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ('{"a": 1, "a": 2}', "key 'a' stands twice"),
        ("1 2", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "not JSON"),
    ],
)
def test_bad_json_names_its_place(text: str, message: str) -> None:
    with pytest.raises(DataError, match=r"^file:3: ") as caught:
        parse_json(text, place="file:3")
    assert message in str(caught.value)


@given(st.lists(json_values, max_size=4))
def test_the_key_of_a_list_is_that_of_its_whole_text(values: list[object]) -> None:
    assert list_key(iter(values)) == content_key(values)
