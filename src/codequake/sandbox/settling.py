"""Run one program quickly where that settles its outcome, and alone where it does not."""

from __future__ import annotations

from codequake.sandbox.jobs import Backend, Care, Job, Outcome

__all__ = ["run_settled"]


def run_settled(backend: Backend, job: Job) -> Outcome:
    """Return the outcome of a program as a sandbox of its own would tell it.

    A copy of process 1 is asked first; see ``Outcome.settled``.
    """
    (outcome,) = backend.run_all([job], Care.FORKED)
    return outcome if outcome.settled else backend.run(job)
