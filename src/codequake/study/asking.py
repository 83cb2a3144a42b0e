"""The stage that asks the models what has no reply yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codequake.canonical import list_key
from codequake.codec import to_plain
from codequake.journal import Journal, read_journal
from codequake.models import OpenModel, SimContext, answer_requests, open_model
from codequake.records import Planned, Problem, Variant
from codequake.store import write_parquet
from codequake.study.budget import Meter, open_meter
from codequake.study.config import StudyConfig, settings_of
from codequake.study.folder import StudyFolder
from codequake.study.model_settings import ModelSettings, open_arguments
from codequake.study.plan import Plan, answered_calls, plan_requests, unanswered
from codequake.study.progress import Notify
from codequake.study.staged import write_chains

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
    planned = tuple(row for plan in plans for row in plan.rows)
    write_chains(folder, {key: one for plan in plans for key, one in plan.chains.items()})
    write_plan(folder, planned)
    meter = open_meter(config, folder.completions)
    asked = reused = 0
    stopped = ""
    for model, plan in zip(opened, plans, strict=True):
        done = _ask_in_rounds(folder, model, plan, meter, notify)
        asked += done.asked
        reused += done.reused
        stopped = done.stopped or stopped
    return Asked(planned, asked, reused, stopped)


class _Round(NamedTuple):
    """As in ``Asked``, of one model."""

    asked: int
    reused: int
    stopped: str = ""


def _ask_in_rounds(
    folder: StudyFolder, model: OpenModel, plan: Plan, meter: Meter | None, notify: Notify
) -> _Round:
    """Ask a model for what can be asked, then for what its replies made possible, to the end.

    A call that failed to the end is not asked a second time; its chain waits for another run.
    """
    known = read_journal(folder.completions)
    reused = answered_calls(plan, known)
    asked = 0
    tried: set[str] = set()
    for number in range(1, plan.rounds + 1):
        if number > 1:
            known = read_journal(folder.completions)
        found = unanswered(plan, known)
        todo = [request for request in found if request.key not in tried]
        if not todo:
            break
        tried.update(request.key for request in todo)
        what = f"asking {model.name}" + (f", call {number}" if plan.rounds > 1 else "")
        with (
            Journal(folder.completions) as journal,
            notify.stage(what, len(todo)) as progress,
        ):
            counts = answer_requests(model, todo, journal, progress=progress, allowance=meter)
        asked += counts.answered + counts.pending
        if meter is not None and counts.answered + counts.pending < counts.asked:
            return _Round(asked, reused, meter.stopped)
    return _Round(asked, reused)
