"""Two outcomes of the same problems: counts, exact test, interval, and what could be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from codequake.errors import UsageError
from codequake.stats.results import Interval, Missing, check_level, check_values

__all__ = [
    "PairCounts",
    "count_pairs",
    "mcnemar_exact",
    "minimum_detectable_effect",
    "paired_score_interval",
    "power_of_mcnemar",
]

_BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs fell, rose or stayed equal from the first to the second value."""

    down: int
    up: int
    same: int


def count_pairs(first: Sequence[float], second: Sequence[float]) -> PairCounts:
    """Count falls and rises from ``first`` to ``second``; equal values are ties.

    Raises ``UsageError`` when the lengths differ.
    """
    if len(first) != len(second):
        raise UsageError(f"{len(first)} first and {len(second)} second values do not pair")
    down = sum(after < before for before, after in zip(first, second, strict=True))
    up = sum(after > before for before, after in zip(first, second, strict=True))
    return PairCounts(down, up, len(first) - down - up)


def mcnemar_exact(down: int, up: int) -> float:
    """Return the two-sided exact p value that falls and rises are equally likely.

    It is the binomial test of the discordant pairs at one half, twice the smaller tail and at
    most 1; for problems with several samples it is the sign test over problems.  No discordant
    pair gives 1: the pairs hold nothing against equality.  Raises ``UsageError`` for negative
    counts.  Source: McNemar, Psychometrika 12 (1947) 153, in its exact form.
    """
    if down < 0 or up < 0:
        raise UsageError(f"discordant pairs are {down!r} and {up!r}; allowed: 0 or more")
    if down == up:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(min(down, up), down + up, 0.5)))


def paired_score_interval(
    down: int, up: int, pairs: int, *, level: float = 0.95
) -> Interval | Missing:
    """Return the score interval of the mean change ``(up - down) / pairs`` of yes/no pairs.

    It needs no resampling, stays within -1 to 1, and has a width also when no pair differs.
    No pairs give ``Missing``.  Raises ``UsageError`` for impossible counts.  Source: Tango,
    Statistics in Medicine 17 (1998) 891.
    """
    check_level(level)
    if min(down, up) < 0 or down + up > pairs:
        raise UsageError(f"{down!r} down and {up!r} up of {pairs!r} pairs cannot be")
    if pairs == 0:
        return Missing("there are no pairs")
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    value = (up - down) / pairs
    low = _solve_score(down, up, pairs, z, inside=value, outside=-1.0)
    high = _solve_score(down, up, pairs, z, inside=value, outside=1.0)
    return Interval(low, high, "Tango score, paired by problem")


def _solve_score(
    down: int, up: int, pairs: int, z: float, *, inside: float, outside: float
) -> float:
    """Bisect for the change at which the score statistic reaches ``z``."""
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2.0
        if abs(_score(down, up, pairs, middle)) <= z:
            inside = middle
        else:
            outside = middle
    return inside


def _score(down: int, up: int, pairs: int, change: float) -> float:
    """Tango's statistic of the hypothesis that the true change is ``change``."""
    gap = up - down - pairs * change
    if gap == 0.0:
        return 0.0
    a = 2.0 * pairs
    b = -up - down + (2.0 * pairs - up + down) * change
    c = -down * change * (1.0 - change)
    root = (math.sqrt(max(0.0, b * b - 4.0 * a * c)) - b) / (2.0 * a)
    variance = pairs * (2.0 * root + change * (1.0 - change))
    return math.copysign(math.inf, gap) if variance <= 0.0 else gap / math.sqrt(variance)


def power_of_mcnemar(
    pairs: int, *, change: float, discordance: float, level: float = 0.95
) -> float:
    """Return the chance that the exact McNemar test rejects at ``1 - level``.

    ``change`` is the true absolute mean change, ``discordance`` the share of pairs that differ
    (``change <= discordance <= 1``).  Exact: summed over the number of discordant pairs.
    Raises ``UsageError`` outside these ranges.
    """
    import numpy as np
    from scipy.stats import binom

    check_level(level)
    check_values("change", [change], 0.0, 1.0)
    check_values("discordance", [discordance], change, 1.0)
    if pairs < 0:
        raise UsageError(f"pairs is {pairs!r}; allowed: 0 or more")
    if discordance == 0.0:
        return 0.0
    totals = np.arange(pairs + 1)
    tail = (1.0 - level) / 2.0
    # Largest count with P(X <= count) <= tail; -1 when no outcome can reject.
    critical = binom.ppf(tail, totals, 0.5)
    critical = np.where(binom.cdf(critical, totals, 0.5) > tail, critical - 1, critical)
    toward = min(1.0, (1.0 + change / discordance) / 2.0)
    rejects = binom.cdf(critical, totals, 1.0 - toward) + binom.cdf(critical, totals, toward)
    return float(min(1.0, np.sum(binom.pmf(totals, pairs, discordance) * rejects)))


def minimum_detectable_effect(
    pairs: int, *, discordance: float = 0.0, power: float = 0.8, level: float = 0.95
) -> float | Missing:
    """Return the smallest true mean change that the exact McNemar test would likely find.

    "Likely" is a chance of ``power``.  ``discordance`` is the share of pairs seen to differ; an
    effect larger than that makes more pairs differ, so the larger of the two is used.  Without a
    correction for several tests.  ``Missing`` when no change, however large, could be found (at
    level 0.95 fewer than 6 pairs).  Raises ``UsageError`` outside the ranges.
    """
    check_values("power", [power], 0.0, 1.0)

    def reached(change: float) -> bool:
        needed = max(change, discordance)
        found = power_of_mcnemar(pairs, change=change, discordance=needed, level=level)
        return found >= power

    if not reached(1.0):
        return Missing(f"{pairs} pairs are too few to find a change of any size")
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2.0
        if reached(middle):
            high = middle
        else:
            low = middle
    return high
