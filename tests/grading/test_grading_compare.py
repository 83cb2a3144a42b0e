from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequake.errors import DataError
from codequake.grading import outputs_agree
from codequake.grading.compare import numbers_agree_in_text
from codequake.records import Comparison, Interface, JsonText, OutputOrder

EXACT = Comparison()
TWO = Comparison(digits=2)
SIX = Comparison(digits=6)
LOOSE = Comparison(digits=6, order=OutputOrder.UNORDERED)
BAG = Comparison(order=OutputOrder.UNORDERED)


def values(
    expected: str, got: str, comparison: Comparison = EXACT, *, strict: bool = False
) -> bool:
    return outputs_agree(
        JsonText(expected), JsonText(got), comparison, Interface.FUNCTION, strict=strict
    )


def texts(expected: str, got: str, comparison: Comparison = EXACT) -> bool:
    left, right = JsonText(json.dumps(expected)), JsonText(json.dumps(got))
    return outputs_agree(left, right, comparison, Interface.STDIN)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("1", "1.0"),
        ("1.0", "1"),
        ("true", "true"),
        ("[[1],[2,[3]]]", "[[1],[2,[3]]]"),
        ("0.3", "0.30000000000000004"),
        ("0.0", "5.551115123125783e-17"),
        ("0.0", "-0.0"),
        ("1e300", "1.0000000000001e300"),
        ('{"$float":"nan"}', '{"$float":"nan"}'),
        ('{"$float":"inf"}', '{"$float":"inf"}'),
        ('{"a":1,"b":[0.1]}', '{"b":[0.10000000000000002],"a":1.0}'),
        ('{"$dict":[[1,"x"],[2,"y"]]}', '{"$dict":[[2,"y"],[1.0,"x"]]}'),
        ('{"$set":[1,2]}', '{"$set":[2.0,1]}'),
        ("1" + "0" * 6000, "1" + "0" * 6000),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("null", "null"),
    ],
)
def test_values_that_agree(expected: str, got: str) -> None:
    assert values(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("1", "2"),
        ("1", '"1"'),
        ("1", "true"),
        ("false", "0"),
        ("false", "0.0"),
        ("1.0", "true"),
        ("[true]", "[1]"),
        ('{"$set":[1]}', '{"$set":[true]}'),
        ("1", "1.0000000001"),
        ("3", "[3]"),
        ("[1,2]", "[2,1]"),
        ("[1,2]", "[1]"),
        ("[1,0.5]", "[1.0000000001,0.5]"),
        ("1.0", "1.00000001"),
        ('{"$float":"nan"}', "0.0"),
        ("0.0", '{"$float":"nan"}'),
        ("1.0", '{"$float":"inf"}'),
        ('{"$float":"inf"}', '{"$float":"-inf"}'),
        ('{"$float":"inf"}', "1e308"),
        ('"nan"', '{"$float":"nan"}'),
        ("[1,2]", '{"$set":[1,2]}'),
        ('{"a":1}', '{"a":1,"b":2}'),
        ('{"1":"x"}', '{"$dict":[[1,"x"]]}'),
        ('"a "', '"a"'),
        ("null", "false"),
        ("0", "null"),
        ("1" + "0" * 6000, "1" + "0" * 5999 + "1"),
        ("1" + "0" * 6000, "1.0"),
        ("9007199254740993", "9007199254740992.0"),
        ("1", ""),
        ("1", "1 1"),
        ("1", "NaN"),
        ("1", "[" * 100000),
    ],
)
def test_values_that_differ(expected: str, got: str) -> None:
    assert not values(expected, got)


def test_strict_keeps_types_apart() -> None:
    for expected, got in (("1", "1.0"), ("1.0", "1"), ("[1]", "[1.0]")):
        assert values(expected, got)
        assert not values(expected, got, strict=True)
    assert values("1.5", "1.5", strict=True)


def test_tolerance_is_tied_to_the_digits() -> None:
    assert values("2.0", "2.01", TWO)
    assert not values("2.0", "2.0101", TWO)
    assert values("2.0", "2.000001", SIX)
    assert not values("2", "2.000001", SIX)
    assert values("1e12", "1000000000900.0", TWO)
    assert not values("1e12", "1000000002000.0", TWO)


@pytest.mark.parametrize(
    ("expected", "got", "comparison"),
    [
        ("1 2\n3\n", "1\n2   3", EXACT),
        ("1 2", "\t1\r\n2\f", EXACT),
        ("3", "+3", EXACT),
        ("3", "03", EXACT),
        ("3", "3.0", EXACT),
        ("-0", "0", EXACT),
        ("4.00", "4", TWO),
        ("4.00", "3.991", TWO),
        ("-0.00", "0.00", TWO),
        ("89.6", "89.599998", TWO),
        ("1e3", "1000", EXACT),
        ("nan", "-NaN", SIX),
        ("inf", "Infinity", SIX),
        (".5", "0.50", EXACT),
        ("5.", "5", EXACT),
        ("yes", "yes", EXACT),
        ("1" * 6000, "1" * 6000, EXACT),
        ("2.00 3.00", "3 2.001", Comparison(digits=2, order=OutputOrder.UNORDERED)),
        ("", " \n", EXACT),
    ],
)
def test_texts_that_agree(expected: str, got: str, comparison: Comparison) -> None:
    assert texts(expected, got, comparison)


@pytest.mark.parametrize(
    ("expected", "got", "comparison"),
    [
        ("1 2", "1 2 2", EXACT),
        ("1 2", "12", EXACT),
        ("YES", "yes", EXACT),
        ("3", "3.0000001", SIX),
        ("4.00", "3.98", TWO),
        ("1.0", "nan", TWO),
        ("nan", "1.0", TWO),
        ("nan", "inf", TWO),
        ("inf", "-inf", TWO),
        ("1.0", "inf", TWO),
        ("16", "0x10", EXACT),
        ("1.5", "1,5", EXACT),
        ("1.5", "1.5f", EXACT),
        ("1.0", "1e999999999", EXACT),
        ("1.0", "1e-999999999999999999999", TWO),
        ("1 2", "1\u00a02", EXACT),
        ("1", "\u0661", EXACT),
        ("2.00 2.00", "2.00 3.00", Comparison(digits=2, order=OutputOrder.UNORDERED)),
        ("a b", "b a", EXACT),
        ("", "0", EXACT),
        ("1" * 6000, "1" * 5999 + "2", EXACT),
    ],
)
def test_texts_that_differ(expected: str, got: str, comparison: Comparison) -> None:
    assert not texts(expected, got, comparison)


def test_tolerance_belongs_to_one_number() -> None:
    assert texts("1.00 2", "1.001 2", TWO)
    assert not texts("1.00 2", "1.00 2.001", TWO)


def test_unordered_needs_a_one_to_one_match() -> None:
    assert values("[1,2,2]", "[2,1,2]", BAG)
    assert not values("[1,2,2]", "[1,1,2]", BAG)
    assert values("[[1,2],[3]]", "[[3],[1,2]]", BAG)
    assert not values("[[1,2],[3]]", "[[3],[2,1]]", BAG)
    # 1.0 could take either of the two; only one choice leaves a partner for the other.
    near = "[1.0,1.0000009]"
    assert values(near, "[1.0000005,1.0000018]", LOOSE)
    assert values(near, "[1.0000018,1.0000005]", LOOSE)
    assert not values(near, "[1.0000018,1.0000019]", LOOSE)


def test_many_items_without_order_stay_fast() -> None:
    expected = json.dumps(list(range(50_000)))
    got = json.dumps(list(reversed(range(50_000))))
    assert values(expected, got, BAG)


def test_broken_expectation_is_an_error_of_ours() -> None:
    with pytest.raises(DataError):
        values("[1", "1")


def test_printed_text_must_be_a_string() -> None:
    assert not outputs_agree(JsonText('"1"'), JsonText("1"), EXACT, Interface.STDIN)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text().filter(lambda key: not key.startswith("$")), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_every_value_agrees_with_itself_and_its_wrapping_does_not(value: Any) -> None:
    text = json.dumps(value)
    assert values(text, text)
    assert values(text, text, BAG)
    assert not values(text, json.dumps([value, value, 0]), EXACT)


@given(st.lists(st.integers() | st.text(alphabet="abc", min_size=1), max_size=8), st.randoms())
def test_shuffled_tokens_agree_without_order_only_as_multisets(
    items: list[Any], random: Any
) -> None:
    mixed = list(items)
    random.shuffle(mixed)
    expected, got = " ".join(map(str, items)), "\n".join(map(str, mixed))
    assert texts(expected, got, BAG)
    assert texts(expected, got) == (list(map(str, items)) == list(map(str, mixed)))
    assert not texts(expected, got + " extra", BAG)


@pytest.mark.parametrize(
    ("expected", "got", "right"),
    [
        ("100000.0", "1e5", True),
        ("3.0", "+3", True),
        ("0.5", ".5", True),
        ("5.0", "5.", True),
        ("0.0", "-0", True),
        ("0.000000", "-0.000000", True),
        ("3", "+03", True),
        ("nan", "-nan", True),
        ("nan", "NaN", True),
        ("nan", "0.0", False),
        ("0.0", "nan", False),
        ("1.0", "inf", False),
        ("inf", "Infinity", True),
        ("inf", "-inf", False),
        ("inf", "1e308", False),
        ("1.0", "1e400", False),
        ("1.0", "1e999999999999", False),
        ("0.0", "1e-999999999999", False),
        ("16.0", "0x10", False),
        ("0.0", "0x0", False),
        ("1.5", "1,5", False),
        ("1000.0", "1_000", False),
        ("1000.0", "1,000.0", False),
        ("3.0", "x = 3.0", False),
        ("3.0", "x=3.0", False),
        ("3.0", "3.0 m", False),
        ("3.0", "3.0 Done", False),
        ("3.0", "Result: 3.0", False),
        ("3.0", "\u0663.\u0660", False),
        ("inf", "\u0131nf", False),
        ("3.0", "3.0\u00a0", False),
        ("3.0", "3.0\x00", False),
        ("3.0", "\ud8003.0", False),
        ("3.0 4.0", "3.0\t\r\n4.0\n\n", True),
        ("3.0 4.0", "3.0, 4.0", False),
        ("3.0 4.0", "4.0 3.0", False),
        ("3.0 4.0", "3.04.0", False),
        ("1.0", "1e", False),
        ("1.0", "--1.0", False),
        ("1.0", "", False),
    ],
)
def test_the_grammar_of_numbers(expected: str, got: str, right: bool) -> None:
    assert texts(expected, got, SIX) is right


@pytest.mark.parametrize(
    "token",
    ["9" * 10_000_000, "0." + "3" * 10_000_000, "1e" + "9" * 10_000_000, "-" * 10_000_000],
    ids=["integer", "float", "exponent", "signs"],
)
def test_ten_megabytes_are_just_wrong(token: str) -> None:
    assert not texts("3.0", token, SIX)
    assert not texts("3", token, SIX)


def test_roots_are_a_multiset_or_in_order() -> None:
    assert texts("-1.5 2.0 2.0", "2.0 -1.500001 2", LOOSE)
    assert not texts("-1.5 2.0 2.0", "2.0 -1.5 -1.5", LOOSE)
    assert not texts("-1.5 2.0", "2.0 -1.5", SIX)
    # One token within reach of two: a greedy match would leave the other without a partner.
    assert texts("1.000000 1.000001", "1.000001 1.000002", LOOSE)


@pytest.mark.parametrize(
    ("scale", "right"),
    [(Fraction(1), True), (Fraction(10), True), (Fraction(1, 10), False), (Fraction(0), False)],
)
def test_the_tolerance_can_be_scaled(scale: Fraction, right: bool) -> None:
    wanted, got = JsonText('"2.000000\\n"'), JsonText('"2.000001\\n"')
    assert outputs_agree(wanted, got, SIX, Interface.STDIN, scale=scale) is right
    assert outputs_agree(wanted, wanted, SIX, Interface.STDIN, scale=scale)


def test_the_tolerance_is_symmetric() -> None:
    loose = Comparison(digits=6, relative=0.5)
    for one, other in (("1.0", "2.0"), ("2.0", "1.0")):
        assert texts(one, other, loose)


@pytest.mark.parametrize(
    ("expected", "got", "only_form"),
    [
        ("3.0", "x = 3.0", True),
        ("3.0", "x=3.000001", True),
        ("3.0", "Result: 3.0 m", True),
        ("3.0 4.0", "a: 3.0\nb: 4.0\n", True),
        ("3.0", "x = 3.1", False),
        ("3.0", "3.0 3.0", False),
        ("3.0", "", False),
        ("yes", "say yes", False),
        ("3.0", "3.0m", False),
    ],
)
def test_right_numbers_among_text_are_told(expected: str, got: str, only_form: bool) -> None:
    left, right = JsonText(json.dumps(expected)), JsonText(json.dumps(got))
    assert not texts(expected, got, SIX)
    assert numbers_agree_in_text(left, right, SIX) is only_form
