"""How far a printed count or difference can be from what it measures, by chance alone."""

from __future__ import annotations

from dataclasses import dataclass

from codequake.stats import (
    Interval,
    Missing,
    clopper_pearson,
    fisher_exact,
    unpaired_interval,
    wilson,
)

__all__ = ["Difference", "compare_shares", "share_intervals"]

_MOST_TRIALS = 5_000


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two counts: its interval, and the p value that the shares are equal."""

    interval: Interval | Missing
    p_value: float | None


def compare_shares(first: int, first_n: int, second: int, second_n: int) -> Difference:
    """Return interval and Fisher's p value; no p value beyond 5,000 items in a group."""
    p_value = None
    if max(first_n, second_n) <= _MOST_TRIALS:
        p_value = float(fisher_exact(first, first_n, second, second_n))
    return Difference(unpaired_interval(first, first_n, second, second_n), p_value)


def share_intervals(counts: range, n: int) -> tuple[Interval | Missing, Interval | Missing]:
    """Return the Wilson and the exact 95 % interval of a share whose count is one of ``counts``.

    With several possible counts, from the lower end of the smallest to the upper of the largest.
    """
    return (
        _joined(wilson(counts[0], n), wilson(counts[-1], n)),
        _joined(clopper_pearson(counts[0], n), clopper_pearson(counts[-1], n)),
    )


def _joined(low: Interval | Missing, high: Interval | Missing) -> Interval | Missing:
    if isinstance(low, Missing) or isinstance(high, Missing):
        return Missing("there are no items")
    return Interval(low.low, high.high, low.method)
