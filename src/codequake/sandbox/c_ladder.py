"""The steps below a sandbox of its own for C programs, each tried before the next.

``Care.TOGETHER``: libtcc in memory, all inputs in one process.  ``Care.APART``, and whatever libtcc
cannot tell: gcc in a sandbox for many programs, a process for each input.  Then gcc, alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from codequake.sandbox.c_workers import CWorkers
from codequake.sandbox.gcc_workers import GccWorkers
from codequake.sandbox.jobs import Care, Job, Mode, Outcome
from codequake.sandbox.native_program import find_native_program
from codequake.sandbox.pool import ServerLaunch
from codequake.tasks import Language

__all__ = ["CLadder"]

_MOST_CHECKED = 4096


class CLadder:
    """Runs C programs with less care than ``ALONE``; may be used from several threads."""

    def __init__(
        self,
        fast: Callable[[Path], ServerLaunch],
        gcc: ServerLaunch,
        backend: str,
    ) -> None:
        self._fast_launch = fast
        self._backend = backend
        self._lock = threading.Lock()
        self._looked = False
        self._fast: CWorkers | None = None
        self._gcc = GccWorkers(gcc, backend)
        self._checked: dict[Job, None] = {}

    @property
    def faults(self) -> set[str]:
        """Why workers do not start; empty strings where they do, or none was needed yet."""
        return {self._gcc.fault, self._fast.fault if self._fast is not None else ""}

    def run(self, jobs: Sequence[Job], found: list[Outcome | None], care: Care) -> None:
        """Put the outcomes of C programs into ``found`` where they can be told."""
        waiting = [
            index
            for index, job in enumerate(jobs)
            if job.language is Language.C and job.mode is Mode.STDIN and found[index] is None
        ]
        fast = self._fast_workers() if waiting and care is Care.TOGETHER else None
        if fast is not None:
            outcomes = fast.run([jobs[index] for index in waiting])
            for index, outcome in zip(waiting, outcomes, strict=True):
                found[index] = outcome
                if outcome is not None:
                    self._note(jobs[index])
            waiting = [index for index in waiting if found[index] is None]
        if waiting:
            chosen = [jobs[index] for index in waiting]
            outcomes = self._gcc.run(chosen, self._checked.__contains__)
            for index, outcome in zip(waiting, outcomes, strict=True):
                found[index] = outcome

    def kill_all(self) -> None:
        """End every sandbox of these steps now, those that wait for work too."""
        self._gcc.kill_all()
        if self._fast is not None:
            self._fast.kill_all()

    def _note(self, job: Job) -> None:
        """Remember that two patterns in memory made no difference to a program."""
        if len(self._checked) >= _MOST_CHECKED:
            self._checked.clear()
        self._checked[job] = None

    def _fast_workers(self) -> CWorkers | None:
        """The workers of the fast path; ``None`` where they cannot be built."""
        with self._lock:
            if not self._looked:
                self._looked = True
                path = find_native_program().path
                if path is not None:
                    self._fast = CWorkers(self._fast_launch(path), self._backend)
            return self._fast
