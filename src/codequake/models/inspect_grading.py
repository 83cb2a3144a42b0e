"""Programs graded for Inspect: in threads, so that its event loop goes on talking to models."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from codequake.errors import DataError, UsageError
from codequake.grading import Continuations, Grader, Judges, SandboxOracle, self_test
from codequake.keys import new_request
from codequake.models.outputs import reply_from
from codequake.models.scores import SCORER, score_of
from codequake.ports import Oracle
from codequake.problems import load_set, set_from
from codequake.records import Completion, JsonText, Problem, Reply, Verdict
from codequake.sandbox import Limits, open_backend
from codequake.store import read_parquet

__all__ = ["Asked", "GradingPool", "load_problems", "verdict"]


def load_problems(
    sets: str | Sequence[str], oracle: Oracle, folder: str = "", limit: int = 0
) -> dict[str, Problem]:
    """Return problems by id: of a study folder where one is named, else of sets or files.

    Several sets are given as a list, or as one text with commas; ``limit`` keeps the first so many
    of each, and 0 keeps all.  Raises ``UsageError`` and ``DataError``.
    """
    if folder:
        files = [Path(folder) / name for name in ("problems.parquet", "oracles.parquet")]
        found = [one for file in files if file.exists() for one in read_parquet(file, Problem)]
        if not files[0].exists():
            raise UsageError(f"folder is {folder!r}; allowed: one that `codequake perturb` wrote")
        return {problem.problem_id: problem for problem in found}
    names = sets.split(",") if isinstance(sets, str) else [str(name) for name in sets]
    problems: dict[str, Problem] = {}
    for name in (name.strip() for name in names):
        if not name:
            raise UsageError(f"problems is {sets!r}; allowed: names of problem sets")
        for problem in load_set(set_from(name, Path()), oracle)[: limit or None]:
            if problem.problem_id in problems:
                raise DataError(f"problem {problem.problem_id} stands in two of the sets")
            problems[problem.problem_id] = problem
    return problems


@dataclass(frozen=True, slots=True)
class Asked:
    """A sample: its id, its prompt, its epoch from 0, and its metadata.

    The metadata hold ``problem_id`` (without it the id of the sample is that of the problem) and,
    of a variant, ``variant_id``, ``oracle_id``, ``entry_point`` and ``shown_tests``.
    """

    name: str
    prompt: str
    sample: int
    metadata: Mapping[str, Any]


class GradingPool:
    """Grades completions in threads for callers in an event loop, which only waits."""

    def __init__(self, grader: Grader, problems: Mapping[str, Problem], workers: int = 0) -> None:
        """``workers`` programs run at a time; 0 is one for each processor."""
        if workers < 0:
            raise UsageError(f"workers is {workers}; allowed: 0 or more")
        self._grader = grader
        self._problems = problems
        self._judges = Judges(problems)
        self._continuations = Continuations()
        # A limit of its own: the loop's threads are also what Inspect reads and writes files with.
        self._limiter = anyio.CapacityLimiter(workers or len(os.sched_getaffinity(0)))

    async def verdict(self, reply: Reply, asked: Asked) -> Verdict:
        """Grade the reply to a sample; extraction, running and judging happen in a thread.

        Raises ``DataError`` when the problem is not among the ones given.
        """
        return await anyio.to_thread.run_sync(self._grade, reply, asked, limiter=self._limiter)

    def _grade(self, reply: Reply, asked: Asked) -> Verdict:
        name, metadata = asked.name, asked.metadata
        problem_id = str(metadata.get("problem_id", name))
        oracle_id = str(metadata.get("oracle_id", problem_id))
        if oracle_id not in self._problems:
            raise DataError(f"sample {name!r}: problem {oracle_id!r} is in none of the sets")
        problem = self._judges.judge(oracle_id, metadata.get("shown_tests"))
        entry_point = metadata.get("entry_point")
        text = self._continuations.complete(
            problem,
            reply.text,
            reply.stop_reason,
            # The prompt of a variant is not that of its problem.
            prompt=asked.prompt if "variant_id" in metadata else None,
            entry_point=entry_point,
        )
        completion = Completion(
            problem_id=problem_id,
            variant_id=str(metadata.get("variant_id", "")),
            model=reply.model_reported,
            sample=asked.sample,
            key=reply.key,
            text=text,
            reasoning=reply.reasoning,
            model_reported=reply.model_reported,
            stop_reason=reply.stop_reason,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            error=reply.error,
        )
        return self._grader.grade(problem, completion, entry_point)


@scorer(name=SCORER, metrics=[accuracy(), stderr()])
def verdict(
    problems: str | list[str],
    folder: str = "",
    limit: int = 0,
    timeout: float = 5.0,
    sandbox: str = "bwrap",
    workers: int = 0,
) -> Scorer:
    """Run the program of each reply against the tests of its problem.

    The score is ``C`` when all tests pass and ``I`` when they do not; when the provider or this
    machine failed the sample is *not scored*, and Inspect's metrics leave it out.  A sample names
    its problem by its id, or by ``problem_id`` in its metadata.

    Args:
        problems: Names of problem sets, or files as ``codequake grade --problems`` takes them.
        folder: A study folder, whose problems are taken in place of sets.
        limit: The first so many problems of each set; 0 means all.
        timeout: Seconds of processor time for one test.
        sandbox: ``bwrap``, ``bwrap:ubsan`` or ``none``.
        workers: Programs that run at a time; 0 means one for each processor.
    """
    backend = open_backend(sandbox)
    grader = Grader(backend, Limits(cpu_seconds=timeout))
    self_test(grader)
    pool = GradingPool(
        grader, load_problems(problems, SandboxOracle(backend), folder, limit), workers
    )

    async def score(state: TaskState, target: Target) -> Score:
        request = new_request(str(state.model), "", (), JsonText("{}"), state.epoch - 1)
        reply = reply_from(request, state.output)
        asked = Asked(str(state.sample_id), state.input_text, state.epoch - 1, state.metadata)
        return score_of(await pool.verdict(reply, asked))

    return score
