"""The JSON Schema of own problems: it says what the reader says, and its example is true."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codequake.codec import to_plain
from codequake.problems import load_set, read_set
from codequake.problems.json_schema import problem_schema, schema_text
from codequake.study.checking import check_sets
from codequake.study.progress import Silent

jsonschema = pytest.importorskip("jsonschema")

EXAMPLE = Path(__file__).parents[2] / "docs/examples/problems.jsonl"
LINES = EXAMPLE.read_text("utf-8").splitlines()
Change = Callable[[dict[str, Any]], object]
# What a schema can see in a line, done to the first problem of the example.
STRUCTURAL: dict[str, Change] = {
    "no id": lambda row: row.pop("problem_id"),
    "id without a set": lambda row: row.update(problem_id="alone"),
    "id that is a number": lambda row: row.update(problem_id=3),
    "no statement": lambda row: row.update(statement="  \n"),
    "unknown field": lambda row: row.update(author="me"),
    "unknown language": lambda row: row.update(language="ada"),
    "unknown interface": lambda row: row.update(interface="socket"),
    "unknown difficulty": lambda row: row.update(difficulty="Hard"),
    "no test": lambda row: row.update(tests=[]),
    "tests that are no list": lambda row: row.update(tests={}),
    "a test without input": lambda row: row["tests"][0].pop("input"),
    "a test with a list as input": lambda row: row["tests"][0].update(input=[-3]),
    "a test that says visible in words": lambda row: row["tests"][0].update(visible="yes"),
    "a test with more": lambda row: row["tests"][0].update(note=""),
    "a reference without code": lambda row: row["references"][0].pop("code"),
    "a reference in another language": lambda row: row["references"][0].update(language="go"),
    "digits in words": lambda row: row["comparison"].update(digits="six"),
    "an order that is none": lambda row: row["comparison"].update(order="sorted"),
    "a function without a name": lambda row: row.update(entry_point=None),
    "a name that is none": lambda row: row.update(entry_point="two words"),
    "a parameter that is no name": lambda row: row.update(parameters=["1n"]),
    "a main program with a name": lambda row: row.update(interface="stdin", parameters=[]),
    "a main program with parameters": lambda row: row.update(interface="stdin", entry_point=None),
    "topics in one text": lambda row: row.update(topics="arithmetic"),
    "redistributable in words": lambda row: row.update(redistributable="no"),
    "a checker that is no text": lambda row: row.update(checker=1),
    "structure without sections": lambda row: row.update(structure={}),
    "an empty object": lambda row: row.clear(),
}


@pytest.fixture(scope="module")
def valid() -> Callable[[Any], bool]:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    return lambda value: bool(validator.is_valid(value))


def test_the_file_is_what_the_records_say() -> None:
    assert schema_text() == problem_schema(), "run python docs/generate.py"


def test_the_example_is_true(valid: Callable[[Any], bool]) -> None:
    assert all(valid(json.loads(line)) for line in LINES)
    checked = check_sets((str(EXAMPLE),), "bwrap", Silent())
    assert checked.as_text() == "3 problems checked, 0 with findings"


@pytest.mark.parametrize("name", STRUCTURAL)
def test_reader_and_schema_refuse_the_same(
    tmp_path: Path, valid: Callable[[Any], bool], name: str
) -> None:
    row = copy.deepcopy(json.loads(LINES[0]))
    STRUCTURAL[name](row)
    assert not valid(row)
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join([LINES[1], json.dumps(row), LINES[2]]))
    found = read_set(str(path))
    assert [item.problem_id for item in found.problems] == ["example/echo", "example/initials"]
    (fault,) = found.faults
    assert fault.startswith(f"{path}:2: ")
    assert "\n" not in fault


def test_every_loaded_problem_is_valid(test_data: Path, valid: Callable[[Any], bool]) -> None:
    count = 0
    for name in (
        "starter-12",
        "formulas-20",
        f"humaneval:{test_data}/humaneval/HumanEval.jsonl.gz",
        f"mbpp:{test_data}/mbpp/sanitized-mbpp-first150.json",
        f"lcb:{test_data}/fixtures/lcb_code_generation_lite.jsonl",
        f"bigcodebench:{test_data}/fixtures/bigcodebench_problems.jsonl",
        f"leetcode-dataset:{test_data}/fixtures/leetcodedataset.jsonl",
    ):
        for problem in load_set(name)[::9]:
            assert valid(to_plain(problem)), problem.problem_id
            count += 1
    assert count > 35


def test_the_check_names_bad_lines_and_admits_the_good(tmp_path: Path) -> None:
    wrong = json.loads(LINES[0])
    wrong["problem_id"] = "example/wrong"
    wrong["references"][1]["code"] = "def absolute(n):\n    return n\n"
    arguments = json.loads(LINES[0])
    arguments["problem_id"] = "example/arguments"
    arguments["tests"][3]["input"] = "[-1,2]"
    canonical = json.loads(LINES[0])
    canonical["problem_id"] = "example/canonical"
    canonical["tests"][0]["input"] = "[ -3 ]"
    path = tmp_path / "own.jsonl"
    rows = [LINES[0], json.dumps(arguments), "", "{broken", json.dumps(wrong), LINES[0]]
    rows += [json.dumps(canonical), LINES[2]]
    path.write_text("\n".join(rows))
    said = check_sets((str(path),), "bwrap", Silent()).as_text().splitlines()
    assert said[0] == (
        f"{path}:2: problem 'example/arguments' has in test 4 an input that is not a list of 1 "
        "arguments"
    )
    assert said[1].startswith(f"{path}:4: not JSON")
    assert said[2] == f"{path}:6: id 'example/absolute' stands twice, first at {path}:1"
    assert said[3].startswith(
        f"{path}:7: problem 'example/canonical' has in test 1 an input that is"
    )
    assert "canonical JSON" in said[3]
    findings = [line for line in said[4:] if line.startswith(f"{path}:5: example/wrong: ")]
    assert any("reference 'branch' fails example 1" in line for line in findings)
    assert said[-2] == "3 problems checked, 1 with findings"
    assert said[-1] == "  4 lines that hold no right problem, named above"
