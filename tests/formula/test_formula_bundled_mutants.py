"""Every mutant of the bundled formulas is equivalent, and comes back when it is reduced."""

from __future__ import annotations

import random

import pytest

from codequake.formula import (
    EQUATION_TYPES,
    EXPRESSION_TYPES,
    BundledFormula,
    Form,
    Kind,
    Mode,
    Profile,
    Sampler,
    Strategy,
    Verdict,
    distance,
    format_formula,
    formula_set,
    kind_of,
    parse_assumption,
    profile_of_weights,
    reduce_formula,
    size_of,
)
from codequake.formula.reduction import reduced

PLAIN = [one for one in formula_set() if not one.names.contract]
CONTRACTS = [one for one in formula_set() if one.names.contract]
# These contracts have two arrays or two bound names, and the check tries every small state.
SLOW = ("common-element", "sorted", "duplicate", "largest")
QUICK = [one for one in CONTRACTS if not any(word in one.formula_id for word in SLOW)]


def some_profile(one: BundledFormula) -> Profile:
    """Weights of any kind: some types are worth nothing, some were never measured."""
    equations = kind_of(one.node, one.names) is not Kind.EXPRESSION
    types = EQUATION_TYPES if equations else EXPRESSION_TYPES
    weights = {name: (place * 7 % 11) / 10 for place, name in enumerate(types) if place % 6}
    return profile_of_weights(weights, equations=equations)


def check(one: BundledFormula, mode: Mode, strategy: Strategy, counts: tuple[int, ...]) -> int:
    """Sample ``counts[D - 1]`` mutants at each distance D and look at every one."""
    given = tuple(parse_assumption(text, one.names) for text in one.assumptions if "==" not in text)
    sampler = Sampler(
        one.node,
        assumptions=given,
        mode=mode,
        strategy=strategy,
        profile=some_profile(one),
        names=one.names,
    )
    seen = 0
    for steps, count in enumerate(counts, start=1):
        found = sampler.sample(steps, count, random.Random(steps))
        assert (found.unconfirmed, found.unproved) == (0, 0)
        assert len(found.mutants) == count or found.exhausted
        for mutant in found.mutants:
            answer = mutant.equivalence
            assert (answer.verdict, answer.conditions) == (Verdict.EQUIVALENT, ())
            assert len(mutant.steps) == mutant.distance == steps
            assert mutant.proved is (strategy is not Strategy.NAIVE)
            made = reduced(mutant.formula, mutant.assumptions).result
            assert size_of(made) <= size_of(mutant.formula)
            assert reduced(made, mutant.assumptions).result is made
        seen += len(found.mutants)
    return seen


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("strategy", list(Strategy))
def test_mutants_are_equivalent(mode: Mode, strategy: Strategy) -> None:
    place = 2 * list(Strategy).index(strategy) + list(Mode).index(mode)
    for one in PLAIN[place::8]:
        assert check(one, mode, strategy, (1, 1, 1, 1, 2)) >= 4
    for one in QUICK[place::8]:
        assert check(one, mode, strategy, (0, 1, 0, 0, 1)) == 2


@pytest.mark.quality
@pytest.mark.timeout(0)
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("strategy", list(Strategy))
def test_all_mutants_are_equivalent(mode: Mode, strategy: Strategy) -> None:
    assert sum(check(one, mode, strategy, (20,) * 5) for one in PLAIN) >= 2500
    assert sum(check(one, mode, strategy, (1,) * 5) for one in CONTRACTS) >= 90


def _share_back(count: int, seed: int) -> float:
    back = total = 0
    for one in PLAIN:
        given = tuple(parse_assumption(text, one.names) for text in one.assumptions)
        found = Sampler(one.node, assumptions=given, names=one.names)
        for mutant in found.sample(5, count, random.Random(seed)).mutants:
            made = reduced(mutant.formula, mutant.assumptions).result
            back += size_of(made) <= size_of(one.node)
            total += 1
    return back / total


def test_reduction_brings_nearly_all_mutants_back() -> None:
    assert _share_back(2, 1) >= 0.98


@pytest.mark.quality
@pytest.mark.timeout(0)
def test_reduction_brings_nearly_all_of_many_mutants_back() -> None:
    assert _share_back(40, 2) >= 0.98


@pytest.mark.parametrize("form", list(Form))
def test_reductions_of_mutants_are_confirmed(form: Form) -> None:
    for one in PLAIN[::3]:
        given = tuple(parse_assumption(text, one.names) for text in one.assumptions)
        found = Sampler(one.node, assumptions=given, names=one.names)
        for mutant in found.sample(4, 2, random.Random(4)).mutants:
            made = reduce_formula(mutant.formula, mutant.assumptions, form=form, names=one.names)
            assert made.steps, format_formula(mutant.formula)
            assert made.equivalence is not None
            assert made.equivalence.verdict is Verdict.EQUIVALENT
            again = reduce_formula(made.formula, made.assumptions, form=form, names=one.names)
            assert again.formula is made.formula


def test_mutants_of_a_bundled_formula_can_be_checked_by_anybody() -> None:
    one = PLAIN[0]
    for mutant in Sampler(one.node, names=one.names).sample(5, 3, random.Random(8)).mutants:
        answer = distance(one.node, mutant.formula, 5, names=one.names)
        assert (answer.value, answer.proved) == (5, True)
