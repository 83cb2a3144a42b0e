"""The referee: what it is told, when it is asked, and what is left of it when its time is up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from codequake.formula import Verdict, equivalent, parse, parse_assumption, referee
from codequake.formula.referee import Question, Ruling, ask_referee

SINES = Question(parse("sin(2*x)"), parse("2*sin(x)*cos(x)"), ())


def children() -> list[str]:
    """The states of the processes that this one has started and not yet collected."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text("utf-8", errors="replace")
        except OSError:
            continue
        state, parent = text.rpartition(")")[2].split()[:2]
        if int(parent) == os.getpid():
            found.append(state)
    return found


def test_a_yes_names_who_said_it() -> None:
    answer = ask_referee(SINES, 60)
    assert answer.ruling is Ruling.EQUAL
    assert answer.version.startswith("sympy ")


def test_the_referee_is_killed_when_its_time_is_up() -> None:
    before = children()
    start = time.monotonic()
    answer = ask_referee(SINES, 0.05)
    assert time.monotonic() - start < 30
    assert answer.ruling is Ruling.NO_ANSWER
    assert "0.05 s" in answer.reason
    assert children() == before, "neither a running child nor a zombie is left"


def test_no_answer_is_unknown() -> None:
    found = equivalent(SINES.first, SINES.second, referee_seconds=0.05)
    assert found.verdict is Verdict.UNKNOWN
    assert "0.05 s" in found.reason


def test_an_interrupt_leaves_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    before = children()
    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask_referee(SINES, 60)
    assert children() == before


@pytest.mark.parametrize("said", ["", "no JSON", "[]", '{"equal": true}', "null", '"equal"'])
def test_a_process_that_says_anything_else_has_no_answer(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 0, said, "")

    monkeypatch.setattr(referee.subprocess, "run", run)
    assert ask_referee(SINES, 60).ruling is Ruling.NO_ANSWER


def test_the_referee_gets_trees_and_never_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        assert not any("sin" in part for part in command)
        told.append(json.loads(options["input"]))
        return subprocess.CompletedProcess([], 0, '{"equal": false, "version": "0"}', "")

    monkeypatch.setattr(referee.subprocess, "run", run)
    facts = (parse_assumption("x > 0"),)
    ask_referee(Question(parse("sin(2*x)+1/3"), parse("x"), facts), 60)
    words = {text for _, text, _ in told[0]["steps"]}
    assert words == {"", "sin", "2", "x", "1", "3", "0"}


def test_the_child_parses_no_text() -> None:
    source = Path(referee.__file__).with_name("referee_process.py").read_text("utf-8")
    for name in ("sympify", "parse_expr", "eval(", "exec("):
        assert name not in source


def test_the_referee_is_asked_only_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any, **__: Any) -> None:
        raise AssertionError("the referee was asked")

    monkeypatch.setattr(referee.subprocess, "run", run)
    for first, second in (("a*x", "x*a"), ("a", "b"), ("1/0", "2/0"), ("x=1", "x=2")):
        equivalent(parse(first), parse(second))


def test_a_question_that_fills_the_memory_is_no_answer() -> None:
    tower = parse("9^9^9^9")
    answer = ask_referee(Question(tower, parse("9^9^9^9+1"), ()), 3)
    assert answer.ruling is Ruling.NO_ANSWER


def test_a_factor_with_a_pole_is_no_unit() -> None:
    # The factor 1/x is never 0, yet only the first holds at 0.
    question = Question(parse("x*(x-1)=0"), parse("x-1=0"), ())
    assert ask_referee(question, 60).ruling is Ruling.NO_ANSWER


def test_the_process_ends_without_a_question() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "codequake.formula.referee_process"],
        input="",
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert done.returncode != 0
    assert done.stdout == ""
