"""A study whose variants are judged by problems of their own: negated and redrawn ones."""

from __future__ import annotations

import json
from pathlib import Path

from tests.study.small_study import results, small_study

from codequake.problems import whole_set
from codequake.records import Estimate, Problem, Status, TaskKind, Variant, Verdict
from codequake.store import read_parquet
from codequake.study.dry_run import count_study
from codequake.study.merging import merge_studies
from codequake.study.progress import Silent
from codequake.study.regrade import regrade_study
from codequake.study.run import run_study

BEHAVIOUR = """
description = "Solves everything but negations."

[accuracy]
default = 1.0

[accuracy.families]
hard_negation = 0.0
"""
STUDY = """
seed = 5
problems = ["quake-100?id=count-seniors,vowel-lines"]
models = ["codequake/sim"]
[[perturbations]]
name = "clean"
[[perturbations]]
name = "hard_negation"
[[perturbations]]
name = "example_perturbation"
[[perturbations]]
name = "numeric_perturbation"
kind = "constants"
[[models]]
"""


def study_text(tmp_path: Path) -> str:
    behaviour = tmp_path / "coder.toml"
    behaviour.write_text(BEHAVIOUR, "utf-8")
    text = STUDY.replace('models = ["codequake/sim"]\n', "")
    return (
        text + f'name = "coder"\nmodel = "codequake/sim"\nargs = {{ behaviour = "{behaviour}" }}\n'
    )


def test_each_variant_is_judged_by_its_oracle(tmp_path: Path) -> None:
    study = small_study(study_text(tmp_path))
    out = tmp_path / "study"
    result = run_study(study, out, workers=2, notify=Silent())
    variants = {item.variant_id: item for item in read_parquet(out / "variants.parquet", Variant)}
    oracles = {item.problem_id: item for item in read_parquet(out / "oracles.parquet", Problem)}
    problems = read_parquet(out / "problems.parquet", Problem)
    assert {item.problem_id for item in problems}.isdisjoint(oracles)
    assert {item.task for item in variants.values()} == set(TaskKind)
    families = {item.family for item in variants.values()}
    assert families == {
        "clean",
        "hard_negation",
        "example_perturbation",
        "numeric_perturbation/constants",
    }
    for item in variants.values():
        assert item.gated, item.checks
        assert (item.oracle_id in oracles) == (item.family != "clean")
        assert item.contrast_id is None or item.contrast_id in oracles
    statuses: dict[str, set[Status]] = {}
    for verdict in read_parquet(out / "verdicts.parquet", Verdict):
        family = variants[verdict.variant_id].family
        statuses.setdefault(family, set()).add(verdict.status)
        judge = oracles.get(variants[verdict.variant_id].oracle_id)
        assert judge is None or len(verdict.tests) == len(judge.tests)
    assert statuses["hard_negation"] == {Status.WRONG_ANSWER}
    assert all(
        found == {Status.PASSED} for name, found in statuses.items() if name != "hard_negation"
    )
    compared = {
        item.family
        for item in read_parquet(out / "estimates.parquet", Estimate)
        if item.metric == "delta_to_clean"
    }
    assert compared == {"example_perturbation"}
    assert result.pending == 0
    report = json.loads((out / "report" / "report.json").read_text("utf-8"))
    assert report["counts"]["problems"] == 2


def test_it_resumes_regrades_merges_and_repeats(tmp_path: Path) -> None:
    study = small_study(study_text(tmp_path))
    one, two = tmp_path / "one", tmp_path / "two"
    for out in (one, two):
        run_study(study, out, workers=2, notify=Silent())
    first = results(one)
    assert first == results(two)
    assert run_study(study, one, workers=1, notify=Silent()).asked == 0
    assert results(one) == first
    again = regrade_study(one, workers=2, notify=Silent())
    assert again.changed == ()
    merge_studies(one, two, tmp_path / "both", workers=2, notify=Silent())
    assert results(tmp_path / "both") == first
    assert (tmp_path / "both" / "oracles.parquet").read_bytes() == (
        one / "oracles.parquet"
    ).read_bytes()


def test_a_dry_run_counts_what_has_to_be_drawn(tmp_path: Path) -> None:
    study = small_study(study_text(tmp_path))
    count = count_study(study, Silent())
    made = run_study(study, tmp_path / "study", workers=2, notify=Silent())
    assert count.completions == made.planned
    assert count.variants == len(read_parquet(tmp_path / "study" / "variants.parquet", Variant))


def test_versions_belong_to_the_problems_of_the_study(tmp_path: Path) -> None:
    run_study(small_study(study_text(tmp_path)), tmp_path / "study", workers=2, notify=Silent())
    kept = read_parquet(tmp_path / "study" / "versions.parquet", Problem)
    wanted = {"quake-100/count-seniors", "quake-100/vowel-lines"}
    assert {item.change.original_id for item in kept if item.change} == wanted
    assert len(whole_set("quake-100").changed) > len(kept)
