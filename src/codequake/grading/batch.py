"""Grade many completions: worker threads that only wait for sandboxes."""

from __future__ import annotations

import datetime as dt
import platform
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from codequake.canonical import content_key
from codequake.errors import UsageError
from codequake.grading.extract import Extraction
from codequake.grading.grader import (
    Grader,
    Judgement,
    extract_for,
    job_for,
    unrun,
    verdict_key,
)
from codequake.ports import Progress
from codequake.records import Completion, Measurement, Problem, Verdict
from codequake.sandbox import Job

__all__ = ["GradeItem", "grade_items"]

_AHEAD = 8


@dataclass(frozen=True, slots=True)
class GradeItem:
    """One completion, the problem whose tests judge it, and the name its program must define."""

    problem: Problem
    completion: Completion
    entry_point: str | None


@dataclass(frozen=True, slots=True)
class _Graded:
    judgement: Judgement
    seconds: float
    cpu_seconds: float | None
    memory_bytes: int | None


def grade_items(
    grader: Grader,
    items: Iterable[GradeItem],
    *,
    workers: int,
    progress: Progress | None = None,
) -> Iterator[tuple[Verdict, Measurement]]:
    """Yield the verdict and the measurement of each item, in the order of the items.

    Identical programs for the same tests run once.  ``workers`` (1 or more) sandboxes run at a
    time.  When the consumer stops, or is interrupted, every sandbox is killed before this returns.
    A verdict that was shared has a measurement of kind ``grade_shared`` with 0 seconds.
    """
    if workers < 1:
        raise UsageError(f"workers is {workers}; allowed: 1 or more")
    chosen = tuple(items)
    done = _Batch(grader, workers)
    try:
        yield from done.results(chosen, progress)
    finally:
        done.close()


class _Batch:
    """The pool of one call of ``grade_items``."""

    def __init__(self, grader: Grader, workers: int) -> None:
        self._grader = grader
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="grade")
        self._known: dict[str, Future[_Graded]] = {}
        self._window = workers * _AHEAD

    def results(
        self, items: tuple[GradeItem, ...], progress: Progress | None
    ) -> Iterator[tuple[Verdict, Measurement]]:
        waiting: deque[tuple[GradeItem, Extraction, Future[_Graded], bool]] = deque()
        position = 0
        for count in range(1, len(items) + 1):
            while position < len(items) and len(waiting) < self._window:
                waiting.append(self._submit(items[position]))
                position += 1
            item, found, future, shared = waiting.popleft()
            graded = future.result()
            verdict = self._grader.verdict(item.problem, item.completion, found, graded.judgement)
            yield verdict, _measurement(item.completion, graded, shared=shared)
            if progress is not None:
                progress(count, len(items))

    def _submit(self, item: GradeItem) -> tuple[GradeItem, Extraction, Future[_Graded], bool]:
        found = extract_for(item.problem, item.completion, item.entry_point)
        if found.status is not None:
            ready: Future[_Graded] = Future()
            ready.set_result(_Graded(unrun(item.problem, found), 0.0, None, None))
            return item, found, ready, False
        key = verdict_key(item.problem, found.program, item.entry_point, self._grader.version)
        if key in self._known:
            return item, found, self._known[key], True
        job = job_for(item.problem, found.program, item.entry_point, self._grader.limits)
        future = self._pool.submit(self._run, item.problem, job)
        self._known[key] = future
        return item, found, future, False

    def _run(self, problem: Problem, job: Job) -> _Graded:
        started = time.monotonic()
        outcome = self._grader.backend.run(job)
        judged = self._grader.judged(problem, outcome)
        seconds = time.monotonic() - started
        return _Graded(judged, seconds, outcome.cpu_seconds, outcome.peak_bytes)

    def close(self) -> None:
        """Start nothing more, kill what runs, and wait until it is gone."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        while any(future.running() for future in self._known.values()):
            self._grader.backend.kill_all()
            time.sleep(0.01)
        self._pool.shutdown(wait=True)


def _measurement(completion: Completion, graded: _Graded, *, shared: bool) -> Measurement:
    names = [
        completion.problem_id,
        completion.variant_id,
        completion.model,
        completion.sample,
    ]
    return Measurement(
        kind="grade_shared" if shared else "grade",
        key=content_key(names),
        seconds=0.0 if shared else graded.seconds,
        cpu_seconds=None if shared else graded.cpu_seconds,
        memory_bytes=None if shared else graded.memory_bytes,
        host=platform.node(),
        at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )
