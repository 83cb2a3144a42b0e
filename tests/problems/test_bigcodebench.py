"""BigCodeBench: read and shown, and never run, since the sandbox has none of its libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codequake.errors import UsageError
from codequake.grading import Grader, SandboxOracle
from codequake.problems import load_set
from codequake.records import Completion, Problem, StopReason
from codequake.sandbox import open_backend
from codequake.study.checking import check_sets
from codequake.study.config import GraderSettings, load_study
from codequake.study.progress import Silent
from codequake.study.regrade import grade_file
from codequake.study.run import make_study_variants, run_study

FILE = "fixtures/bigcodebench_problems.jsonl"
NEEDS = "BigCodeBench's environment for unittest with statistics"


@pytest.fixture
def problem(test_data: Path) -> Problem:
    return load_set(f"bigcodebench:{test_data}/{FILE}")[0]


def test_fixture(test_data: Path, problem: Problem) -> None:
    assert problem.problem_id == "bigcodebench/BigCodeBench/9001"
    assert (problem.entry_point, problem.parameters) == ("task_func", ("values",))
    assert problem.statement.startswith("import statistics\n\ndef task_func(values):")
    assert problem.topics == ("statistics",)
    assert problem.environment == NEEDS
    assert "class TestCases(unittest.TestCase)" in json.loads(problem.tests[0].input)
    (instruct,) = load_set(f"bigcodebench+instruct:{test_data}/{FILE}")
    assert instruct.statement.startswith("Return the median of values")
    assert instruct.problem_id == problem.problem_id


def test_nothing_of_it_runs(problem: Problem) -> None:
    backend = open_backend("bwrap")
    right = problem.references[0].code
    completion = Completion(
        problem.problem_id, "", "m", 0, "k", right, None, "m", StopReason.STOP, None, None, None
    )
    with pytest.raises(UsageError, match=f"cannot be run here: it needs {NEEDS}; allowed"):
        Grader(backend).grade(problem, completion, None)
    oracle = SandboxOracle(backend)
    with pytest.raises(UsageError, match="cannot be run here"):
        oracle.answers(problem, problem.references[0], [problem.tests[0].input])


def test_the_check_says_that_it_checked_nothing(test_data: Path) -> None:
    checked = check_sets((f"bigcodebench:{test_data}/{FILE}",), "bwrap", Silent())
    assert checked.as_text().splitlines() == [
        "0 problems checked, 0 with findings",
        f"  1 not checked: it needs {NEEDS}, which the sandbox does not have",
    ]
    assert not checked.reports[0].executed


def test_grading_and_studies_refuse_before_anything_runs(test_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    name = f"bigcodebench:{test_data}/{FILE}"
    out = tmp_path / "verdicts.jsonl"
    with pytest.raises(UsageError) as caught:
        grade_file(
            test_data / "fixtures/bigcodebench_samples.jsonl",
            name,
            out,
            workers=1,
            settings=GraderSettings(),
            notify=Silent(),
        )
    assert str(caught.value) == (
        f"problem 'bigcodebench/BigCodeBench/9001' cannot be run here: it needs {NEEDS}; "
        "allowed: problems that the sandbox can run"
    )
    assert not out.exists()
    path = tmp_path / "study.toml"
    path.write_text(
        f'problems = ["{name}"]\nmodels = ["codequake/sim"]\n[[perturbations]]\nname = "clean"\n'
    )
    study = load_study(str(path))
    with pytest.raises(UsageError, match="cannot be run here"):
        run_study(study, tmp_path / "study", workers=1, notify=Silent())
    assert not (tmp_path / "study").exists()
    made = make_study_variants(study, tmp_path / "made", Silent())
    assert len(made.variants) == 1
