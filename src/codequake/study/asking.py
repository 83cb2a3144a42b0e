"""The stage that asks the models what has no reply yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codequake.canonical import content_key
from codequake.codec import to_plain
from codequake.journal import Journal, read_journal
from codequake.models import SimContext, answer_requests, open_model
from codequake.records import Planned, Problem, Variant
from codequake.store import write_parquet
from codequake.study.config import StudyConfig
from codequake.study.folder import StudyFolder
from codequake.study.plan import plan_requests, unanswered
from codequake.study.progress import Notify

__all__ = ["Asked", "ask_models"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the stage did: completions planned, requests asked now, requests answered before."""

    planned: tuple[Planned, ...]
    asked: int
    reused: int


def ask_models(
    folder: StudyFolder,
    config: StudyConfig,
    problems: Sequence[Problem],
    variants: Sequence[Variant],
    notify: Notify,
) -> Asked:
    """Write ``plan.parquet`` and ask each model for what the journal does not hold."""
    by_id = {problem.problem_id: problem for problem in problems}
    context = SimContext(tuple(problems), tuple(variants))
    opened = [open_model(name, context=context) for name in config.models]
    plans = [plan_requests(config, model.name, model.engine, by_id, variants) for model in opened]
    planned = tuple(row for rows, _ in plans for row in rows)
    key = content_key([to_plain(row) for row in planned])
    if folder.stage_key("plan") != key:
        write_parquet(folder.plan, Planned, planned)
        folder.set_stage_key("plan", key)
    asked = reused = 0
    for model, (_, requests) in zip(opened, plans, strict=True):
        todo = unanswered(requests, read_journal(folder.completions))
        reused += len(requests) - len(todo)
        if not todo:
            continue
        asked += len(todo)
        with (
            Journal(folder.completions) as journal,
            notify.stage(f"asking {model.name}", len(todo)) as progress,
        ):
            answer_requests(model, todo, journal, progress=progress)
    return Asked(planned, asked, reused)
