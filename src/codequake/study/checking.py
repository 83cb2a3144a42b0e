"""``codequake problems check``: the checks of problem sets with the sandbox as their oracle."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codequake.codec import to_plain
from codequake.errors import CheckFailedError, DataError
from codequake.grading import SandboxOracle, outputs_agree
from codequake.problems import (
    FORMULA_INPUTS,
    ProblemFile,
    Report,
    check_problems,
    read_set,
    set_names,
)
from codequake.problems.mutation_score import MutationScore, mutation_score
from codequake.records import Problem
from codequake.sandbox import Backend, Limits
from codequake.study.progress import Notify
from codequake.study.sandboxes import open_sandbox
from codequake.study.threads import Threads

__all__ = ["CheckedSets", "check_sets"]


_BRIEF = 0.5
"""Seconds of processor time of a mutant: many of them loop for ever."""
_QUICK = 8
"""Inputs from which on the check lets them share a process, before it finds anything."""


@dataclass(frozen=True, slots=True)
class CheckedSets:
    """One report a problem that could be read, and a sentence for each line that could not.

    ``scores`` are those of the references, where mutants were asked for; ``unscored`` says of a
    problem why its references have none.
    ``notes`` say what was left out of a set for known defects, and what was repaired or is
    doubtful in it; they are no findings.
    """

    reports: tuple[Report, ...]
    faults: tuple[str, ...]
    scores: tuple[MutationScore, ...] = ()
    notes: tuple[str, ...] = ()
    unscored: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return reports and faults as a JSON value."""
        return {
            "problems": [to_plain(report) for report in self.reports],
            "faults": list(self.faults),
            "mutation": [to_plain(score) for score in self.scores],
            "unscored": list(self.unscored),
            "notes": list(self.notes),
        }

    def as_text(self) -> str:
        """Return the findings, the counts, and what could not be checked, as lines of text."""
        lines = list(self.faults)
        for report in self.reports:
            place = f"{report.place}: " if report.place else ""
            lines += [
                f"{place}{report.problem_id}: {finding.check}: {finding.message}"
                for finding in report.findings
            ]
        checked = sum(report.executed for report in self.reports)
        also = sum(len(report.also) for report in self.reports)
        versions = f" and {also} changed versions of them" if also else ""
        lines.append(f"{checked} problems{versions} checked, {self._failed} with findings")
        gaps = Counter(
            (report.executed, report.unchecked) for report in self.reports if report.unchecked
        )
        for (executed, why), count in gaps.items():
            lines.append(f"  {count} {'checked in part' if executed else 'not checked'}: {why}")
        if self.faults:
            lines.append(f"  {len(self.faults)} lines that hold no right problem, named above")
        told = (note for report in self.reports for note in report.notes)
        lines += [f"  note: {note}" for note in (*self.notes, *told)]
        return "\n".join([*lines, *self._mutation(), *self.unscored])

    def _mutation(self) -> list[str]:
        """Return the survivors, and the score over all references."""
        if not self.scores:
            return []
        lines = [
            f"{score.problem_id}: {score.reference}: {item.what}: "
            + (f"missed, see input {item.witness[:80]}" if item.witness else "may be equivalent")
            for score in self.scores
            for item in score.survivors
        ]
        total = sum(score.mutants for score in self.scores)
        alive = sum(len(score.survivors) for score in self.scores)
        missed = sum(score.missed for score in self.scores)
        share = f" ({100 * (total - alive) / total:.1f} %)" if total else ""
        lines.append(
            f"{total - alive} of {total} mutants{share} of {len(self.scores)} references are "
            f"rejected by hidden tests; {missed} are missed, and {alive - missed} agree with their "
            "reference on every input that was drawn"
        )
        return lines

    def raise_for_findings(self) -> None:
        """Raise ``CheckFailedError`` when anything that was claimed does not hold."""
        total = len(self.reports) + len(self.faults)
        if failed := self._failed + len(self.faults):
            raise CheckFailedError(f"{failed} of {total} problems have findings")
        if self.unscored:
            raise CheckFailedError(f"the mutants of {len(self.unscored)} problems have no score")

    @property
    def _failed(self) -> int:
        return sum(bool(report.findings) for report in self.reports)


def check_sets(
    names: tuple[str, ...] | None,
    sandbox: str,
    notify: Notify,
    formula_inputs: int = FORMULA_INPUTS,
    workers: int | None = None,
    mutants: int = 0,
) -> CheckedSets:
    """Check the named sets, or all bundled ones.

    ``formula_inputs`` is the number of inputs on which references of a formula prompt must agree,
    ``workers`` the number of problems that are checked at once (one for each processor).  With
    ``mutants`` so many mechanical mutants of each reference are put to the hidden tests.
    The good problems of a file are checked even when other lines are bad.  Raises ``UserError``
    when a file cannot be read at all.
    """
    backend = open_sandbox(sandbox, notify)
    oracle = SandboxOracle(backend)
    quick = SandboxOracle(backend, many=_QUICK)
    sets = [read_set(name, oracle) for name in names or set_names()]
    total = sum(len(found.problems) for found in sets)
    reports: list[Report] = []
    with notify.stage("checking problems", total) as progress, Threads(workers, backend) as pool:
        for found in sets:
            checks = check_problems(
                found.problems,
                oracle,
                agree=outputs_agree,
                origin=found.origin,
                formula_inputs=formula_inputs,
                changed=found.changed,
                quick=quick,
                pool=pool,
            )
            for report, place in zip(checks, _places(found), strict=True):
                reports.append(dataclasses.replace(report, place=place))
                progress(len(reports), total)
    if backend.trouble:
        notify.say(backend.trouble)
    faults = tuple(fault for found in sets for fault in found.faults)
    scored = _scores(sets, backend, notify, workers, mutants) if mutants else ((), ())
    notes = tuple(note for found in sets for note in found.told())
    return CheckedSets(tuple(reports), faults, scored[0], notes, scored[1])


def _scores(
    sets: Sequence[ProblemFile],
    backend: Backend,
    notify: Notify,
    workers: int | None,
    mutants: int,
) -> tuple[tuple[MutationScore, ...], tuple[str, ...]]:
    """Return the scores of the problems, and a sentence for each that has none."""
    brief = SandboxOracle(backend, Limits(cpu_seconds=_BRIEF), many=_QUICK)
    problems = [problem for found in sets for problem in found.problems]
    scores: list[MutationScore] = []
    unscored: list[str] = []

    def score(problem: Problem) -> tuple[MutationScore, ...] | str:
        try:
            return mutation_score(problem, brief, agree=outputs_agree, seed=0, count=mutants)
        except DataError as error:
            return f"{problem.problem_id}: its mutants have no score: {error}"

    with notify.stage("mutants", len(problems)) as progress, Threads(workers, backend) as pool:
        for number, found in enumerate(pool.map(score, problems), start=1):
            if isinstance(found, str):
                unscored.append(found)
            else:
                scores += found
            progress(number, len(problems))
    return tuple(scores), tuple(unscored)


def _places(found: ProblemFile) -> tuple[str, ...]:
    return found.places or ("",) * len(found.problems)
