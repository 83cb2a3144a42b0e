"""What the end of a program means that was built to trap at undefined behaviour."""

from __future__ import annotations

from dataclasses import replace

from codequake.sandbox.jobs import Ending, Outcome

__all__ = ["with_trap_named"]

_TRAPPED = "killed by SIGILL"
_MEANING = "undefined behaviour (trapped by UBSan)"


def with_trap_named(outcome: Outcome) -> Outcome:
    """Return the outcome with the signal of the trap told as what it stands for.

    A program that raises the signal itself is told so, too; it has failed all the same.
    """
    runs = tuple(
        replace(run, detail=_MEANING)
        if run.ending is Ending.CRASHED and run.detail == _TRAPPED
        else run
        for run in outcome.runs
    )
    return replace(outcome, runs=runs)
