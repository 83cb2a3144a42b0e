"""``codequake merge``: two folders of one study become a third one; nobody is asked."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json
from codequake.codec import to_plain
from codequake.errors import StorageError, UsageError
from codequake.files import make_folder, write_bytes
from codequake.journal import Replies
from codequake.records import Measurement, Planned, Problem, Verdict
from codequake.store import read_parquet, write_parquet
from codequake.study.asking import Asked, write_plan
from codequake.study.config import StudyConfig
from codequake.study.folder import FREE_SETTINGS, StudyFolder, joined_settings
from codequake.study.progress import Notify
from codequake.study.run import RunResult, finish_study, open_grader
from codequake.study.staged import read_chains, read_replies, write_chains
from codequake.study.stages import add_measurements, read_made

__all__ = ["Merged", "merge_studies"]

_Row = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge came to.

    ``replies`` are the requests that the new folder has an answer to, ``shared`` those that both
    folders had one to, ``differing`` the shared ones whose answers differ; one of the two is kept,
    the same whichever folder is named first.
    """

    run: RunResult
    replies: int
    shared: int
    differing: int

    def as_json(self) -> dict[str, Any]:
        """Return the counts and paths as a JSON value."""
        counts = {"replies": self.replies, "shared": self.shared, "differing": self.differing}
        return {**self.run.as_json(), **counts}

    def as_text(self) -> str:
        """Return summary and counts as lines of text."""
        lines = [
            self.run.summary,
            "",
            f"{self.replies} replies, {self.shared} of them in both folders",
        ]
        if self.differing:
            lines.append(
                f"{self.differing} of these differ between the folders; one of each is kept, the "
                "same whichever folder is named first"
            )
        return "\n".join([*lines, f"Report: {self.run.report}"])


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two folders, as far as a merge reads it."""

    folder: StudyFolder
    config: StudyConfig
    planned: tuple[Planned, ...]
    known: Replies
    verdicts: Mapping[_Row, Verdict]
    measured: tuple[Measurement, ...]


def merge_studies(first: Path, second: Path, out: Path, *, workers: int, notify: Notify) -> Merged:
    """Join two folders of one study in the new folder ``out``, grade what is missing, and report.

    Models are those of ``first``, then those that only ``second`` has; budget and prices are those
    of ``first``.  Both folders stay as they are.  Raises ``UsageError`` when one is no study or has
    no plan yet, when settings, problems or variants differ, when one model was asked with two
    engines, or when ``out`` is there already; ``out`` is written whole or not at all.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"--out {out} is there already; name a new folder")
    a, b = _open_side(first), _open_side(second)
    _refuse_other_study(a, b)
    config = dataclasses.replace(
        a.config,
        models=tuple(dict.fromkeys((*a.config.models, *b.config.models))),
        model_settings=joined_settings(b.config, a.config, second),
    )
    planned = _joined_plan(a, b, config)
    grader = open_grader(config.grader, notify)
    with _appearing(out) as place:
        merged = StudyFolder(place)
        _copy_segments(a, b, merged)
        write_chains(merged, {**read_chains(b.folder), **read_chains(a.folder)})
        _write_files(a, b, merged, config, planned, read_replies(merged))
    folder = StudyFolder(out)
    known = read_replies(folder)
    shared = [key for key in a.known if key in b.known]
    result = finish_study(
        folder,
        config,
        read_parquet(folder.problems, Problem),
        read_made(folder),
        Asked(planned, 0, len({row.key for row in planned if row.key in known})),
        grader,
        workers,
        notify,
    )
    return Merged(
        result,
        len(known),
        len(shared),
        sum(a.known[key].reply != b.known[key].reply for key in shared),
    )


def _open_side(path: Path) -> _Side:
    folder = StudyFolder(path)
    config = folder.read_settings()
    for stage in ("problems", "variants", "plan"):
        if folder.stage_key(stage) is None:
            raise UsageError(f"{path} has no {stage} yet; run its study first")
    verdicts: tuple[Verdict, ...] = ()
    if folder.verdicts.exists():
        verdicts = read_parquet(folder.verdicts, Verdict)
    measured: tuple[Measurement, ...] = ()
    if folder.measurements.exists():
        measured = read_parquet(folder.measurements, Measurement)
    return _Side(
        folder,
        config,
        read_parquet(folder.plan, Planned),
        read_replies(folder),
        {(item.variant_id, item.model, item.sample): item for item in verdicts},
        measured,
    )


def _refuse_other_study(a: _Side, b: _Side) -> None:
    """Raise ``UsageError`` for two folders whose numbers could not stand in one table."""
    old, new = to_plain(a.config), to_plain(b.config)
    for name, value in old.items():
        if name not in FREE_SETTINGS and new[name] != value:
            raise UsageError(
                f"{a.folder.path} has {name} = {canonical_json(value)}, {b.folder.path} has "
                f"{canonical_json(new[name])}; only folders of one study can be merged"
            )
    for stage in ("problems", "variants"):
        if a.folder.stage_key(stage) != b.folder.stage_key(stage):
            raise UsageError(
                f"the {stage} of {a.folder.path} and {b.folder.path} differ; run both studies "
                "again with one version of codequake and the same files"
            )


def _joined_plan(a: _Side, b: _Side, config: StudyConfig) -> tuple[Planned, ...]:
    """Return the plan of all models, in their order; a model's rows are those of either folder."""
    by_model: dict[str, dict[_Row, Planned]] = {name: {} for name in config.models}
    for row in (*a.planned, *b.planned):
        rows = by_model.setdefault(row.model, {})
        place = (row.variant_id, row.model, row.sample)
        if rows.setdefault(place, row) != row:
            raise UsageError(
                f"{row.model} was asked with another engine, prompt or decoding in "
                f"{a.folder.path} than in {b.folder.path}; these are two models, and cannot be "
                "merged into one"
            )
    return tuple(row for rows in by_model.values() for row in rows.values())


@contextlib.contextmanager
def _appearing(out: Path) -> Iterator[Path]:
    """Give a folder beside ``out`` that becomes ``out`` when the block ends well."""
    make_folder(out.absolute().parent)
    try:
        place = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.absolute().parent))
    except OSError as error:
        raise StorageError(f"cannot create a folder beside {out}: {error.strerror}") from error
    try:
        yield place
        try:
            place.chmod(0o755)
            place.replace(out)
        except OSError as error:
            raise StorageError(f"cannot write {out}: {error.strerror}") from error
    finally:
        shutil.rmtree(place, ignore_errors=True)  # gone already when all went well


def _copy_segments(a: _Side, b: _Side, merged: StudyFolder) -> None:
    """Copy the journal's segments; of one that both have, the longer holds all of the shorter."""
    make_folder(merged.completions)
    for side in (a, b):
        for path in sorted(side.folder.completions.glob("*.jsonl")):
            content = _read(path)
            target = merged.completions / path.name
            if target.exists():
                other = _read(target)
                if other.startswith(content):
                    continue
                if not content.startswith(other):
                    target = target.with_name(f"{path.stem}-b.jsonl")
            write_bytes(target, content)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from error


def _write_files(
    a: _Side,
    b: _Side,
    merged: StudyFolder,
    config: StudyConfig,
    planned: Sequence[Planned],
    known: Replies,
) -> None:
    for name in (
        a.folder.problems,
        a.folder.versions,
        a.folder.variants,
        a.folder.oracles,
        a.folder.skipped,
        a.folder.notes,
    ):
        if name.exists():
            write_bytes(merged.path / name.name, _read(name))
    for stage in ("problems", "variants", "ready_made"):
        key = a.folder.stage_key(stage)
        if key is not None:
            merged.set_stage_key(stage, key)
    write_plan(merged, planned)
    verdicts = [
        verdict for row in planned if (verdict := _verdict_of(row, known, (a, b))) is not None
    ]
    if verdicts:
        write_parquet(merged.verdicts, Verdict, verdicts)
    # The newest of a key stays, so the older folder goes first.
    for side in sorted((a, b), key=lambda item: max((m.at for m in item.measured), default="")):
        add_measurements(merged, side.measured)
    merged.write_settings(config)


def _verdict_of(row: Planned, known: Replies, sides: Sequence[_Side]) -> Verdict | None:
    """Return the verdict on exactly the reply that is kept; without one it is graded again."""
    if row.key not in known:
        return None
    kept = known.reply_key(row.key)
    for side in sides:
        verdict = side.verdicts.get((row.variant_id, row.model, row.sample))
        if verdict is not None and verdict.reply_key == kept:
            return verdict
    return None
