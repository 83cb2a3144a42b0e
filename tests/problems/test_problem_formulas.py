"""Evaluation, sampling and the declarations of formula prompts."""

from __future__ import annotations

import dataclasses
import math
import random

import pytest
from tests.problems.trusted_oracle import agree

from codequake.canonical import canonical_json, parse_json
from codequake.errors import DataError
from codequake.problems import find_problem, load_set, sample_inputs
from codequake.problems.arithmetic import evaluate, names_in, parse_relation
from codequake.problems.declarations import direct_output, formula_findings
from codequake.problems.sampling import input_values
from codequake.records import (
    FormulaKind,
    FormulaSlot,
    Interface,
    JsonText,
    Problem,
    PromptClass,
    Symbol,
)

VALUES = {"a": 2.0, "b": 3.0, "c": -4.0, "e": 5.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a+b*c", -10.0),
        ("-a^2", -4.0),
        ("2^b^a", 512.0),
        ("a-b-c", 3.0),
        ("(a+b)/(a*5)", 0.5),
        ("e", 5.0),
        ("log(100)", 2.0),
        ("ln(1)+sin(0)+cos(0)+tan(0)", 1.0),
        ("2.5*a", 5.0),
    ],
)
def test_formulas_have_their_value(text: str, value: float) -> None:
    assert evaluate(text, VALUES) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    ["x", "a b", "a**2", "a//b", "__import__('os')", "exp(a)", "a if b else c", "", "a[0]", "(a"],
)
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        evaluate(text, VALUES)


@pytest.mark.parametrize("text", ["1/(a-2)", "ln(c)", "(c)^0.5", "10^999"])
def test_no_value_is_no_number(text: str) -> None:
    with pytest.raises((ArithmeticError, ValueError)) as caught:
        evaluate(text, VALUES)
    assert not isinstance(caught.value, DataError)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a+1=b", True),
        ("a=b", False),
        ("a != b", True),
        ("a != 2", False),
        ("a < b", True),
        ("b <= 3", True),
        ("a > b", False),
        ("a >= 2", True),
    ],
)
def test_relations_hold_or_not(text: str, holds: bool) -> None:
    assert parse_relation(text).holds(VALUES) is holds


@pytest.mark.parametrize("text", ["a", "a=b=c", "= 0", "a !="])
def test_what_is_no_relation_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="not a relation"):
        parse_relation(text)


def test_names_leave_functions_out() -> None:
    assert names_in("a*sin(x)+ln(b)=0") == {"a", "x", "b"}


def slot(text: str, *symbols: Symbol, assumptions: tuple[str, ...] = ()) -> FormulaSlot:
    return FormulaSlot(text, FormulaKind.EXPRESSION, PromptClass.TRANSLATION, symbols, assumptions)


A = Symbol("a", "", -1, 1)
N = Symbol("n", "", -2, 2, integer=True)


def test_samples_are_seeded_different_and_inside() -> None:
    formula = slot("a*n", A, N)
    inputs = sample_inputs(formula, random.Random(1), 60)
    assert inputs == sample_inputs(formula, random.Random(1), 60)
    assert inputs != sample_inputs(formula, random.Random(2), 60)
    assert len(set(inputs)) == 60
    assert [parse_json(item) for item in inputs[:3]] == ["-1 -2\n", "1 2\n", "1 1\n"]
    for item in inputs:
        values = input_values(formula, item)
        assert -1 <= values["a"] <= 1
        assert values["n"] in {-2, -1, 0, 1, 2}


def test_samples_satisfy_the_assumptions() -> None:
    formula = slot("1/a", A, assumptions=("a != 0",))
    inputs = sample_inputs(formula, random.Random(3), 200)  # all that there are
    assert len({input_values(formula, item)["a"] for item in inputs} - {0.0}) == 200


def test_samples_have_a_value_even_without_assumptions() -> None:
    formula = slot("ln(a)", A)
    for item in sample_inputs(formula, random.Random(4), 40):
        assert math.isfinite(math.log(input_values(formula, item)["a"]))


def test_an_empty_domain_is_said() -> None:
    with pytest.raises(DataError, match="leave 0 inputs; allowed: 5 or more"):
        sample_inputs(slot("a", A, assumptions=("a > 2",)), random.Random(5), 5)
    with pytest.raises(DataError, match="leave 5 inputs; allowed: 6 or more"):
        sample_inputs(slot("n", N), random.Random(5), 6)


@pytest.mark.parametrize("text", ['"1 2 3\\n"', '"1\\n"', '"1 b\\n"', "[1,2]"])
def test_inputs_of_another_shape_are_refused(text: str) -> None:
    with pytest.raises(DataError, match="holds"):
        input_values(slot("a*n", A, N), JsonText(text))


def findings(problem: Problem) -> list[str]:
    return list(
        formula_findings(
            problem,
            lambda want, got: agree(want, got, problem.comparison, Interface.STDIN),
        )
    )


def changed(problem: Problem, **changes: object) -> Problem:
    assert problem.formula is not None
    return dataclasses.replace(
        problem,
        formula=dataclasses.replace(problem.formula, **changes),  # type: ignore[arg-type]
    )


ENERGY = find_problem("formulas-20/kinetic-energy")
LINEAR = find_problem("formulas-20/solve-linear")
SLOPE = find_problem("formulas-20/quadratic-slope")
TRIANGLE = find_problem("formulas-20/right-triangle")


def test_the_class_is_checked_by_evaluation() -> None:
    assert findings(ENERGY) == []
    assert "class is translation, but" in findings(changed(ENERGY, text="a*b^2/3"))[0]
    assert (
        "class is reasoning, but"
        in findings(changed(ENERGY, prompt_class=PromptClass.REASONING))[0]
    )
    assert (
        "class is translation, but"
        in findings(changed(SLOPE, prompt_class=PromptClass.TRANSLATION))[0]
    )
    assert (
        "class is translation, but"
        in findings(changed(LINEAR, prompt_class=PromptClass.TRANSLATION))[0]
    )


def test_declarations_are_checked() -> None:
    assert ENERGY.formula is not None
    mass, speed = ENERGY.formula.symbols
    assert (
        "outside its range"
        in findings(changed(ENERGY, symbols=(dataclasses.replace(mass, high=1.0), speed)))[0]
    )
    assert (
        "not an integer"
        in findings(changed(ENERGY, symbols=(dataclasses.replace(mass, integer=True), speed)))[0]
    )
    assert "is not of the kind equation" in findings(changed(ENERGY, kind=FormulaKind.EQUATION))[0]
    assert "d stands in the formula" in findings(changed(ENERGY, assumptions=("d > 0",)))[0]
    assert "breaks the assumption b > 0" in findings(changed(ENERGY, assumptions=("b > 0",)))[0]
    assert "declared twice" in findings(changed(ENERGY, symbols=(mass, mass)))[0]
    assert "not an expression" in findings(changed(ENERGY, text="a*b^"))[0]


def test_direct_evaluation_prints_what_the_contract_says() -> None:
    assert ENERGY.formula is not None
    assert direct_output(ENERGY, ENERGY.formula, JsonText('"2 3\\n"')) == '"9.000000\\n"'
    assert TRIANGLE.formula is not None
    assert direct_output(TRIANGLE, TRIANGLE.formula, JsonText('"3 4 5\\n"')) == '"1\\n"'
    assert direct_output(TRIANGLE, TRIANGLE.formula, JsonText('"3 4 6\\n"')) == '"0\\n"'
    assert LINEAR.formula is not None
    assert direct_output(LINEAR, LINEAR.formula, JsonText('"3 4\\n"')) is None


SOLVE = [
    problem
    for problem in load_set("formulas-20")
    if problem.formula
    and problem.formula.kind is FormulaKind.EQUATION
    and problem.formula.prompt_class is PromptClass.REASONING
]


@pytest.mark.parametrize("problem", SOLVE, ids=lambda problem: problem.problem_id)
def test_expected_solutions_solve_their_equation(problem: Problem) -> None:
    formula = problem.formula
    assert formula is not None
    relation = parse_relation(formula.text)
    for test in problem.tests:
        values = input_values(formula, test.input)
        root = float(parse_json(test.expected))
        assert canonical_json(f"{root:.6f}\n") == test.expected
        left = evaluate(relation.left, values | {"x": root})
        right = evaluate(relation.right, values | {"x": root})
        # The root is rounded to six digits, which the slope of a side can enlarge.
        assert left == pytest.approx(right, rel=1e-4, abs=1e-3)
