"""Reduction: smaller, equivalent, idempotent, and in the style of the source."""

from __future__ import annotations

import random

import pytest
from benchmarks.slips import SCHOOL
from hypothesis import given, settings
from tests.formula.formula_trees import FORMULAS

from codequake.errors import InternalError
from codequake.formula import (
    Node,
    Verdict,
    equivalent,
    format_assumption,
    format_formula,
    mutate,
    parse,
    parse_assumption,
    reduce_formula,
    size_of,
)
from codequake.formula.cancellation import Edit


@pytest.mark.parametrize(
    ("text", "reduced"),
    [
        ("a+0", "a"),
        ("0+a", "a"),
        ("a-0", "a"),
        ("0-a", "-a"),
        ("b+(0-a)", "b-a"),
        ("a*1", "a"),
        ("1*a", "a"),
        ("a/1", "a"),
        ("a^1", "a"),
        ("1/a", "1/a"),
        ("a+2-2", "a"),
        ("2+a-2", "a"),
        ("a+2+0-2", "a"),
        ("2+(a+b)-2", "a+b"),
        ("2+(a-2)", "a"),
        ("a-(b-2)-2", "a-b"),
        ("a*2/2", "a"),
        ("2*a/2", "a"),
        ("a/2*2", "a"),
        ("a/(b/c)/c", "a/b"),
        ("a*x/a", "x"),
        ("x/x", "x/x"),
        ("x-x", "x-x"),
        ("ln(x)-ln(x)", "ln(x)-ln(x)"),
        ("x^0", "x^0"),
        ("(x^2)^0.5", "(x^2)^0.5"),
        ("(-1)*a", "-a"),
        ("a*(-1)", "-a"),
        ("b+(-1)*a", "b-a"),
        ("b-(-1)*a", "b+a"),
        ("b+a*(-1)*c", "b-a*c"),
        ("(-1)*a+b", "b-a"),
        ("--a", "a"),
        ("0*2", "0"),
        ("0/a", "0"),
        ("0*x", "0*x"),
        ("sin(x+0)*1", "sin(x)"),
        ("a+(b+c)", "a+b+c"),
        ("a*(b/c)", "a*b/c"),
        ("9.80*1*a*b/d^2", "9.80*a*b/d^2"),
        ("2.0*a/2", "a"),
        ("(a)*1", "(a)"),
        ("y'(x)+0=a", "y'(x)=a"),
        ("a*x+b+2=0+2", "a*x+b=0"),
        ("a*x+b-2=0-2", "a*x+b=0"),
        ("(a*x+b)*2=0*2", "a*x+b=0"),
        ("(a*x+b)/c=0/c", "a*x+b=0"),
        ("((a*x+b)/c+2)/2=(0/c+2)/2", "a*x+b=0"),
        ("x*2+y*2=z*2", "x+y=z"),
        ("2*x=4*y", "2*x=4*y"),
        ("a*x-b=b-b", "a*x=b"),
        ("x=x", "x=x"),
        ("a+b=a+b", "0=0"),
        ("0=0", "0=0"),
    ],
)
def test_each_reduction(text: str, reduced: str) -> None:
    formula = parse(text)
    made = reduce_formula(formula)
    assert format_formula(made.formula) == reduced
    assert (made.steps == ()) == (made.formula == formula)
    if made.steps:
        assert made.steps[-1].text == reduced
        assert made.equivalence is not None
        assert made.equivalence.verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize("text", SCHOOL)
def test_mutants_come_back_to_the_size_of_the_original(text: str) -> None:
    formula = parse(text)
    for steps in (1, 3, 5):
        for mutant in mutate(formula, steps, 8, random.Random(steps)).mutants:
            made = reduce_formula(mutant.formula, mutant.assumptions)
            assert size_of(made.formula) <= size_of(formula), format_formula(mutant.formula)
            answer = equivalent(formula, made.formula, made.assumptions)
            assert answer.verdict is Verdict.EQUIVALENT


SHORTER = {"a^b-c=0": "a^b=c", "tan(x)/a-b/c=0": "tan(x)/a=b/c"}


@pytest.mark.parametrize("text", SCHOOL)
def test_school_formulas_stay_as_they_are(text: str) -> None:
    assert format_formula(reduce_formula(parse(text)).formula) == SHORTER.get(text, text)


@settings(max_examples=200, deadline=None)
@given(FORMULAS)
def test_reduction_never_grows_and_is_done_at_once(formula: Node) -> None:
    made = reduce_formula(formula)
    assert size_of(made.formula) <= size_of(formula)
    again = reduce_formula(made.formula, made.assumptions)
    assert again.formula == made.formula
    sizes = [size_of(formula), *(size_of(parse(step.text)) for step in made.steps)]
    assert sizes == sorted(sizes, reverse=True)


def test_cancelling_a_coefficient_is_an_assumption() -> None:
    made = reduce_formula(parse("a*x/a+b"))
    assert format_formula(made.formula) == "x+b"
    assert [format_assumption(one) for one in made.assumptions] == ["a != 0"]
    numbers = reduce_formula(parse("2*x/2+b"))
    assert numbers.assumptions == ()


def test_strict_reduction_cancels_only_what_is_known_not_to_be_zero() -> None:
    formula = parse("(a*x+b)*a/b=c*a/b")
    assert reduce_formula(formula, strict=True).steps == ()
    given = (parse_assumption("a > 0"),)
    made = reduce_formula(formula, given, strict=True)
    assert format_formula(made.formula) == "(a*x+b)/b=c/b"
    assert made.assumptions == given


def test_what_cannot_be_confirmed_is_not_reduced() -> None:
    formula = parse("1/(a-a)+0")
    made = reduce_formula(formula, strict=True)
    assert made.formula == formula
    assert made.steps == ()


def test_deep_formulas_are_reduced_or_left_alone() -> None:
    nested = "+".join(["x"] * 60)
    deep = parse(f"{nested}+({nested})+0")
    made = reduce_formula(deep)
    assert size_of(made.formula) == size_of(deep) - 2


def test_a_wrong_step_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(node: Node) -> Edit:
        return Edit("wrong", node.kids[0])

    monkeypatch.setattr("codequake.formula.reduction.cancelled_terms", wrong)
    with pytest.raises(InternalError, match="the two differ"):
        reduce_formula(parse("a-b"))
