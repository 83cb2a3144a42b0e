"""``codequake grade ... --audit N``: how far the passes can be trusted, on paper and on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from codequake.canonical import canonical_json
from codequake.errors import CheckFailedError
from codequake.files import write_text
from codequake.grading import (
    AUDIT_INPUTS,
    AuditItem,
    AuditReport,
    Grader,
    SandboxOracle,
    audit_passes,
)
from codequake.records import Status
from codequake.study.progress import Notify

__all__ = ["AuditPlan", "Audited", "audit_verdicts"]

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """How many passes are tested again, and on how many fresh inputs each."""

    passes: int
    inputs: int = AUDIT_INPUTS


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit and the file that holds it with its witnesses; ``None`` when none was written."""

    report: AuditReport
    file: Path | None

    def as_lines(self) -> list[str]:
        """Return the audit as lines of text."""
        return list(_lines(self.report, self.file))

    def raise_for_false_passes(self) -> None:
        """Raise ``CheckFailedError`` when a program that passed is wrong on a fresh input."""
        count = len(self.report.witnesses)
        if count:
            where = "" if self.file is None else f"; {self.file} holds the inputs"
            raise CheckFailedError(
                f"{count} of {self.report.audited} audited passes are wrong on fresh inputs{where}"
            )


def audit_verdicts(
    grader: Grader,
    items: Sequence[AuditItem],
    plan: AuditPlan,
    seed: int,
    file: Path | None,
    workers: int,
    notify: Notify,
) -> Audited:
    """Audit the passes among some verdicts, and write what was found where there is a file."""
    oracle = SandboxOracle(grader.backend)
    counts = Counter(item.verdict.status for item in items)
    tried = (Status.PASSED, Status.WRONG_ANSWER)
    total = sum(min(plan.passes, counts[status]) for status in tried)
    with notify.stage("auditing", total) as progress:
        report = audit_passes(
            grader,
            oracle,
            items,
            sample=plan.passes,
            seed=seed,
            workers=workers,
            inputs=plan.inputs,
            progress=progress,
        )
    if file is not None:
        write_text(file, canonical_json(report.as_json()) + "\n")
    return Audited(report, file)


def _lines(report: AuditReport, file: Path | None) -> Iterator[str]:
    inputs = f"{report.inputs} fresh inputs each"
    if report.fewest_inputs < report.inputs and report.audited:
        inputs += f" (a problem had only {report.fewest_inputs})"
    yield f"audit of {report.audited} of {report.passes} passes, {inputs}, seed {report.seed}"
    wrong, interval = len(report.witnesses), report.interval
    if interval is None:
        yield "  no pass could be audited, so there is no false-pass rate"
    else:
        yield (
            f"  {wrong} wrong on a fresh input: false-pass rate {wrong / report.audited:.2%}, "
            f"95 % interval {interval.low:.2%} to {interval.high:.2%} ({interval.method})"
        )
    found = report.tolerance
    yield (
        f"  at a tenth of the tolerance {found.fail_at_tenth} of {found.passes} passes would be "
        f"wrong; at ten times {found.pass_at_ten} of {found.wrong_answers} wrong answers would pass"
    )
    yield f"  {found.prompts_in_need} of {found.prompts} prompts need a tolerance at all"
    for gone in report.unaudited:
        yield f"  not audited: {gone.passes} of {gone.problem_id}, since {gone.reason}"
    refused = sum(item.passes for item in report.unaudited)
    if report.sampled > report.audited:
        yield f"  {report.sampled - report.audited} of {report.sampled} drawn passes did not run"
    if refused:
        yield f"  {refused} passes could not be audited"
    for item in report.witnesses[:_SHOWN]:
        got = item.got if item.got is not None else item.message
        yield (
            f"  {item.problem_id} {item.variant_id} {item.model} sample {item.sample}: "
            f"input {item.input}, expected {item.expected}, got {got}"
        )
    if wrong > _SHOWN:
        yield f"  and {wrong - _SHOWN} more"
    if file is not None:
        yield f"  written to {file}"
    elif wrong:
        yield "  --out FILE keeps all of them in a file"
