"""A whole study: variants, replies, verdicts, estimates and report, each only where missing."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json
from codequake.errors import CheckFailedError, UsageError, UserError
from codequake.grading import Grader, SandboxOracle, refuse_unrunnable, self_test
from codequake.perturb import PERTURBATIONS, PerturbationSpec
from codequake.ports import Oracle
from codequake.problems import set_from
from codequake.records import JsonText, Problem, Verdict
from codequake.report import summary_text, write_report
from codequake.sandbox import Limits
from codequake.study.asking import Asked, ask_models, open_models
from codequake.study.budget import check_prices
from codequake.study.config import GraderSettings, Study, StudyConfig, load_study
from codequake.study.folder import StudyFolder
from codequake.study.missing import refuse_missing
from codequake.study.prices import with_prices
from codequake.study.progress import Notify
from codequake.study.reporting import StudyData, estimate_stage, tables_of
from codequake.study.sandboxes import open_sandbox
from codequake.study.staged import read_replies
from codequake.study.stages import (
    PENDING,
    Made,
    grade_stage,
    problems_stage,
    variants_stage,
)

__all__ = [
    "RunResult",
    "begin_study",
    "configure",
    "finish_study",
    "make_study_variants",
    "open_grader",
    "refuse_more_models",
    "run_study",
    "study_of_options",
]

_SHOWN = 300
_FORMATS = ("html", "md", "csv", "json")


@dataclasses.dataclass(frozen=True, slots=True)
class RunResult:
    """What a run came to: the summary, where the report is, and what is still pending.

    ``waits_for`` is the budget that stopped it or the commonest reason of pending completions, in
    brackets, or empty.
    """

    folder: Path
    report: Path
    summary: str
    planned: int
    asked: int
    reused: int
    pending: int
    waits_for: str

    def as_json(self) -> dict[str, Any]:
        """Return the counts and paths as a JSON value."""
        return {
            "folder": str(self.folder),
            "report": str(self.report),
            "planned": self.planned,
            "asked": self.asked,
            "reused": self.reused,
            "pending": self.pending,
        }

    def raise_for_pending(self, remedy: str = "run the same command again to ask for them") -> None:
        """Raise ``CheckFailedError`` while completions are pending; ``remedy`` says what to do."""
        if self.pending:
            raise CheckFailedError(
                f"{self.pending} completions are pending{self.waits_for}; {remedy}"
            )


def configure(
    source: str,
    models: tuple[str, ...],
    limit: int,
    problems: tuple[str, ...] = (),
    prices: Path | None = None,
) -> Study:
    """Return the study with what the command line changes in its settings.

    ``problems`` take the place of the study's sets; their paths start from the current folder.
    """
    study = load_study(source)
    config = study.config
    if problems:
        here = tuple(set_from(name, Path.cwd()) for name in problems)
        config = dataclasses.replace(config, problems=here)
    if prices is not None:
        config = with_prices(config, prices)
    if models:
        settings = tuple(item for item in config.model_settings if item.name in models)
        config = dataclasses.replace(config, models=models, model_settings=settings)
    if limit:
        config = dataclasses.replace(config, limit=limit)
    if not config.models:
        raise UsageError("no model is named; use --model, or models in the study file")
    return dataclasses.replace(study, config=config)


def study_of_options(
    source: str,
    problems: str,
    perturbations: tuple[str, ...],
    seed: int,
    sandbox: str,
    ready: tuple[str, ...] = (),
) -> Study:
    """Return the study of ``codequake perturb``: of a file, or of a set and named perturbations."""
    if bool(source) == bool(problems):
        raise UsageError("name either a study or --problems SET, and not both")
    if source and ready:
        raise UsageError("--ready-made goes with --problems; name variants in the study file")
    if source:
        return load_study(source)
    names = perturbations or ("clean",)
    for name in names:
        PERTURBATIONS[name]  # an unknown name is an error with near names
    config = StudyConfig(
        name="variants",
        title="variants",
        seed=seed,
        problems=(problems,),
        perturbations=tuple(PerturbationSpec(name, JsonText(canonical_json({}))) for name in names),
        variants=ready,
        grader=GraderSettings(sandbox=sandbox),
    )
    return Study(config)


def make_study_variants(study: Study, out: Path, notify: Notify) -> Made:
    """Run the first two stages of a study."""
    backend = open_sandbox(study.config.grader.sandbox, notify)
    _, _, made = begin_study(StudyFolder(out), study, SandboxOracle(backend), notify, graded=False)
    return made


def begin_study(
    folder: StudyFolder, study: Study, oracle: Oracle, notify: Notify, *, graded: bool
) -> tuple[StudyConfig, tuple[Problem, ...], Made]:
    """Bind a folder to a study and run the stages that need no model.

    A study that will be ``graded`` has no problem that the sandbox cannot run.
    """
    refuse_missing(study.config.unavailable, study.config.missing)
    new = not folder.settings.exists()
    config = folder.open(study.config)
    try:
        problems = problems_stage(folder, dataclasses.replace(study, config=config), oracle)
        for text in folder.read_notes() if new else ():
            notify.say(text)
        if graded:
            refuse_unrunnable(problems)
        made = variants_stage(folder, config, problems, oracle, notify, study.base)
    except UserError:
        # Nothing is lost, and a folder that keeps wrong settings would refuse the corrected ones.
        if new:
            folder.discard()
        raise
    return config, problems, made


def open_grader(settings: GraderSettings, notify: Notify) -> Grader:
    """Return a grader that has just proved that it can tell right from wrong."""
    backend = open_sandbox(settings.sandbox, notify)
    grader = Grader(backend, Limits(cpu_seconds=settings.timeout))
    self_test(grader)
    if backend.trouble:
        notify.say(backend.trouble)
    return grader


def refuse_more_models(study: Study, out: Path) -> None:
    """Raise ``UsageError`` when folder ``out`` holds a study that does not ask these models."""
    folder = StudyFolder(out)
    if not folder.settings.exists():
        return
    models = folder.read_settings().models
    new = [name for name in study.config.models if name not in models]
    if new:
        raise UsageError(
            f"--out {out} holds a study of {', '.join(models) or 'no model'}, and this would ask "
            f"{', '.join(new)}; name another folder, or add the model with `codequake run`"
        )


def run_study(study: Study, out: Path, *, workers: int, notify: Notify) -> RunResult:
    """Run a study in folder ``out``, or go on with it.

    Raises ``UsageError`` when the folder holds another study and ``MachineError`` when programs
    cannot be isolated here; both before any model is asked.  A model that cannot be opened is told
    before the folder is bound to it.
    """
    folder = StudyFolder(out)
    check_prices(study.config)
    ready = open_models(study.config)
    grader = open_grader(study.config.grader, notify)
    oracle = SandboxOracle(grader.backend)
    config, problems, made = begin_study(folder, study, oracle, notify, graded=True)
    judges = (*problems, *made.oracles)
    asked = ask_models(folder, config, judges, made.variants, ready, notify)
    return finish_study(folder, config, problems, made, asked, grader, workers, notify)


def finish_study(
    folder: StudyFolder,
    config: StudyConfig,
    problems: tuple[Problem, ...],
    made: Made,
    asked: Asked,
    grader: Grader,
    workers: int,
    notify: Notify,
) -> RunResult:
    """Run the stages after the last reply: verdicts where they are missing, estimates, report."""
    data = _grade(folder, config, problems, made, asked, grader, workers, notify)
    tables = tables_of(data, estimate_stage(folder, data))
    paths = write_report(tables, folder.report, _FORMATS)
    pending = len(asked.planned) - sum(item.status not in PENDING for item in data.verdicts)
    return RunResult(
        folder=folder.path,
        report=paths[0],
        summary=summary_text(tables),
        planned=len(asked.planned),
        asked=asked.asked,
        reused=asked.reused,
        pending=pending,
        waits_for=asked.stopped or _commonest_error(data.verdicts),
    )


def _commonest_error(verdicts: Sequence[Verdict]) -> str:
    counts = Counter(item.message for item in verdicts if item.status in PENDING)
    if not counts:
        return ""
    message, count = counts.most_common(1)[0]
    shown = message if len(message) <= _SHOWN else message[:_SHOWN] + "..."
    return f" ({count} for this reason: {shown})"


def _grade(
    folder: StudyFolder,
    config: StudyConfig,
    problems: tuple[Problem, ...],
    made: Made,
    asked: Asked,
    grader: Grader,
    workers: int,
    notify: Notify,
) -> StudyData:
    known = read_replies(folder)
    verdicts: tuple[Verdict, ...] = grade_stage(
        folder,
        asked.planned,
        known,
        {problem.problem_id: problem for problem in (*problems, *made.oracles)},
        {variant.variant_id: variant for variant in made.variants},
        grader,
        workers=workers,
        notify=notify,
    )
    return StudyData(config, problems, made, asked.planned, known, verdicts, folder.read_notes())
