"""The steps below a sandbox of its own for C programs, each tried before the next.

``Care.TOGETHER``: libtcc in memory, all inputs in one process.  Then gcc, in a sandbox of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from codequake.sandbox.c_workers import CWorkers
from codequake.sandbox.jobs import Care, Job, Mode, Outcome
from codequake.sandbox.native_program import find_native_program
from codequake.sandbox.workers import WorkerLaunch
from codequake.tasks import Language

__all__ = ["CLadder"]


class CLadder:
    """Runs C programs with less care than ``ALONE``; may be used from several threads."""

    def __init__(
        self,
        command: Callable[[int, Path], tuple[str, ...]],
        filter_program: bytes,
        user: int | None,
        count_processes: bool,
        backend: str,
    ) -> None:
        self._command = command
        self._filter = filter_program
        self._user = user
        self._count_processes = count_processes
        self._backend = backend
        self._lock = threading.Lock()
        self._looked = False
        self._fast: CWorkers | None = None

    def run(self, jobs: Sequence[Job], found: list[Outcome | None], care: Care) -> None:
        """Put the outcomes of C programs into ``found`` where they can be told."""
        positions = [
            index
            for index, job in enumerate(jobs)
            if job.language is Language.C and job.mode is Mode.STDIN and found[index] is None
        ]
        if not positions or care is not Care.TOGETHER:
            return
        fast = self._fast_workers()
        if fast is None:
            return
        for index, outcome in zip(
            positions, fast.run([jobs[index] for index in positions]), strict=True
        ):
            found[index] = outcome

    def kill_all(self) -> None:
        """End every sandbox of these steps now, those that wait for work too."""
        if self._fast is not None:
            self._fast.kill_all()

    def _fast_workers(self) -> CWorkers | None:
        """The workers of the fast path; ``None`` where they cannot be built."""
        with self._lock:
            if not self._looked:
                self._looked = True
                path = find_native_program().path
                if path is not None:
                    self._fast = CWorkers(self._launch(path), self._backend)
            return self._fast

    def _launch(self, path: Path) -> WorkerLaunch:
        return WorkerLaunch(
            lambda filter_fd: self._command(filter_fd, path),
            self._filter,
            self._user,
            self._count_processes,
        )
