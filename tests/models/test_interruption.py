"""What is left of a run that ends before its end, and what the next one asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.models import long_run

import codequake
from codequake.journal import read_journal

HERE = Path(__file__).parent
COUNT = 40


class LongRun:
    def __init__(self, folder: Path) -> None:
        self.journal = folder / "completions"
        self.log = folder / "log"
        self.home = folder / "home"
        self.home.mkdir()

    def start(self, *, answers: int = 0, largest: int = 0) -> subprocess.Popen[str]:
        source = Path(codequake.__file__).parent.parent
        arguments = [str(self.journal), str(self.log), str(COUNT), str(answers), str(largest)]
        return subprocess.Popen(
            [sys.executable, str(HERE / "long_run.py"), *arguments],
            env={**os.environ, "PYTHONPATH": f"{source}:{HERE.parents[1]}", "HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def noted(self, what: str) -> Counter[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return Counter(line.split()[1] for line in lines if line.startswith(what))

    def wait_for_answers(self, process: subprocess.Popen[str], count: int) -> None:
        """Wait until the journal holds so many, after which the run waits, too."""
        while len(self.journaled()) < count:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)

    def journaled(self) -> set[str]:
        return {entry.request.messages[-1].content for entry in read_journal(self.journal).values()}

    def finish(self) -> None:
        """Run to the end, in this process: starting another takes longer than the run."""
        assert long_run.main(self.journal, str(self.log), COUNT, 0, 0) == 0
        assert self.journaled() == {f"p{n}" for n in range(COUNT)}


@pytest.fixture
def run(tmp_path: Path) -> LongRun:
    return LongRun(tmp_path)


@pytest.mark.parametrize("answers", [1, 9])
def test_after_a_kill_only_what_is_missing_is_asked(run: LongRun, answers: int) -> None:
    process = run.start(answers=answers)
    run.wait_for_answers(process, answers)
    process.kill()
    process.communicate()
    before = run.journaled()
    assert len(before) == answers
    run.finish()
    calls = run.noted("asked")
    assert all(calls[prompt] == 1 for prompt in before), "a journaled reply was asked again"
    assert calls.total() <= COUNT + 4, "more was asked again than was in flight"
    assert len(list(run.journal.glob("*.jsonl"))) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_ends_cleanly(run: LongRun, number: signal.Signals) -> None:
    process = run.start(answers=6)
    run.wait_for_answers(process, 6)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, "", "")
    answered = set(run.noted("answered"))
    assert run.journaled() == answered, "a reply that was received is in the journal"
    assert len(answered) == 6
    assert list(run.home.rglob("*")) == [], "nothing is written but the journal"
    run.finish()
    assert all(run.noted("asked")[prompt] == 1 for prompt in answered)


def test_full_disk_is_one_sentence_and_damages_nothing(run: LongRun) -> None:
    process = run.start(largest=3000)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.count("\n") == 1
    assert "cannot write" in err
    assert str(run.journal) in err
    before = run.journaled()
    assert 1 <= len(before) < COUNT
    run.finish()
    assert all(run.noted("asked")[prompt] == 1 for prompt in before)
