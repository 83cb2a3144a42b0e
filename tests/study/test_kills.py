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

    def __init__(self, server: ChatServer, folder: Path, name: str) -> None:
        self.server = server
        self.out = folder / name
        self.file = folder / "study.toml"
        self.file.write_text(STUDY)
        self.rows: Counter[str] = Counter()

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


def kill_many_times(server: ChatServer, folder: Path, kills: int, seed: int) -> None:
    whole = Study(server, folder, "whole")
    began = time.monotonic()
    whole.finish()
    duration = time.monotonic() - began
    server.settle()
    planned = whole.journaled()
    assert server.calls == planned, "each request is asked once"
    assert planned.total() == 12 * 4
    statuses = {item.status for item in read_parquet(whole.out / "verdicts.parquet", Verdict)}
    assert {Status.PASSED, Status.WRONG_ANSWER, Status.NO_CODE} <= statuses

    study = Study(server, folder, "killed")
    chance = random.Random(seed)
    lost = 0
    for number in range(kills):
        server.calls.clear()
        before = study.journaled()
        process = study.start()
        # Half of the moments lie where models are asked, the others anywhere.
        wanted = chance.randint(1, 2 * IN_FLIGHT) if number % 2 == 0 else planned.total() + 1
        end = time.monotonic() + chance.uniform(0.0, duration)
        while process.poll() is None and server.calls.total() < wanted:
            if wanted > planned.total() and time.monotonic() > end:
                break
            time.sleep(0.001)
        process.kill()
        errors = process.communicate(timeout=60)[1]
        assert "Traceback" not in errors
        server.settle()
        for prompt, calls in server.calls.items():
            assert calls <= planned[prompt] - before[prompt], "a journaled reply was asked again"
        lost = server.calls.total() - (study.journaled().total() - before.total())
        assert 0 <= lost <= IN_FLIGHT, "more was lost than was in flight"
        keys = whole_rows(study.out)
        assert len(keys) == len(set(keys)), "a row stands twice"
    server.calls.clear()
    before = study.journaled()
    study.finish()
    server.settle()
    assert server.calls == planned - before
    assert len(journal_keys(whole.out)) == len(set(whole_rows(study.out))) == planned.total()
    assert results(study.out) == results(whole.out)


@pytest.mark.timeout(900)
def test_killed_three_times(server: ChatServer, tmp_path: Path) -> None:
    kill_many_times(server, tmp_path, 3, seed=1)


@pytest.mark.quality
@pytest.mark.timeout(7200)
def test_killed_fifty_times(server: ChatServer, tmp_path: Path) -> None:
    kill_many_times(server, tmp_path, 50, seed=2)
