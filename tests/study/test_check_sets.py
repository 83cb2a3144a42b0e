"""``problems check`` on files of other projects: references are run, and what is wrong is named."""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.running import RunCommand

from codequake.codec import to_plain
from codequake.errors import CheckFailedError
from codequake.problems import load_set
from codequake.records import JsonText, Language, Reference, Test
from codequake.study.checking import CheckedSets, check_sets
from codequake.study.progress import Silent

pytest.importorskip("inspect_ai")

SAMPLE = 15
PROMPT = 'def up(x):\n    """Add one.\n\n    >>> up(1)\n    2\n    """\n'
BODY = "    return x + 1\n"
CHECK = "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(5) == 6\n"
HUMANEVAL = {
    "task_id": "Own/0",
    "prompt": PROMPT,
    "entry_point": "up",
    "canonical_solution": BODY,
    "test": CHECK,
}
EVALPLUS = {key: value for key, value in HUMANEVAL.items() if key != "test"} | {
    "base_input": [[1], [2]],
    "plus_input": [[7]],
    "atol": 0,
}
MBPP = {
    "task_id": "0",
    "prompt": "Add one.",
    "code": f"def up(x):\n{BODY}",
    "test_imports": [],
    "test_list": ["assert up(1) == 2", "assert up(5) == 6"],
}
LEETCODE = {
    "task_id": "up",
    "problem_description": "Add one.",
    "starter_code": "class Solution:\n    def up(self, x: int) -> int:\n        ",
    "prompt": "from typing import *\n",
    "completion": f"class Solution:\n    def up(self, x: int) -> int:\n    {BODY}",
    "entry_point": "Solution().up",
    "test": CHECK,
}
LCB = {
    "question_id": "0",
    "question_content": "Add one.",
    "starter_code": "class Solution:\n    def up(self, x: int) -> int:\n        ",
    "public_test_cases": '[{"input": "1", "output": "2", "testtype": "functional"}]',
    "private_test_cases": "[]",
    "metadata": '{"func_name": "up"}',
}
WRONG = "    return x + 2\n"
BROKEN = CHECK.replace("(5) == 6", "(5 == 6")
FALSE = CHECK.replace("(5) == 6", "(5) == 7")
# format -> a right row, and changes of it with what must be said about each.
PLANTED: dict[str, tuple[dict[str, Any], list[tuple[dict[str, Any], str]]]] = {
    "humaneval": (
        HUMANEVAL,
        [
            ({"canonical_solution": WRONG}, "'canonical_solution' fails hidden test 1"),
            ({"test": FALSE}, "assert candidate(5) == 7"),
            ({"test": BROKEN}, "test is not Python: '(' was never closed in its line 3"),
            ({"entry_point": "down"}, "the function 'down' is not defined in the row's own"),
            ({"canonical_solution": "    return y\n"}, "NameError: name 'y' is not defined"),
        ],
    ),
    "mbpp": (
        MBPP,
        [
            ({"code": f"def up(x):\n{WRONG}"}, "'code' fails example 1"),
            ({"test_list": ["assert up(1) == 2", "assert up(5) == 7"]}, "fails example 2"),
            ({"test_list": ["assert up(1 == 2"]}, "an assertion is not Python"),
            ({"test_list": ["assert down(1) == 2"]}, "does not define down"),
            ({"code": "def up(x): return 1 / 0"}, "ZeroDivisionError: division by zero"),
        ],
    ),
    "evalplus": (
        EVALPLUS,
        [
            ({"canonical_solution": WRONG}, "the prompt shows 2 for the input [1] of test 1"),
            ({"canonical_solution": "    return 1 / 0\n"}, "gives nothing for input 1: ZeroDiv"),
            ({"canonical_solution": "    return (\n"}, "the prompt with its solution is not Pyth"),
            ({"entry_point": "down"}, "the function 'down' is not defined in the row's own"),
        ],
    ),
    "leetcode-dataset": (
        LEETCODE,
        [
            (
                {"completion": LEETCODE["completion"].replace("x + 1", "x + 2")},
                "'completion' fails hidden test 1",
            ),
            ({"test": FALSE}, "assert candidate(5) == 7"),
            ({"test": BROKEN}, "test is not Python"),
            ({"entry_point": "Solution().down"}, "the function 'down' is not defined"),
        ],
    ),
    "lcb": (LCB, [({"metadata": '{"func_name": "down"}'}, "the function 'down' is not defined")]),
}


def check(name: str, path: Path) -> CheckedSets:
    return check_sets((f"{name}:{path}",), "bwrap", Silent())


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_fault_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    right, planted = PLANTED[name]
    identity = "question_id" if name == "lcb" else "task_id"
    rows = [right] + [
        right | change | {identity: f"planted-{number}"}
        for number, (change, _) in enumerate(planted, start=1)
    ]
    rows.append(right | {identity: "last"})
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    found = check(name, path)
    said = found.as_text().splitlines()
    for line, (_, message) in enumerate(planted, start=2):
        (sentence,) = [text for text in said if text.startswith(f"{path}:{line}: ")]
        assert message in sentence
    # The right rows around them are right.
    assert not [text for text in said if text.startswith((f"{path}:1:", f"{path}:{len(rows)}:"))]
    with_findings = sum(bool(report.findings) for report in found.reports)
    assert with_findings + len(found.faults) == len(planted)


def test_what_cannot_be_checked_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(json.dumps(LCB | {"question_id": str(i)}) for i in range(3)))
    assert check("lcb", path).as_text().splitlines() == [
        "0 problems checked, 0 with findings",
        "  3 not checked: there is no reference program to run",
    ]
    path.write_text(json.dumps(EVALPLUS))
    counted, why = check("evalplus", path).as_text().splitlines()
    assert counted == "1 problems checked, 0 with findings"
    assert why.startswith("  1 checked in part: the expected outputs are those of the reference")


def test_the_command_tells_faults_and_findings(run_command: RunCommand, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    rows = [HUMANEVAL, HUMANEVAL | {"task_id": "b", "test": FALSE}, {"task_id": "c"}]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    done = run_command("problems", "check", f"humaneval:{path}")
    assert done.returncode == 1
    fault, finding, counted, bad = done.stdout.splitlines()
    assert fault == f"{path}:3: the field 'prompt' is missing"
    assert finding.startswith(f"{path}:2: humaneval/b: tests: reference 'canonical_solution' fails")
    assert counted == "2 problems checked, 1 with findings"
    assert bad == "  1 lines that hold no right problem, named above"
    assert done.stderr.splitlines()[-1] == "codequake: 2 of 3 problems have findings"
    done = run_command("problems", "check", f"humaneval:{path}", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["faults"] == [fault]
    assert [row["place"] for row in report["problems"]] == [f"{path}:1", f"{path}:2"]
    assert [len(row["findings"]) for row in report["problems"]] == [0, 1]


def test_statements_of_an_own_file_are_run(tmp_path: Path) -> None:
    source = tmp_path / "mbpp.jsonl"
    source.write_text(json.dumps(MBPP))
    (problem,) = load_set(f"mbpp:{source}")
    hidden = Test(JsonText('"assert up(9) == 10"'), JsonText("null"), visible=False)
    problem = dataclasses.replace(problem, tests=(*problem.tests, hidden))
    broken = dataclasses.replace(hidden, input=JsonText('"assert up(9 == 10"'))
    wrong = Reference("off by one", Language.PYTHON, f"def up(x):\n{WRONG}")
    right = Reference("right after all", Language.PYTHON, problem.references[0].code)
    rows = [
        dataclasses.replace(problem, wrong=(wrong,)),
        dataclasses.replace(problem, problem_id="own/2", tests=(*problem.tests, broken)),
        dataclasses.replace(problem, problem_id="own/3", wrong=(wrong, right)),
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(json.dumps(to_plain(row)) for row in rows))
    found = check_sets((str(path),), "bwrap", Silent())
    syntax, survivor, counted = found.as_text().splitlines()
    assert syntax.startswith(f"{path}:2: own/2: tests: reference 'code' fails hidden test 4")
    assert "SyntaxError" in syntax
    assert survivor == (
        f"{path}:3: own/3: wrong: no hidden test rejects the wrong program 'right after all'"
    )
    assert counted == "3 problems checked, 2 with findings"


def test_a_checker_that_fails_on_a_mutant_is_named_and_the_other_scores_stay(
    tmp_path: Path,
) -> None:
    plain = next(item for item in load_set("starter-12") if item.entry_point and not item.checker)
    # Right on the answers of the reference, so that only a mutant brings it down.
    checker = (
        "def accepts(arguments, output, expected):\n"
        "    if output != expected:\n"
        "        raise ValueError('not foreseen')\n"
        "    return True\n"
    )
    broken = dataclasses.replace(plain, problem_id="own/broken", checker=checker, wrong=())
    whole = dataclasses.replace(plain, problem_id="own/whole", wrong=())
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(json.dumps(to_plain(row)) for row in (broken, whole)))
    found = check_sets((str(path),), "bwrap", Silent(), formula_inputs=10, mutants=4)
    (sentence,) = found.unscored
    assert sentence.startswith("own/broken: its mutants have no score: judging the mutant ")
    assert "the checker fails on" in sentence
    assert "not foreseen" in sentence
    assert sentence in found.as_text().splitlines()
    assert {score.problem_id for score in found.scores} == {"own/whole"}
    assert sum(score.mutants for score in found.scores) > 0
    with pytest.raises(CheckFailedError):
        found.raise_for_findings()


def rows_of(name: str, folder: Path) -> list[dict[str, Any]]:
    if name == "humaneval":
        text = gzip.decompress((folder / "humaneval/HumanEval.jsonl.gz").read_bytes())
        return [json.loads(line) for line in text.splitlines()]
    found = json.loads((folder / "mbpp/sanitized-mbpp-first150.json").read_text("utf-8"))
    assert isinstance(found, list)
    return found


COUNTS = {"humaneval": 164, "mbpp": 150}


def assert_all_pass(name: str, rows: list[dict[str, Any]], path: Path) -> None:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    found = check(name, path)
    assert found.faults == ()
    assert [report for report in found.reports if report.findings or report.unchecked] == []
    assert len(found.reports) == len(rows)


@pytest.mark.parametrize("name", COUNTS)
def test_references_of_a_sample_pass(test_data: Path, tmp_path: Path, name: str) -> None:
    rows = rows_of(name, test_data)
    assert len(rows) == COUNTS[name]
    chosen = random.Random(f"codequake check {name}").sample(rows, SAMPLE)
    assert_all_pass(name, chosen, tmp_path / "set.jsonl")


@pytest.mark.quality
@pytest.mark.parametrize("name", COUNTS)
def test_all_references_pass(test_data: Path, tmp_path: Path, name: str) -> None:
    assert_all_pass(name, rows_of(name, test_data), tmp_path / "set.jsonl")
