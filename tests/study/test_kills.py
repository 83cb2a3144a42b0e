"""Killed at any moment, many times over: the same results, and no reply asked for again."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.models.chat_server import ChatServer
from tests.running import command_environment
from tests.study.small_study import journal_keys, results

from codequake.journal import read_journal
from codequake.problems import load_set
from codequake.records import Status, Verdict
from codequake.seeding import generator_for
from codequake.store import read_parquet

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.xdist_group("pipeline")

MODEL = "openai-api/mine/coder"
IN_FLIGHT = 10  # what the provider declares for a server of this kind
STUDY = f"""\
seed = 3
problems = ["starter-12"]
models = ["{MODEL}"]
[[perturbations]]
name = "clean"
[[perturbations]]
name = "repeat"
[[perturbations]]
name = "storytelling"
count = 2
"""


class Coder:
    """Writes a reference, a known mistake or no program, chosen by the prompt alone."""

    def __init__(self) -> None:
        self._problems = load_set("starter-12")

    def __call__(self, body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        problem = next((item for item in self._problems if f"{item.entry_point}(" in prompt), None)
        if problem is None:
            return "The function of this story has a name that I do not know."
        rng = generator_for(1, "coder", prompt)
        right = rng.random() < 0.7
        programs = problem.references if right or not problem.wrong else problem.wrong
        return f"```python\n{programs[0].code}\n```\n"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    if importlib.util.find_spec("openai") is None:
        assert os.environ.get("CI") != "true", "install the group `tests`: openai is missing"
        pytest.skip("the client of OpenAI's interface (openai) is not installed")
    with ChatServer(Coder(), delay=0.05) as running:
        yield running


class Study:
    """A study of one model behind the server, run as a user runs it."""

    def __init__(self, server: ChatServer, folder: Path, name: str, samples: int) -> None:
        self.server = server
        self.out = folder / name
        self.file = folder / "study.toml"
        self.file.write_text(f"samples = {samples}\n{STUDY}")

    def start(self) -> subprocess.Popen[str]:
        arguments = ["run", str(self.file), "--out", str(self.out), "--workers", "2"]
        return subprocess.Popen(
            [sys.executable, "-m", "codequake", *arguments],
            cwd=self.file.parent,
            env={
                **command_environment(),
                "MINE_BASE_URL": self.server.url,
                "MINE_API_KEY": "none",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self) -> None:
        process = self.start()
        errors = process.communicate(timeout=240)[1]
        assert process.returncode == 0, errors

    def journaled(self) -> Counter[str]:
        """How many requests of each prompt have a whole row."""
        return Counter(
            entry.request.messages[-1].content
            for entry in read_journal(self.out / "completions").values()
        )


def whole_rows(folder: Path) -> list[str]:
    """The keys of all rows but a torn last one."""
    found = []
    for path in sorted((folder / "completions").glob("*.jsonl")):
        lines = path.read_text("utf-8").split("\n")[:-1]
        found += [json.loads(line)["row"]["request"]["key"] for line in lines]
    return found


def kill_once(
    study: Study, missing: Counter[str], chance: random.Random, duration: float, *, among: bool
) -> bool:
    """Start a run and kill it; whether it was still running.

    The moment lies ``among`` the requests, after a few of them, or anywhere in the run.
    """
    server = study.server
    server.calls.clear()
    wanted = chance.randint(1, 2 * IN_FLIGHT)
    wait = chance.uniform(0.0, duration)
    process = study.start()
    end = time.monotonic() + wait
    if among and missing.total() > wanted:
        while process.poll() is None and server.calls.total() < wanted:
            time.sleep(0.001)
    else:
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
    alive = process.poll() is None
    process.kill()
    errors = process.communicate(timeout=60)[1]
    assert "Traceback" not in errors
    assert alive or process.returncode == 0, errors
    return alive


@dataclass
class Counts:
    """What the kills of one study did."""

    kills: int = 0
    ended_before: int = 0
    open_requests_lost: list[int] = field(default_factory=list)
    journaled_asked_again: int = 0
    rows_twice: int = 0
    rows_lost: int = 0


def kill_many_times(
    server: ChatServer, folder: Path, kills: int, *, samples: int, seed: int
) -> Counts:
    """Kill a study so often, let it end, and compare it with one that was never killed."""
    whole = Study(server, folder, "whole", samples)
    began = time.monotonic()
    whole.finish()
    duration = time.monotonic() - began
    server.settle()
    planned = whole.journaled()
    assert server.calls == planned, "each request is asked once"
    assert planned.total() == 12 * 4 * samples
    statuses = {item.status for item in read_parquet(whole.out / "verdicts.parquet", Verdict)}
    assert {Status.PASSED, Status.WRONG_ANSWER, Status.NO_CODE} <= statuses

    study = Study(server, folder, "killed", samples)
    chance = random.Random(seed)
    counts = Counts()
    among = kills * 3 // 5  # kills while it asks; the others come anywhere, also later and before
    while counts.kills < kills:
        assert counts.ended_before <= 3 * kills, "most runs end before their moment comes"
        before, rows_before = study.journaled(), set(whole_rows(study.out))
        missing = planned - before
        began = time.monotonic()
        if kill_once(study, missing, chance, duration, among=counts.kills < among):
            counts.kills += 1
        else:
            counts.ended_before += 1
            duration = min(duration, time.monotonic() - began)  # less and less is left to do
        server.settle()
        lost = server.calls.total() - (study.journaled().total() - before.total())
        counts.open_requests_lost.append(lost)
        counts.journaled_asked_again += (server.calls - missing).total()
        keys = whole_rows(study.out)
        counts.rows_twice += len(keys) - len(set(keys))
        counts.rows_lost += len(rows_before - set(keys))
    assert counts.journaled_asked_again == 0
    assert counts.rows_twice == counts.rows_lost == 0
    assert min(counts.open_requests_lost) >= 0
    assert max(counts.open_requests_lost) <= IN_FLIGHT, "more was lost than was in flight"
    server.calls.clear()
    before = study.journaled()
    study.finish()
    server.settle()
    assert server.calls == planned - before
    assert len(journal_keys(whole.out)) == len(set(whole_rows(study.out))) == planned.total()
    assert results(study.out) == results(whole.out)
    return counts


@pytest.mark.timeout(900)
def test_killed_twice(server: ChatServer, tmp_path: Path) -> None:
    kill_many_times(server, tmp_path, 2, samples=1, seed=1)


@pytest.mark.quality
@pytest.mark.timeout(7200)
def test_killed_fifty_times(server: ChatServer, tmp_path: Path) -> None:
    counts = kill_many_times(server, tmp_path, 50, samples=10, seed=2)
    assert sum(lost > 0 for lost in counts.open_requests_lost) >= 15, (
        "most came when nothing was open"
    )
    lost = sorted(Counter(counts.open_requests_lost).items())
    print(f"\n{counts}\nruns by lost open requests: {lost}")  # noqa: T201 - shown by pytest -s
