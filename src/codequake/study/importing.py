"""``codequake import``: a log that Inspect wrote for one of our tasks becomes a study."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.canonical import list_key
from codequake.codec import from_plain, to_plain
from codequake.errors import CheckFailedError, DataError, UsageError
from codequake.grading import InspectLog, LogSample, SandboxOracle, open_log
from codequake.journal import Entry, Journal, read_journal
from codequake.models import ENGINE
from codequake.records import Measurement, Planned, Problem, StopReason, Variant
from codequake.store import read_parquet, write_parquet
from codequake.study.asking import Asked
from codequake.study.config import Decoding, Study, StudyConfig
from codequake.study.folder import StudyFolder
from codequake.study.log_calls import LogCall, read_calls
from codequake.study.plan import Plan, decoding_text, plan_requests
from codequake.study.progress import Notify
from codequake.study.run import RunResult, begin_study, finish_study, open_grader
from codequake.study.staged import read_chains, write_chains

__all__ = ["Imported", "import_logs"]

# Settings of generation that change no reply: how Inspect talks to a provider.
_OF_CONNECTIONS = frozenset(
    {
        "adaptive_connections",
        "attempt_timeout",
        "batch",
        "cache",
        "max_connections",
        "max_retries",
        "timeout",
    }
)
_REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class Imported:
    """The study that came out, and what of the logs did not go in, a sentence each.

    ``shared`` counts replies to messages that another sample had asked already.
    """

    run: RunResult
    taken: int
    known: int
    shared: int
    problems: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the counts as a JSON value."""
        return {
            **self.run.as_json(),
            "imported": self.taken,
            "known": self.known,
            "shared": self.shared,
            "problems": list(self.problems),
        }

    def as_text(self) -> str:
        """Return the counts and the summary of the study as lines of text."""
        lines = [f"{self.taken} replies imported"]
        if self.known:
            lines.append(f"  {self.known} were in the study already")
        if self.shared:
            lines.append(
                f"  {self.shared} answer messages that another prompt of the study has too; "
                "such prompts share one reply, so these were left out"
            )
        return "\n".join([*lines, *self.problems, self.run.summary])

    def raise_for_problems(self) -> None:
        """Raise ``CheckFailedError`` when samples could not be taken, or replies are pending."""
        if self.problems:
            raise CheckFailedError(
                f"{len(self.problems)} samples could not be imported; {self.taken} replies were"
            )
        if self.run.pending:
            raise CheckFailedError(
                f"{self.run.pending} completions are pending{self.run.waits_for}"
            )


def import_logs(paths: Sequence[Path], out: Path, *, workers: int, notify: Notify) -> Imported:
    """Make a study in folder ``out`` from logs of our tasks, or add them to the one that it holds.

    The variants are made anew from the settings in the logs, and each sample must have asked for
    one of them with its messages: what differs is told and left out.  The verdicts in a log are not
    taken, the replies are graded.  Logs are read one sample at a time.

    Raises ``DataError`` for a file that is no log or is damaged, ``UsageError`` for a log that
    none of our tasks wrote, or whose settings or decoding differ from the study's.
    """
    folder = StudyFolder(out)
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(open_log(path)) for path in paths]
        study = _study_of(logs, folder)
        grader = open_grader(study.config.grader, notify)
        oracle = SandboxOracle(grader.backend)
        config, problems, made = begin_study(folder, study, oracle, notify, graded=True)
        taking = _Taking(folder, config, problems, made.variants)
        for log in logs:
            taking.refuse_misfit(log)
        with Journal(folder.completions) as journal:
            for log in logs:
                with notify.stage(f"importing {log.model}", len(log)) as progress:
                    for done, sample in enumerate(log.samples(), start=1):
                        taking.take(log, sample, journal)
                        progress(done, len(log))
        planned = taking.write_plan()
    asked = Asked(planned, 0, len(planned))
    result = finish_study(folder, config, problems, made, asked, grader, workers, notify)
    return Imported(result, taking.taken, taking.known, taking.shared, tuple(taking.problems))


def _study_of(logs: Sequence[InspectLog], folder: StudyFolder) -> Study:
    """Return the study that all logs are of; they may differ in their models."""
    configs = [_config_of(log, folder) for log in logs]
    first = configs[0]
    for log, config in zip(logs, configs, strict=True):
        for name, value in to_plain(config).items():
            if name != "models" and to_plain(first)[name] != value:
                raise UsageError(
                    f"{log.name} has {name} = {value!r}, and {logs[0].name} has "
                    f"{to_plain(first)[name]!r}; import them into folders of their own"
                )
    models = tuple(dict.fromkeys(name for config in configs for name in config.models))
    return Study(dataclasses.replace(first, models=models))


def _config_of(log: InspectLog, folder: StudyFolder) -> StudyConfig:
    settings = log.metadata.get("codequake")
    if not isinstance(settings, dict) or not log.model:
        raise UsageError(
            f"{log.name} was written neither by a task nor by an export of codequake; "
            "`codequake grade LOG --problems SET` grades such a log"
        )
    decoding = to_plain(_decoding_of(log))
    asked = {"models": [log.model], "samples": log.epochs}
    if "folder" not in settings:
        # An export holds the study's own decoding; what each reply had is compared one by one.
        whole = {"decoding": decoding, **settings, **asked}
        return from_plain(StudyConfig, whole, place=log.name)
    if not folder.settings.exists():
        raise UsageError(
            f"{log.name} asked for the variants of {settings['folder']}; import it into that folder"
        )
    old = to_plain(folder.read_settings())
    changed = {"style": settings.get("style"), "decoding": decoding, **asked}
    return from_plain(StudyConfig, {**old, **changed}, place=log.name)


def _decoding_of(log: InspectLog) -> Decoding:
    """Return the decoding of a log.  What a study cannot express is refused, never dropped."""
    known = {field.name for field in dataclasses.fields(Decoding)}
    given = {name: item for name, item in log.decoding.items() if name not in _OF_CONNECTIONS}
    for name, value in given.items():
        if name not in known:
            raise UsageError(
                f"{log.name} was generated with {name} = {value!r}, which a study does not "
                f"know; allowed: {', '.join(sorted(known))}"
            )
    absent = dict.fromkeys(known)  # what was not set was left to the provider
    return from_plain(Decoding, {**absent, **given}, place=log.name)


class _Taking:
    """The replies of logs on their way into a journal."""

    def __init__(
        self,
        folder: StudyFolder,
        config: StudyConfig,
        problems: Sequence[Problem],
        variants: Sequence[Variant],
    ) -> None:
        self._folder = folder
        self._config = config
        self._by_id = {problem.problem_id: problem for problem in problems}
        self._variants = {variant.variant_id: variant for variant in variants}
        self._before = read_journal(folder.completions)
        self._planned: tuple[Planned, ...] = ()
        if folder.plan.exists():
            self._planned = read_parquet(folder.plan, Planned)
        self._engines: dict[str, str] = {}
        self._plans: dict[tuple[str, str], Plan] = {}
        self._rows: dict[tuple[str, str, int], str] = {}
        self._taken: dict[str, tuple[str, int]] = {}
        self.taken = self.known = self.shared = 0
        self.problems: list[str] = []

    def refuse_misfit(self, log: InspectLog) -> None:
        """Raise ``UsageError`` when a log's model was asked in another way than in the study."""
        self._engines[log.name] = _engine_of(log)
        plan = self._plan(log.model, self._engines[log.name])
        given = decoding_text(_decoding_of(log))
        for decoding in {row.decoding for row in plan.rows}:
            if decoding != given:
                raise UsageError(
                    f"{log.name} was generated with the decoding {given}; the study has {decoding}"
                )

    def take(self, log: InspectLog, sample: LogSample | DataError, journal: Journal) -> None:
        """Journal the reply of one sample, or note why it cannot be."""
        try:
            if isinstance(sample, DataError):
                raise sample
            self._take(log, sample, journal)
        except DataError as error:
            self.problems.append(str(error))

    def _take(self, log: InspectLog, sample: LogSample, journal: Journal) -> None:
        plan, key, row = self._planned_as(log, sample)
        chain = plan.chains.get(key)
        calls = read_calls(sample, plan.requests[key] if chain is None else chain)
        for call in calls:
            if call.messages != call.request.messages:
                raise DataError(
                    "was asked with other messages than the study's prompt style has",
                    place=sample.given.place,
                )
        for call in calls:
            self._journal(call, row, sample.ended or log.created, journal)

    def _journal(self, call: LogCall, row: tuple[str, int], at: str, journal: Journal) -> None:
        key = call.request.key
        if key in self._before and not self._before.failed(key):
            self.known += 1
            return
        answered = call.reply.stop_reason is not StopReason.ERROR
        if self._taken.get(key, row) != row:
            self.shared += 1
            return
        if answered:  # an error leaves the place to a reply to the same messages
            self._taken[key] = row
        measured = Measurement("completion", key, call.seconds, None, None, "imported", at)
        journal.append(Entry(call.request, call.reply, measured))
        self.taken += answered

    def _planned_as(self, log: InspectLog, sample: LogSample) -> tuple[Plan, str, tuple[str, int]]:
        """Return the plan of a sample's model, its key in it, and (variant, sample index)."""
        place = sample.given.place
        variant = self._variants.get(str(sample.metadata.get("variant_id")))
        if variant is None:
            raise DataError(
                f"asks for variant {sample.metadata.get('variant_id')!r}, which this study "
                "does not have",
                place=place,
            )
        number = sample.metadata.get("sample")
        if not isinstance(number, int):
            first = self._config.samples if variant.family == _REPEAT else 0
            number = first + (sample.given.sample or 0)
        arm = str(log.metadata.get("arm", log.model))
        plan = self._plan(log.model, self._engines[log.name])
        key = self._rows.get((arm, variant.variant_id, number))
        if key is None:
            raise DataError(f"sample {number} of its variant is not planned", place=place)
        return plan, key, (variant.variant_id, number)

    def _plan(self, model: str, engine: str) -> Plan:
        found = self._plans.get((model, engine))
        if found is None:
            found = plan_requests(
                self._config, model, engine, self._by_id, tuple(self._variants.values())
            )
            self._refuse_another_arm(model, found)
            self._plans[model, engine] = found
            self._rows |= {(row.model, row.variant_id, row.sample): row.key for row in found.rows}
        return found

    def _refuse_another_arm(self, model: str, plan: Plan) -> None:
        """Raise ``UsageError`` when the study asked this model in a way that the log did not."""
        asked = {row.key for row in self._planned if _is_of(row, model)}
        if not asked <= {row.key for row in plan.rows}:
            raise UsageError(
                f"{self._folder.path} holds replies of {model} from another engine than the log "
                "names; import it into a new folder"
            )

    def write_plan(self) -> tuple[Planned, ...]:
        """Write ``plan.parquet``: what was planned before of other models, and what came in."""
        new = {row.model for plan in self._plans.values() for row in plan.rows}
        rows = [row for row in self._planned if row.model not in new]
        kept = {row.key for row in rows}
        rows += [row for plan in self._plans.values() for row in plan.rows]
        chains = {key: one for key, one in read_chains(self._folder).items() if key in kept}
        for plan in self._plans.values():
            chains |= plan.chains
        write_chains(self._folder, chains)
        places = {
            row.model: number
            for number, name in enumerate(self._config.models)
            for row in rows
            if _is_of(row, name)
        }
        planned = tuple(sorted(rows, key=lambda row: places[row.model]))  # which keeps their order
        write_parquet(self._folder.plan, Planned, planned)
        self._folder.set_stage_key("plan", list_key(to_plain(row) for row in planned))
        return planned


def _engine_of(log: InspectLog) -> str:
    """Return the engine that a log names, or the first whole sample of a task's log."""
    if ENGINE in log.metadata:
        return str(log.metadata[ENGINE])
    whole = (item for item in log.samples() if not isinstance(item, DataError))
    sample = next(whole, None)
    return "" if sample is None else str(sample.metadata.get(ENGINE, ""))


def _is_of(row: Planned, model: str) -> bool:
    """Whether a row is of a model; asked in one of several styles, the row's name says which."""
    return row.model == model or row.model.startswith(f"{model} [")
