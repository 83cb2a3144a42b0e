"""Text of strangers, one function and one danger at a time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codequake.report.differences import compare_lines, compare_words
from codequake.report.numbers import p_value, percent, points
from codequake.report.safe import csv_cell, fenced, markdown_cell, one_line, visible_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("a\rb", "a\\u{d}b"),
        ("\x1b[31m", "\\u{1b}[31m"),
        ("\u202eabc", "\\u{202e}abc"),
        ("\x00\x7f\x9b", "\\u{0}\\u{7f}\\u{9b}"),
        ("\ud800", "\\u{d800}"),
        ("\U000e0041", "\\u{e0041}"),
        ("שלום é 中", "שלום é 中"),
    ],
)
def test_visible_text(text: str, shown: str) -> None:
    assert visible_text(text) == shown


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters()))
def test_one_line_is_one_printable_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert len(line) <= 200
    line.encode("utf-8")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "|", "%", "\uff1d", "\N{MINUS SIGN}"])
def test_csv_cell(start: str) -> None:
    assert csv_cell(f"  {start}1+1") == f"'{start}1+1"
    assert csv_cell("\t=1") == "'=1"
    assert csv_cell("a=1") == "a=1"
    assert csv_cell("") == ""


def test_markdown() -> None:
    assert markdown_cell("a|b <i> `c`") == "a&#124;b &#60;i&#62; &#96;c&#96;"
    assert markdown_cell("x\ny") == "x y"
    assert markdown_cell("see https://a.b or www.c.d") == "see https:&#47;/a.b or www&#46;c.d"
    assert markdown_cell("[a](b) @c ![d]") == "&#91;a&#93;(b) &#64;c &#33;&#91;d&#93;"
    assert markdown_cell("-0.5 (1 to 2)") == "-0.5 (1 to 2)"
    block = fenced("````\nevil", "c")
    assert block.startswith("`````c\n")
    assert block.endswith("\n`````")


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_is_lost_between_the_sides(left: str, right: str) -> None:
    for found in (compare_words(left, right), compare_lines(left, right)):
        assert "".join(piece.text for piece in found.left) == left
        assert "".join(piece.text for piece in found.right) == right
        if left == right:
            assert not any(piece.changed for piece in found.left)


def test_what_changed_is_marked() -> None:
    found = compare_words("Return the sum.", "Return the whole sum.")
    assert [piece.text for piece in found.right if piece.changed] == ["whole "]
    assert not any(piece.changed for piece in found.left)
    assert not compare_words("a " * 4000, "b " * 4000).compared


def test_numbers_as_people_read_them() -> None:
    assert percent(1 / 3) == "33.3 %"
    assert points(-0.25) == "\N{MINUS SIGN}25.0"
    assert points(0.1) == "+10.0"
    assert points(-0.0001) == "0.0"
    assert p_value(0.0004) == "< 0.001"
    assert p_value(0.047) == "0.047"
