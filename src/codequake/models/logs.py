"""Writes what a study holds as logs of Inspect, for its viewer and for its data frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codequake.codec import to_plain
from codequake.errors import StorageError, ToolMissingError
from codequake.files import replacing
from codequake.metrics.scopes import HEADLINE
from codequake.models.outputs import chat_of, output_from
from codequake.models.scores import SCORER, score_of, unscored
from codequake.records import Estimate, Message, Reply, StopReason, Variant, Verdict

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample
    from inspect_ai.model import ChatMessage

__all__ = [
    "CALLS",
    "ENGINE",
    "SAMPLES_A_LOG",
    "Call",
    "LogHead",
    "LogRow",
    "calls_metadata",
    "sample_id",
    "sample_metadata",
    "write_logs",
]

ENGINE = "engine"
"""Where the metadata of a log, or those of the samples of a task, name the engine."""
CALLS = "calls"
"""Where the metadata of a sample hold the calls that led up to its own."""

SAMPLES_A_LOG = 5000
"""Samples of one log: Inspect holds a whole log in memory to write or to score it."""

_NOT_ASKED = "not asked yet"


@dataclass(frozen=True, slots=True)
class LogHead:
    """What is true of all samples of one model, asked in one way.

    ``arm`` is the name that this has in the tables of the study, ``model`` the one that was asked;
    mostly they are the same.  ``engine`` is that of its requests, ``settings`` the study as a JSON
    value, ``decoding`` the decoding parameters.  ``created`` and ``ended`` are the first and the
    last date of the replies, ISO dates with their zone.
    """

    title: str
    arm: str
    model: str
    engine: str
    settings: dict[str, Any]
    decoding: dict[str, Any]
    created: str
    ended: str
    estimates: tuple[Estimate, ...] = ()


@dataclass(frozen=True, slots=True)
class LogRow:
    """One completion that a study has or will have.

    ``messages`` are what was asked.  Without a reply the row is pending.  ``seconds`` is how long
    the reply took.  ``earlier`` are the calls that led up to it, in order, in a style of several;
    they stand in the metadata of the sample.
    """

    variant: Variant
    sample: int
    messages: tuple[Message, ...]
    reply: Reply | None
    verdict: Verdict | None
    seconds: float | None
    earlier: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One answered call of a completion that took several; ``seconds`` is how long it took."""

    messages: tuple[Message, ...]
    reply: Reply
    seconds: float | None = None


def write_logs(
    folder: Path, head: LogHead, rows: Sequence[LogRow], *, samples_a_log: int = SAMPLES_A_LOG
) -> tuple[Path, ...]:
    """Write the rows of one arm as ``ARM.eval``, which replaces an older file.

    More rows than ``samples_a_log`` become ``ARM-1.eval``, ``ARM-2.eval`` and so on; all
    samples of a variant stand in one of them, as the epochs of one sample id.  Every row has a
    score; one that is pending has Inspect's value for *not scored*, and the provider's error where
    there was one.  The estimates of the study stand in the results of the first log.  Raises
    ``ToolMissingError`` without Inspect and ``StorageError`` when a file cannot be written.
    """
    try:
        from inspect_ai.log import write_eval_log
    except ImportError as error:
        raise ToolMissingError(
            f"logs of Inspect are written by Inspect AI, which is not installed ({error}); "
            "run `pip install 'codequake[models]'`"
        ) from error
    shards = list(_shards(rows, samples_a_log))
    paths = []
    for number, shard in enumerate(shards, start=1):
        path = folder / (_slug(head.arm) + (f"-{number}" if len(shards) > 1 else "") + ".eval")
        log = _log(head, shard, number, with_estimates=number == 1)
        with replacing(path) as temporary:
            try:
                write_eval_log(log, temporary, format="eval")
            except OSError as error:
                raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
        paths.append(path)
    return tuple(paths)


def _slug(model: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", model).strip("._") or "model"


def _shards(rows: Iterable[LogRow], most: int) -> Iterator[list[tuple[int, LogRow]]]:
    """Yield (epoch, row) lists that never part the samples of a variant."""
    by_variant: dict[str, list[LogRow]] = {}
    for row in rows:
        by_variant.setdefault(row.variant.variant_id, []).append(row)
    shard: list[tuple[int, LogRow]] = []
    for group in by_variant.values():
        if shard and len(shard) + len(group) > most:
            yield shard
            shard = []
        ordered = sorted(group, key=lambda row: row.sample)
        shard += enumerate(ordered, start=1)
    if shard:
        yield shard


def _log(
    head: LogHead, rows: list[tuple[int, LogRow]], number: int, *, with_estimates: bool
) -> EvalLog:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalPlan, EvalSpec, EvalStats
    from inspect_ai.model import GenerateConfig

    import codequake

    samples = [_sample(head, epoch, row) for epoch, row in rows]
    ids = list(dict.fromkeys(str(sample.id) for sample in samples))
    decoding = GenerateConfig(**head.decoding)
    spec = EvalSpec(
        created=head.created,
        task=head.title,
        task_id=f"{_slug(head.title)}-{_slug(head.arm)}-{number}",
        run_id=_slug(head.title),
        dataset=EvalDataset(name=head.title, samples=len(ids), sample_ids=ids, shuffled=False),
        model=head.model,
        model_generate_config=decoding,
        config=EvalConfig(epochs=max((epoch for epoch, _ in rows), default=1)),
        packages={"codequake": codequake.__version__},
        metadata={"codequake": head.settings, "arm": head.arm, ENGINE: head.engine},
    )
    return EvalLog(
        status="success",
        eval=spec,
        plan=EvalPlan(name="codequake", config=decoding),
        results=_results(head, samples, with_estimates=with_estimates),
        stats=EvalStats(started_at=head.created, completed_at=head.ended),
        samples=samples,
    )


def _results(head: LogHead, samples: list[EvalSample], *, with_estimates: bool) -> EvalResults:
    """Return the estimates of the study; Inspect's own means would be other numbers."""
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    scored = sum(
        sample.scores is not None and isinstance(sample.scores[SCORER].value, str)
        for sample in samples
    )
    by_metric: dict[str, dict[str, EvalMetric]] = {}
    for item in sorted(head.estimates, key=_rank) if with_estimates else ():
        if item.value is None:
            continue  # Inspect has no form for a number that is missing with its reason
        name = ", ".join(part for part in (item.family, item.group, item.scope) if part)
        by_metric.setdefault(item.metric, {})[name] = EvalMetric(
            name=name, value=item.value, metadata=to_plain(item)
        )
    scores = [
        EvalScore(
            name=metric,
            scorer=SCORER,
            scored_samples=scored,
            unscored_samples=len(samples) - scored,
            metrics=metrics,
        )
        for metric, metrics in by_metric.items()
    ]
    return EvalResults(total_samples=len(samples), completed_samples=scored, scores=scores)


def _rank(estimate: Estimate) -> tuple[bool, bool, bool]:
    """Put what a log listing shows first first: Pass@1 of the clean prompt on hidden tests."""
    return (estimate.metric != "pass_at_1", estimate.family != "clean", estimate.scope != HEADLINE)


def _sample(head: LogHead, epoch: int, row: LogRow) -> EvalSample:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    variant, reply = row.variant, row.reply
    asked = chat_of(row.messages)
    failed = reply is None or reply.stop_reason is StopReason.ERROR
    output = ModelOutput(model=head.model) if reply is None else output_from(reply)
    why = _NOT_ASKED if reply is None else (reply.error or "")
    answers: list[ChatMessage] = [] if failed else [output.choices[0].message]
    if reply is None or row.verdict is None:
        score = unscored(
            why or "not graded yet"
        )  # a verdict on a reply that is lost counts no more
    else:
        score = score_of(row.verdict)
    usage = {} if output.usage is None else {output.model: output.usage}
    return EvalSample(
        id=sample_id(variant),
        epoch=epoch,
        input=asked,
        target="",
        messages=[*asked, *answers],
        output=output,
        scores={SCORER: score},
        metadata=sample_metadata(variant) | {"sample": row.sample} | calls_metadata(row.earlier),
        model_usage=usage,
        total_time=row.seconds,
        working_time=row.seconds,
        error=EvalError(message=why, traceback="", traceback_ansi="") if failed else None,
    )


def sample_id(variant: Variant) -> str:
    """Return the id of a variant's samples: words for people, and the variant's own id."""
    return f"{variant.problem_id} {variant.family} {variant.variant_id}"


def calls_metadata(calls: Sequence[Call]) -> dict[str, Any]:
    """Return what a sample says of the calls before its own; nothing where there is none."""
    return {CALLS: [to_plain(call) for call in calls]} if calls else {}


def sample_metadata(variant: Variant) -> dict[str, Any]:
    """Return what a sample says of its variant: enough to judge a reply to it."""
    return {
        "problem_id": variant.problem_id,
        "variant_id": variant.variant_id,
        "family": variant.family,
        "distance": variant.distance,
        "gated": variant.gated,
        "oracle_id": variant.oracle_id,
        "entry_point": variant.entry_point,
        "shown_tests": None if variant.shown_tests is None else list(variant.shown_tests),
    }
