"""``codequake grade`` and ``codequake extract`` on files that people already have."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from tests.running import RunCommand

from codequake import cli


@pytest.fixture
def fixtures(test_data: Path) -> Path:
    return test_data / "fixtures"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


LCB = "lcb_code_generation_lite.jsonl"


@pytest.mark.parametrize(
    ("name", "layout", "verdicts"),
    [
        (
            "lcb_codegeneration_eval_all.json",
            "LiveCodeBench output",
            [
                ("lcb/9001", 0, "passed"),
                ("lcb/9001", 1, "wrong_answer"),
                ("lcb/fixture_a", 0, "passed"),
            ],
        ),
        (
            "lcb_custom_output.json",
            "LiveCodeBench output",
            [
                ("lcb/9001", 0, "passed"),
                ("lcb/9001", 1, "wrong_answer"),
                ("lcb/fixture_a", 0, "passed"),
                ("lcb/fixture_a", 1, "ignores_input"),
                ("lcb/9002", 0, "no_code"),
                ("lcb/9002", 1, "no_code"),
            ],
        ),
        (
            "cocc_attacked.csv",
            "Chain-of-Code-Collapse log",
            [
                ("lcb/9001", 0, "passed"),
                ("lcb/9001", 0, "wrong_answer"),
                ("lcb/9001", 0, "truncated"),
                ("lcb/9001", 0, "missing_entry_point"),
            ],
        ),
    ],
)
def test_livecodebench_problems(
    run_command: RunCommand,
    fixtures: Path,
    tmp_path: Path,
    name: str,
    layout: str,
    verdicts: list[tuple[str, int, str]],
) -> None:
    source = fixtures / name
    done = run_command("grade", source, "--problems", f"lcb:{fixtures / LCB}", "--out", "v.jsonl")
    assert done.returncode == 0, done.stderr
    assert f"{source}: read as {layout}\n" in done.stderr
    assert done.stdout.startswith(f"{len(verdicts)} completions graded\n")
    rows = lines(tmp_path / "v.jsonl")
    assert [(row["problem_id"], row["sample"], row["status"]) for row in rows] == verdicts


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("evalplus_samples.jsonl", ["passed", "passed", "wrong_answer"]),
        ("evalplus_eval_results.json", ["passed", "wrong_answer"]),
        ("evalplus_sample_dir", ["passed"]),
        ("humaneval_samples.jsonl", ["passed", "wrong_answer", "passed"]),
        ("inspect_log.eval", ["passed", "refused"]),
        ("inspect_log.json", ["passed", "refused"]),
    ],
)
def test_evalplus_problems(
    run_command: RunCommand, fixtures: Path, name: str, statuses: list[str]
) -> None:
    problems = f"evalplus:{fixtures}/evalplus_problems.jsonl"
    done = run_command("grade", fixtures / name, "--problems", problems, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [row["status"] for row in found["verdicts"]] == statuses
    assert found["problems"] == []
    visible = [test["visible"] for test in found["verdicts"][0]["tests"]]
    assert visible == [True, False, False, False]


def test_good_rows_are_graded_and_bad_ones_end_with_1(
    run_command: RunCommand, fixtures: Path, tmp_path: Path
) -> None:
    good, *_ = (fixtures / "evalplus_samples.jsonl").read_text("utf-8").splitlines()
    source = tmp_path / "samples.jsonl"
    source.write_text(f'{good}\n{{"task_id": "Other/0", "solution": "x"}}\n{good}\n{good[:50]}')
    problems = tmp_path / "problems.jsonl"
    rows = (fixtures / "evalplus_problems.jsonl").read_text("utf-8").splitlines()
    problems.write_text("\n".join([rows[0], "{}", rows[1]]))
    done = run_command("grade", source, "--problems", f"evalplus:{problems}")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "2 completions graded",
        "  passed: 2",
        f"{problems}:2: the field 'prompt' is missing",
        f"{source}:2: problem 'Other/0' is not in evalplus:{problems}",
        f"{source}:4: not JSON: Unterminated string starting at at column 38",
    ]
    assert done.stderr.splitlines()[-1] == (
        "codequake: 3 parts of the input could not be read; 2 completions were graded"
    )
    assert "Traceback" not in done.stderr


def test_a_broken_reference_is_told(
    run_command: RunCommand, fixtures: Path, tmp_path: Path
) -> None:
    first, _ = (fixtures / "evalplus_problems.jsonl").read_text("utf-8").splitlines()
    path = tmp_path / "problems.jsonl"
    row = json.loads(first)
    path.write_text(json.dumps(row | {"canonical_solution": "    return 1 // 0\n"}))
    source = fixtures / "evalplus_sample_dir"
    done = run_command("grade", source, "--problems", f"evalplus:{path}")
    assert done.returncode == 1
    assert f"{path}:1: the reference gives nothing for input 1: ZeroDivisionError" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing", "--problems", "starter-12"], "missing: cannot be read: No such file"),
        (["c.jsonl", "--problems", "lcb:missing"], "missing: cannot be read: No such file"),
        (["c.jsonl", "--problems", "lcb:"], "lcb: names no file; allowed: lcb:FILE"),
        (["c.jsonl", "--problems", "lbc:x"], "problem format 'lbc' is not known; near names: lcb"),
        (["c.jsonl", "--problems", "starter-12", "--out", "no/v"], "create it first"),
        (
            ["c.jsonl", "--problems", "starter-12", "--sandbox", "x"],
            "allowed: bwrap, bwrap:ubsan, inspect:docker",
        ),
        (["c.jsonl", "--problems", "starter-12", "--engine", "ray"], "--engine has only local"),
        (["c.jsonl", "--problems", "starter-12", "--address", "x"], "which has no --address"),
        (["c.jsonl"], "--problems is missing"),
        (["study", "--problems", "starter-12"], "study is a study folder"),
    ],
)
def test_wrong_use_of_grade(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    message: str,
) -> None:
    (tmp_path / "c.jsonl").write_text("")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["codequake", "grade", *arguments])
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as ending:
        cli.main()
    assert ending.value.code == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.count("\n") == 1
    assert message in seen.err


def test_an_empty_file_ends_with_1(run_command: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("")
    done = run_command("grade", "c.jsonl", "--problems", "starter-12")
    assert done.returncode == 1
    assert "c.jsonl: the file has no completions" in done.stdout


REPLY = """\
Sure:
```python
def f(x):
    return x
```
or in C:
```c
int main(void){return 0;}
```
"""


@pytest.mark.parametrize(
    ("arguments", "reply", "program"),
    [
        ([], "```\nprint('é')\n```", "print('é')\n"),
        (["--entry-point", "f"], REPLY, "def f(x):\n    return x\n"),
        (["--language", "c"], REPLY, "int main(void){return 0;}\n"),
        (["--entry-point", "f"], "\ufeffdef f(x): return x", "def f(x): return x\n"),
    ],
)
def test_extract_prints_the_program_and_nothing_else(
    run_command: RunCommand, arguments: list[str], reply: str, program: str
) -> None:
    done = run_command("extract", *arguments, text=reply)
    assert (done.returncode, done.stdout, done.stderr) == (0, program, "")


@pytest.mark.parametrize(
    ("arguments", "reply", "code", "message"),
    [
        ([], "", 3, "no_code: the reply has no text"),
        ([], "I would rather not.", 3, "no_code: the reply has no Python code"),
        ([], "I'm sorry, I can't help with that.", 3, "refused: the reply declines to answer"),
        ([], "```python\ndef f(", 3, "truncated: "),
        ([], "```cpp\n#include <iostream>\nint main(){}\n```", 3, "wrong_language: "),
        ([], "x" * (2 << 20), 3, "no_code: the reply has 2097152 characters"),
        (["--language", "ada"], "", 2, "--language is 'ada'; allowed: python, c"),
        (["--entry-point", "a b"], "", 2, "--entry-point is 'a b'; allowed: the name"),
    ],
)
def test_extract_says_why_there_is_nothing(
    run_command: RunCommand, arguments: list[str], reply: str, code: int, message: str
) -> None:
    done = run_command("extract", *arguments, text=reply)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"codequake: {message}")
    assert done.stderr.count("\n") == 1


def test_extract_prints_utf_8_on_any_terminal(
    run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii:strict")
    done = run_command("extract", text="```\nprint('\u00e9')\n```")
    assert (done.returncode, done.stdout) == (0, "print('\u00e9')\n")
