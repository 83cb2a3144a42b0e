"""Grading without asking: completions from a file, and a study again from its own folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.codec import to_plain
from codequake.errors import DataError
from codequake.grading import CompletionFile, GradeItem, Grader, grade_items, read_completions
from codequake.journal import read_journal
from codequake.problems import load_set
from codequake.records import Planned, Problem, Status, Verdict
from codequake.store import read_parquet, write_jsonl
from codequake.study.config import GraderSettings
from codequake.study.folder import StudyFolder
from codequake.study.plan import completions_of
from codequake.study.progress import Notify
from codequake.study.run import open_grader
from codequake.study.stages import grade_stage, read_made

__all__ = ["Graded", "grade_file", "regrade_study"]


@dataclass(frozen=True, slots=True)
class Graded:
    """Verdicts, what was wrong with the input, and which verdicts differ from the last ones."""

    verdicts: tuple[Verdict, ...]
    problems: tuple[str, ...]
    changed: tuple[tuple[Verdict, Verdict], ...]
    regraded: bool

    def as_json(self) -> dict[str, Any]:
        """Return verdicts, sentences about bad input, and changes as a JSON value."""
        return {
            "verdicts": [to_plain(verdict) for verdict in self.verdicts],
            "problems": list(self.problems),
            "changed": [
                {"before": to_plain(old), "after": to_plain(new)} for old, new in self.changed
            ],
        }

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
        lines += self.problems
        return "\n".join(lines)

    def raise_for_problems(self) -> None:
        """Raise ``DataError`` when a part of the input could not be graded."""
        if self.problems:
            raise DataError(
                f"{len(self.problems)} lines of the input were not graded; "
                f"{len(self.verdicts)} completions were"
            )


def grade_file(
    source: Path,
    set_name: str,
    out: Path | None,
    *,
    workers: int,
    settings: GraderSettings,
    notify: Notify,
) -> Graded:
    """Grade the completions of a file; good lines are graded even when others are bad."""
    problems = {problem.problem_id: problem for problem in load_set(set_name)}
    read = read_completions(source)
    items, complaints = _items(read, problems, set_name)
    grader = open_grader(settings, notify)
    verdicts = _grade_all(grader, items, workers, notify)
    if out is not None:
        write_jsonl(out, verdicts)
    return Graded(verdicts, (*read.problems, *complaints), (), regraded=False)


def _items(
    read: CompletionFile, problems: dict[str, Problem], set_name: str
) -> tuple[list[GradeItem], list[str]]:
    items, complaints = [], []
    for row in read.rows:
        problem = problems.get(row.problem_id)
        if problem is None:
            complaints.append(f"problem {row.problem_id!r} is not in {set_name}")
        else:
            items.append(GradeItem(problem, row, problem.entry_point))
    return items, complaints


def _grade_all(
    grader: Grader, items: list[GradeItem], workers: int, notify: Notify
) -> tuple[Verdict, ...]:
    with notify.stage("grading", len(items)) as progress:
        graded = grade_items(grader, items, workers=workers, progress=progress)
        return tuple(verdict for verdict, _ in graded)


def regrade_study(path: Path, *, workers: int, notify: Notify) -> Graded:
    """Grade every completion of a study again and write the verdicts; asks no model."""
    folder = StudyFolder(path)
    config = folder.read_settings()
    problems = {item.problem_id: item for item in read_parquet(folder.problems, Problem)}
    variants = {item.variant_id: item for item in read_made(folder).variants}
    planned = read_parquet(folder.plan, Planned)
    completions = completions_of(planned, read_journal(folder.completions))
    before: dict[tuple[str, str, int], Verdict] = {}
    if folder.verdicts.exists():
        before = {
            (item.variant_id, item.model, item.sample): item
            for item in read_parquet(folder.verdicts, Verdict)
        }
    verdicts = grade_stage(
        folder,
        completions,
        problems,
        variants,
        open_grader(config.grader, notify),
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
    return Graded(verdicts, (), changed, regraded=True)
