"""Right and empty programs of public sets that are tested by assertions."""

from __future__ import annotations

import ast
import dataclasses
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.grading.grading_samples import ADD, completion

from codequake.canonical import canonical_json
from codequake.grading import GradeItem, Grader, grade_items
from codequake.records import JsonText, Problem, Status, Test
from codequake.sandbox import BubblewrapBackend

SAMPLE = 25
Known = tuple[Problem, str]


def by_assertions(name: str, entry_point: str, setup: str, statements: list[str]) -> Problem:
    return dataclasses.replace(
        ADD,
        problem_id=name,
        entry_point=entry_point,
        assertions=setup,
        tests=tuple(
            Test(JsonText(canonical_json(text)), JsonText("null"), visible=False)
            for text in statements
        ),
    )


def humaneval(folder: Path) -> Iterator[Known]:
    with gzip.open(folder / "humaneval" / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            checks = ["check(candidate)"]
            problem = by_assertions(row["task_id"], row["entry_point"], row["test"], checks)
            yield problem, row["prompt"] + row["canonical_solution"]


def mbpp(folder: Path) -> Iterator[Known]:
    text = (folder / "mbpp" / "sanitized-mbpp-first150.json").read_text("utf-8")
    for row in json.loads(text):
        tests = row["test_list"]
        defined = [node.name for node in ast.parse(row["code"]).body if hasattr(node, "name")]
        called = [name for name in defined if re.search(rf"\b{name}\s*\(", tests[0])]
        setup = "\n".join(row["test_imports"])
        yield by_assertions(f"mbpp/{row['task_id']}", called[-1], setup, tests), row["code"]


SETS = {"humaneval": (humaneval, 164), "mbpp": (mbpp, 150)}


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
    right = graded(backend, known)
    assert [row for row in right if row[1] is not Status.PASSED] == []
    empty = graded(
        backend, [(problem, emptied(code, problem.entry_point)) for problem, code in known]
    )
    # The test of HumanEval/32 gives the answer to a helper of the program, which fails on it.
    failed = (Status.WRONG_ANSWER, Status.RUNTIME_ERROR)
    assert [row for row in empty if row[1] not in failed] == []


@pytest.mark.parametrize("name", SETS)
def test_a_sample_of_a_public_set(backend: BubblewrapBackend, test_data: Path, name: str) -> None:
    read, count = SETS[name]
    known = list(read(test_data))
    assert len(known) == count
    check(backend, random.Random(f"codequake {name}").sample(known, SAMPLE))


@pytest.mark.quality
@pytest.mark.parametrize("name", SETS)
def test_a_whole_public_set(backend: BubblewrapBackend, test_data: Path, name: str) -> None:
    read, _ = SETS[name]
    check(backend, list(read(test_data)))
