"""The data between a judge and a program: what is packed comes back, and nothing else does harm."""

from __future__ import annotations

import json
import os
from collections import deque
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequake.sandbox.exchange import (
    GoneError,
    Packer,
    PlainError,
    TooLongError,
    Unpacker,
    read_frame,
    write_frame,
)

atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec=None))
    | st.binary()
    | st.complex_numbers(allow_nan=False)
    | st.fractions()
)
keys = st.recursive(
    atoms, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5
)
values = st.recursive(
    keys,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.sets(keys, max_size=4)
        | st.lists(inner, max_size=4).map(deque)
        | st.binary().map(bytearray)
    ),
    max_leaves=12,
)


def through(value: Any) -> Any:
    """Send a value as a frame and take it out again."""
    packer = Packer()
    form = packer.pack(value)
    reader, writer = os.pipe()
    try:
        write_frame(writer, [form, packer.table()])
        (form, table), _ = read_frame(reader, 1 << 20)
    finally:
        os.close(reader)
        os.close(writer)
    return Unpacker(table).unpack(form)


def shape(value: Any) -> Any:
    """A value with all of its types, the order of dictionaries included."""
    if isinstance(value, dict):
        return ["dict", [(shape(key), shape(item)) for key, item in value.items()]]
    if isinstance(value, set | frozenset):
        return [type(value).__name__, sorted(repr(shape(item)) for item in value)]
    if isinstance(value, list | tuple | deque):
        return [type(value).__name__, [shape(item) for item in value]]
    return [type(value).__name__, repr(value)]


@given(values)
def test_every_value_comes_back_as_it_was(value: Any) -> None:
    assert shape(through(value)) == shape(value)


@given(values, values)
def test_one_container_under_two_names_stays_one(first: Any, second: Any) -> None:
    shared = [first]
    left, right, other = through([shared, (shared, second), [first]])
    assert left is right[0]
    assert left is not other


def test_nan_and_the_sign_of_zero_come_back() -> None:
    assert [repr(item) for item in through([float("nan"), -0.0])] == ["nan", "-0.0"]


forms = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.floats()
    | st.sampled_from([*"otfbcrqnlmska", "abc", "00"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=12,
)


@given(st.lists(forms, max_size=4), st.lists(forms, max_size=3))
def test_what_nobody_packed_is_refused_in_one_way(table: list[Any], some: list[Any]) -> None:
    known = [[1], {2: 3}]
    try:
        heap = Unpacker(table, known)
        for form in some:
            heap.unpack(form)
    except PlainError:
        pass
    assert [type(item) for item in known] == [list, dict]


@pytest.mark.parametrize(
    "form",
    [
        *[
            ["o", 0],
            ["o", -1],
            ["o", True],
            ["q", 1, 0],
            ["q", 1.5],
            ["n", "x"],
            ["n", 1],
            ["c", 1],
        ],
        *[["r", 1.5], ["r", 0, 1, 0], ["b", "0"], ["b", 1], ["t"], ["t", 5], ["f", [["t", 1]]]],
        *[[], {}, {"a": 1}, ["x", 1], [["t", []], 1], ["c", "a", "b"]],
    ],
)
def test_a_form_that_is_none_is_refused(form: Any) -> None:
    with pytest.raises(PlainError):
        Unpacker([]).unpack(form)


@pytest.mark.parametrize(
    "entry",
    [
        *[["l"], ["l", 5], ["m", [], 5], ["m", [1], []], ["m", [["o", 0]], [1]], ["s", [["o", 0]]]],
        *[["k", -1, []], ["k", "a", []], ["a", "x"], ["a", 1], [5, []], [[], []], "l", 5, None, {}],
    ],
)
def test_a_container_that_is_none_is_refused(entry: Any) -> None:
    with pytest.raises(PlainError):
        Unpacker([entry])


def test_a_known_container_keeps_its_kind() -> None:
    with pytest.raises(PlainError):
        Unpacker([["m", [], []]], [[1]])
    with pytest.raises(PlainError):
        Unpacker([], [[1]])


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"", GoneError),
        (b"00000000000", GoneError),
        (b"000000000005[1]", GoneError),
        (b"+00000000003[1]", PlainError),
        (b"x00000000003[1]", PlainError),
        (b"000000000004[1]]", PlainError),
        (b"000000000003[1 ", PlainError),
        (b"000000000003\xff\xff\xff", PlainError),
        (b"000000000000", PlainError),
        (b"000000001001", TooLongError),
    ],
)
def test_a_frame_that_is_none_is_refused(sent: bytes, error: type[Exception]) -> None:
    reader, writer = os.pipe()
    try:
        os.write(writer, sent)
        os.close(writer)
        with pytest.raises(error):
            read_frame(reader, 1000)
    finally:
        os.close(reader)


def test_deep_text_is_refused() -> None:
    reader, writer = os.pipe()
    body = b"[" * 60_000
    try:
        os.write(writer, b"%012d" % len(body) + body[:50_000])
        os.write(writer, body[50_000:])
        with pytest.raises(PlainError):
            read_frame(reader, 1 << 20)
    finally:
        os.close(reader)
        os.close(writer)


def test_changes_are_made_in_place() -> None:
    inner, outer = [1], {"a": Fraction(1, 2)}
    known = [inner, outer]
    table = [["l", [2, ["o", 1]]], ["m", [["t", [1]]], [["o", 2]]], ["l", [["o", 0]]]]
    heap = Unpacker(json.loads(json.dumps(table)), known)
    assert inner[0] == 2
    assert inner[1] is outer
    assert outer[(1,)][0] is inner  # type: ignore[index]
    assert len(heap.objects) == 3
