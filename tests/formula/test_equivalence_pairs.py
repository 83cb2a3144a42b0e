"""Verdicts on pairs whose right answer was worked out by hand."""

from __future__ import annotations

import pytest
from tests.formula.equivalence_pairs import FAST, IN_EVERY_RUN, REFEREE, Pair

from codequake.formula import (
    Equivalence,
    equivalent,
    evaluate,
    parse,
    parse_assumption,
    parse_names,
)

NAMES = parse_names("functions:y")


def ask(pair: Pair, seconds: float) -> Equivalence:
    given = tuple(parse_assumption(text, NAMES) for text in pair.given.split(";") if text)
    first, second = parse(pair.first, NAMES), parse(pair.second, NAMES)
    return equivalent(first, second, given, referee_seconds=seconds)


def told(answer: Equivalence) -> tuple[str, tuple[str, ...]]:
    return answer.verdict.value, tuple(sorted(answer.conditions))


def wanted(pair: Pair) -> tuple[str, tuple[str, ...]]:
    return pair.verdict, tuple(sorted(filter(None, pair.conditions.split(";"))))


@pytest.mark.parametrize("pair", FAST, ids=lambda pair: f"{pair.first} | {pair.second}")
def test_fast_verdicts(pair: Pair) -> None:
    answer = ask(pair, 0)
    assert told(answer) == wanted(pair)
    assert (answer.witness is not None) == (pair.verdict == "different")
    assert bool(answer.reason) == (pair.verdict == "unknown")


@pytest.mark.parametrize("pair", FAST, ids=lambda pair: f"{pair.second} | {pair.first}")
def test_the_other_way_round(pair: Pair) -> None:
    answer = ask(pair._replace(first=pair.second, second=pair.first), 0)
    assert answer.verdict.value == pair.verdict


@pytest.mark.parametrize("pair", REFEREE, ids=lambda pair: f"{pair.first} | {pair.second}")
def test_nothing_is_claimed_where_the_referee_is_not_asked(pair: Pair) -> None:
    answer = ask(pair, 0)
    assert answer.verdict.value == "unknown"
    assert "not asked" in answer.reason


@pytest.mark.parametrize("pair", REFEREE[:IN_EVERY_RUN], ids=str)
def test_verdicts_with_the_referee(pair: Pair) -> None:
    answer = ask(pair, 60)
    assert told(answer) == wanted(pair)
    assert any(version.startswith("sympy ") for version in answer.certificate.versions)


@pytest.mark.quality
@pytest.mark.parametrize("pair", REFEREE[IN_EVERY_RUN:], ids=str)
def test_all_verdicts_with_the_referee(pair: Pair) -> None:
    assert told(ask(pair, 60)) == wanted(pair)


def test_there_are_enough_pairs() -> None:
    assert len({(pair.first, pair.second, pair.given) for pair in (*FAST, *REFEREE)}) >= 110


@pytest.mark.parametrize(
    ("first", "second"),
    [("x<1", "x<=1"), ("0<x<1", "0<x<=1"), ("a*x+b=0", "(a*x+b)*x=0"), ("x^2=1", "x=1")],
)
def test_a_witness_is_a_point_that_a_reader_can_check(first: str, second: str) -> None:
    answer = ask(Pair(first, second, "", "different"), 0)
    assert answer.witness is not None
    point = {name: float(value) for name, value in answer.witness.point}
    values = [
        evaluate(parse(side), point)
        for text in (first, second)
        for side in text.replace("<=", "=").replace("<", "=").split("=")
    ]
    assert None not in values
    assert answer.witness.detail in ("only the first holds", "only the second holds")
