"""How far a printed count or difference can be from what it measures, by chance alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from codequake.errors import UsageError
from codequake.stats import Interval, Missing, clopper_pearson, wilson

__all__ = ["Difference", "compare_shares", "fisher_exact", "share_intervals", "unpaired_interval"]

_MOST_TRIALS = 5_000


@lru_cache(maxsize=50_000)
def fisher_exact(first: int, first_n: int, second: int, second_n: int) -> Fraction:
    """Return the two-sided p value of Fisher's exact test, as an exact fraction.

    ``first`` of ``first_n`` against ``second`` of ``second_n`` independent items.  Two-sided
    means: the sum over all tables with the same margins that are at most as likely as the one
    seen; equality is exact, since all is done in whole numbers.  Nothing or everything passed in
    both gives 1, and so does an empty group.  Raises ``UsageError`` for impossible counts.
    Source: R. A. Fisher, Statistical Methods for Research Workers, section 21.02.
    """
    for count, n in ((first, first_n), (second, second_n)):
        if not 0 <= count <= n:
            raise UsageError(f"{count!r} of {n!r} passed; allowed: 0 to the number of items")
    passed = first + second
    ways = {
        k: math.comb(first_n, k) * math.comb(second_n, passed - k)
        for k in range(max(0, passed - second_n), min(first_n, passed) + 1)
    }
    seen = ways[first]
    return Fraction(sum(way for way in ways.values() if way <= seen), sum(ways.values()))


def unpaired_interval(
    first: int, first_n: int, second: int, second_n: int, *, level: float = 0.95
) -> Interval | Missing:
    """Return the interval of ``first / first_n - second / second_n`` for independent groups.

    The square-and-add interval of the two Wilson intervals; approximate, within -1 to 1, and
    never empty.  An empty group gives ``Missing``.  Published tables seldom say which items
    passed, so pairs cannot be used; where items are the same, the true interval is narrower.
    Raises ``UsageError`` for impossible counts.  Source: R. G. Newcombe, Statistics in Medicine
    17 (1998) 873, method 10.
    """
    one = wilson(first, first_n, level=level)
    two = wilson(second, second_n, level=level)
    if isinstance(one, Missing) or isinstance(two, Missing):
        return Missing("a group has no items")
    p, q = first / first_n, second / second_n
    low = p - q - math.hypot(p - one.low, two.high - q)
    high = p - q + math.hypot(one.high - p, q - two.low)
    return Interval(max(-1.0, low), min(1.0, high), "Newcombe, unpaired (approximate)")


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
