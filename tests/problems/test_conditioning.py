"""Which inputs of a formula prompt are fair, and how they are drawn."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction

import pytest

from codequake.errors import DataError
from codequake.problems import find_problem, load_set, sample_inputs
from codequake.problems.conditioning import Judge
from codequake.problems.declarations import formula_findings
from codequake.problems.sampling import input_values, input_words
from codequake.records import (
    Comparison,
    FormulaKind,
    FormulaSlot,
    JsonText,
    Problem,
    PromptClass,
    Symbol,
)

SIX = Comparison(digits=6)
TRANSLATION = PromptClass.TRANSLATION
EXPRESSION, EQUATION = FormulaKind.EXPRESSION, FormulaKind.EQUATION


def expression(text: str, names: str, *assumptions: str) -> FormulaSlot:
    symbols = tuple(Symbol(name, "", -1000, 1000) for name in names.split())
    return FormulaSlot(text, EXPRESSION, TRANSLATION, symbols, assumptions)


def refusal(text: str, given: str, *assumptions: str, digits: int | None = 6) -> str:
    values = dict(item.split("=") for item in given.split())
    formula = expression(text, " ".join(values), *assumptions)
    return Judge(formula, Comparison(digits=digits)).refusal(values) or ""


@pytest.mark.parametrize(
    ("text", "given", "why"),
    [
        ("1/a", "a=0.01", ""),
        ("1/a", "a=0", "a divisor is close to 0"),
        ("1/(a-b)", "a=1 b=0.5", ""),
        ("1/(a-b)", "a=100 b=100.01", "a divisor is close to 0"),
        ("b/(1/a)", "a=0 b=1", "a divisor is close to 0"),
        ("ln(a-b)", "a=3 b=2", ""),
        ("ln(a-b)", "a=2.001 b=2", "a logarithm is close to 0 or negative"),
        ("log(a)", "a=-1", "a logarithm is close to 0 or negative"),
        ("sqrt(a-b)", "a=1.001 b=1", "a root is close to 0 or negative"),
        ("(a-b)^0.5", "a=1 b=2", "the base of a power is close to 0 or negative"),
        ("(a-b)^-2", "a=1 b=1", "the base of a power is close to 0"),
        ("(a-b)^2", "a=1 b=1", ""),
        ("tan(a)", "a=1.5", ""),
        ("tan(a)", "a=1.57", "the cosine under a tangent is close to 0"),
        ("a^2", "a=1000", ""),
        ("a^4", "a=1000", "a value is not below 1e+09 for certain"),
        # (1 + 1e-13) - 1 keeps three digits in a double, which 1e10 brings to the front.
        ("((a+1)-1)*10^8*10^4", "a=0.0000000000001", "rounding alone moves the result"),
        ("sin(a)", "a=3.14", ""),
        ("3*sin(a*10^8)", "a=9.99", "rounding alone moves the result"),
    ],
)
def test_inputs_near_singularities_are_refused(text: str, given: str, why: str) -> None:
    found = refusal(text, given)
    assert found == why, f"{text} at {given}: {found}"


@pytest.mark.parametrize(
    ("assumption", "given", "why"),
    [
        ("a != 0", "a=0.01", ""),
        ("a != 0", "a=0", "a != 0 does not hold clearly"),
        ("b^2-4*a*1 > 0", "a=1 b=2.1", ""),
        ("b^2-4*a*1 > 0", "a=1 b=2", "b^2-4*a*1 > 0 does not hold clearly"),
        ("b^2-4*a*1 > 0", "a=1 b=2.001", "b^2-4*a*1 > 0 does not hold clearly"),
        ("a < b", "a=1 b=1.001", "a < b does not hold clearly"),
        ("a <= b", "a=1 b=1", ""),
        ("a >= b", "a=1 b=2", "a >= b does not hold"),
    ],
)
def test_assumptions_hold_with_room(assumption: str, given: str, why: str) -> None:
    assert refusal("a", given, assumption) == why


def test_the_printed_digits_decide_what_rounding_may_move() -> None:
    # At 2**29 a double's step is 1.2e-7, more than a tenth of the seventh digit but not of the 6th.
    text, given = "a+b", "a=536870912.3 b=0.1"
    judge = Judge(expression(text, "a b"), Comparison(digits=9, relative=0.0))
    assert judge.refusal({"a": "536870912.3", "b": "0.1"}) == "rounding alone moves the result"
    assert refusal(text, given, digits=2) == ""


def test_an_equation_is_decided_or_refused() -> None:
    symbols = tuple(Symbol(name, "", -10, 10) for name in "ab")
    judge = Judge(FormulaSlot("a + b = 0.3", EQUATION, TRANSLATION, symbols, ()), Comparison())
    assert judge.refusal({"a": "1", "b": "2"}) is None
    # True on paper and false in doubles, so no program can be blamed for either answer.
    assert judge.refusal({"a": "0.1", "b": "0.2"}) is not None
    whole = Judge(FormulaSlot("a + b = 3", EQUATION, TRANSLATION, symbols, ()), Comparison())
    assert whole.refusal({"a": "1", "b": "2"}) is None
    assert whole.refusal({"a": "1.0000001", "b": "2"}) is not None
    assert whole.refusal({"a": "1.01", "b": "2"}) is None


@pytest.mark.parametrize("problem", load_set("formulas-20"), ids=lambda item: item.problem_id)
def test_bundled_tests_are_many_fair_and_partly_edges(problem: Problem) -> None:
    formula = problem.formula
    assert formula is not None
    hidden = [test for test in problem.tests if not test.visible]
    assert len(hidden) == 100
    judge = Judge(formula, problem.comparison)
    assert [judge.refusal(input_words(formula, test.input)) for test in problem.tests] == [
        None
    ] * len(problem.tests)
    special = [
        any(
            abs(value - end) < 0.011 or value in (0, 1, -1, 2)
            for symbol in formula.symbols
            if symbol.low is not None and symbol.high is not None
            for value in (input_values(formula, test.input)[symbol.name],)
            for end in (symbol.low, symbol.high, (symbol.low + symbol.high) / 2)
        )
        for test in hidden
    ]
    # Declared edges and borders need not be special, and one symbol has few special values.
    least = 9 if len(formula.symbols) == 1 else 12 if formula.edges else 16
    assert sum(special) >= least


def test_equal_seeds_give_equal_inputs_whatever_else_is_drawn() -> None:
    formula = find_problem("formulas-20/solve-quadratic").formula
    assert formula is not None
    first = sample_inputs(formula, random.Random(1), 100, SIX)
    sample_inputs(formula, random.Random(2), 50, SIX)
    assert sample_inputs(formula, random.Random(1), 100, SIX) == first
    assert len(set(first)) == 100


def test_an_equation_is_asked_on_both_sides_of_its_border() -> None:
    formula = find_problem("formulas-20/right-triangle").formula
    assert formula is not None
    bare = dataclasses.replace(formula, edges=())
    inputs = sample_inputs(bare, random.Random(4), 1000)
    points = [{k: Fraction(v) for k, v in input_words(bare, item).items()} for item in inputs]
    gaps = [point["a"] ** 2 + point["b"] ** 2 - point["c"] ** 2 for point in points]
    # Chance alone would give about one triple in ten thousand draws.
    assert sum(gap == 0 for gap in gaps) >= 3
    near = [gap for gap, point in zip(gaps, points, strict=True) if 0 < abs(gap) <= 2 * point["c"]]
    assert any(gap > 0 for gap in near)
    assert any(gap < 0 for gap in near)


def test_a_domain_that_is_too_thin_says_why() -> None:
    n = Symbol("n", "", -2, 2, integer=True)
    formula = FormulaSlot("1/n", EXPRESSION, TRANSLATION, (n,), ("n > 0",))
    assert len(sample_inputs(formula, random.Random(1), 2)) == 2
    with pytest.raises(DataError, match=r"leave 2 inputs; allowed: 3 or more; .*because n > 0"):
        sample_inputs(formula, random.Random(1), 3)


def test_declared_edges_come_first_and_are_checked() -> None:
    n = Symbol("n", "", -50, 50, integer=True)
    edges = (JsonText('"7\\n"'), JsonText('"-13\\n"'))
    formula = FormulaSlot("n", EXPRESSION, TRANSLATION, (n,), ("n != 0",), edges=edges)
    assert sample_inputs(formula, random.Random(1), 20)[:2] == edges
    for edge, why in (('"0\\n"', "n != 0"), ('"51\\n"', "out of range")):
        wrong = dataclasses.replace(formula, edges=(JsonText(edge),))
        with pytest.raises(DataError, match=f"edge case .*{why}"):
            sample_inputs(wrong, random.Random(1), 20)


def test_integer_symbols_are_drawn_as_integers() -> None:
    formula = find_problem("formulas-20/simple-interest").formula
    assert formula is not None
    for item in sample_inputs(formula, random.Random(6), 200, SIX):
        values = input_values(formula, item)
        assert values["c"] == int(values["c"])
        assert 0 <= values["c"] <= 30


def found(problem: Problem) -> list[str]:
    return list(formula_findings(problem, lambda want, got: want == got))


def test_results_and_languages_are_checked() -> None:
    linear = find_problem("formulas-20/solve-two-sides")
    assert linear.formula is not None

    def changed(**fields: object) -> Problem:
        assert linear.formula is not None
        slot = dataclasses.replace(linear.formula, **fields)  # type: ignore[arg-type]
        return dataclasses.replace(linear, formula=slot)

    assert found(linear) == []
    assert "no results are declared" in found(changed(results=()))[0]
    assert "which a program does not read" in found(changed(results=("x",)))[0]
    assert "the declared results are" in found(changed(results=("(b - d) / (a - c)",)))[0]
    energy = find_problem("formulas-20/kinetic-energy")
    assert energy.formula is not None
    twice = dataclasses.replace(energy.formula, results=("a",))
    assert "prints its formula" in found(dataclasses.replace(energy, formula=twice))[-1]
    only_c = tuple(item for item in energy.references if item.language == "c")
    only = dataclasses.replace(energy, references=only_c)
    assert "there is no reference in python" in " ".join(found(only))


def test_narrow_and_odd_ranges_are_drawn_from_inside() -> None:
    odd = (
        Symbol("a", "", 0.004, 0.0071),
        Symbol("n", "", 0.5, 3.5, integer=True),
        Symbol("b", "", -1.0045, -1.0041),
    )
    formula = FormulaSlot("a * n / b", EXPRESSION, TRANSLATION, odd, ())
    for item in sample_inputs(formula, random.Random(8), 300, Comparison(digits=6)):
        words = input_words(formula, item)
        assert not any("e" in word for word in words.values())
        for symbol in odd:
            assert symbol.low is not None
            assert symbol.high is not None
            assert symbol.low <= float(words[symbol.name]) <= symbol.high
        assert words["n"] in {"1", "2", "3"}
    empty = FormulaSlot(
        "n", EXPRESSION, TRANSLATION, (Symbol("n", "", 0.2, 0.8, integer=True),), ()
    )
    with pytest.raises(DataError, match="no integer in the range of n"):
        sample_inputs(empty, random.Random(8), 1)
