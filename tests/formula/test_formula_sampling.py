"""Modes, strategies, profiles, other names: which mutants are drawn, and what is said of them."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter

import pytest
from tests.running import command_environment

from codequake.errors import UsageError
from codequake.formula import (
    EQUATION_TYPES,
    EXPRESSION_TYPES,
    Kind,
    MeasuredPrompt,
    Mode,
    Sampler,
    Strategy,
    Verdict,
    distance,
    equivalent,
    format_assumption,
    format_formula,
    free_names,
    kind_of,
    mutate,
    neighbours,
    parse,
    parse_names,
    profile,
    profile_of_weights,
)


def texts(formula: str, steps: int, count: int, **options: object) -> list[str]:
    found = mutate(parse(formula), steps, count, random.Random(0), **options)  # type: ignore[arg-type]
    return [format_formula(mutant.formula) for mutant in found.mutants]


def test_paper_mode_has_one_mutant_of_each_type() -> None:
    found = mutate(parse("a*x+b=0"), 1, 50, random.Random(0), mode=Mode.PAPER, free=("y", "z"))
    types = [mutant.steps[0].type for mutant in found.mutants]
    assert sorted(types) == sorted(set(types))
    assert found.exhausted
    assert found.inapplicable == ("M6", "M13", "M17", "M18")
    assert len(types) + len(found.inapplicable) == 18
    assert {mutant.steps[0].constant for mutant in found.mutants} == {None, "2"}


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        # The sizes that the design measured with a program of its own.
        ("a*x+b=0", (15, 183)),
        ("9.8*a*b/d^2", (9, 70)),
    ],
)
def test_paper_mode_spaces_have_the_known_sizes(text: str, sizes: tuple[int, ...]) -> None:
    sampler = Sampler(parse(text), mode=Mode.PAPER, free=("x", "y", "z"))
    for steps, size in enumerate(sizes, start=1):
        found = sampler.sample(steps, 500, random.Random(steps))
        assert (len(found.mutants), found.exhausted) == (size, True)


def test_paper_mode_distances_are_those_of_paper_mode() -> None:
    for mutant in mutate(parse("a*x+b=0"), 4, 10, random.Random(3), mode=Mode.PAPER).mutants:
        answer = distance(parse("a*x+b=0"), mutant.formula, 4, mode=Mode.PAPER)
        assert (answer.value, answer.proved) == (4, True)


def test_what_exists_is_returned_and_the_space_is_said_to_be_exhausted() -> None:
    only = profile_of_weights({"M9": 1.0}, equations=False)
    options = {"strategy": Strategy.TOP_K, "profile": only}
    assert texts("a+b", 1, 20, **options) == ["b+a"]
    two = mutate(parse("a+b"), 2, 20, random.Random(0), strategy=Strategy.TOP_K, profile=only)
    assert (two.mutants, two.exhausted, two.unproved) == ((), True, 0)
    three = mutate(parse("a+b+c"), 2, 20, random.Random(0), strategy=Strategy.TOP_K, profile=only)
    assert sorted(format_formula(one.formula) for one in three.mutants) == ["c+(b+a)"]
    assert three.exhausted


def test_exactly_as_many_as_exist_is_exhausted_too() -> None:
    assert mutate(parse("x"), 1, 7, random.Random(0)).exhausted
    assert not mutate(parse("x"), 1, 6, random.Random(0)).exhausted


def test_naive_walks_prove_nothing() -> None:
    formula = parse("a*x+b=0")
    found = mutate(formula, 4, 120, random.Random(1), strategy=Strategy.NAIVE)
    assert not any(mutant.proved for mutant in found.mutants)
    assert all(len(mutant.steps) == mutant.distance == 4 for mutant in found.mutants)
    true = Counter(distance(formula, mutant.formula, 4).value for mutant in found.mutants)
    assert true[4] > 80
    assert true[4] < len(found.mutants), "some naive walks end closer than they are long"


def test_weights_decide_how_often_a_type_is_drawn() -> None:
    weights = dict.fromkeys(EXPRESSION_TYPES, 0.0) | {"M11": 0.3, "M12": 0.1, "M15": -0.5}
    found = profile_of_weights(weights, equations=False)
    sampler = Sampler(parse("a*x+b/(c-d)"), strategy=Strategy.WEIGHTED, profile=found)
    drawn = Counter(
        mutant.steps[0].type
        for seed in range(60)
        for mutant in sampler.sample(2, 5, random.Random(seed)).mutants
    )
    assert set(drawn) == {"M11", "M12"}
    assert 0.65 < drawn["M11"] / drawn.total() < 0.85


def test_an_unmeasured_type_is_never_drawn_and_is_not_zero() -> None:
    found = profile_of_weights({"M11": 0.3, "M12": 0.0, "M16": None}, equations=False, k=12)
    assert dict(found.weights)["M12"] == 0.0
    assert dict(found.weights)["M16"] is None
    assert found.top == ("M11", "M12")
    assert set(found.unmeasured) == set(EXPRESSION_TYPES) - {"M11", "M12"}


def test_profiling_is_the_mean_loss() -> None:
    prompts = [
        MeasuredPrompt(1.0, {"M1": 0.5, "M9": 1.0, "M11": 0.8}),
        MeasuredPrompt(0.8, {"M1": 0.6, "M9": 0.9}),
    ]
    found = profile(prompts, equations=True)
    weights = dict(found.weights)
    assert weights["M1"] == pytest.approx(0.35)
    assert weights["M9"] == pytest.approx(-0.05)
    assert weights["M11"] == pytest.approx(0.2)
    assert weights["M2"] is None
    assert found.top == ("M1", "M11", "M9")
    printed = dict(profile(prompts, equations=True, divide_by_types=True).weights)
    assert printed["M1"] == pytest.approx(0.7 / 18)
    assert printed["M11"] == pytest.approx(0.2 / 18)


def test_half_of_the_types_are_the_top_and_ties_go_by_the_catalogue() -> None:
    for types, half in ((EQUATION_TYPES, 9), (EXPRESSION_TYPES, 6)):
        equations = types is EQUATION_TYPES
        tied = profile_of_weights(dict.fromkeys(types, 0.25), equations=equations)
        assert tied.top == types[:half]
    ranked = profile_of_weights({"M1": 0.1, "M2": 0.3, "M3": 0.1, "M4": 0.2}, equations=True, k=3)
    assert ranked.top == ("M2", "M4", "M1")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: profile_of_weights({"M0": 1.0}, equations=True), "'M0' is unknown; allowed: M1"),
        (lambda: profile_of_weights({"M1": 1.0}, equations=False), "'M1' is unknown"),
        (lambda: profile_of_weights({}, equations=True, k=19), "k is 19; allowed: 1 to 18"),
        (lambda: profile_of_weights({"M1": float("nan")}, equations=True), "weight of M1 is nan"),
        (lambda: profile([MeasuredPrompt(1.5, {})], equations=True), "1.5; allowed: 0 to 1"),
        (lambda: profile([MeasuredPrompt(1, {"M1": -1})], equations=True), "-1; allowed: 0 to 1"),
        (lambda: texts("a", 1, 1, strategy=Strategy.TOP_K), "needs the weights of a profile"),
        (
            lambda: texts(
                "a",
                1,
                1,
                strategy=Strategy.WEIGHTED,
                profile=profile_of_weights({"M9": -1.0}, equations=False),
            ),
            "can draw no type",
        ),
    ],
)
def test_wrong_use(call: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()  # type: ignore[operator]


def test_only_names_that_the_prompt_does_not_mention_are_renamed() -> None:
    formula = parse("a*x+b=0")
    assert free_names(formula, "Find the unknown.", ("x", "y", "z")) == ("x", "y", "z")
    assert free_names(formula, "Print y; x_1 is no x1.", ("x", "y", "z")) == ("x", "z")
    assert free_names(formula, "Solve for x.", ("x",)) == ()
    assert free_names(formula, "", ("a", "sin", "e")) == ("e", "x")
    # Without a text nothing is renamed: nobody knows what it mentions.
    assert all(
        step.renamed is None
        for mutant in mutate(formula, 2, 60, random.Random(0)).mutants
        for step in mutant.steps
    )


def test_a_renamed_mutant_is_checked_under_its_names() -> None:
    formula = parse("y'(x)=a*y(x)+b")
    names = free_names(formula, "Find the function.", ("x", "y", "z"))
    only = profile_of_weights({"M13": 1.0, "M5": 1.0}, equations=True)
    found = mutate(
        formula, 3, 30, random.Random(0), free=names, strategy=Strategy.TOP_K, profile=only
    )
    seen = {format_formula(one.formula): dict(one.renamed) for one in found.mutants}
    assert seen["x'(y)=a*x(y)+b"] == {"x": "y", "y": "x"}
    assert seen["a*z(y)+b=z'(y)"] == {"x": "y", "y": "z"}
    assert all(one.equivalence.verdict is Verdict.EQUIVALENT for one in found.mutants)


def test_inequalities_are_turned_round_and_scaled_by_numbers_only() -> None:
    moves = {(move.rule.type, format_formula(move.result)) for move in neighbours(parse("a*x<b+1"))}
    assert ("M5", "b+1>a*x") in moves
    assert ("M8", "-(a*x)>-(b+1)") in moves or ("M8", "-a*x>-(b+1)") in moves
    assert ("M2", "a*x*2<(b+1)*2") in moves
    assert ("M3", "a*x+a<b+1+a") in moves
    assert not any(kind in ("M1", "M2") and "*a<" in text for kind, text in moves)
    for mutant in mutate(parse("a*x>=b"), 3, 20, random.Random(5)).mutants:
        assert mutant.distance == 3


def test_contracts_are_changed_by_rules_for_integers() -> None:
    names = parse_names("sequences:a,b integers:n,m")
    contract = parse("forall i, j :: 0<=i<n && 0<=j<m ==> a[i]!=b[j]", names)
    assert kind_of(contract) is Kind.CONTRACT
    moves = neighbours(contract)
    types = {move.rule.type for move in moves}
    assert types == {"M2", "M3", "M4", "M5", "M6", "M8", "M11", "M12", "M14"}
    shown = {format_formula(move.result) for move in moves}
    assert "forall i, j :: 0<=i<n && 0<=j<m ==> a[i]+2!=b[j]+2" in shown
    assert "forall i, j :: 0<=i<n && 0<=j<m ==> a[i]*n!=b[j]*n" not in shown
    assert all("forall i, j ::" in text and "==>" in text for text in shown)
    row = parse("a[n][m]==m", names)
    assert not any("(a[n]" in format_formula(move.result) for move in neighbours(row))
    # Integer names alone make a contract, which only the caller can know.
    plain = parse("n==m*2", names)
    assert "M1" in {move.rule.type for move in neighbours(plain)}
    assert "M1" not in {move.rule.type for move in neighbours(plain, names=names)}
    found = mutate(plain, 2, 5, random.Random(0), names=names)
    assert all("==" in step.text for mutant in found.mutants for step in mutant.steps)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("strategy", list(Strategy))
def test_mutants_of_every_strategy_are_equivalent(mode: Mode, strategy: Strategy) -> None:
    for text in ("a*x^2-b=c", "9.8*a/(b-d)^2"):
        formula = parse(text)
        equations = kind_of(formula) is Kind.EQUATION
        types = EQUATION_TYPES if equations else EXPRESSION_TYPES
        weights = {name: 1.0 / (1 + place) for place, name in enumerate(types)}
        found = profile_of_weights(weights, equations=equations)
        for steps in (1, 3):
            made = mutate(
                formula, steps, 5, random.Random(1), mode=mode, strategy=strategy, profile=found
            )
            assert made.mutants
            for mutant in made.mutants:
                answer = equivalent(formula, mutant.formula, mutant.assumptions)
                assert (answer.verdict, answer.conditions) == (Verdict.EQUIVALENT, ())
                drawn = {step.type for step in mutant.steps}
                assert strategy is not Strategy.TOP_K or drawn <= set(found.top)


def test_strict_paper_mode_needs_no_assumption() -> None:
    for mutant in mutate(parse("a*x=b"), 5, 20, random.Random(2), mode=Mode.PAPER).mutants:
        assert [format_assumption(one) for one in mutant.assumptions] == []


def test_draws_do_not_depend_on_the_seed_of_hashes() -> None:
    script = (
        "import random; from codequake.formula import *\n"
        "for text in ('a*x^2+b*x+c=0', '(a+b)/(c-d)'):\n"
        "    for mode in Mode:\n"
        "        found = mutate(parse(text), 3, 4, random.Random(9), mode=mode)\n"
        "        print([format_formula(one.formula) for one in found.mutants])\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**command_environment(), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(runs) == 1
    assert len(runs.pop().splitlines()) == 4
