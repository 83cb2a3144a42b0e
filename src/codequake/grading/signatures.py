"""What the programs that a problem knows to be wrong give on its tests.

A model's program that gives the same, test by test, has most likely made the same mistake.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import StrEnum

from codequake.errors import MachineError
from codequake.grading.grader import Grader, job_for
from codequake.records import Problem, Reference, Status
from codequake.sandbox import run_settled

__all__ = ["Signature", "SignatureKind", "signatures_of"]


class SignatureKind(StrEnum):
    """What a known program solves instead of the task.

    ``original``: the task that this one was made from.  ``relaxed``: a simpler task that models
    fall back to.  ``wrong``: the task with a mistake that its author foresaw.
    """

    ORIGINAL = "original"
    RELAXED = "relaxed"
    WRONG = "wrong"


@dataclasses.dataclass(frozen=True, slots=True)
class Signature:
    """The marks of a known program on the tests of a problem, as verdicts have them.

    ``outputs`` is empty where the tests do not tell the program from a right one, where it did not
    run, and for tests by statements, which give no output; it then matches nothing.
    """

    problem_id: str
    kind: SignatureKind
    name: str
    outputs: tuple[str, ...]


def signatures_of(
    grader: Grader, problem: Problem, original: Problem | None = None
) -> tuple[Signature, ...]:
    """Run the known programs of a problem in the sandbox and return their signatures.

    ``original`` is the problem that a changed one was made from; its first reference is then run
    on the tests of the changed one.  They are sorted by kind and name.  Raises ``MachineError``
    when the sandbox fails, and ``UsageError`` for a problem that cannot be run.
    """
    known: list[tuple[SignatureKind, Reference, str | None]] = []
    known += [(SignatureKind.RELAXED, item, None) for item in problem.relaxed]
    known += [(SignatureKind.WRONG, item, None) for item in problem.wrong]
    if original is not None:
        known.append((SignatureKind.ORIGINAL, original.references[0], original.entry_point))
    found = [
        Signature(problem.problem_id, kind, item.name, _marks(grader, problem, item, entry_point))
        for kind, item, entry_point in known
    ]
    return _sorted(found)


def _marks(
    grader: Grader, problem: Problem, program: Reference, entry_point: str | None
) -> tuple[str, ...]:
    """``entry_point`` is ``None`` for the problem's own."""
    judged_as = dataclasses.replace(problem, language=program.language)
    job = job_for(judged_as, program.code, entry_point, grader.limits)
    judged = grader.judged(problem, run_settled(grader.backend, job))
    if judged.status is Status.HARNESS_ERROR:
        raise MachineError(
            f"the sandbox failed on program {program.name!r} of {problem.problem_id!r}: "
            f"{judged.message}"
        )
    return judged.outputs


def _sorted(found: Sequence[Signature]) -> tuple[Signature, ...]:
    return tuple(sorted(found, key=lambda item: (item.kind, item.name)))
