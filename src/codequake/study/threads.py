"""Work on several items at once, in threads that share one sandbox backend."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

from codequake.errors import UsageError
from codequake.sandbox import Backend

__all__ = ["Threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """A pool for work that waits for a sandbox; leaving it early kills what runs there."""

    def __init__(self, workers: int | None, backend: Backend) -> None:
        """Raises ``UsageError`` for less than one worker; ``None`` is one for each processor."""
        if workers is not None and workers < 1:
            raise UsageError(f"workers is {workers}; allowed: 1 or more")
        self._backend = backend
        self._threads = ThreadPoolExecutor(workers or len(os.sched_getaffinity(0)))
        self._begun: list[Future[Any]] = []

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Apply ``work`` to every item; results come in the order of the items."""
        futures = [self._threads.submit(work, item) for item in items]
        self._begun += futures
        return (future.result() for future in futures)

    def __enter__(self) -> Threads:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        # A thread whose program was killed may start another one before it ends.
        while kind is not None and any(future.running() for future in self._begun):
            self._backend.kill_all()
            time.sleep(0.01)
        self._threads.shutdown(wait=True)
