"""Intervals over problems: resampling where outcomes are shares, exact forms where they are not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from codequake.errors import UsageError
from codequake.stats.paired import count_pairs, paired_score_interval
from codequake.stats.proportions import wilson
from codequake.stats.results import Interval, Missing, check_level, check_values

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["bootstrap_mean", "mean_interval", "paired_interval"]

_BLOCK = 2_000_000  # numbers drawn at a time: bounds the memory, not the result


def bootstrap_mean(
    values: Sequence[float], *, seed: int, level: float = 0.95, resamples: int = 10_000
) -> Interval | Missing:
    """Return the bias-corrected and accelerated bootstrap interval of a mean over problems.

    ``values`` has one number a problem (its mean over variants and samples, or a difference of
    two such means), so resampling it is the cluster bootstrap.  The quantiles are those of
    Student's t, widened by ``sqrt(n / (n - 1))``: plain bootstrap intervals are too short for
    few problems.  The order of ``values`` does not matter; equal seeds give equal intervals.
    ``Missing`` for no value, one value, or values that are all equal.  Raises ``UsageError`` for
    NaN, infinities, or fewer than 100 resamples.  Source: Efron, JASA 82 (1987) 171; Hesterberg,
    The American Statistician 69 (2015) 371 for the widening.
    """
    import numpy as np
    from scipy.special import ndtr, ndtri, stdtrit

    check_level(level)
    check_values("values", values, -1e300, 1e300)
    if resamples < 100:
        raise UsageError(f"resamples is {resamples!r}; allowed: 100 or more")
    count = len(values)
    if count < 2:
        return Missing("one problem has no spread" if count else "there are no values")
    data = np.sort(np.asarray(values, dtype=float))
    if data[0] == data[-1]:
        return Missing("all problems have the same value, so there is nothing to resample")
    centre = math.fsum(values) / count
    means = np.sort(_resampled_means(data, seed, resamples))
    # Ties count half: outcomes are coarse, and the observed mean itself is often drawn.
    tolerance = 1e-12 * max(1.0, abs(centre))
    below = np.sum(means < centre - tolerance)
    ties = np.sum(np.abs(means - centre) <= tolerance)
    share = min(max((below + ties / 2.0) / resamples, 1.0 / resamples), 1.0 - 1.0 / resamples)
    bias = float(ndtri(share))
    gaps = data.mean() - data  # the jackknife means differ from the mean by these, scaled
    acceleration = -float(np.sum(gaps**3)) / (6.0 * float(np.sum(gaps**2)) ** 1.5)
    wide = -float(stdtrit(count - 1, (1.0 - level) / 2.0)) * math.sqrt(count / (count - 1))
    ends = []
    for quantile in (-wide, wide):
        shifted = bias + quantile
        scale = 1.0 - acceleration * shifted
        corrected = bias + shifted / scale if scale > 0.0 else quantile
        ends.append(float(np.quantile(means, float(ndtr(corrected)))))
    return Interval(min(ends), max(ends), f"BCa bootstrap over problems, {resamples} resamples")


def _resampled_means(
    data: npt.NDArray[np.float64], seed: int, resamples: int
) -> npt.NDArray[np.float64]:
    """Draw means of resampled data; only how often each distinct value is drawn matters."""
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(seed))
    values, counts = np.unique(np.round(data, 12), return_counts=True)
    rows = max(1, _BLOCK // len(values))
    blocks: list[Any] = []
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = generator.multinomial(len(data), counts / len(data), size=size)
        blocks.append(drawn @ values / len(data))
    return np.concatenate(blocks)


def mean_interval(values: Sequence[float], *, seed: int, level: float = 0.95) -> Interval | Missing:
    """Return the interval of a mean of one share (0 to 1) a problem.

    Yes/no values have the Wilson interval.  Shares are resampled; when they are all equal the
    Wilson interval over problems is given, which is wider than needed.  ``Missing`` for no value.
    Raises ``UsageError`` outside 0 to 1.
    """
    check_values("values", values, 0.0, 1.0)
    total = math.fsum(values)
    if all(value in (0.0, 1.0) for value in values):
        return wilson(total, len(values), level=level)
    if min(values) == max(values):
        found = wilson(min(total, len(values)), len(values), level=level)
        return _renamed(found, "Wilson score over problems (wider than needed)")
    return bootstrap_mean(values, seed=seed, level=level)


def paired_interval(
    first: Sequence[float], second: Sequence[float], *, seed: int, level: float = 0.95
) -> Interval | Missing:
    """Return the interval of the mean change from ``first`` to ``second``, paired by problem.

    Yes/no pairs have Tango's score interval.  Shares are resampled; when no problem changes at
    all the score interval over problems is given, which is wider than needed.  ``Missing`` for no
    pair, or when all problems change by one same amount.  Raises ``UsageError`` for values outside
    0 to 1 or lengths that differ.
    """
    check_values("first values", first, 0.0, 1.0)
    check_values("second values", second, 0.0, 1.0)
    counts = count_pairs(first, second)
    if all(value in (0.0, 1.0) for value in (*first, *second)):
        return paired_score_interval(counts.down, counts.up, len(first), level=level)
    if counts.same == len(first):
        found = paired_score_interval(0, 0, len(first), level=level)
        return _renamed(found, "Tango score over problems (wider than needed)")
    changes = [after - before for before, after in zip(first, second, strict=True)]
    return bootstrap_mean(changes, seed=seed, level=level)


def _renamed(found: Interval | Missing, method: str) -> Interval | Missing:
    return Interval(found.low, found.high, method) if isinstance(found, Interval) else found
