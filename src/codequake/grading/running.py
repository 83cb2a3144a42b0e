"""Run many programs: fast where that proves them right, with all care before one is wrong."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from codequake.errors import UsageError
from codequake.grading.confirming import confirmed, is_to_confirm
from codequake.grading.grader import Grader, Judgement, job_for
from codequake.records import Problem, Status
from codequake.sandbox import Care, Job, Outcome

__all__ = ["Pending", "Program", "Ran", "Runner", "grade_programs"]

_GROUP = 64
_GROUPS_AHEAD = 3


@dataclass(frozen=True, slots=True)
class Program:
    """A program, the problem whose tests judge it, and the name that it must define."""

    problem: Problem
    text: str
    entry_point: str | None


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program came to.

    ``seconds`` is elapsed time; programs that ran together share it evenly.  ``cpu_seconds`` and
    ``memory_bytes`` are ``None`` where the sandbox could not tell them for this program alone.
    """

    judgement: Judgement
    seconds: float
    cpu_seconds: float | None
    memory_bytes: int | None


def grade_programs(
    grader: Grader,
    programs: Iterable[Program],
    *,
    workers: int,
    care: Care = Care.TOGETHER,
    group: int = _GROUP,
) -> Iterator[Judgement]:
    """Yield the judgement of each program, in order; every program is run, equal ones too.

    ``programs`` may be an iterator; it is read only a little ahead, ``group`` at a time, which is
    how many share a process at most; ``care`` is what they get first.  Raises ``UsageError`` for
    less than one worker and for a problem that cannot be graded.
    """
    runner = Runner(grader, workers, care)
    waiting: deque[Pending] = deque()
    source = iter(programs)
    try:
        while True:
            while len(waiting) < group * workers * _GROUPS_AHEAD:
                chosen = list(islice(source, group))
                if not chosen:
                    break
                waiting.extend(runner.submit(chosen))
            if not waiting:
                return
            yield waiting.popleft().result().judgement
    finally:
        runner.close()


class Pending:
    """The result of one program of a group, once it is there."""

    __slots__ = ("_group", "_index")

    def __init__(self, group: Future[list[Ran | Future[Ran]]], index: int) -> None:
        self._group = group
        self._index = index

    def result(self) -> Ran:
        """Wait for the result."""
        found = self._group.result()[self._index]
        return found.result() if isinstance(found, Future) else found


class Runner:
    """Threads that run groups of programs on one backend.

    A group is run together first, as far as its programs can be.  What neither passes nor is
    settled (see ``Outcome``) is run again with the next care, at last in a sandbox of its own: a
    program is never called wrong on less.
    """

    def __init__(self, grader: Grader, workers: int, care: Care = Care.TOGETHER) -> None:
        """``care`` is what programs get first.  Raises ``UsageError`` for less than one worker."""
        if workers < 1:
            raise UsageError(f"workers is {workers}; allowed: 1 or more")
        self._grader = grader
        self._care = care
        # One thread more than sandboxes at a time: it judges while they run.
        self._pool = ThreadPoolExecutor(workers + 1, thread_name_prefix="grade")
        self._slots = threading.Semaphore(workers)
        self._futures: set[Future[list[Ran | Future[Ran]]] | Future[Ran]] = set()
        self._inputs: dict[int, tuple[Problem, tuple[str, ...]]] = {}
        with grader.turn:
            grader.batches += 1

    def submit(self, programs: Sequence[Program]) -> list[Pending]:
        """Start a group of programs; raises ``UsageError`` for what cannot be graded."""
        work = [(item.problem, self._job(item)) for item in programs]
        group = self._pool.submit(self._run_group, work)
        self._watch(group)
        return [Pending(group, index) for index in range(len(work))]

    def close(self) -> None:
        """Start nothing more, kill what runs, and wait until it is gone.

        A backend cannot tell whose a program is.  So while others grade on it, what still runs is
        waited for, which its limits make short, and the last one empties the backend.
        """
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._grader.turn:  # nobody begins while the backend is emptied
            self._grader.batches -= 1
            if self._grader.batches == 0:
                while any(future.running() for future in tuple(self._futures)):
                    self._grader.backend.kill_all()
                    time.sleep(0.01)
                self._pool.shutdown(wait=True)
                self._grader.backend.kill_all()
                return
        self._pool.shutdown(wait=True)

    def _watch(self, future: Future[list[Ran | Future[Ran]]] | Future[Ran]) -> None:
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)

    def _job(self, program: Program) -> Job:
        problem = program.problem
        # The same tuple each time: a worker of the sandbox is then told the inputs only once.
        _, inputs = self._inputs.get(id(problem), (problem, None))
        job = job_for(problem, program.text, program.entry_point, self._grader.limits, inputs)
        self._inputs[id(problem)] = (problem, job.inputs)
        return job

    def _run_group(self, work: list[tuple[Problem, Job]]) -> list[Ran | Future[Ran]]:
        ran = self._run(work, self._care)
        self._run_again(work, ran, Care.TOGETHER, Care.APART)
        self._run_again(work, ran, Care.APART, Care.FORKED)
        found: list[Ran | Future[Ran]] = []
        for (problem, job), (result, outcome) in zip(work, ran, strict=True):
            if self._is_to_confirm(problem, job, result, outcome):
                again = self._pool.submit(self._run_confirmed, problem, job, result, outcome)
                self._watch(again)
                found.append(again)
            elif _is_final(result.judgement, outcome):
                found.append(result)
            else:
                alone = self._pool.submit(self._run_alone, problem, job)
                self._watch(alone)
                found.append(alone)
        return found

    def _run_again(
        self, work: list[tuple[Problem, Job]], ran: list[tuple[Ran, Outcome]], had: Care, care: Care
    ) -> None:
        """Run what was run with one care, and is not final, with the next."""
        chosen = [
            index
            for index, (result, outcome) in enumerate(ran)
            if outcome.care is had and not _is_final(result.judgement, outcome)
        ]
        results = self._run([work[index] for index in chosen], care) if chosen else []
        for index, result in zip(chosen, results, strict=True):
            ran[index] = result

    def _run_alone(self, problem: Problem, job: Job) -> Ran:
        return self._run([(problem, job)], Care.ALONE)[0][0]

    def _is_to_confirm(self, problem: Problem, job: Job, result: Ran, outcome: Outcome) -> bool:
        passed = result.judgement.status is Status.PASSED
        return passed and is_to_confirm(problem, job, outcome, self._grader.confirmed_share)

    def _run_confirmed(self, problem: Problem, job: Job, fast: Ran, outcome: Outcome) -> Ran:
        """Run what the fast path calls right once more, by gcc and a process for each input."""
        (result, sure) = self._run([(problem, job)], Care.APART)[0]
        judged = confirmed(problem, outcome, fast.judgement, sure, result.judgement)
        return Ran(judged, result.seconds, result.cpu_seconds, result.memory_bytes)

    def _run(self, work: list[tuple[Problem, Job]], care: Care) -> list[tuple[Ran, Outcome]]:
        with self._slots:
            started = time.monotonic()
            outcomes = self._grader.backend.run_all([job for _, job in work], care)
            seconds = (time.monotonic() - started) / len(work)
        return [
            (_ran(self._grader.judged(problem, outcome), seconds, outcome), outcome)
            for (problem, _), outcome in zip(work, outcomes, strict=True)
        ]


def _ran(judgement: Judgement, seconds: float, outcome: Outcome) -> Ran:
    return Ran(judgement, seconds, outcome.cpu_seconds, outcome.peak_bytes)


def _is_final(judgement: Judgement, outcome: Outcome) -> bool:
    return judgement.status is Status.PASSED or outcome.settled
