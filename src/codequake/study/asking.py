"""The stage that asks the models what has no reply yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codequake.canonical import list_key
from codequake.codec import to_plain
from codequake.journal import Journal, read_journal
from codequake.models import OpenModel, SimContext, answer_requests, open_model
from codequake.records import Planned, Problem, Variant
from codequake.store import write_parquet
from codequake.study.budget import open_meter
from codequake.study.config import StudyConfig, settings_of
from codequake.study.folder import StudyFolder
from codequake.study.model_settings import ModelSettings, open_arguments
from codequake.study.plan import plan_requests, unanswered
from codequake.study.progress import Notify

__all__ = ["Asked", "ask_models", "open_models", "write_plan"]

_SIMULATED = "codequake/sim"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the stage did: completions planned, requests asked now, requests answered before.

    ``stopped`` says in brackets which budget left requests unasked, and is empty when none did.
    """

    planned: tuple[Planned, ...]
    asked: int
    reused: int
    stopped: str = ""


def write_plan(folder: StudyFolder, planned: Sequence[Planned]) -> None:
    """Write ``plan.parquet`` unless it holds exactly these rows."""
    key = list_key(to_plain(row) for row in planned)
    if folder.stage_key("plan") != key:
        write_parquet(folder.plan, Planned, planned)
        folder.set_stage_key("plan", key)


def open_models(config: StudyConfig) -> dict[str, OpenModel]:
    """Open a study's models before any work is done: a wrong name or a missing key costs nothing.

    Raises what ``open_model`` raises.
    """
    nothing = SimContext((), ())
    return {name: _open(settings_of(config, name), nothing) for name in config.models}


def _open(settings: ModelSettings, context: SimContext) -> OpenModel:
    return open_model(
        settings.model,
        arguments=open_arguments(settings),
        context=context,
        label=settings.name,
    )


def ask_models(
    folder: StudyFolder,
    config: StudyConfig,
    problems: Sequence[Problem],
    variants: Sequence[Variant],
    ready: Mapping[str, OpenModel],
    notify: Notify,
) -> Asked:
    """Write ``plan.parquet`` and ask each model for what the journal does not hold.

    A budget ends this before all is asked; ``stopped`` then says which.

    ``ready`` are models that are open already.  Simulated coders are opened here in any case,
    since they answer by the problems and variants of the study.
    """
    by_id = {problem.problem_id: problem for problem in problems}
    context = SimContext(tuple(problems), tuple(variants))
    wanted = [settings_of(config, name) for name in config.models]
    opened = [
        ready[settings.name]
        if settings.name in ready and not settings.model.startswith(_SIMULATED)
        else _open(settings, context)
        for settings in wanted
    ]
    plans = [plan_requests(config, model.name, model.engine, by_id, variants) for model in opened]
    planned = tuple(row for rows, _ in plans for row in rows)
    write_plan(folder, planned)
    meter = open_meter(config, folder.completions)
    asked = reused = 0
    stopped = ""
    for model, (_, requests) in zip(opened, plans, strict=True):
        todo = unanswered(requests, read_journal(folder.completions))
        reused += len(requests) - len(todo)
        if not todo:
            continue
        with (
            Journal(folder.completions) as journal,
            notify.stage(f"asking {model.name}", len(todo)) as progress,
        ):
            counts = answer_requests(model, todo, journal, progress=progress, allowance=meter)
        asked += counts.answered + counts.pending
        if meter is not None and counts.answered + counts.pending < counts.asked:
            stopped = meter.stopped
    return Asked(planned, asked, reused, stopped)
