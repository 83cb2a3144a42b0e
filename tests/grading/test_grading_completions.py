from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from codequake.errors import DataError
from codequake.grading import read_completions
from codequake.grading.completions import MAX_LINE
from codequake.records import StopReason

GOOD = {"problem_id": "starter-12/add", "completion": "def add(a, b): ..."}


def write(path: Path, *lines: object) -> Path:
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    path.write_text(text, "utf-8")
    return path


def test_good_lines_become_completions(tmp_path: Path) -> None:
    full = {**GOOD, "variant_id": "v", "model": "m", "sample": 3}
    found = read_completions(write(tmp_path / "c.jsonl", GOOD, "\n", full))
    assert found.problems == ()
    first, second = found.rows
    assert (first.problem_id, first.variant_id, first.model, first.sample) == (
        *("starter-12/add", "", ""),
        0,
    )
    assert (second.variant_id, second.model, second.sample) == ("v", "m", 3)
    assert first.text == GOOD["completion"]
    assert first.stop_reason is StopReason.UNKNOWN
    assert first.error is None
    assert first.key != second.key


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"problem_id": "a", "compl', "not JSON"),
        ("[1]\n", "the line is [1]; allowed: an object"),
        ({"problem_id": "a"}, "the field 'completion' is missing"),
        ({"completion": "a"}, "the field 'problem_id' is missing"),
        ({**GOOD, "code": "x"}, "unknown field 'code'; allowed: problem_id"),
        ({**GOOD, "completion": None}, "completion is None; allowed: a string"),
        ({**GOOD, "problem_id": ""}, "problem_id is empty"),
        ({**GOOD, "sample": -1}, "sample is -1; allowed: 0, 1, 2, ..."),
        ({**GOOD, "sample": True}, "sample is True"),
        ({**GOOD, "completion": "\ud800"}, "surrogate"),
        (GOOD, "sample 0 stands already in "),
        ('{"problem_id": "a", "problem_id": "b", "completion": ""}\n', "stands twice"),
        ('{"problem_id": "a", "completion": "' + "x" * MAX_LINE + '"}\n', "more than 16 MiB"),
        ("[" * 100_000 + "\n", "nested too deeply"),
    ],
)
def test_a_bad_line_is_one_sentence_and_loses_nothing(
    tmp_path: Path, line: object, sentence: str
) -> None:
    path = write(tmp_path / "c.jsonl", GOOD, line)
    with path.open("a") as file:
        file.write("\n" + json.dumps({**GOOD, "sample": 9}) + "\n")
    found = read_completions(path)
    assert [row.sample for row in found.rows] == [0, 9]
    (problem,) = found.problems
    assert problem.startswith(f"{path}:2: ")
    assert sentence in problem
    assert "\n" not in problem
    assert len(problem) < 400


def test_line_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"\xff\n" + json.dumps(GOOD).encode())
    found = read_completions(path)
    assert len(found.rows) == 1
    assert found.problems == (f"{path}:1: not UTF-8 at byte 0",)


def test_empty_and_missing_files(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl")
    assert read_completions(empty).rows == ()
    assert read_completions(empty).problems == (f"{empty}: the file has no completions",)
    with pytest.raises(DataError, match="missing\\.jsonl: cannot be read"):
        read_completions(tmp_path / "missing.jsonl")
    (tmp_path / "folder").mkdir()
    assert read_completions(tmp_path / "folder").problems == (
        f"{tmp_path}/folder: the folder has no samples; allowed: TASK/NUMBER.py",
    )


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.TextIOWrapper(io.BytesIO(json.dumps(GOOD).encode() + b"\nbad\n"))
    monkeypatch.setattr(sys, "stdin", data)
    found = read_completions("-")
    assert len(found.rows) == 1
    assert found.problems[0].startswith("-:2: not JSON")
