"""Grade many completions, in order, with flat memory."""

from __future__ import annotations

import datetime as dt
import platform
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass

from codequake.canonical import content_key
from codequake.grading.extract import Extraction
from codequake.grading.grader import Grader, extract_for, unrun
from codequake.grading.running import Pending, Program, Ran, Runner
from codequake.ports import Progress
from codequake.records import Completion, Measurement, Problem, Verdict

__all__ = ["GradeItem", "grade_items"]

_GROUP = 64
_GROUPS_AHEAD = 3
_KNOWN = 4096


@dataclass(frozen=True, slots=True)
class GradeItem:
    """One completion, the problem whose tests judge it, and the name its program must define."""

    problem: Problem
    completion: Completion
    entry_point: str | None


def grade_items(
    grader: Grader,
    items: Iterable[GradeItem],
    *,
    workers: int,
    progress: Progress | None = None,
) -> Iterator[tuple[Verdict, Measurement]]:
    """Yield the verdict and the measurement of each item, in the order of the items.

    ``items`` may be an iterator; it is read only a little ahead of the results.  Identical
    programs for the same tests that are near to each other run once.  ``workers`` (1 or more)
    sandboxes run at a time.  When the consumer stops, or is interrupted, every sandbox is killed
    before this returns; where the grader has other batches at work, the last of them does it.  A
    verdict that was shared has a measurement of kind ``grade_shared`` with 0 seconds.
    """
    total = len(items) if isinstance(items, Sized) else None
    batch = _Batch(grader, workers, total)
    try:
        for count, result in enumerate(batch.results(iter(items)), start=1):
            yield result
            if progress is not None:
                progress(count, count if total is None else total)
    finally:
        batch.close()


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An item whose result is not yet there: the group it will come from, or the result."""

    item: GradeItem
    found: Extraction
    source: _Slot | Ran
    shared: bool


class _Slot:
    """A program that waits for its group to be started."""

    __slots__ = ("pending",)

    def __init__(self) -> None:
        self.pending: Pending | None = None


class _Batch:
    """One call of ``grade_items``."""

    def __init__(self, grader: Grader, workers: int, total: int | None) -> None:
        self._grader = grader
        self._version = grader.version
        self._runner = Runner(grader, workers)
        even = _GROUP if total is None else -(-total // (4 * workers))
        self._size = max(1, min(_GROUP, even))
        self._window = workers * _GROUPS_AHEAD * self._size
        self._group: list[tuple[Program, _Slot]] = []
        self._known: OrderedDict[tuple[int, str | None, str], _Slot] = OrderedDict()
        self._problems: dict[int, Problem] = {}  # keeps the numbers in the keys above unique

    def results(self, items: Iterator[GradeItem]) -> Iterator[tuple[Verdict, Measurement]]:
        waiting: deque[_Waiting] = deque()
        exhausted = False
        while True:
            while not exhausted and len(waiting) < self._window:
                item = next(items, None)
                if item is None:
                    exhausted = True
                else:
                    waiting.append(self._take(item))
            if exhausted:
                self._start_group()
            if not waiting:
                return
            yield self._finish(waiting.popleft())

    def _take(self, item: GradeItem) -> _Waiting:
        found = extract_for(item.problem, item.completion, item.entry_point)
        if found.status is not None:
            return _Waiting(item, found, Ran(unrun(item.problem, found), 0.0, None, None), False)
        key = (id(item.problem), item.entry_point, found.program)
        slot = self._known.get(key)
        if slot is not None:
            self._known.move_to_end(key)
            return _Waiting(item, found, slot, shared=True)
        self._problems[id(item.problem)] = item.problem
        slot = self._known[key] = _Slot()
        if len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        self._group.append((Program(item.problem, found.program, item.entry_point), slot))
        if len(self._group) >= self._size:
            self._start_group()
        return _Waiting(item, found, slot, shared=False)

    def _start_group(self) -> None:
        if self._group:
            started = self._runner.submit([program for program, _ in self._group])
            for (_, slot), pending in zip(self._group, started, strict=True):
                slot.pending = pending
            self._group = []

    def _finish(self, waiting: _Waiting) -> tuple[Verdict, Measurement]:
        source = waiting.source
        if isinstance(source, _Slot):
            if source.pending is None:
                self._start_group()
            assert source.pending is not None
            ran = source.pending.result()
        else:
            ran = source
        item = waiting.item
        verdict = self._grader.verdict(
            item.problem, item.completion, waiting.found, ran.judgement, self._version
        )
        return verdict, _measurement(item.completion, ran, shared=waiting.shared)

    def close(self) -> None:
        self._runner.close()


def _measurement(completion: Completion, ran: Ran, *, shared: bool) -> Measurement:
    names = [
        completion.problem_id,
        completion.variant_id,
        completion.model,
        completion.sample,
    ]
    return Measurement(
        kind="grade_shared" if shared else "grade",
        key=content_key(names),
        seconds=0.0 if shared else ran.seconds,
        cpu_seconds=None if shared else ran.cpu_seconds,
        memory_bytes=None if shared else ran.memory_bytes,
        host=platform.node(),
        at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )
