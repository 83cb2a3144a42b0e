"""Intervals for a share of independent trials that each pass or fail."""

from __future__ import annotations

import math
from statistics import NormalDist

from codequake.errors import UsageError
from codequake.stats.results import Interval, Missing, check_level

__all__ = ["clopper_pearson", "wilson"]


def wilson(successes: float, trials: int, *, level: float = 0.95) -> Interval | Missing:
    """Return the Wilson score interval of ``successes / trials``.

    It is never empty or outside 0 to 1, also when all or none succeed.  ``successes`` may be a
    sum of shares (0 to ``trials``); the interval is then wider than needed, since the spread of
    shares is at most that of yes and no.  No trials give ``Missing``.  Raises ``UsageError`` for
    impossible counts.  Source: Wilson, JASA 22 (1927) 209.
    """
    check_level(level)
    _check_counts(successes, trials)
    if trials == 0:
        return Missing("there are no trials")
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    share = successes / trials
    scale = 1.0 + z * z / trials
    centre = (share + z * z / (2.0 * trials)) / scale
    half = z / scale * math.sqrt(share * (1.0 - share) / trials + z * z / (4.0 * trials**2))
    # The limits at no and at all successes are exactly 0 and 1; rounding must not move them.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low, high, "Wilson score")


def clopper_pearson(successes: int, trials: int, *, level: float = 0.95) -> Interval | Missing:
    """Return the exact (conservative) interval of a share: it covers at least ``level``.

    No trials give ``Missing``.  Raises ``UsageError`` for impossible counts.  Source: Clopper and
    Pearson, Biometrika 26 (1934) 404.
    """
    from scipy.special import betaincinv

    check_level(level)
    _check_counts(successes, trials)
    if trials == 0:
        return Missing("there are no trials")
    tail = (1.0 - level) / 2.0
    failures = trials - successes
    low = 0.0 if successes == 0 else float(betaincinv(successes, failures + 1, tail))
    high = 1.0 if failures == 0 else float(betaincinv(successes + 1, failures, 1.0 - tail))
    return Interval(low, high, "Clopper-Pearson exact")


def _check_counts(successes: float, trials: int) -> None:
    if trials < 0 or not 0 <= successes <= trials:
        raise UsageError(f"{successes!r} successes in {trials!r} trials; allowed: 0 to the trials")
