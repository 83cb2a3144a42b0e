"""The second door: what ``inspect eval codequake/...`` asks, grades and logs."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.models.worlds import problem
from tests.running import command_environment, installed_environment

from codequake.records import Completion, Problem, Reply, Status, StopReason, TestStatus, Verdict

inspect_ai = pytest.importorskip("inspect_ai")

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log  # noqa: E402
from inspect_ai.scorer import value_to_float  # noqa: E402

from codequake.models import inspect_tasks  # noqa: E402
from codequake.models.inspect_grading import Asked, GradingPool  # noqa: E402
from codequake.models.scores import SCORER, score_of  # noqa: E402

REPLY = Reply("k", "```python\ndef double(n):\n    return n + n\n```", None, "m", StopReason.STOP,
              None, None, None)  # fmt: skip


def verdict_of(of: Problem, completion: Completion, status: Status) -> Verdict:
    return Verdict(
        of.problem_id, completion.variant_id, completion.model, completion.sample, status, (),
        "why", "", "fence", None, "g",
    )  # fmt: skip


class WaitingGrader:
    """Ends no verdict before the event loop has said so, which it can only while it is free."""

    def __init__(self, count: int) -> None:
        self.all_begun = threading.Barrier(count + 1)
        self.may_end = threading.Event()
        self.seen: list[tuple[Problem, Completion, str | None]] = []

    def grade(self, of: Problem, completion: Completion, entry_point: str | None) -> Verdict:
        assert threading.current_thread() is not threading.main_thread()
        self.seen.append((of, completion, entry_point))
        self.all_begun.wait()
        self.may_end.wait()
        return verdict_of(of, completion, Status.PASSED)


def test_the_event_loop_is_free_while_programs_run() -> None:
    """All gradings are open at once, and end only by what the loop itself does meanwhile."""
    count = 4
    grader: Any = WaitingGrader(count)
    own = problem()

    async def main() -> list[Verdict]:
        pool = GradingPool(grader, {own.problem_id: own}, workers=count)
        asked = [Asked(own.problem_id, "", number, {}) for number in range(count)]
        tasks = [asyncio.create_task(pool.verdict(REPLY, one)) for one in asked]
        await asyncio.to_thread(grader.all_begun.wait)
        ticks = 0
        while ticks < 50:  # the loop turns, with every grading thread held
            await asyncio.sleep(0)
            ticks += 1
        assert not any(task.done() for task in tasks)
        grader.may_end.set()
        return [await task for task in tasks]

    found = asyncio.run(main())
    assert [item.status for item in found] == [Status.PASSED] * count
    assert sorted(item.sample for item in found) == list(range(count))


def test_no_more_programs_run_than_there_are_workers() -> None:
    now = Counter({"open": 0, "most": 0})
    lock = threading.Lock()
    own = problem()

    def grade(of: Problem, completion: Completion, entry_point: str | None) -> Verdict:
        with lock:
            now["open"] += 1
            now["most"] = max(now["most"], now["open"])
        threading.Event().wait(0.01)
        with lock:
            now["open"] -= 1
        return verdict_of(of, completion, Status.WRONG_ANSWER)

    async def main() -> None:
        grader: Any = SimpleNamespace(grade=grade)
        pool = GradingPool(grader, {own.problem_id: own}, workers=2)
        await asyncio.gather(
            *(pool.verdict(REPLY, Asked(own.problem_id, "", n, {})) for n in range(12))
        )

    asyncio.run(main())
    assert now["most"] == 2


def test_a_variant_is_judged_by_its_oracle_with_its_visible_tests() -> None:
    grader: Any = WaitingGrader(1)
    grader.may_end.set()
    own, other = problem(), problem(1)
    metadata = {
        "problem_id": own.problem_id,
        "variant_id": "v",
        "oracle_id": other.problem_id,
        "entry_point": "twice",
        "shown_tests": [0],
    }

    async def main() -> Verdict:
        pool = GradingPool(grader, {item.problem_id: item for item in (own, other)}, workers=1)
        work = asyncio.create_task(pool.verdict(REPLY, Asked("s", "prompt", 3, metadata)))
        await asyncio.to_thread(grader.all_begun.wait)
        return await work

    found = asyncio.run(main())
    ((judge, completion, entry_point),) = grader.seen
    assert judge.problem_id == other.problem_id
    assert [test.visible for test in judge.tests] == [True]
    assert (completion.problem_id, completion.variant_id) == (own.problem_id, "v")
    assert entry_point == "twice"
    assert found.sample == 3


@pytest.mark.parametrize("status", list(Status))
def test_a_score_says_what_the_verdict_says(status: Status) -> None:
    found = score_of(
        verdict_of(problem(), SimpleNamespace(variant_id="v", model="m", sample=0), status)  # type: ignore[arg-type]
    )
    assert found.metadata is not None
    assert found.metadata["status"] == status
    if status in (Status.PROVIDER_ERROR, Status.HARNESS_ERROR):
        assert isinstance(found.value, float)
        assert math.isnan(found.value)  # which Inspect's metrics leave out
    else:
        assert value_to_float()(found.value) == float(status is Status.PASSED)


SCRIPT = """\
import sys
import inspect_ai
import tests.models.fake_provider
from codequake.models import inspect_tasks

task = inspect_tasks.cocc(
    problems="starter-12", limit=2, perturbations=sys.argv[2].split(","), style=sys.argv[3]
)
inspect_ai.eval(task, model=sys.argv[1], display="none", log_dir="logs")
"""


def evaluated(folder: Path, model: str, perturbations: str, style: str = "plain") -> EvalLog:
    """Run a task in a process of its own: Inspect's libraries warn, and leave loops open."""
    environment = command_environment()
    environment["PYTHONPATH"] += f":{Path(__file__).parents[2]}"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, model, perturbations, style],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return the_log(folder)


def the_log(folder: Path) -> EvalLog:
    (info,) = list_eval_logs(str(folder / "logs"))
    return read_eval_log(info)


def test_a_task_asks_and_grades_as_a_study_does(tmp_path: Path) -> None:
    log = evaluated(tmp_path, "codequake/sim-messy", "clean,repeat,storytelling")
    assert log.status == "success"
    assert log.samples is not None
    assert len(log.samples) == 2 * 3
    families = Counter(sample.metadata["family"] for sample in log.samples)
    assert families == {"clean": 2, "repeat": 2, "storytelling": 2}
    for sample in log.samples:
        score = (sample.scores or {})[SCORER]
        passed = score.metadata is not None and score.metadata["status"] == Status.PASSED
        assert score.value == ("C" if passed else "I")
        tests = (score.metadata or {})["tests"]
        assert len(tests) > 2
        if passed:
            assert {test["status"] for test in tests} == {TestStatus.PASSED}
            assert {test["visible"] for test in tests} == {True, False}
    assert log.results is not None
    values = log.results.scores[0].metrics
    for family in families:
        scores = [
            sample.scores[SCORER].value
            for sample in log.samples
            if sample.scores and sample.metadata["family"] == family
        ]
        assert values[family].value == scores.count("C") / 2
    assert "all" not in values  # a mean over kinds of prompts would be no Pass@1 of anything


def test_a_provider_that_fails_leaves_samples_pending(tmp_path: Path) -> None:
    log = evaluated(tmp_path, "fake/bad", "clean")
    assert log.samples is not None
    assert len(log.samples) == 2
    for sample in log.samples:
        assert sample.error is not None
        assert not sample.scores  # no verdict on the model


def inspect_command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("inspect")
    return subprocess.run(
        [str(program), "eval", *arguments, "--display", "plain", "--log-dir", str(folder / "logs")],
        capture_output=True,
        text=True,
        cwd=folder,
        env=installed_environment(),
        check=False,
    )


def test_inspect_finds_our_tasks_by_name(tmp_path: Path) -> None:
    done = inspect_command(
        tmp_path, "codequake/syntactic-robustness", "--model", "codequake/sim", "-T", "limit=1",
        "-T", "distances=1,2",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    log = the_log(tmp_path)
    assert log.status == "success"
    assert log.eval.task == "codequake/syntactic-robustness"
    found = Counter(
        (sample.metadata["family"], sample.metadata["distance"]) for sample in log.samples or ()
    )
    assert found == {
        ("clean", 0): 1, ("repeat", 0): 1, ("formula", 1): 1, ("formula", 2): 1,
        ("reduced", 1): 1, ("reduced", 2): 1,
    }  # fmt: skip
    assert all(sample.scores for sample in log.samples or ())


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("problems=nope", "nope"),
        ("samples=0", "samples is 0; allowed: a whole number from 1"),
        ("perturbations=storytale", "storytelling"),
        ("perturbations=example_perturbation", "which a task cannot hold; allowed: -T folder=DIR"),
    ],
)
def test_wrong_arguments_are_one_sentence(argument: str, sentence: str) -> None:
    from inspect_ai._util.error import PrerequisiteError

    name, _, value = argument.partition("=")
    given: Any = int(value) if value.isdecimal() else value
    with pytest.raises(PrerequisiteError, match="codequake: ") as caught:
        inspect_tasks.cocc(**{"problems": "starter-12", name: given})
    assert sentence in str(caught.value.message)
