"""From values by problem to an Estimate: interval, bounds while pending, notes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
    "is_open",
    "left_out",
    "paired_estimate",
    "pending_note",
    "plain_estimate",
    "share_estimate",
]

FEW_PROBLEMS = 20
_PENDING = "all replies are pending"
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

    @property
    def change(self) -> Bounds:
        """The difference of the two, which turns the bounds of the first round."""
        value = None
        if self.first.value is not None and self.second.value is not None:
            value = self.second.value - self.first.value
        return Bounds(self.second.low - self.first.high, self.second.high - self.first.low, value)


def is_open(values: Iterable[Bounds]) -> bool:
    """Return whether a pending reply can still move one of the values."""
    return any(item.value is None or item.low != item.high for item in values)


def left_out(values: Iterable[Bounds], reasons: Mapping[str, int]) -> tuple[LeftOut, ...]:
    """Return the problems that a value does not rest on, counted by reason.

    Each problem is counted once.  ``values`` are those of the problems that could be counted;
    without a finished reply on each side they are left out too.
    """
    found = dict(reasons)
    found["problems that wait for replies"] = sum(item.value is None for item in values)
    return tuple(LeftOut(reason, count) for reason, count in sorted(found.items()) if count)


def pending_note(cells: Iterable[Cell]) -> str:
    """Say how many replies are pending and why; nothing when none is."""
    counts = pending_counts(cells)
    if not counts:
        return ""
    parts = ", ".join(f"{reason} {count}" for reason, count in sorted(counts.items()))
    return f"Pending replies: {parts}."


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
    seed = _seed(context, label)
    sides = [[item.value for item in values if item.value is not None]]
    if is_open(values):
        sides += [[item.low for item in values], [item.high for item in values]]
    ends = [mean_interval(found, seed=seed, level=context.level) for found in sides]
    return _build(context, label, values, ends, out, note, empty)


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
    seed = _seed(context, label)
    finished = [
        (pair.first.value, pair.second.value)
        for pair in pairs
        if pair.first.value is not None and pair.second.value is not None
    ]
    changes = [pair.change for pair in pairs]
    sides = [finished]
    if is_open(changes):
        sides += [
            [(pair.first.high, pair.second.low) for pair in pairs],
            [(pair.first.low, pair.second.high) for pair in pairs],
        ]
    ends = [
        paired_interval(
            [first for first, _ in found],
            [second for _, second in found],
            seed=seed,
            level=context.level,
        )
        for found in sides
    ]
    return _build(context, label, changes, ends, out, note, empty)


def _seed(context: Context, label: Label) -> int:
    names = (label.metric, label.model, label.family, label.group, label.scope)
    return seed_for(context.seed, "estimate", *names)


def _build(
    context: Context,
    label: Label,
    values: Sequence[Bounds],
    ends: Sequence[Interval | Missing],
    out: tuple[LeftOut, ...],
    note: str,
    empty: str,
) -> Estimate:
    """Put an estimate together; ``ends`` belong to the values and, if open, lows and highs."""
    if not values:
        return plain_estimate(context, label, None, missing=empty, out=out, note=note)
    finished = [item.value for item in values if item.value is not None]
    pending = is_open(values)
    low = math.fsum(item.low for item in values) / len(values)
    high = math.fsum(item.high for item in values) / len(values)
    notes = [note] if note else []
    interval = _interval(ends, pending)
    if isinstance(interval, Missing):
        notes.append(f"No interval: {interval.reason}.")
    if len(values) < FEW_PROBLEMS:
        many = "s" if len(values) > 1 else ""
        notes.append(f"Only {len(values)} problem{many}: read the interval, not the value.")
    found = interval if isinstance(interval, Interval) else None
    return Estimate(
        metric=label.metric,
        model=label.model,
        family=label.family,
        group=label.group,
        scope=label.scope,
        value=math.fsum(finished) / len(finished) if finished else None,
        low=found.low if found else None,
        high=found.high if found else None,
        level=context.level,
        method=found.method if found else "",
        numerator=math.fsum(finished) if finished else None,
        denominator=len(finished),
        problems=len(values),
        left_out=out,
        incomplete=pending,
        bound_low=low if pending else None,
        bound_high=high if pending else None,
        missing=None if finished else _PENDING,
        note=" ".join(notes),
    )


def _interval(ends: Sequence[Interval | Missing], pending: bool) -> Interval | Missing:
    """Return the interval of the values; while replies are pending, what covers every outcome."""
    if not pending:
        return ends[0]
    # The value may be missing while all replies are; the two extremes always count.
    found = [end for end in ends if isinstance(end, Interval)]
    for end in ends[1:]:
        if isinstance(end, Missing):
            return end
    low, high = min(end.low for end in found), max(end.high for end in found)
    return Interval(low, high, found[-1].method + _WIDENED)


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
