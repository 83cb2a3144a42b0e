"""Verdicts of equivalence: confirmed, refuted by a proof, or left open."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from benchmarks.slips import SCHOOL, slip, to_sympy
from hypothesis import assume, given, settings
from tests.formula.formula_trees import SMALL_FORMULAS

from codequake.formula import (
    FormulaError,
    Node,
    Op,
    Verdict,
    equivalent,
    evaluate,
    format_assumption,
    format_formula,
    mutate,
    parse,
    parse_assumption,
)
from codequake.formula.balls import BallWorld
from codequake.formula.exact import exact_value


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("a*x+b", "b+x*a", "equivalent"),
        ("a*x+b=0", "a*x+a+b=a", "equivalent"),
        ("a*x+b=0", "(a*x+b)*2=0*2", "equivalent"),
        ("a*x+b=0", "-1*(a*x+b)=0", "equivalent"),
        ("a*x+b=0", "(a*x+b)*x=0", "different"),
        ("a*x+b=0", "(a*x+b)*a=0*a", "different"),
        ("a*x+b=0", "a*x-b=0", "different"),
        ("0.1+0.2=0.3", "0=0", "equivalent"),
        ("x=x", "y=y", "equivalent"),
        ("x=x", "x=1", "different"),
        ("0*x=0", "a-a=0", "equivalent"),
        ("0=1", "1=0", "equivalent"),
        ("0=0", "0=1", "different"),
        ("2^-3", "0.125", "equivalent"),
        ("-2^2", "-4", "equivalent"),
        ("-2^2", "4", "different"),
        ("a^b^c", "(a^b)^c", "different"),
        ("a/b/c", "a/(b*c)", "equivalent"),
        ("a/b/c", "a/(b/c)", "different"),
        ("a-(b-c)", "a-b-c", "different"),
        ("x^(2*a/a)", "x^2", "equivalent"),
        ("x^(1/2)", "x^0.5", "equivalent"),
        ("(x^2)^0.5", "x", "different"),
        ("sqrt(x^2)", "x", "different"),
        ("x=0", "x^3=0", "unknown"),
        ("x=0", "x^2=0", "unknown"),
        ("ln(x^2)", "2*ln(x)", "unknown"),
        ("sin(x)^2+cos(x)^2", "1", "equivalent"),
        ("sin(0)", "0", "equivalent"),
        ("x=1", "x*sin(0)=sin(0)", "different"),
        ("1/(a-a)", "1/(b-b)", "unknown"),
        ("1/0", "2/0", "unknown"),
        ("sin(x)", "sin(x+0)", "equivalent"),
        ("sin(x)", "cos(x)", "different"),
        ("sin(x)=a", "sin(x)=a+1", "different"),
        ("y'(x)=a*y(x)", "0=a*y(x)-y'(x)", "equivalent"),
        ("y'(x)=a*y(x)", "y'(x)=a*y(x)+1", "different"),
        ("y'(x)=a", "y(x)=a+y'(x)-y'(x)", "different"),
        ("x/x", "1", "equivalent"),
        ("pi*a", "3.14159*a", "different"),
    ],
)
def test_verdicts(first: str, second: str, verdict: str) -> None:
    found = equivalent(parse(first), parse(second), referee_seconds=0)
    assert found.verdict == verdict
    assert (found.witness is not None) == (verdict == "different")
    assert found == equivalent(parse(first), parse(second), referee_seconds=0)


@pytest.mark.parametrize(
    ("first", "second", "given", "conditions"),
    [
        ("x/x", "1", (), ("x != 0",)),
        ("ln(x)-ln(x)", "0", (), ("x > 0",)),
        ("sqrt(x)-sqrt(x)", "0", (), ("x >= 0",)),
        ("sqrt(x)-sqrt(x)", "0", ("x > 0",), ()),
        ("x^0", "1", (), ("x != 0",)),
        ("x^0.5*0", "0", (), ("x >= 0",)),
        ("tan(x)*0", "0", (), ("cos(x) != 0",)),
        ("x*a/a", "x", (), ("a != 0",)),
        ("x*a/a", "x", ("a != 0",), ()),
        ("x*a/a", "x", ("a > 0",), ()),
        ("x*a/(a+b-b)", "x", ("a != 0",), ()),
        ("x*(a*b)/(a*b)", "x", ("a != 0", "b < 0"), ()),
        ("x/a", "x/a/1", (), ()),
        ("a*x+b=0", "(a*x+b)/a=0/a", (), ("a != 0",)),
        ("a*x+b=0", "(a*x+b)/a=0/a", ("a != 0",), ()),
        ("x*2/2", "x", (), ()),
        ("1/(-y)", "-1/y", (), ()),
        ("1/(2*y)*2", "1/y", (), ()),
        ("a/(b/c)", "a*c/b", (), ("c != 0",)),
        ("a/(b/c)", "a*c/b", ("c > 0",), ()),
        ("x/(b-b-2)", "-x/2", (), ()),
        ("x^0*0", "0", ("x != 0",), ()),
        ("sqrt(0*x)", "sqrt(0)", (), ()),
    ],
)
def test_a_difference_of_domain_is_a_condition(
    first: str, second: str, given: tuple[str, ...], conditions: tuple[str, ...]
) -> None:
    assumptions = tuple(parse_assumption(text) for text in given)
    found = equivalent(parse(first), parse(second), assumptions)
    assert found.verdict is Verdict.EQUIVALENT
    assert found.conditions == conditions


def test_assumptions_decide_where_equations_are_compared() -> None:
    one, two = parse("a*x+b=0"), parse("(a*x+b)*a=0*a")
    assert equivalent(one, two).verdict is Verdict.DIFFERENT
    given = (parse_assumption("a != 0"),)
    assert equivalent(one, two, given).verdict is Verdict.EQUIVALENT
    signs = equivalent(
        parse("sqrt(x^2)"), parse("x"), (parse_assumption("x > 0"),), referee_seconds=0
    )
    assert signs.verdict is Verdict.UNKNOWN  # true, but neither fast method can prove it


def test_assumptions_that_no_point_satisfies_prove_nothing() -> None:
    given = (parse_assumption("a > 0"), parse_assumption("a < 0"))
    found = equivalent(parse("a+b"), parse("a-b"), given)
    assert found.verdict is Verdict.UNKNOWN
    assert found.certificate.ball_points == 0


@pytest.mark.parametrize(
    ("text", "given", "verdict"),
    [
        ("x", ("x > 0", "x < 0"), "unknown"),
        ("sqrt(-1)", (), "unknown"),
        ("ln(x)>=0", ("x < -1",), "unknown"),
        ("sqrt(-x^2-1)=0", (), "unknown"),
        ("ln(x)", ("x > 0",), "equivalent"),
        ("ln(x-1000000)", (), "equivalent"),
        ("1/0", (), "unknown"),
    ],
)
def test_a_formula_equals_itself_only_where_it_has_a_value(
    text: str, given: tuple[str, ...], verdict: str
) -> None:
    formula = parse(text)
    answer = equivalent(formula, formula, tuple(map(parse_assumption, given)))
    assert answer.verdict.value == verdict
    assert bool(answer.reason) == (verdict == "unknown")


def test_a_witness_of_expressions_can_be_checked_by_hand() -> None:
    one, two = parse("a*b+c"), parse("a*b-c")
    witness = equivalent(one, two).witness
    assert witness is not None
    point = {name: Fraction(text) for name, text in witness.point}
    assert exact_value(one, point) != exact_value(two, point)


def test_a_witness_of_equations_can_be_checked_by_hand() -> None:
    one, two = parse("a*x+b=0"), parse("(a*x+b)*x=0")
    witness = equivalent(one, two).witness
    assert witness is not None
    assert witness.detail == "only the second holds"
    point = {name: Fraction(text) for name, text in witness.point}
    assert exact_value(one, point) != 0
    assert exact_value(two, point) == 0


def test_the_certificate_names_method_and_versions() -> None:
    certificate = equivalent(parse("a*x+b=0"), parse("b+a*x=0")).certificate
    assert certificate.prime == 2**61 - 1
    assert 2**60 < certificate.second_prime < 2**61
    assert certificate.field_points == 2
    assert certificate.ball_points == 2
    assert certificate.error_bits >= 100
    assert certificate.versions[1].startswith("python-flint ")


def test_equations_and_expressions_are_not_compared() -> None:
    with pytest.raises(FormulaError, match="cannot be compared"):
        equivalent(parse("a"), parse("a=0"))


@pytest.mark.parametrize("text", ["a", "a != 0 != b", "a = 0 != b", "!= 0", "a ? 0"])
def test_what_is_no_assumption(text: str) -> None:
    with pytest.raises(FormulaError):
        parse_assumption(text)


def test_assumptions_print_as_they_are_read() -> None:
    for text in ("a != 0", "b^2-4*a*c > 0", "a <= b", "x >= 1", "c < d"):
        assert format_assumption(parse_assumption(text)) == text


@settings(max_examples=120, deadline=None)
@given(SMALL_FORMULAS)
def test_a_formula_never_differs_from_itself(formula: Node) -> None:
    found = equivalent(formula, formula, referee_seconds=0)
    assert found.verdict is not Verdict.DIFFERENT
    assert found.conditions == ()


@settings(max_examples=120, deadline=None)
@given(SMALL_FORMULAS)
def test_balls_hold_the_double_value(formula: Node) -> None:
    names = ("a", "b", "c", "d", "e", "x", "y", "z")
    point = {name: Fraction(number, 8) for number, name in enumerate(names, start=3)}
    world = BallWorld()
    ball = world.value(formula, {name: world.ball(value) for name, value in point.items()})
    value = evaluate(formula, {name: float(value) for name, value in point.items()})
    assume(ball.is_finite() and value is not None and abs(value) < 1e12)
    assert value is not None
    assert abs(float(ball.mid()) - value) <= 1e-6 * max(1.0, abs(value)) + float(ball.rad())


@settings(max_examples=150, deadline=None)
@given(SMALL_FORMULAS, SMALL_FORMULAS)
def test_any_two_formulas_get_a_verdict(one: Node, two: Node) -> None:
    assume((one.op is Op.EQUATION) == (two.op is Op.EQUATION))
    there = equivalent(one, two, referee_seconds=0)
    back = equivalent(two, one, referee_seconds=0)
    assert {there.verdict, back.verdict} != {Verdict.EQUIVALENT, Verdict.DIFFERENT}


def test_broken_mutants_are_never_accepted() -> None:
    rng = random.Random(11)
    refuted = accepted = 0
    for text in ("9.8*a*b/d^2", "(a+b)/(c-d)", "(a-b)^2+(c-d)^2", "a*x^2+b*x+c"):
        formula = parse(text)
        for mutant in mutate(formula, 3, 20, rng).mutants:
            for _ in range(3):
                broken = slip(mutant.formula, rng)
                found = equivalent(formula, broken, referee_seconds=0)
                refuted += found.verdict is Verdict.DIFFERENT
                if found.verdict is Verdict.EQUIVALENT:
                    accepted += 1
                    difference = sympy.cancel(to_sympy(formula) - to_sympy(broken))
                    assert difference == 0, format_formula(broken)
    assert refuted >= 150
    assert accepted <= refuted / 4


def test_broken_equations_are_never_accepted() -> None:
    rng = random.Random(12)
    refuted = 0
    for text in ("a*x+b=0", "a*x^2+b*x+c=0", "a*x+b=c*x+d"):
        formula = parse(text)
        given = tuple(parse_assumption(f"{name} != 0") for name in "abcd")
        for mutant in mutate(formula, 3, 15, rng).mutants:
            broken = slip(mutant.formula, rng)
            found = equivalent(formula, broken, given, referee_seconds=0)
            refuted += found.verdict is Verdict.DIFFERENT
            if found.verdict is Verdict.EQUIVALENT:
                ratio = sympy.cancel(to_sympy(broken) / to_sympy(formula))
                assert sympy.Symbol("x") not in ratio.free_symbols, format_formula(broken)
    assert refuted >= 15


@pytest.mark.parametrize("text", SCHOOL)
def test_mutants_are_equivalent_by_another_seed(text: str) -> None:
    formula = parse(text)
    for mutant in mutate(formula, 4, 8, random.Random(3)).mutants:
        again = equivalent(formula, mutant.formula, mutant.assumptions, seed=99)
        assert again.verdict is Verdict.EQUIVALENT
        assert again.conditions == ()
