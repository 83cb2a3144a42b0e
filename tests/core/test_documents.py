"""Files of others in pieces: lines, JSON documents, gzip, and what is wrong with them."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequake.documents import (
    Piece,
    first_byte,
    json_pieces,
    numbered_lines,
    open_document,
    utf8_text,
)
from codequake.errors import DataError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def pieces(text: str, *opened: tuple[str | int, ...], most: int = 1 << 20) -> list[Piece]:
    file = io.BytesIO(text.encode())
    return list(json_pieces(file, "f.json", lambda path: path in opened, most))


@given(st.lists(VALUES), st.integers(0, 3))
def test_an_array_comes_back_item_by_item(items: list[object], indent: int) -> None:
    found = pieces(json.dumps(items, indent=indent or None, ensure_ascii=False), ())
    assert [json.loads(piece.raw or b"") for piece in found] == items
    assert [piece.path for piece in found] == [(index,) for index in range(len(items))]


def test_strings_may_be_longer_than_a_chunk_and_end_anywhere() -> None:
    for pad in range(65_530, 65_542):
        items = ["x" * pad + '\\"]}{[', 'é"' * 5, {"k\n": "\\"}]
        found = pieces(json.dumps(items), ())
        assert [json.loads(piece.raw or b"") for piece in found] == items


def test_only_named_containers_are_opened() -> None:
    text = '{"a": [1, {"b": 2}],\n "c": {"d": [3],\n "e": []}}'
    found = pieces(text, (), ("a",), ("c",))
    assert [(piece.path, piece.line, piece.raw) for piece in found] == [
        (("a", 0), 1, b"1"),
        (("a", 1), 1, b'{"b": 2}'),
        (("c", "d"), 2, b"[3]"),
        (("c", "e"), 3, b"[]"),
    ]
    assert found[1].place("x") == "x:1 (record 2)"
    assert found[2].place("x") == "x:2"


def test_what_is_too_long_is_passed_over() -> None:
    found = pieces(json.dumps(["a" * 99, "short", ["b"] * 40]), (), most=50)
    assert [piece.raw for piece in found] == [None, b'"short"', None]


@pytest.mark.parametrize(
    ("text", "good", "message"),
    [
        ("", 0, "f.json:1: cut off before its end"),
        ("[", 0, "f.json:1: cut off before its end"),
        ('[1,\n{"a": "b', 1, "f.json:2: cut off before its end"),
        ("[1 2]", 1, "'2' stands where ',' should"),
        ("[1,]", 1, "a value is missing"),
        ("[1]\n[2]", 1, "f.json:2: not JSON: there is text after the end"),
        ("[1}", 1, "'}' stands where ',' should"),
    ],
)
def test_a_broken_document_gives_what_came_before(text: str, good: int, message: str) -> None:
    found: list[Piece] = []
    with pytest.raises(DataError) as caught:
        found.extend(json_pieces(io.BytesIO(text.encode()), "f.json", lambda path: not path, 99))
    assert message in str(caught.value)
    again = json_pieces(io.BytesIO(text.encode()), "f.json", lambda path: not path, 99)
    assert [next(again).raw for _ in range(good)] == [b"1"] * good


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"a" 1}', "'1' stands where ':' should"), ("{1: 2}", "'1' stands where '\"' should")],
)
def test_a_broken_object(text: str, message: str) -> None:
    with pytest.raises(DataError, match=r"f\.json:1: not JSON") as caught:
        pieces(text, ())
    assert message in str(caught.value)


def test_lines_of_a_hundred_megabytes_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "long"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(b"\nshort\nend")
    tracemalloc.start()
    with open_document(str(path)) as file:
        found = list(numbered_lines(file, 1 << 20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == [(1, None), (2, b"short\n"), (3, b"end")]
    assert peak < 16 << 20


def test_gzip_and_byte_order_marks_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "any"
    for content in (b"\xef\xbb\xbf  [1]", gzip.compress(b"\xef\xbb\xbf  [1]"), b"  [1]"):
        path.write_bytes(content)
        with open_document(str(path)) as file:
            assert first_byte(file) == b"["
            assert file.read() == b"  [1]"


def test_a_damaged_gzip_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "any.gz"
    whole = gzip.compress(b"some text " * 1000)
    for content in (whole[:-12], whole[:30], whole[:20] + b"\0" * 20):
        path.write_bytes(content)
        with (
            pytest.raises(DataError, match=r"any\.gz: cannot be read") as caught,
            open_document(str(path)) as file,
        ):
            file.read()
        assert "\n" not in str(caught.value)


def test_text_that_is_not_utf_8() -> None:
    with pytest.raises(DataError, match="here: not UTF-8 at byte 1"):
        utf8_text("aä".encode("latin-1"), "here")
    assert utf8_text("aä".encode(), "here") == "aä"
