"""A backend for tests: programs run one after the other in copies of the same process 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from codequake.sandbox import BubblewrapBackend, Care, Job, Outcome

__all__ = ["Forked", "besides_the_worker"]


class Forked:
    """Runs forked what others run alone, and keeps the jobs that came back for more care."""

    def __init__(self, backend: BubblewrapBackend) -> None:
        self.sent_back: list[Job] = []
        self.settled: list[bool] = []
        self._backend = backend

    def run(self, job: Job) -> Outcome:
        outcome = self._backend.run_all([job], Care.FORKED)[0]
        if outcome.care is not Care.FORKED:
            self.sent_back.append(job)
        self.settled.append(outcome.settled)
        return outcome

    def as_backend(self) -> BubblewrapBackend:
        """The same for tests that name the type of what they run programs on."""
        return cast(BubblewrapBackend, self)


def besides_the_worker(survivors: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """Processes that live but for the one process 1 that waits for more."""

    def find(expected: int = 0) -> list[str]:
        found = survivors(expected + 1)
        return found if len(found) > expected + 1 else []

    return find
