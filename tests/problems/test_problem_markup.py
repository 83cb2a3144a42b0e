"""The inline markup of sentences."""

from __future__ import annotations

import pytest

from codequake.errors import DataError
from codequake.problems.markup import check_slots, parse_sentence
from codequake.statements import Sentence, SlotKind, Span, SpanKind

FORMULA = Span(SpanKind.FORMULA, "a+b")


def text(words: str) -> Span:
    return Span(SpanKind.TEXT, words)


def kept(words: str) -> Span:
    return Span(SpanKind.PROTECTED, words)


SENTENCES = {
    "plain words": (text("plain words"),),
    "  blanks around  ": (text("blanks around"),),
    "take {object:items|a list} now": (
        text("take "),
        Span(SpanKind.SLOT, "a list", SlotKind.OBJECT, "items"),
        text(" now"),
    ),
    "{=x} is {formula}.": (kept("x"), text(" is "), FORMULA, text(".")),
    "the list `nums[0]`": (text("the list "), kept("`nums[0]`")),
    "add 3 and -2.5, no x2": (
        text("add "),
        kept("3"),
        text(" and "),
        kept("-2.5"),
        text(", no x2"),
    ),
    "a set {{1}}": (text("a set {"), kept("1"), text("}")),
}


@pytest.mark.parametrize("line", SENTENCES)
def test_markup_gives_spans(line: str) -> None:
    assert parse_sentence(line, {"formula": FORMULA}).spans == SENTENCES[line]


BAD = {
    "": "empty",
    "an {open": "not closed",
    "a close}": "not closed or not opened",
    "an `open": "not closed",
    "{person:who|you}": "slot kind 'person'",
    "{actor:Who|you}": "slot name 'Who'",
    "{actor:who|}": "words without",
    "{actor:who| you}": "blanks at the ends",
    "{quantity:many|3 items}": "without digits",
    "{actor:who}": "is not markup",
    "{signature}": "is not markup",
    "{=}": "protects nothing",
    "{actor:who|you|me}": "is not markup",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_markup_is_refused_with_its_place(line: str) -> None:
    with pytest.raises(DataError, match=r"^file\.toml:7: ") as caught:
        parse_sentence(line, {"formula": FORMULA}, place="file.toml:7")
    assert BAD[line] in str(caught.value)


def sentences(*lines: str) -> list[tuple[str, Sentence]]:
    return [(f"f:{number}", parse_sentence(line, {})) for number, line in enumerate(lines, 1)]


def test_slots_of_one_name_say_the_same() -> None:
    check_slots(sentences("{object:items|a list}", "{object:items|A list} and"))
    with pytest.raises(DataError, match="f:2: slot 'items' says 'the list' here and 'a list'"):
        check_slots(sentences("{object:items|a list}", "{object:items|the list}"))
    with pytest.raises(DataError, match="f:3: slot 'items' is of kind actor here and object"):
        check_slots(sentences("{object:items|a list}", "none", "{actor:items|a list}"))
