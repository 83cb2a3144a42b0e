"""What a check of problems says, and how much it asks for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RULES", "Finding", "Report", "Rules", "shortened"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim of a problem that does not hold: which check found it, and one sentence."""

    check: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the check found in a problem; nothing means that all its claims hold.

    ``unchecked`` says what could not be shown and why; empty when all was.  ``executed`` is false
    when there was no program to run, so that nothing was shown.
    ``place`` is ``file:line`` of the problem, where it comes from a file.  ``also`` are the ids of
    the changed versions that were checked with it.  ``notes`` are no findings: they name wrong
    programs that are not wrong any more where a constant was drawn anew.
    """

    problem_id: str
    findings: tuple[Finding, ...]
    unchecked: str = ""
    executed: bool = True
    place: str = ""
    also: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """How much a set promises of each problem.

    At least ``hidden`` hidden tests, ``wrong`` wrong programs and ``domains`` other worlds;
    ``own_test_each``: each wrong program is rejected by a test of its own; ``every_slot``: the
    statement has slots of all five kinds; ``validated``: there is a validator and a bound to draw
    anew.
    """

    hidden: int = 20
    wrong: int = 0
    domains: int = 0
    own_test_each: bool = False
    every_slot: bool = False
    validated: bool = False


RULES = {
    "quake-100": Rules(
        hidden=30, wrong=5, domains=3, own_test_each=True, every_slot=True, validated=True
    )
}
"""Name of a set -> what it promises; all others promise what ``Rules()`` says."""


def shortened(text: str) -> str:
    """Return a text as messages show it."""
    return text if len(text) <= 80 else text[:77] + "..."
