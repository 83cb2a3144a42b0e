"""What the program says to people who get something wrong: one sentence, exit code 2, no traces."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.running import RunCommand, command_environment

import codequake
from codequake import cli
from codequake.study.folder import StudyFolder
from codequake.study.run import configure

OWN = str(Path(__file__).parents[1] / "problems" / "own.jsonl")
STUDY = """\
problems = ["starter-12"]
models = ["codequake/sim"]
limit = 1
perturbations = ["clean", { name = "storytelling" }]
"""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runn"], "no such command 'runn'"),
        (["run"], "missing argument"),
        (["run", "--bogus"], "no such option: --bogus"),
        (["run", "preset:demo"], "--out is missing"),
        (["run", "preset:demo", "--out"], "option '--out' requires an argument"),
        (["run", "preset:demo", "--limit", "-1"], "or equal to 0, not '-1'; see"),
        (["grade", "a.jsonl", "--audit=-2"], "invalid value for '--audit'"),
        (["run", "preset:demo", "--limit", "few"], "invalid value for '--limit'"),
        (["run", "preset:dem", "--out", "x"], "preset 'dem' is not known; allowed: cocc"),
        (["run", "none.toml", "--out", "x"], "none.toml: cannot be read"),
        (["problems", "show"], "missing argument"),
        (["problems", "show", "starter-12/digits"], "near names: starter-12/digit-sum"),
        (["problems", "show", "own/absolut", "--problems", OWN], "near names: own/absolute"),
        (["problems", "show", "x", "--problems", "no.jsonl"], "no.jsonl: cannot be read"),
        (["grade", "a", "b"], "unexpected extra argument"),
        (["grade", "a.jsonl"], "--problems is missing"),
        (["extract", "--language", "rust"], "'rust'; allowed: python, c"),
        (["report", "nowhere"], "not a study folder"),
        (["merge", "a", "b", "--out", "c"], "a is not a study folder"),
        (["merge", "a", "b"], "missing option '--out'"),
        (["compare", "a", "b"], "not in this version"),
    ],
)
def test_wrong_use_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["codequake", *arguments])
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as ending:
        cli.main()
    assert ending.value.code == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith("codequake: ")
    assert seen.err.count("\n") == 1
    assert message in seen.err
    assert list(tmp_path.iterdir()) == []


def test_without_a_command_the_help_is_shown(run_command: RunCommand) -> None:
    done = run_command()
    assert done.returncode == 2
    assert "Commands:" in done.stderr
    assert "Traceback" not in done.stderr
    asked = run_command("--help")
    assert asked.returncode == 0
    assert "Commands:" in asked.stdout


def test_version(run_command: RunCommand) -> None:
    assert run_command("--version").stdout == f"codequake {codequake.__version__}\n"


def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "codequake", "problems", "check"],
        cwd=tmp_path,
        env=command_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "to do" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=120)[1]
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "codequake: interrupted"


@pytest.mark.parametrize(
    ("arguments", "target", "code", "message"),
    [
        ("x", ">&-", 1, "codequake: standard output is closed; allowed: a terminal, a file or"),
        ("x", ">/dev/full", 1, "codequake: standard output cannot be written: No space left"),
        ("x+", ">/dev/null 2>&-", 2, ""),
        ("x+", ">&- 2>&-", 1, ""),
    ],
)
def test_an_output_that_cannot_be_written(
    tmp_path: Path, arguments: str, target: str, code: int, message: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m codequake formula parse {arguments} {target}'],
        cwd=tmp_path,
        env=command_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == (1 if message else 0)


@pytest.mark.parametrize(("goal", "code"), [("1*x", 0), ("y", 1)])
@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_goes_away_does_not_change_the_exit_code(
    tmp_path: Path, goal: str, code: int, buffered: str
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "codequake", "formula", "equal", "x", goal],
            cwd=tmp_path,
            env={**command_environment(), "PYTHONUNBUFFERED": buffered},
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (code, b"")


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("starter-12", "starter-21", "problem set 'starter-21' is not known"),
        ("storytelling", "story", "study.toml:4: perturbation 'story' is not known"),
        ('"storytelling"', '"storytelling", kind = 3', "has no argument 'kind'"),
        ("codequake/sim", "codequake/simm", "model 'codequake/simm' is not known"),
        ("codequake/sim", "nobody/model", "provider 'nobody' is not known"),
        (
            "limit = 1",
            'limit = 1\nstyle = "x"',
            "study.toml:4: style is 'x'; allowed: commented, cot",
        ),
    ],
)
def test_a_corrected_mistake_leaves_no_trace(
    run_command: RunCommand, tmp_path: Path, wrong: str, right: str, message: str
) -> None:
    pytest.importorskip("inspect_ai")
    study = tmp_path / "study.toml"
    study.write_text(STUDY.replace(wrong, right))
    done = run_command("run", study, "--out", "out")
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_dry_run_needs_no_folder_and_no_provider(run_command: RunCommand, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    done = run_command("run", study, "--dry-run", "--model", "openai/some-model")
    assert done.returncode == 0, done.stderr
    assert "openai/some-model: 2 requests" in done.stdout


def test_demo_adds_no_model_to_a_study(run_command: RunCommand, tmp_path: Path) -> None:
    StudyFolder(tmp_path / "out").open(
        configure("preset:demo", ("codequake/sim-fragile",), 0).config
    )
    settings = tmp_path / "out" / "study.json"
    before = settings.read_bytes()
    for model in ((), ("--model", "codequake/sim")):
        done = run_command("demo", "--out", "out", *model)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr == (
            "codequake: --out out holds a study of codequake/sim-fragile, and this would ask "
            f"{model[1] if model else 'codequake/smollm2'}; name another folder, or add the model "
            "with `codequake run`\n"
        )
        assert settings.read_bytes() == before
