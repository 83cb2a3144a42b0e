"""A backend for tests: programs run one after the other in copies of the same process 1."""

from __future__ import annotations

from collections.abc import Callable

from codequake.sandbox import BubblewrapBackend, Care, Job, Outcome

__all__ = ["Forked", "besides_the_worker"]


class Forked:
    """Runs forked what others run alone, and counts what had to be run alone after all."""

    def __init__(self, backend: BubblewrapBackend) -> None:
        self.runs = 0
        self.sent_back: list[Job] = []
        self._backend = backend

    def run(self, job: Job) -> Outcome:
        outcome = self._backend.run_all([job], Care.FORKED)[0]
        self.runs += 1
        if outcome.care is not Care.FORKED:
            self.sent_back.append(job)
        return outcome

    def kill_all(self) -> None:
        self._backend.kill_all()


def besides_the_worker(survivors: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """Processes that live but for the one process 1 that waits for more."""

    def find(expected: int = 0) -> list[str]:
        found = survivors(expected + 1)
        return found if len(found) > expected + 1 else []

    return find
