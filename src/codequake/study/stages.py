"""The stages of a study: each is a function of the files before it and writes one file."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import codequake
from codequake.canonical import canonical_json, content_key, list_key
from codequake.codec import to_plain
from codequake.errors import DataError
from codequake.files import read_json_lines, write_text
from codequake.grading import Continuations, GradeItem, Grader, Judges, grade_items
from codequake.journal import Replies
from codequake.perturb import Skipped, VariantBatch, make_variants, read_ready_made
from codequake.ports import Oracle
from codequake.problems import set_from, whole_set
from codequake.records import (
    Measurement,
    Planned,
    Problem,
    Status,
    Variant,
    Verdict,
)
from codequake.store import read_parquet, write_jsonl, write_parquet
from codequake.study.config import Study, StudyConfig
from codequake.study.folder import StudyFolder
from codequake.study.missing import missing_sentences
from codequake.study.plan import completion_of
from codequake.study.progress import Notify

__all__ = [
    "PENDING",
    "Loaded",
    "Made",
    "add_measurements",
    "grade_stage",
    "load_problems",
    "problems_stage",
    "read_made",
    "ready_made",
    "variants_stage",
]

PENDING = frozenset({Status.PROVIDER_ERROR, Status.HARNESS_ERROR})
_CHUNK = 64


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """The variants of a study, and what could not be made with its reason.

    ``oracles`` are problems that judge variants and are not asked themselves.
    """

    variants: tuple[Variant, ...]
    skipped: tuple[Skipped, ...]
    oracles: tuple[Problem, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Loaded:
    """The problems of a study, and what there is to say of its sets: one sentence each.

    ``versions`` are what authors made from these problems by a change of the task.
    """

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    versions: tuple[Problem, ...] = ()


def load_problems(study: Study, oracle: Oracle) -> Loaded:
    """Return the problems of a study in the order of its sets.  Ids must be unique.

    ``oracle`` runs the references of sets that carry no expected outputs.
    """
    found: dict[str, Problem] = {}
    notes: list[str] = []
    versions: list[Problem] = []
    for name in study.config.problems:
        read = whole_set(set_from(name, study.base), oracle)
        notes += [f"{name}: {text}" for text in read.told()]
        for problem in read.problems[: study.config.limit]:
            if problem.problem_id in found:
                raise DataError(f"problem {problem.problem_id} stands in two sets of the study")
            found[problem.problem_id] = problem
        versions += [one for one in read.changed if one.change and one.change.original_id in found]
    notes += missing_sentences(study.config.unavailable)
    return Loaded(tuple(found.values()), tuple(notes), tuple(versions))


def problems_stage(folder: StudyFolder, study: Study, oracle: Oracle) -> tuple[Problem, ...]:
    """Write ``problems.parquet``, ``versions.parquet`` and ``notes.json``.

    A study keeps what it began with.
    """
    if folder.stage_key("problems") is not None:
        return read_parquet(folder.problems, Problem)
    loaded = load_problems(study, oracle)
    problems = loaded.problems
    write_parquet(folder.problems, Problem, problems)
    if loaded.versions:
        write_parquet(folder.versions, Problem, loaded.versions)
    write_text(folder.notes, canonical_json(loaded.notes) + "\n")
    folder.set_stage_key("problems", _key_of((*problems, *loaded.versions)))
    return problems


def _key_of(records: Sequence[Any]) -> str:
    return list_key(to_plain(record) for record in records)


def variants_stage(
    folder: StudyFolder,
    config: StudyConfig,
    problems: Sequence[Problem],
    oracle: Oracle,
    notify: Notify,
    base: Path = Path(),
) -> Made:
    """Write variants, their oracles and what was skipped unless they answer to the same inputs.

    Files of ready-made variants are found from ``base``; once their variants are made, the study
    goes on without them.
    """
    specs = [to_plain(spec) for spec in config.perturbations]
    inputs = [folder.stage_key("problems"), specs, config.seed, codequake.__version__]
    ready = _ready_key(folder, config, base)
    key = content_key([*inputs, ready] if config.variants else inputs)
    if folder.stage_key("variants") == key:
        return read_made(folder)
    variants: list[Variant] = []
    skipped: list[Skipped] = []
    oracles: dict[str, Problem] = {}
    versions = _problems_in(folder.versions)
    with notify.stage("variants", len(problems)) as progress:
        for done, problem in enumerate(problems, start=1):
            batch = make_variants(
                problem,
                config.perturbations,
                seed=config.seed,
                oracle=oracle,
                versions=versions,
            )
            variants += batch.variants
            skipped += batch.skipped
            oracles |= {one.problem_id: one for one in batch.oracles}
            progress(done, len(problems))
    for batch in ready_made(config, problems, oracle, base):
        variants += batch.variants
        skipped += batch.skipped
    variants = list({item.variant_id: item for item in variants}.values())
    write_parquet(folder.variants, Variant, variants)
    if oracles:
        write_parquet(folder.oracles, Problem, list(oracles.values()))
    else:
        folder.oracles.unlink(missing_ok=True)
    write_jsonl(folder.skipped, skipped)
    folder.set_stage_key("variants", key)
    if config.variants:
        folder.set_stage_key("ready_made", ready)
    return Made(tuple(variants), tuple(skipped), tuple(oracles.values()))


def _problems_in(path: Path) -> tuple[Problem, ...]:
    return read_parquet(path, Problem) if path.exists() else ()


def ready_made(
    config: StudyConfig, problems: Sequence[Problem], oracle: Oracle | None, base: Path
) -> tuple[VariantBatch, ...]:
    """Return the variants that the study's files of ready-made prompts give to its problems."""
    return tuple(read_ready_made(name, problems, oracle, base) for name in config.variants)


def _ready_key(folder: StudyFolder, config: StudyConfig, base: Path) -> str:
    """Return the key of the files of ready-made prompts; the old one where a file is gone."""
    known = folder.stage_key("ready_made")
    digests = []
    for name in config.variants:
        try:
            content = (base / name.partition(":")[2]).read_bytes()
        except OSError:
            if known is not None:
                return known
            content = b""  # reading it as variants will say what is wrong with it
        digests.append(hashlib.sha256(content).hexdigest())
    return content_key([list(config.variants), digests])


def read_made(folder: StudyFolder) -> Made:
    """Read the variants of a study back."""
    skipped = [
        Skipped(value["problem_id"], value["perturbation"], value["reason"])
        for _, value in read_json_lines(folder.skipped)
    ]
    variants = read_parquet(folder.variants, Variant)
    return Made(variants, tuple(skipped), _problems_in(folder.oracles))


def grade_stage(
    folder: StudyFolder,
    planned: Sequence[Planned],
    replies: Replies,
    problems: Mapping[str, Problem],
    variants: Mapping[str, Variant],
    grader: Grader,
    *,
    workers: int,
    notify: Notify,
    again: bool = False,
) -> tuple[Verdict, ...]:
    """Grade what has no verdict of this grader yet (``again``: all) and write ``verdicts.parquet``.

    Verdicts are written in chunks, so that an interrupted run keeps most of what it graded; the
    chunks grow with the study, since each writes the whole file.  Verdicts of replies that were
    errors, and of replies in whose place there is another one now, are always made again.  The
    measurements of the replies are written with those of the grading.
    """
    answered = [row for row in planned if row.key in replies]
    known = {} if again else _known_verdicts(folder, grader.version, answered, replies)
    todo = [row for row in answered if _row(row) not in known]
    measured = [replies.measurement(key) for key in replies]
    told = len(measured)
    if todo:
        with notify.stage("grading", len(todo)) as progress:
            items = _Items(todo, replies, problems, variants)
            graded = grade_items(grader, items, workers=workers, progress=progress)
            for row, (verdict, measurement) in zip(todo, graded, strict=True):
                known[_row(row)] = dataclasses.replace(
                    verdict, reply_key=replies.reply_key(row.key)
                )
                measured.append(measurement)
                if not again and len(measured) - told >= max(_CHUNK, len(known) // 2):
                    _write_verdicts(folder, answered, known)
                    told = len(measured)
    verdicts = _write_verdicts(folder, answered, known)
    if measured:
        add_measurements(folder, measured)
    return verdicts


class _Items:
    """What is to be graded, each made when it is wanted: replies take room, and time to parse.

    A reply that goes on where its prompt of code stops gets the prompt, as in a file of
    completions; the journal keeps what the model said.
    """

    def __init__(
        self,
        rows: Sequence[Planned],
        replies: Replies,
        problems: Mapping[str, Problem],
        variants: Mapping[str, Variant],
    ) -> None:
        self._rows = rows
        self._replies = replies
        self._judges = Judges(problems)
        self._variants = variants

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[GradeItem]:
        continuations = Continuations()
        for row in self._rows:
            item = completion_of(row, self._replies[row.key].reply)
            variant = self._variants[item.variant_id]
            problem = self._judges.judge(variant.oracle_id, variant.shown_tests)
            text = continuations.complete(
                problem,
                item.text,
                item.stop_reason,
                prompt=variant.text,
                entry_point=variant.entry_point,
            )
            whole = dataclasses.replace(item, text=text)
            yield GradeItem(problem, whole, variant.entry_point)


def _row(item: Planned | Verdict) -> tuple[str, str, int]:
    return (item.variant_id, item.model, item.sample)


def _known_verdicts(
    folder: StudyFolder, version: str, answered: Sequence[Planned], replies: Replies
) -> dict[tuple[str, str, int], Verdict]:
    """Return the verdicts that still hold: same grader, same reply, and one that can not change."""
    if not folder.verdicts.exists():
        return {}
    judged = {
        _row(item): replies.reply_key(item.key) for item in answered if not replies.failed(item.key)
    }
    return {
        _row(verdict): verdict
        for verdict in read_parquet(folder.verdicts, Verdict)
        if verdict.grader == version
        and verdict.status not in PENDING
        and judged.get(_row(verdict)) == verdict.reply_key
    }


def _write_verdicts(
    folder: StudyFolder,
    answered: Sequence[Planned],
    known: Mapping[tuple[str, str, int], Verdict],
) -> tuple[Verdict, ...]:
    verdicts = tuple(known[_row(item)] for item in answered if _row(item) in known)
    ordered = sorted(verdicts, key=lambda item: (item.model, item.variant_id, item.sample))
    write_parquet(folder.verdicts, Verdict, ordered)
    return verdicts


def add_measurements(folder: StudyFolder, measured: Sequence[Measurement]) -> None:
    """Bring times and memory into ``measurements.parquet``; the newest of a key stays."""
    newest: dict[tuple[str, str], Measurement] = {}
    if folder.measurements.exists():
        old = read_parquet(folder.measurements, Measurement)
        newest = {(item.kind, item.key): item for item in old}
    newest |= {(item.kind, item.key): item for item in measured}
    write_parquet(folder.measurements, Measurement, (newest[key] for key in sorted(newest)))
