"""Mutants: at their distance, certified, reproducible, and never padded."""

from __future__ import annotations

import random

import pytest
from benchmarks.slips import SCHOOL

from codequake.errors import InternalError, UsageError
from codequake.formula import (
    FormulaError,
    Move,
    Verdict,
    distance,
    format_assumption,
    format_formula,
    mutate,
    neighbours,
    parse,
    parse_assumption,
)
from codequake.formula.moves import Place
from codequake.formula.nodes import MAX_DEPTH


@pytest.mark.parametrize("text", SCHOOL)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_mutants_are_at_their_distance_and_certified(text: str, steps: int) -> None:
    formula = parse(text)
    found = mutate(formula, steps, 6, random.Random(steps))
    assert len(found.mutants) == 6
    assert len({mutant.formula for mutant in found.mutants}) == 6
    for mutant in found.mutants:
        answer = distance(formula, mutant.formula, steps)
        assert (answer.value, answer.proved) == (steps, True)
        assert (mutant.distance, mutant.proved, len(mutant.steps)) == (steps, True, steps)
        assert mutant.equivalence.verdict is Verdict.EQUIVALENT
        assert mutant.equivalence.conditions == ()
        assert parse(format_formula(mutant.formula)) == mutant.formula


def test_a_chain_can_be_replayed() -> None:
    formula = parse("a*x+b=0")
    for mutant in mutate(formula, 4, 10, random.Random(7)).mutants:
        current = formula
        for step in mutant.steps:
            constant = None if step.constant is None else parse(step.constant)
            allowed = {
                (move.rule.id, move.constant, format_formula(move.result))
                for move in neighbours(current)
            }
            assert (step.rule, constant, step.text) in allowed
            current = parse(step.text)
        assert current == mutant.formula


def test_a_coefficient_that_divides_is_an_assumption() -> None:
    formula = parse("a*x+b=0")
    seen = set()
    for mutant in mutate(formula, 2, 60, random.Random(1)).mutants:
        used = {
            f"{step.constant} != 0"
            for step in mutant.steps
            if step.rule in ("both_multiply", "both_divide") and step.constant in ("a", "b")
        }
        assert {format_assumption(one) for one in mutant.assumptions} == used
        seen |= used
    assert seen == {"a != 0", "b != 0"}


def test_strict_mutants_need_no_new_assumption() -> None:
    formula = parse("a*x+b=0")
    given = (parse_assumption("a != 0"),)
    found = mutate(formula, 2, 80, random.Random(1), assumptions=given, strict=True)
    assert len(found.mutants) == 80
    assert all(mutant.assumptions == given for mutant in found.mutants)
    dividing = {
        step.constant
        for mutant in found.mutants
        for step in mutant.steps
        if step.rule in ("both_multiply", "both_divide")
    }
    assert dividing == {"a", "2"}


def test_one_seed_gives_one_answer_and_others_give_others() -> None:
    formula = parse("a*x^2+b*x+c=0")
    runs = [
        tuple(format_formula(mutant.formula) for mutant in mutate(formula, 3, 5, rng).mutants)
        for rng in (random.Random(1), random.Random(1), random.Random(2), random.Random(3))
    ]
    assert runs[0] == runs[1]
    assert len(set(runs)) == 3


def test_asking_for_more_keeps_the_first_ones() -> None:
    formula = parse("(a+b)/(c-d)")
    few = mutate(formula, 2, 3, random.Random(5)).mutants
    many = mutate(formula, 2, 9, random.Random(5)).mutants
    assert many[:3] == few


def test_what_does_not_exist_is_not_made_up() -> None:
    found = mutate(parse("x"), 1, 20, random.Random(0))
    texts = {format_formula(mutant.formula) for mutant in found.mutants}
    assert texts == {"x+0", "x-0", "x*1", "x/1", "x^1", "x+2-2", "x*2/2"}
    assert found.exhausted
    two = mutate(parse("x"), 2, 500, random.Random(0))
    assert two.exhausted
    results = {
        second.result for first in neighbours(parse("x")) for second in neighbours(first.result)
    }
    far = {one for one in results if distance(parse("x"), one, 2).value == 2}
    reachable = {mutant.formula for mutant in two.mutants}
    assert reachable <= far
    assert len(reachable) >= 20


def test_distance_zero_is_the_formula_itself() -> None:
    formula = parse("a*x=b")
    found = mutate(formula, 0, 5, random.Random(0))
    assert [mutant.formula for mutant in found.mutants] == [formula]
    assert found.exhausted
    assert mutate(formula, 3, 0, random.Random(0)).mutants == ()


@pytest.mark.parametrize(("steps", "count"), [(-1, 1), (13, 1), (1, -1)])
def test_wrong_use(steps: int, count: int) -> None:
    with pytest.raises(UsageError, match="allowed"):
        mutate(parse("a"), steps, count, random.Random(0))


@pytest.mark.parametrize("text", ["1/(a-a)", "a*x+1/0=b", "ln(-1)*a", "tan(x^a)/(z/0-0)=b"])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_formula_without_values_has_no_mutants(text: str, steps: int) -> None:
    found = mutate(parse(text), steps, 3, random.Random(0))
    assert found.mutants == ()
    assert not found.exhausted
    assert 0 < found.unconfirmed <= 15


def test_a_formula_at_the_limit_of_depth_is_refused() -> None:
    deep = parse("(" * (MAX_DEPTH - 1) + "a" + ")" * (MAX_DEPTH - 1))
    with pytest.raises(FormulaError, match="deeper than"):
        mutate(deep, 1, 1, random.Random(0))


def test_a_wrong_rule_is_caught_by_the_independent_check(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = parse("a-b")

    def wrong(node: object, place: Place) -> Move:
        return Move(place.rule, None, parse("b-a"))

    monkeypatch.setattr("codequake.formula.sampling.move_of", wrong)
    monkeypatch.setattr("codequake.formula.sampling.Walker._is_at", lambda *_: True)
    with pytest.raises(InternalError, match="the two differ"):
        mutate(formula, 1, 1, random.Random(0))
