"""One bad row in a good file, for each format and each way to be bad: refused with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.problems.test_foreign_problems import ROWS as OTHERS
from tests.problems.test_foreign_problems import Echo

from codequake.errors import DataError
from codequake.problems import ProblemFile, load_set, read_set

BIGCODEBENCH = {
    "task_id": "Own/0",
    "complete_prompt": 'import math\ndef up(x):\n    """Add one."""\n',
    "instruct_prompt": "Add one.",
    "entry_point": "up",
    "canonical_solution": "    return x + 1\n",
    "test": "import unittest\nclass TestCases(unittest.TestCase):\n    pass\n",
    "libs": "['math']",
}
ROWS: dict[str, dict[str, Any]] = OTHERS | {
    "bigcodebench": BIGCODEBENCH,
    "bigcodebench+instruct": BIGCODEBENCH,
    "mbpp+challenge": OTHERS["mbpp"],
}
OPTIONAL = {
    *("test_setup_code", "challenge_test_list", "question_title", "starter_code", "atol", "libs"),
    *("difficulty", "platform", "prompt:leetcode-dataset"),
    # A prompt that is not asked for, and an entry point that only a statement's text has.
    *("instruct_prompt:bigcodebench",),
}
NEEDED = [
    (name, field)
    for name, row in ROWS.items()
    for field in row
    if field not in OPTIONAL and f"{field}:{name}" not in OPTIONAL
]
WRONG_TYPES: list[Any] = [None, True, 3.5, {"a": 1}, [[]]]


def read(name: str, path: Path, *rows: object) -> ProblemFile:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), "utf-8")
    return read_set(f"{name}:{path}", Echo())


def other_id(name: str, row: dict[str, Any]) -> dict[str, Any]:
    return row | {"question_id" if name == "lcb" else "task_id": "second"}


def assert_second_is_bad(found: ProblemFile, path: Path, *words: str) -> None:
    assert len(found.problems) == 2
    (fault,) = found.faults
    assert fault.startswith(f"{path}:2: ")
    assert "\n" not in fault
    assert len(fault) < 500
    for word in words:
        assert word in fault


@pytest.mark.parametrize(("name", "field"), NEEDED)
def test_each_field_missing_or_of_each_wrong_type(tmp_path: Path, name: str, field: str) -> None:
    row, path = ROWS[name], tmp_path / "set.jsonl"
    last = other_id(name, row)
    without = {key: value for key, value in row.items() if key != field}
    found = read(name, path, row, without, last)
    if field not in ("base_input", "plus_input"):
        assert_second_is_bad(found, path, field)
    for value in WRONG_TYPES:
        if value is None and field in ("base_input", "plus_input", "private_test_cases"):
            continue  # an empty table stands for nothing in some releases
        if value is True and field == "metadata":
            continue
        found = read(name, path, row, row | {field: value, **_new_id(name, field)}, last)
        assert_second_is_bad(found, path)


def _new_id(name: str, field: str) -> dict[str, str]:
    identity = "question_id" if name == "lcb" else "task_id"
    return {} if field == identity else {identity: "third"}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", None),
        ("   ", None),
        ("{", "not JSON"),
        ('{"task_id": }', "not JSON"),
        ("nothing", "not JSON"),
        ("null", "the row is None; allowed: an object"),
        ("3", "the row is 3; allowed: an object"),
        ("[]", "the row is []; allowed: an object"),
        ("{}", "is missing"),
        ('{"a": 1} {"b": 2}', "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' * 100_000, "nested too deeply"),
    ],
)
def test_lines_that_are_no_row(tmp_path: Path, name: str, line: str, words: str | None) -> None:
    row, path = ROWS[name], tmp_path / "set.jsonl"
    found = read(name, path, row, line, other_id(name, row))
    if words is None:
        assert (len(found.problems), found.faults) == (2, ())
        assert found.places[1] == f"{path}:3"
    else:
        assert_second_is_bad(found, path, words)


@pytest.mark.parametrize("name", ROWS)
def test_bytes_that_are_no_text(tmp_path: Path, name: str) -> None:
    row, path = ROWS[name], tmp_path / "set.jsonl"
    good, last = json.dumps(row).encode(), json.dumps(other_id(name, row)).encode()
    path.write_bytes(good + b"\n\xff\xfe\n" + last)
    found = read_set(f"{name}:{path}", Echo())
    assert_second_is_bad(found, path, "not UTF-8 at byte 0")
    path.write_bytes(good[:-5])
    assert read_set(f"{name}:{path}", Echo()).faults[0].startswith(f"{path}:1: not JSON")
    path.write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(DataError, match=r"set\.jsonl: cannot be read"):
        read_set(f"{name}:{path}", Echo())
    path.write_bytes(b"\0" * 100)
    assert read_set(f"{name}:{path}", Echo()).faults[0].startswith(f"{path}:1: not JSON")


@pytest.mark.parametrize("name", ROWS)
def test_an_id_that_stands_twice(tmp_path: Path, name: str) -> None:
    row, path = ROWS[name], tmp_path / "set.jsonl"
    found = read(name, path, row, row, other_id(name, row))
    assert_second_is_bad(found, path, "stands twice, first at", f"{path}:1")
    with pytest.raises(DataError, match="stands twice"):
        load_set(f"{name}:{path}", Echo())


@pytest.mark.parametrize("name", ROWS)
def test_line_ends_of_another_system_change_nothing(tmp_path: Path, name: str) -> None:
    row, path = ROWS[name], tmp_path / "set.jsonl"
    plain = read(name, path, {key: _plain(value) for key, value in row.items()})
    foreign = {key: _foreign(value) for key, value in row.items()}
    found = read(name, path, foreign)
    assert found.faults == ()
    assert found.problems == plain.problems
    path.write_bytes(json.dumps(row).encode() + b"\r\n")
    assert read_set(f"{name}:{path}", Echo()).problems == plain.problems


def _plain(value: Any) -> Any:
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def _foreign(value: Any) -> Any:
    return _plain(value).replace("\n", "\r\n") if isinstance(value, str) else value


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("bigcodebench", {"test": "assert up(1) == 2"}, "test defines no class of unittest"),
    ("bigcodebench", {"test": "class A(:"}, "test is not Python"),
    ("bigcodebench", {"canonical_solution": "    return (\n"}, "is not Python"),
    ("bigcodebench", {"entry_point": "down"}, "the function 'down' is not defined"),
    ("bigcodebench", {"libs": "['math'"}, "libs is \"['math'\"; allowed: a list of names"),
    ("bigcodebench", {"libs": "open('/etc/passwd')"}, "allowed: a list of names"),
    ("bigcodebench", {"libs": [1]}, "libs is [1]; allowed: a list of names"),
    ("bigcodebench", {"libs": "{'a': 1}"}, "allowed: a list of names"),
    ("bigcodebench+instruct", {"instruct_prompt": " "}, "instruct_prompt is empty"),
    ("leetcode-dataset", {"estimated_date": "soon"}, "estimated_date is 'soon'; allowed: a date"),
    ("leetcode-dataset", {"estimated_date": 2024}, "estimated_date is 2024; allowed: a string"),
    ("leetcode-dataset", {"tags": "Array"}, "tags is 'Array'; allowed: a list of strings"),
    ("lcb", {"contest_date": "2024-02-30"}, "contest_date is '2024-02-30'; allowed: a date"),
    ("lcb", {"platform": 3}, "platform is 3; allowed: a string"),
    ("lcb", {"metadata": "[]"}, "metadata names no func_name"),
    ("lcb", {"metadata": '{"func_name": 1}'}, "metadata names no func_name"),
    ("lcb", {"metadata": '{"func_name": "up; import os"}'}, "is not defined"),
    ("lcb", {"public_test_cases": "null"}, "public_test_cases is not zlib"),
    ("lcb", {"public_test_cases": '[{"input": "1"}]'}, "a test whose output is no string"),
    ("lcb", {"private_test_cases": "eJwDAAAAAAE="}, "private_test_cases is a damaged pickle"),
    ("evalplus", {"base_input": "[[1]]"}, "base_input is '[[1]]'; allowed: a list of argument"),
    ("evalplus", {"base_input": [{"x": 1}]}, "allowed: a list of argument lists"),
    ("evalplus", {"atol": 2}, "atol is 2; allowed: 0 to 1"),
    ("mbpp", {"test_list": [3]}, "test_list is 3; allowed: a string"),
    ("mbpp", {"code": "def up(x) return"}, "code is not Python"),
    ("humaneval", {"prompt": "x = 1\n"}, "is not Python"),
]


@pytest.mark.parametrize(("name", "change", "words"), BAD)
def test_rows_that_say_what_cannot_be(
    tmp_path: Path, name: str, change: dict[str, Any], words: str
) -> None:
    row, path = ROWS[name], tmp_path / "set.jsonl"
    assert_second_is_bad(read(name, path, row, row | change, other_id(name, row)), path, words)
