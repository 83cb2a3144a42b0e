"""From a study's files to what its programs did: everything is there, without asking again."""

from __future__ import annotations

from pathlib import Path

from tests.study.small_study import run_small

from codequake.grading import Grader
from codequake.grading.signatures import signatures_of
from codequake.journal import read_journal
from codequake.metrics.agreement import agreements
from codequake.metrics.behaviour import Behaviour, label_pair
from codequake.metrics.comments import comment_drops
from codequake.metrics.measure_changes import measure_changes, program_values
from codequake.metrics.program_pairs import pairs_of, vector_of
from codequake.records import Planned, Problem, Variant, Verdict
from codequake.sandbox import BubblewrapBackend
from codequake.store import read_parquet
from codequake.study.folder import StudyFolder
from codequake.study.plan import completions_of


def test_programs_of_a_study(tmp_path: Path) -> None:
    run_small(tmp_path / "out", models=("codequake/sim-fragile",), limit=4)
    folder = StudyFolder(tmp_path / "out")
    problems = read_parquet(folder.problems, Problem)
    variants = read_parquet(folder.variants, Variant)
    verdicts = read_parquet(folder.verdicts, Verdict)
    planned = read_parquet(folder.plan, Planned)
    completions = completions_of(planned, read_journal(folder.completions))
    pairs = pairs_of(problems, variants, completions, verdicts)
    assert len(pairs) == sum(item.family != "clean" for item in variants)
    failing = [pair for pair in pairs if pair.changed.passed is False]
    assert failing, "the simulated coder must fail somewhere, or nothing is shown"
    backend = BubblewrapBackend()
    try:
        known = [item for problem in problems for item in signatures_of(Grader(backend), problem)]
    finally:
        backend.kill_all()
    found = [label_pair(pair, known) for pair in failing]
    # When it fails, the simulated coder writes a program that the problem knows to be wrong.
    ran = [item for item in found if item.pair.changed.vector is not None]
    assert ran
    assert {item.first for item in ran} == {Behaviour.KNOWN_MISTAKE}
    rows = agreements(variants, verdicts)
    assert sum(row.unknown for row in rows) == sum(vector_of(item) is None for item in verdicts)
    assert {row.oracle_id for row in rows} == {problem.problem_id for problem in problems}
    values = program_values(pairs)
    for measure, items in values.items():
        for change in measure_changes(measure, items, seed=1):
            assert change.problems + sum(out.count for out in change.left_out) >= len(problems)
    assert comment_drops(pairs)
