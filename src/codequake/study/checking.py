"""``codequake problems check``: the checks of problem sets with the sandbox as their oracle."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from typing import Any

from codequake.codec import to_plain
from codequake.errors import CheckFailedError
from codequake.grading import SandboxOracle, outputs_agree
from codequake.problems import (
    FORMULA_INPUTS,
    ProblemFile,
    Report,
    check_problems,
    read_set,
    set_names,
)
from codequake.study.progress import Notify
from codequake.study.sandboxes import open_sandbox

__all__ = ["CheckedSets", "check_sets"]


@dataclass(frozen=True, slots=True)
class CheckedSets:
    """One report a problem that could be read, and a sentence for each line that could not.

    ``notes`` say what was left out of a set for known defects, and what was repaired or is
    doubtful in it; they are no findings.
    """

    reports: tuple[Report, ...]
    faults: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return reports and faults as a JSON value."""
        return {
            "problems": [to_plain(report) for report in self.reports],
            "faults": list(self.faults),
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
        lines.append(f"{checked} problems checked, {self._failed} with findings")
        gaps = Counter(
            (report.executed, report.unchecked) for report in self.reports if report.unchecked
        )
        for (executed, why), count in gaps.items():
            lines.append(f"  {count} {'checked in part' if executed else 'not checked'}: {why}")
        if self.faults:
            lines.append(f"  {len(self.faults)} lines that hold no right problem, named above")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def raise_for_findings(self) -> None:
        """Raise ``CheckFailedError`` when anything that was claimed does not hold."""
        total = len(self.reports) + len(self.faults)
        if failed := self._failed + len(self.faults):
            raise CheckFailedError(f"{failed} of {total} problems have findings")

    @property
    def _failed(self) -> int:
        return sum(bool(report.findings) for report in self.reports)


def check_sets(
    names: tuple[str, ...] | None,
    sandbox: str,
    notify: Notify,
    formula_inputs: int = FORMULA_INPUTS,
) -> CheckedSets:
    """Check the named sets, or all bundled ones.

    ``formula_inputs`` is the number of inputs on which references of a formula prompt must agree.
    The good problems of a file are checked even when other lines are bad.  Raises ``UserError``
    when a file cannot be read at all.
    """
    backend = open_sandbox(sandbox, notify)
    oracle = SandboxOracle(backend)
    sets = [read_set(name, oracle) for name in names or set_names()]
    total = sum(len(found.problems) for found in sets)
    reports: list[Report] = []
    with notify.stage("checking problems", total) as progress:
        for found in sets:
            checks = check_problems(
                found.problems,
                oracle,
                agree=outputs_agree,
                origin=found.origin,
                formula_inputs=formula_inputs,
            )
            for report, place in zip(checks, _places(found), strict=True):
                reports.append(dataclasses.replace(report, place=place))
                progress(len(reports), total)
    if backend.trouble:
        notify.say(backend.trouble)
    faults = tuple(fault for found in sets for fault in found.faults)
    notes = tuple(note for found in sets for note in found.told())
    return CheckedSets(tuple(reports), faults, notes)


def _places(found: ProblemFile) -> tuple[str, ...]:
    return found.places or ("",) * len(found.problems)
