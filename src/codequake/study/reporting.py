"""The last two stages: verdicts to estimates, and estimates to a report."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import codequake
from codequake.journal import Replies
from codequake.metrics import StudyFacts, StudyRows, estimate_study
from codequake.models import is_local
from codequake.records import Estimate, JsonText, Planned, Problem, Verdict
from codequake.report import ModelRun, StudyTables, Version, write_report
from codequake.store import read_parquet, write_parquet
from codequake.study.config import StudyConfig, settings_of
from codequake.study.folder import StudyFolder
from codequake.study.plan import arms_of, completions_of
from codequake.study.staged import read_replies
from codequake.study.stages import Made, read_made

__all__ = ["StudyData", "estimate_stage", "read_study", "report_study", "tables_of"]

# What the numbers depend on besides codequake itself.
_LIBRARIES = ("numpy", "scipy", "python-flint")
_DEMONSTRATION = "codequake/"


@dataclass(frozen=True, slots=True)
class StudyData:
    """Everything that a study folder holds before its estimates."""

    config: StudyConfig
    problems: tuple[Problem, ...]
    made: Made
    planned: tuple[Planned, ...]
    known: Replies
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()


def read_study(folder: StudyFolder) -> StudyData:
    """Read a study back from its files.  Raises ``DataError`` when one is missing or damaged."""
    return StudyData(
        config=folder.read_settings(),
        problems=read_parquet(folder.problems, Problem),
        made=read_made(folder),
        planned=read_parquet(folder.plan, Planned),
        known=read_replies(folder),
        verdicts=read_parquet(folder.verdicts, Verdict),
        notes=folder.read_notes(),
    )


def estimate_stage(folder: StudyFolder, data: StudyData) -> tuple[Estimate, ...]:
    """Write ``estimates.parquet``; estimates are always made anew from the rows before them."""
    # The texts are only compared where the same text is claimed each time.
    deterministic = tuple(run.name for run in _model_runs(data) if run.deterministic)
    rows = StudyRows(
        problems=(*data.problems, *data.made.oracles),
        variants=data.made.variants,
        planned=data.planned,
        completions=completions_of(data.planned, data.known, texts_of=deterministic),
        verdicts=data.verdicts,
        facts=StudyFacts(deterministic=deterministic),
    )
    estimates = estimate_study(rows, seed=data.config.seed, level=data.config.level)
    write_parquet(folder.estimates, Estimate, estimates)
    return estimates


def tables_of(data: StudyData, estimates: Sequence[Estimate]) -> StudyTables:
    """Return what the report shows of a study."""
    libraries = tuple(Version(name, importlib.metadata.version(name)) for name in _LIBRARIES)
    graders = sorted({verdict.grader for verdict in data.verdicts})
    return StudyTables(
        title=data.config.title,
        seed=data.config.seed,
        sets=data.config.problems,
        models=_model_runs(data),
        problems=data.problems,
        oracles=data.made.oracles,
        variants=data.made.variants,
        planned=data.planned,
        completions=completions_of(data.planned, data.known, texts_of=()),
        verdicts=data.verdicts,
        estimates=tuple(estimates),
        skipped=data.made.skipped,
        notes=data.notes,
        versions=(
            Version("codequake", codequake.__version__),
            *libraries,
            *(Version("grader", grader) for grader in graders),
        ),
    )


def report_study(path: Path, formats: Sequence[str]) -> tuple[Path, ...]:
    """Write the report of a study again from its files, in the formats asked for."""
    folder = StudyFolder(path)
    data = read_study(folder)
    return write_report(tables_of(data, estimate_stage(folder, data)), folder.report, formats)


def _model_runs(data: StudyData) -> tuple[ModelRun, ...]:
    """Return how each model of the plan was asked, in the order of the plan."""
    engines: dict[str, str] = {}
    for row in data.planned:
        if row.model not in engines and row.key in data.known:
            engines[row.model] = data.known[row.key].request.engine
    decodings = {row.model: row.decoding for row in data.planned}
    arms = arms_of(data.config)
    return tuple(
        ModelRun(
            name=arm,
            engine=engines.get(arm, ""),
            decoding=decoding,
            style=arms[arm][1],
            deterministic=_deterministic(engines.get(arm, ""), decoding),
            demonstration=_is_own(data.config, arms[arm][0]),
        )
        for arm, decoding in decodings.items()
    )


def _is_own(config: StudyConfig, model: str) -> bool:
    return settings_of(config, model).model.startswith(_DEMONSTRATION)


def _deterministic(engine: str, decoding: JsonText) -> bool:
    """Whether equal requests must give equal replies.

    Only an engine in this process can promise it, and only when it decodes greedily; a remote
    model at temperature 0 still differs between calls.
    """
    return is_local(engine) and json.loads(decoding).get("temperature") == 0
