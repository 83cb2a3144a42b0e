"""From values by problem to an Estimate: interval, bounds while pending, notes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codequake.metrics.arms import Bounds
from codequake.metrics.rows import Cell, pending_counts
from codequake.records import Estimate, LeftOut
from codequake.seeding import seed_for
from codequake.stats import Interval, Missing, mean_interval, paired_interval

__all__ = [
    "Context",
    "Label",
    "Pair",
    "count_estimate",
    "left_out",
    "paired_estimate",
    "plain_estimate",
    "share_estimate",
]

FEW_PROBLEMS = 20
_PENDING = "replies are pending; the value lies between the bounds"
_WIDENED = "; widened over what the pending replies may be"


@dataclass(frozen=True, slots=True)
class Context:
    """Seed of the study and confidence level of its intervals."""

    seed: int
    level: float


@dataclass(frozen=True, slots=True)
class Label:
    """Which number this is."""

    metric: str
    model: str
    family: str = ""
    group: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """The two values of one problem."""

    first: Bounds
    second: Bounds


def left_out(cells: Iterable[Cell], others: Iterable[LeftOut] = ()) -> tuple[LeftOut, ...]:
    """Return what a number does not rest on: pending replies by reason, and ``others`` above 0."""
    found = [
        LeftOut(f"pending: {reason}", count) for reason, count in pending_counts(cells).items()
    ]
    found += [item for item in others if item.count]
    return tuple(sorted(found, key=lambda item: item.reason))


def share_estimate(
    context: Context,
    label: Label,
    values: Sequence[Bounds],
    *,
    out: tuple[LeftOut, ...] = (),
    note: str = "",
    empty: str = "no problem was attempted",
) -> Estimate:
    """Return the mean of one share a problem, with its interval over problems."""
    lows = [value.low for value in values]
    highs = [value.high for value in values]
    seed = _seed(context, label)
    ends = (
        mean_interval(lows, seed=seed, level=context.level),
        mean_interval(highs, seed=seed, level=context.level),
    )
    return _build(context, label, (lows, highs), ends, out, note, empty)


def paired_estimate(
    context: Context,
    label: Label,
    pairs: Sequence[Pair],
    *,
    out: tuple[LeftOut, ...] = (),
    note: str = "",
    empty: str = "no problem has both prompts",
) -> Estimate:
    """Return the mean change from first to second, with its interval paired by problem."""
    lows = [pair.second.low - pair.first.high for pair in pairs]
    highs = [pair.second.high - pair.first.low for pair in pairs]
    seed = _seed(context, label)
    ends = (
        paired_interval(
            [pair.first.high for pair in pairs],
            [pair.second.low for pair in pairs],
            seed=seed,
            level=context.level,
        ),
        paired_interval(
            [pair.first.low for pair in pairs],
            [pair.second.high for pair in pairs],
            seed=seed,
            level=context.level,
        ),
    )
    return _build(context, label, (lows, highs), ends, out, note, empty)


def _seed(context: Context, label: Label) -> int:
    names = (label.metric, label.model, label.family, label.group, label.scope)
    return seed_for(context.seed, "estimate", *names)


def _build(
    context: Context,
    label: Label,
    values: tuple[list[float], list[float]],
    ends: tuple[Interval | Missing, Interval | Missing],
    out: tuple[LeftOut, ...],
    note: str,
    empty: str,
) -> Estimate:
    lows, highs = values
    count = len(lows)
    if not count:
        return plain_estimate(context, label, None, missing=empty, out=out, note=note)
    pending = lows != highs
    low, high = math.fsum(lows) / count, math.fsum(highs) / count
    notes = [note] if note else []
    method, interval_low, interval_high = "", None, None
    if isinstance(ends[0], Interval) and isinstance(ends[1], Interval):
        method = ends[0].method + (_WIDENED if pending else "")
        interval_low, interval_high = ends[0].low, ends[1].high
    else:
        reasons = sorted({end.reason for end in ends if isinstance(end, Missing)})
        notes.append(f"No interval: {'; '.join(reasons)}.")
    if count < FEW_PROBLEMS:
        notes.append(f"Only {count} problem{'s' * (count > 1)}: read the interval, not the value.")
    return Estimate(
        label.metric,
        label.model,
        label.family,
        label.group,
        label.scope,
        None if pending else low,
        interval_low,
        interval_high,
        context.level,
        method,
        None if pending else math.fsum(lows),
        count,
        count,
        out,
        pending,
        low if pending else None,
        high if pending else None,
        _PENDING if pending else None,
        " ".join(notes),
    )


def plain_estimate(
    context: Context,
    label: Label,
    value: float | None,
    *,
    problems: int = 0,
    method: str = "",
    missing: str | None = None,
    incomplete: bool = False,
    out: tuple[LeftOut, ...] = (),
    note: str = "",
) -> Estimate:
    """Return a number that has no interval of its own, such as a p value, or its absence."""
    return Estimate(
        label.metric,
        label.model,
        label.family,
        label.group,
        label.scope,
        value,
        None,
        None,
        context.level,
        method,
        None,
        problems,
        problems,
        out,
        incomplete,
        None,
        None,
        missing,
        note,
    )


def count_estimate(
    context: Context,
    label: Label,
    count: int,
    total: int,
    *,
    problems: int,
    note: str = "",
) -> Estimate:
    """Return a share of rows, as counted: without an interval, since rows are not independent."""
    return Estimate(
        label.metric,
        label.model,
        label.family,
        label.group,
        label.scope,
        count / total if total else None,
        None,
        None,
        context.level,
        "count",
        float(count),
        total,
        problems,
        (),
        False,
        None,
        None,
        None if total else "there are no rows",
        note,
    )
