"""Two shares of independent items: whether and by how much they differ."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from codequake.errors import UsageError
from codequake.stats.proportions import wilson
from codequake.stats.results import Interval, Missing

__all__ = ["fisher_exact", "unpaired_interval"]


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
