"""``codequake export``: a study as files of other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from codequake.codec import to_plain
from codequake.errors import NotAvailableError, NothingToReturnError, UsageError
from codequake.files import make_folder
from codequake.models import Call, LogHead, LogRow, render_messages, write_logs
from codequake.records import Estimate, Request, Variant, Verdict
from codequake.store import read_parquet
from codequake.study.folder import StudyFolder
from codequake.study.plan import arms_of
from codequake.study.progress import Notify
from codequake.study.reporting import StudyData, read_study
from codequake.study.staged import Chain, calls_of, read_chains

__all__ = ["Exported", "export_study"]

_FORMATS = ("inspect",)
_LATER = ("hf",)
_NO_DATE = "1970-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Exported:
    """The files that were written, and how many completions stand in them."""

    files: tuple[Path, ...]
    completions: int


def export_study(path: Path, form: str, out: Path | None, notify: Notify) -> Exported:
    """Write a study as logs of Inspect: one a model, in ``out``, by default ``DIR/inspect``.

    Files of an earlier export are replaced.  Raises ``UsageError`` for another format or a folder
    that is no study, ``DataError`` when a file of the study is damaged, and
    ``NothingToReturnError`` for a study that has asked nothing yet.
    """
    if form in _LATER:
        raise NotAvailableError(f"--format {form} is not in this version yet")
    if form not in _FORMATS:
        raise UsageError(f"--format is {form!r}; allowed: {', '.join(_FORMATS)}")
    folder = StudyFolder(path)
    folder.read_settings()  # which says so when this is no study
    if not folder.plan.exists() or not folder.verdicts.exists():
        raise NothingToReturnError(f"{path} holds no verdicts yet; `codequake run` makes them")
    data = read_study(folder)
    estimates: tuple[Estimate, ...] = ()
    if folder.estimates.exists():
        estimates = read_parquet(folder.estimates, Estimate)
    chains = read_chains(folder)
    target = out or path / "inspect"
    make_folder(target)
    models = list(dict.fromkeys(row.model for row in data.planned))
    files: list[Path] = []
    with notify.stage("writing logs", len(models)) as progress:
        for number, model in enumerate(models, start=1):
            rows = list(_rows(data, model, chains))
            files += write_logs(target, _head(data, model, estimates), rows)
            progress(number, len(models))
    return Exported(tuple(files), len(data.planned))


def _head(data: StudyData, arm: str, estimates: tuple[Estimate, ...]) -> LogHead:
    rows = [row for row in data.planned if row.model == arm]
    keys = [row.key for row in rows if row.key in data.known]
    dates = [data.known.measurement(key).at for key in keys]
    first = data.known[keys[0]] if keys else None
    return LogHead(
        title=data.config.name,
        arm=arm,
        model=arm if first is None else first.request.model,
        engine="" if first is None else first.request.engine,
        settings=to_plain(data.config),
        decoding=json.loads(rows[0].decoding),
        created=min(dates, default=_NO_DATE),
        ended=max(dates, default=_NO_DATE),
        estimates=tuple(item for item in estimates if item.model == arm),
    )


def _rows(data: StudyData, model: str, chains: Mapping[str, Chain]) -> Iterator[LogRow]:
    variants = {item.variant_id: item for item in data.made.variants}
    problems = {item.problem_id: item for item in data.problems}
    verdicts: dict[tuple[str, int], Verdict] = {
        (item.variant_id, item.sample): item for item in data.verdicts if item.model == model
    }
    _, style = arms_of(data.config)[model]
    for row in data.planned:
        if row.model != model:
            continue
        variant: Variant = variants[row.variant_id]
        problem = problems[row.problem_id]
        entry = data.known.get(row.key)
        calls = calls_of(chains[row.key], data.known) if row.key in chains else ()
        if calls:
            messages = calls[-1].messages
        elif entry is None:
            messages = render_messages(problem, variant, style, data.config.templates)
        else:
            messages = entry.request.messages
        yield LogRow(
            variant=variant,
            sample=row.sample,
            messages=messages,
            reply=None if entry is None else entry.reply,
            verdict=verdicts.get((row.variant_id, row.sample)),
            seconds=None if entry is None else entry.measurement.seconds,
            earlier=tuple(_call(data, call) for call in calls[:-1]),
        )


def _call(data: StudyData, call: Request) -> Call:
    entry = data.known[call.key]
    return Call(call.messages, entry.reply, entry.measurement.seconds)
