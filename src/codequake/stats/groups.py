"""Two groups of rows that may share clusters: the difference of their means."""

from __future__ import annotations

import math
from collections.abc import Mapping

from codequake.stats.results import Interval, Missing, check_level, check_values

__all__ = ["group_difference", "group_interval"]


def group_difference(first: Mapping[str, float], second: Mapping[str, float]) -> float | Missing:
    """Return the mean of ``second`` less that of ``first``; each has one value a cluster.

    ``Missing`` where one of them is empty.
    """
    if not first or not second:
        return Missing("one of the groups is empty")
    return _mean(second) - _mean(first)


def group_interval(
    first: Mapping[str, float], second: Mapping[str, float], *, level: float = 0.95
) -> Interval | Missing:
    """Return an approximate interval of ``group_difference``.

    A cluster may be in both groups; its two values then go together in the variance, which is that
    of the linearised difference.  The quantile is Student's t with the smaller group's size less
    one degrees of freedom, which is on the wide side.  ``Missing`` where a group has fewer than 2
    clusters, and where neither has any spread.  Raises ``UsageError`` for NaN and infinities.
    Source: the sandwich variance of a ratio, Cochran, Sampling Techniques (1977), chapter 6.
    """
    from scipy.special import stdtrit

    check_level(level)
    for name, group in (("first values", first), ("second values", second)):
        check_values(name, list(group.values()), -1e300, 1e300)
    smaller = min(len(first), len(second))
    if smaller < 2:
        return Missing("one of the groups has fewer than 2 problems")
    one, other = _mean(first), _mean(second)
    scale_one, scale_other = _scale(len(first)), _scale(len(second))
    parts = []
    for cluster in sorted({*first, *second}):
        part = 0.0
        if cluster in second:
            part += (second[cluster] - other) * scale_other
        if cluster in first:
            part -= (first[cluster] - one) * scale_one
        parts.append(part * part)
    error = math.sqrt(math.fsum(parts))
    if error == 0.0:
        return Missing("neither group has any spread")
    half = float(stdtrit(smaller - 1, (1.0 + level) / 2.0)) * error
    middle = other - one
    return Interval(middle - half, middle + half, "linearised t over problems, approximate")


def _scale(count: int) -> float:
    """What a residual weighs in the error of a mean that was itself estimated."""
    return math.sqrt(count / (count - 1)) / count


def _mean(group: Mapping[str, float]) -> float:
    return math.fsum(group.values()) / len(group)
