"""Families whose variants are judged by a problem of their own: redrawn and negated ones."""

from __future__ import annotations

import pytest
from tests.perturb.test_perturb_making import spec
from tests.problems.trusted_oracle import TrustedOracle

from codequake.canonical import parse_json
from codequake.perturb import VariantBatch, make_variants
from codequake.problems import DISCRIMINATING, whole_set
from codequake.records import Problem, TaskKind

QUAKE = whole_set("quake-100")
ORACLE = TrustedOracle()
PROBLEMS = {problem.problem_id: problem for problem in QUAKE.problems}
SENIORS = PROBLEMS["quake-100/count-seniors"]
VOWELS = PROBLEMS["quake-100/vowel-lines"]


def made(problem: Problem, family: str, count: int = 1, **arguments: object) -> VariantBatch:
    asked = [spec(family, count, **arguments)]
    return make_variants(problem, asked, seed=5, oracle=ORACLE, versions=QUAKE.changed)


@pytest.mark.parametrize("family", ["hard_negation", "soft_negation"])
@pytest.mark.parametrize("problem", [SENIORS, VOWELS], ids=lambda item: item.problem_id)
def test_a_negation_has_its_own_answers_and_those_of_the_original(
    problem: Problem, family: str
) -> None:
    found = made(problem, family)
    if not any(
        one.change and one.change.original_id == problem.problem_id and one.change.kind == family
        for one in QUAKE.changed
    ):
        assert found.variants == ()
        assert "no version of it" in found.skipped[0].reason
        return
    (variant,) = found.variants
    oracles = {one.problem_id: one for one in found.oracles}
    judge, contrast = oracles[variant.oracle_id], oracles[str(variant.contrast_id)]
    assert variant.gated
    assert variant.task is TaskKind.CHANGED
    assert variant.problem_id == problem.problem_id != variant.oracle_id
    assert variant.text == judge.statement != problem.statement
    new = {test.input: test.expected for test in judge.tests}
    assert len(contrast.tests) >= DISCRIMINATING
    old = ORACLE.answers(problem, problem.references[0], [test.input for test in contrast.tests])
    for test, answer in zip(contrast.tests, old, strict=True):
        assert test.expected == answer.output != new[test.input]
        assert not test.visible
    told = {check.name: check.detail for check in variant.checks}
    assert told["discriminating"].startswith(f"{len(contrast.tests)} hidden tests")


def test_versions_of_other_problems_are_passed_over() -> None:
    others = [one for one in QUAKE.changed if one.change.original_id != SENIORS.problem_id]
    asked = [spec("hard_negation")]
    found = make_variants(SENIORS, asked, seed=5, oracle=ORACLE, versions=others)
    assert found.variants == ()


@pytest.mark.parametrize("problem", [SENIORS, VOWELS], ids=lambda item: item.problem_id)
def test_other_examples_keep_the_task_and_its_answers(problem: Problem) -> None:
    found = made(problem, "example_perturbation", 2)
    assert len({variant.text for variant in found.variants}) == 2
    oracles = {one.problem_id: one for one in found.oracles}
    clean = {test.input for test in problem.tests if test.visible}
    for variant in found.variants:
        judge = oracles[variant.oracle_id]
        assert variant.gated, variant.checks
        assert (variant.task, variant.contrast_id) == (TaskKind.KEPT, None)
        assert judge.references == problem.references
        shown = [test.input for test in judge.tests if test.visible]
        assert len(shown) == len(clean)
        assert not clean & set(shown)
        assert set(variant.shown_tests or ()) >= set(range(len(shown)))
        start = variant.text.index("Examples:")
        assert variant.text[:start] == problem.statement[: problem.statement.index("Examples:")]


def test_other_bounds_keep_the_answers_and_other_constants_change_them() -> None:
    (bounds,) = made(SENIORS, "numeric_perturbation").variants
    found = made(SENIORS, "numeric_perturbation", kind="constants")
    (constants,) = found.variants
    assert (bounds.family, bounds.task) == ("numeric_perturbation/bounds", TaskKind.KEPT)
    assert bounds.gated
    assert bounds.contrast_id is None
    assert "`0 <= len(details) <= 100`" not in bounds.text
    assert constants.family == "numeric_perturbation/constants"
    assert constants.task is TaskKind.CHANGED
    assert constants.gated
    assert "older than 60 years" not in constants.text
    assert {one.problem_id for one in found.oracles} == {
        constants.oracle_id,
        constants.contrast_id,
    }


def test_equal_draws_have_equal_oracles_and_other_seeds_others() -> None:
    first, again = (made(SENIORS, "example_perturbation", 2) for _ in range(2))
    assert first == again
    asked = [spec("example_perturbation")]
    other = make_variants(SENIORS, asked, seed=6, oracle=ORACLE)
    assert {one.problem_id for one in other.oracles}.isdisjoint(
        one.problem_id for one in first.oracles
    )
    drawn = parse_json(first.variants[1].chain[1].arguments)
    assert drawn == {"index": 1, "kind": "examples"}


def test_without_a_sandbox_nothing_is_drawn_and_no_contrast_is_claimed() -> None:
    asked = [spec("example_perturbation"), spec("hard_negation")]
    found = make_variants(SENIORS, asked, seed=5, oracle=None, versions=QUAKE.changed)
    assert [item.perturbation for item in found.skipped] == ["example_perturbation"]
    assert "takes a sandbox" in found.skipped[0].reason
    (variant,) = found.variants
    assert not variant.gated
    assert variant.contrast_id is None
