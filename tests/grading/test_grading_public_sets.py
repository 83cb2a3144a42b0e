"""Right and empty programs of public sets that are tested by assertions."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from tests.grading.grading_samples import completion

from codequake.grading import GradeItem, Grader, Program, grade_items, grade_programs
from codequake.problems import load_set
from codequake.records import Problem, Status
from codequake.sandbox import BubblewrapBackend

SAMPLE = 25
Known = tuple[Problem, str]


def known_of(name: str, folder: Path) -> list[Known]:
    """The problems of a public set as its loader gives them, each with its own solution."""
    path, count = SETS[name]
    problems = load_set(f"{name}:{folder / path}")
    assert len(problems) == count
    return [(problem, problem.references[0].code) for problem in problems]


SETS = {
    "humaneval": ("humaneval/HumanEval.jsonl.gz", 164),
    "mbpp": ("mbpp/sanitized-mbpp-first150.json", 150),
}


def emptied(code: str, entry_point: str | None) -> str:
    """The same program with an entry point that returns ``None``."""
    tree = ast.parse(code)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            node.body = [ast.Return(ast.Constant(None))]
    return ast.unparse(ast.fix_missing_locations(tree))


def graded(backend: BubblewrapBackend, known: list[Known]) -> list[tuple[str, Status, str]]:
    items = [
        GradeItem(problem, completion(f"```python\n{code}\n```"), None) for problem, code in known
    ]
    verdicts = [verdict for verdict, _ in grade_items(Grader(backend), items, workers=2)]
    return [(verdict.problem_id, verdict.status, verdict.message) for verdict in verdicts]


def check(backend: BubblewrapBackend, known: list[Known]) -> None:
    programs = [Program(problem, code, None) for problem, code in known]
    alone = list(grade_programs(Grader(backend), programs, workers=2))
    assert [item for item in alone if item.status is not Status.PASSED] == []
    assert len(alone) == len(known)
    in_replies = graded(backend, known)
    assert [row for row in in_replies if row[1] is not Status.PASSED] == []
    empty = graded(
        backend, [(problem, emptied(code, problem.entry_point)) for problem, code in known]
    )
    # The test of HumanEval/32 gives the answer to a helper of the program, which fails on it.
    failed = (Status.WRONG_ANSWER, Status.RUNTIME_ERROR)
    assert [row for row in empty if row[1] not in failed] == []


@pytest.mark.parametrize("name", SETS)
def test_a_sample_of_a_public_set(backend: BubblewrapBackend, test_data: Path, name: str) -> None:
    known = known_of(name, test_data)
    check(backend, random.Random(f"codequake {name}").sample(known, SAMPLE))


@pytest.mark.quality
@pytest.mark.parametrize("name", SETS)
def test_a_whole_public_set(backend: BubblewrapBackend, test_data: Path, name: str) -> None:
    check(backend, known_of(name, test_data))
