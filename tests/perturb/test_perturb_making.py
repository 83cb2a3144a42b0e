"""Variants as records: identity, order, reproducibility, and what is skipped."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from tests.perturb.small_problems import COUNT, SOLVE, KnownAnswers

from codequake.canonical import canonical_json, content_key, parse_json
from codequake.errors import DataError, UnknownNameError, UsageError
from codequake.perturb import (
    PERTURBATIONS,
    Draft,
    PerturbationSpec,
    Request,
    VariantBatch,
    make_variants,
)
from codequake.perturb.spec import Perturbation
from codequake.records import JsonText, Problem, Step, TaskKind


def spec(name: str, count: int = 1, **arguments: object) -> PerturbationSpec:
    return PerturbationSpec(name, JsonText(canonical_json(arguments)), count)


ALL = (
    spec("clean"),
    spec("repeat"),
    spec("storytelling", 3),
    spec("distracting_constraints", 3),
    spec("formula", 3, distance=1),
    spec("formula", 3, distance=3),
    spec("reduced", 3, of={"distance": 1}),
    spec("reduced", 3, of={"distance": 3}),
)


def batch(problem: Problem, *specs: PerturbationSpec, seed: int = 1) -> VariantBatch:
    return make_variants(problem, specs, seed=seed, oracle=KnownAnswers())


@pytest.mark.parametrize("problem", [COUNT, SOLVE], ids=lambda problem: problem.problem_id)
@pytest.mark.parametrize("seed", range(6))
def test_every_variant_passes_the_gate(problem: Problem, seed: int) -> None:
    made = batch(problem, *ALL, seed=seed)
    assert made.variants
    for variant in made.variants:
        assert variant.gated, [check for check in variant.checks if not check.passed]
        assert variant.checks
        assert any(check.name == "examples_run" for check in variant.checks)
        assert variant.task is TaskKind.KEPT
        assert variant.oracle_id == variant.problem_id == problem.problem_id
        assert variant.entry_point == problem.entry_point
        assert variant.seed == seed
    ids = [variant.variant_id for variant in made.variants]
    assert len(set(ids)) == len(ids)


def test_the_identity_is_that_of_the_records() -> None:
    for variant in batch(SOLVE, *ALL, seed=4).variants:
        chain = [[step.name, step.arguments] for step in variant.chain]
        fields = [variant.problem_id, chain, variant.seed, variant.text]
        assert variant.variant_id == content_key(fields, length=16)
        for step in variant.chain:
            assert canonical_json(parse_json(step.arguments)) == step.arguments


def test_equal_arguments_give_equal_variants_whatever_else_is_asked() -> None:
    together = batch(COUNT, *ALL).variants
    alone = batch(COUNT, spec("storytelling", 3)).variants
    assert alone == tuple(one for one in together if one.family == "storytelling")
    assert batch(COUNT, spec("storytelling", 1)).variants == alone[:1]
    assert (
        batch(SOLVE, spec("formula", 1, distance=3)).variants
        == (batch(SOLVE, spec("formula", 5, distance=3)).variants[:1])
    )


def test_seeds_give_different_variants() -> None:
    for name in ("storytelling", "distracting_constraints"):
        texts = {
            variant.text
            for seed in range(20)
            for variant in batch(COUNT, spec(name, 5), seed=seed).variants
        }
        assert len(texts) == 100


def test_clean_and_repeat_are_the_prompt_itself() -> None:
    clean, repeat = batch(SOLVE, spec("clean"), spec("repeat")).variants
    assert clean.text == repeat.text == SOLVE.statement
    assert clean.variant_id != repeat.variant_id
    assert (clean.formula, clean.distance, clean.distance_proved) == ("a*x+b=0", 0, True)
    assert batch(COUNT, spec("clean")).variants[0].distance is None


def test_what_does_not_apply_is_skipped_with_its_reason() -> None:
    bare = dataclasses.replace(COUNT, structure=None)
    reasons = {skipped.perturbation: skipped.reason for skipped in batch(bare, *ALL).skipped}
    assert reasons == {
        "storytelling": "the problem has no structured statement",
        "distracting_constraints": "the problem has no structured statement",
        "formula": "the problem has no formula",
        "reduced": "the problem has no formula",
    }
    assert [one.family for one in batch(bare, *ALL).variants] == ["clean", "repeat"]


def test_a_story_needs_another_world() -> None:
    (skipped,) = batch(SOLVE, spec("storytelling")).skipped
    assert skipped.reason == "the statement names no other world to tell it in"


def test_fewer_variants_than_asked_for_are_reported() -> None:
    assert SOLVE.formula is not None
    assert SOLVE.structure is not None
    text = SOLVE.statement.replace("a*x+b=0", "a")
    tiny = dataclasses.replace(
        SOLVE,
        statement=text,
        structure=None,
        formula=dataclasses.replace(SOLVE.formula, text="solves a", assumptions=()),
    )
    (skipped,) = batch(tiny, spec("formula", 2, distance=1)).skipped
    assert skipped.reason.startswith("the formula cannot be read")
    small = dataclasses.replace(
        SOLVE,
        statement="Print 7*7 please.",
        structure=None,
        formula=dataclasses.replace(SOLVE.formula, text="7*7", assumptions=()),
    )
    made = batch(small, spec("formula", 500, distance=1))
    assert 5 < len(made.variants) < 500
    assert made.skipped[0].reason.startswith(f"only {len(made.variants)} of 500 variants")
    assert len({variant.text for variant in made.variants}) == len(made.variants)


def test_a_perturbation_that_changes_nothing_is_a_no_op() -> None:
    def idle(problem: Problem, request: Request) -> Iterator[Draft]:
        while True:
            yield Draft(problem.statement, (Step("idle", JsonText("{}")),))

    PERTURBATIONS.add("idle-for-a-test")(
        Perturbation("idle-for-a-test", TaskKind.KEPT, idle, may_repeat=False)
    )
    made = batch(COUNT, spec("idle-for-a-test"))
    assert made.variants == ()
    assert made.skipped[0].reason == "no-op: no draft changes the prompt"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (spec("clean", 0), "allowed: 1 or more"),
        (spec("clean", 2), "allowed: 1"),
        (spec("clean", distance=1), "has no argument 'distance'"),
        (spec("formula"), "argument distance"),
        (spec("formula", distance=0), "allowed: 1 to 12"),
        (spec("formula", distance=13), "allowed: 1 to 12"),
        (spec("formula", distance=True), "allowed: 1 to 12"),
        (spec("formula", distance="1"), "allowed: 1 to 12"),
        (spec("reduced"), "allowed: an object"),
        (spec("reduced", of={"distance": 99}), "allowed: 1 to 12"),
        (spec("distracting_constraints", kind="narrowing"), "allowed: 'inert'"),
        (spec("storytelling", style="noir"), "has no argument 'style'"),
        (PerturbationSpec("clean", JsonText('{ "a":1}')), "allowed: canonical JSON object"),
        (PerturbationSpec("clean", JsonText("[]")), "allowed: canonical JSON object"),
    ],
)
def test_wrong_arguments_are_refused(bad: PerturbationSpec, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        batch(SOLVE if bad.name in ("formula", "reduced") else COUNT, bad)


def test_other_wrong_use() -> None:
    with pytest.raises(UnknownNameError, match="storytelling"):
        batch(COUNT, spec("story_telling"))
    with pytest.raises(UsageError, match="stands twice"):
        batch(COUNT, spec("clean"), spec("clean"))
    with pytest.raises(DataError, match="not JSON"):
        batch(COUNT, PerturbationSpec("clean", JsonText("{")))


def test_each_example_is_run_once_for_a_problem() -> None:
    oracle = KnownAnswers()
    made = make_variants(COUNT, ALL, seed=1, oracle=oracle)
    assert len(made.variants) == 8
    assert oracle.asked == 2


def test_without_an_oracle_nothing_is_said_to_have_run() -> None:
    for variant in make_variants(COUNT, ALL, seed=1, oracle=None).variants:
        names = [check.name for check in variant.checks]
        assert "examples" in names
        assert "examples_run" not in names


def test_the_built_in_families() -> None:
    built_in = {"clean", "repeat", "storytelling", "distracting_constraints", "formula", "reduced"}
    assert built_in <= set(PERTURBATIONS)
