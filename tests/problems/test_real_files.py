"""Every file of problems in the test data loads, whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from codequake.grading import SandboxOracle
from codequake.problems import read_set
from codequake.sandbox import open_backend

# name of the set, file -> problems in it
FILES = {
    ("humaneval", "humaneval/HumanEval.jsonl.gz"): 164,
    ("humaneval", "humaneval/example_problem.jsonl"): 1,
    ("humaneval", "fixtures/humaneval_problems.jsonl"): 2,
    ("humaneval", "recode/mbpp_wtest_nominal_first200.jsonl.gz"): 199,
    ("mbpp", "mbpp/sanitized-mbpp-first150.json"): 150,
    ("mbpp", "fixtures/mbpp_original.jsonl"): 1,
    ("mbpp", "fixtures/mbpp_sanitized.json"): 1,
    ("mbpp+challenge", "fixtures/mbpp_original.jsonl"): 1,
    ("evalplus", "fixtures/evalplus_problems.jsonl"): 2,
    ("bigcodebench", "fixtures/bigcodebench_problems.jsonl"): 1,
    ("bigcodebench+instruct", "fixtures/bigcodebench_problems.jsonl"): 1,
    ("lcb", "fixtures/lcb_code_generation_lite.jsonl"): 3,
    ("leetcode-dataset", "fixtures/leetcodedataset.jsonl"): 1,
}


# Lines that are wrong as they were published: file -> line and what is wrong.
WRONG = {
    "recode/mbpp_wtest_nominal_first200.jsonl.gz": (
        64,
        "the prompt with its solution is not Python: expected an indented block after function "
        "definition on line 3 in its line 4",
    )
}


@pytest.mark.parametrize(("name", "file"), FILES)
def test_every_file_of_problems_loads(test_data: Path, name: str, file: str) -> None:
    oracle = SandboxOracle(open_backend("bwrap")) if name == "evalplus" else None
    found = read_set(f"{name}:{test_data}/{file}", oracle)
    wrong = WRONG.get(file)
    assert found.faults == (
        () if wrong is None else (f"{test_data}/{file}:{wrong[0]}: {wrong[1]}",)
    )
    assert len(found.problems) == FILES[name, file]
    assert found.told() == ()
    assert all(problem.licence and problem.source for problem in found.problems)
    closed = {problem.redistributable for problem in found.problems}
    assert closed == {name not in ("lcb", "leetcode-dataset")}
