"""Grading without asking: completions from a file, and a study again from its own folder."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.codec import to_plain
from codequake.errors import CheckFailedError, UsageError
from codequake.grading import (
    AuditItem,
    CompletionFile,
    GradeItem,
    Grader,
    SandboxOracle,
    grade_items,
    read_completions,
    refuse_unrunnable,
)
from codequake.problems import ProblemFile, read_set
from codequake.records import Planned, Problem, Status, Verdict
from codequake.store import read_parquet, write_jsonl
from codequake.study.auditing import Audited, AuditPlan, audit_verdicts
from codequake.study.config import GraderSettings
from codequake.study.folder import StudyFolder
from codequake.study.progress import Notify
from codequake.study.run import open_grader
from codequake.study.staged import read_replies
from codequake.study.stages import grade_stage, read_made

__all__ = ["Graded", "grade_file", "grade_source", "regrade_study"]


@dataclass(frozen=True, slots=True)
class Graded:
    """Verdicts, what was wrong with the input, and which verdicts differ from the last ones."""

    verdicts: tuple[Verdict, ...]
    problems: tuple[str, ...]
    changed: tuple[tuple[Verdict, Verdict], ...]
    regraded: bool
    audit: Audited | None = None

    def as_json(self) -> dict[str, Any]:
        """Return verdicts, sentences about bad input, changes and the audit as a JSON value."""
        value = {
            "verdicts": [to_plain(verdict) for verdict in self.verdicts],
            "problems": list(self.problems),
            "changed": [
                {"before": to_plain(old), "after": to_plain(new)} for old, new in self.changed
            ],
        }
        return value if self.audit is None else {**value, "audit": self.audit.report.as_json()}

    def as_text(self) -> str:
        """Return the counts by status and the changes as lines of text."""
        counts = Counter(verdict.status for verdict in self.verdicts)
        lines = [f"{len(self.verdicts)} completions graded"]
        lines += [f"  {status}: {counts[status]}" for status in Status if counts[status]]
        if self.regraded:
            lines.append(f"{len(self.changed)} verdicts differ from the last grading")
        for old, new in self.changed:
            where = f"{new.problem_id} {new.variant_id} {new.model} sample {new.sample}"
            lines.append(f"  {where}: {old.status} -> {new.status}")
            lines.append(f"    before: {old.grader}")
            lines.append(f"    after:  {new.grader}")
        if self.audit is not None:
            lines += self.audit.as_lines()
        lines += self.problems
        return "\n".join(lines)

    def raise_for_problems(self) -> None:
        """Raise ``CheckFailedError`` when input could not be graded, or a pass is a false one."""
        if self.problems:
            count = len(self.problems)
            raise CheckFailedError(
                f"{count} {'part' if count == 1 else 'parts'} of the input could not be read; "
                f"{len(self.verdicts)} completions were graded"
            )
        if self.audit is not None:
            self.audit.raise_for_false_passes()


def grade_source(
    source: Path,
    set_name: str,
    out: Path | None,
    workers: int,
    settings: GraderSettings,
    notify: Notify,
    audit: AuditPlan | None = None,
) -> Graded:
    """Grade the completions of a set, or a study again where no set is named."""
    if set_name:
        return grade_file(
            source,
            set_name,
            out,
            workers=workers,
            settings=settings,
            notify=notify,
            audit=audit,
        )
    if not source.is_dir():
        raise UsageError("--problems is missing; name the set that the completions answer")
    return regrade_study(source, workers=workers, notify=notify, audit=audit)


def grade_file(
    source: Path,
    set_name: str,
    out: Path | None,
    *,
    workers: int,
    settings: GraderSettings,
    notify: Notify,
    audit: AuditPlan | None = None,
) -> Graded:
    """Grade the completions of a file or a folder; good rows are graded even when others are bad.

    Bad rows of the set are told too, and its good problems are used.  Raises ``UserError`` when
    one of them cannot be read at all, and ``UsageError`` for a folder that is a study.
    """
    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"--out {out} is in a folder that is not there; create it first")
    if StudyFolder(source).settings.exists():
        raise UsageError(f"{source} is a study folder, which has its problems; omit --problems")
    grader = open_grader(settings, notify)
    known = read_set(set_name, SandboxOracle(grader.backend))
    read = _read_of(source, known, set_name)
    for text in known.told():
        notify.say(text)
    if read.layout:
        notify.say(f"{source}: read as {read.layout}")
    if read.outside:
        notify.say(f"{source}: {read.outside} completions answer problems outside of {set_name}")
    problems = {problem.problem_id: problem for problem in known.problems}
    items = _items(read, problems)
    refuse_unrunnable({item.problem.problem_id: item.problem for item in items}.values())
    verdicts = _grade_all(grader, items, workers, notify)
    if out is not None:
        write_jsonl(out, verdicts)
    audited = None
    if audit is not None:
        answered = [
            AuditItem(problems[item.problem_id], item, problems[item.problem_id].entry_point)
            for item in verdicts
        ]
        file = None if out is None else out.with_name(f"{out.stem}.audit.json")
        audited = audit_verdicts(grader, answered, audit, 0, file, workers, notify)
    faults = (*known.faults, *read.problems)
    return Graded(verdicts, faults, (), regraded=False, audit=audited)


def _read_of(source: Path, known: ProblemFile, set_name: str) -> CompletionFile:
    """Read completions; those of problems that the set leaves out are counted, and no faults."""
    left_out = {item.problem.problem_id: item.problem for item in known.left_out}
    everything = (*known.problems, *left_out.values())
    read = read_completions(source, everything, set_name, subset=known.filtered)
    rows = tuple(row for row in read.rows if row.problem_id not in left_out)
    outside = read.outside + len(read.rows) - len(rows)
    return dataclasses.replace(read, rows=rows, outside=outside)


def _items(read: CompletionFile, problems: dict[str, Problem]) -> list[GradeItem]:
    items = []
    for row in read.rows:
        problem = problems[row.problem_id]
        items.append(GradeItem(problem, row, problem.entry_point))
    return items


def _grade_all(
    grader: Grader, items: list[GradeItem], workers: int, notify: Notify
) -> tuple[Verdict, ...]:
    with notify.stage("grading", len(items)) as progress:
        graded = grade_items(grader, items, workers=workers, progress=progress)
        return tuple(verdict for verdict, _ in graded)


def regrade_study(
    path: Path, *, workers: int, notify: Notify, audit: AuditPlan | None = None
) -> Graded:
    """Grade every completion of a study again and write the verdicts; asks no model."""
    folder = StudyFolder(path)
    config = folder.read_settings()
    made = read_made(folder)
    judges = (*read_parquet(folder.problems, Problem), *made.oracles)
    problems = {item.problem_id: item for item in judges}
    variants = {item.variant_id: item for item in made.variants}
    planned = read_parquet(folder.plan, Planned)
    replies = read_replies(folder)
    before: dict[tuple[str, str, int], Verdict] = {}
    if folder.verdicts.exists():
        before = {
            (item.variant_id, item.model, item.sample): item
            for item in read_parquet(folder.verdicts, Verdict)
        }
    grader = open_grader(config.grader, notify)
    verdicts = grade_stage(
        folder,
        planned,
        replies,
        problems,
        variants,
        grader,
        workers=workers,
        notify=notify,
        again=True,
    )
    changed = tuple(
        (old, new)
        for new in verdicts
        if (old := before.get((new.variant_id, new.model, new.sample))) is not None
        and (old.status, old.tests) != (new.status, new.tests)
    )
    audited = None
    if audit is not None:
        answered = [
            AuditItem(
                problems[variants[item.variant_id].oracle_id],
                item,
                variants[item.variant_id].entry_point,
            )
            for item in verdicts
        ]
        audited = audit_verdicts(
            grader, answered, audit, config.seed, folder.audit, workers, notify
        )
    return Graded(verdicts, (), changed, regraded=True, audit=audited)
