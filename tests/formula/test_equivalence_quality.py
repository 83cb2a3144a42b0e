"""Mutants and broken mutants in number: none refused, none accepted unless SymPy agrees."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
import sympy
from benchmarks.slips import SCHOOL, slip, to_sympy

from codequake.formula import Assumption, Checker, Node, Op, Verdict, format_formula, mutate, parse
from codequake.formula.nodes import walk

Made = tuple[Node, Node, tuple[Assumption, ...]]


def mutants(count: int, rng: random.Random) -> Iterator[Made]:
    """The formulas with ``count`` mutants each at distances 1 to 5."""
    for text in SCHOOL:
        formula = parse(text)
        for distance in range(1, 6):
            for mutant in mutate(formula, distance, count, rng).mutants:
                yield formula, mutant.formula, mutant.assumptions


def sympy_agrees(first: Node, second: Node) -> bool:
    """SymPy's word: equal values, or sides whose ratio is a product of powers of coefficients."""
    one, two = to_sympy(first, real=True), to_sympy(second, real=True)
    if first.op is not Op.EQUATION:
        return bool(sympy.simplify(one - two) == 0)
    if sympy.simplify(one) == 0 or sympy.simplify(two) == 0:
        return bool(sympy.simplify(one) == sympy.simplify(two))
    ratio = sympy.simplify(two / one)
    factors = sympy.factor_list(ratio.as_numer_denom()[0])[1]
    factors += sympy.factor_list(ratio.as_numer_denom()[1])[1]
    return all(factor.is_Symbol and factor.name not in "xyz" for factor, _ in factors)


def sympy_agrees_but_for_coefficients(first: Node, second: Node) -> bool:
    """SymPy's word where conditions are given: a ratio without a variable or a function."""
    if first.op is not Op.EQUATION:
        return sympy_agrees(first, second)
    ratio = sympy.simplify(to_sympy(second, real=True) / to_sympy(first, real=True))
    names = {name.name for name in ratio.free_symbols}
    return ratio != 0 and not names & set("xyz") and not ratio.atoms(sympy.Function)


def check_all(made: Iterator[Made], *, broken: random.Random | None) -> Counter[str]:
    """The verdicts; an accepted broken mutant is shown to SymPy."""
    found: Counter[str] = Counter()
    checkers: dict[Node, Checker] = {}
    for formula, mutant, given in made:
        checker = checkers.setdefault(formula, Checker(formula))
        second = mutant if broken is None else slip(mutant, broken)
        answer = checker.check(second, given, referee_seconds=0)
        found[answer.verdict.value] += 1
        if broken is None:
            shown = format_formula(second)
            assert answer.verdict is Verdict.EQUIVALENT, f"{format_formula(formula)} | {shown}"
            assert answer.conditions == (), shown
        elif answer.verdict is Verdict.EQUIVALENT and not answer.conditions:
            assert sympy_agrees(formula, second), (format_formula(formula), format_formula(second))
            found["agreed"] += 1
        elif answer.verdict is Verdict.EQUIVALENT:
            # More is demanded than was given, which the answer says.
            assert sympy_agrees_but_for_coefficients(formula, second), format_formula(second)
            found["conditional"] += 1
    return found


def test_a_sample_of_mutants_is_accepted() -> None:
    assert check_all(mutants(3, random.Random(1)), broken=None)["equivalent"] >= 150


def test_a_sample_of_broken_mutants_is_not_accepted() -> None:
    found = check_all(mutants(2, random.Random(2)), broken=random.Random(3))
    assert found["different"] >= 80


@pytest.mark.quality
def test_twelve_hundred_mutants_are_accepted() -> None:
    assert check_all(mutants(20, random.Random(7)), broken=None)["equivalent"] == 1_200


@pytest.mark.quality
def test_of_twelve_hundred_broken_mutants_none_is_accepted_alone() -> None:
    found = check_all(mutants(20, random.Random(8)), broken=random.Random(9))
    assert found["different"] + found["equivalent"] + found["unknown"] == 1_200
    assert found["different"] >= 1_000
    assert found["equivalent"] == found["agreed"] + found["conditional"]
    assert found["conditional"] <= 60


def test_a_slip_changes_the_formula() -> None:
    rng = random.Random(4)
    for text in SCHOOL:
        formula = parse(text)
        for _ in range(20):
            changed = slip(formula, rng)
            assert changed is not formula
            assert sum(1 for _ in walk(changed)) <= sum(1 for _ in walk(formula)) + 1
