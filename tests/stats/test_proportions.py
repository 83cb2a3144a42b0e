"""Intervals of a share: values from the literature, edges, and coverage."""

from __future__ import annotations

import math

import pytest

from codequake.errors import UsageError
from codequake.stats import Interval, Missing, clopper_pearson, wilson


def ends(found: Interval | Missing) -> tuple[float, float]:
    assert isinstance(found, Interval)
    return round(found.low, 4), round(found.high, 4)


# Newcombe, Statistics in Medicine 17 (1998) 857, Table I, methods 3 and 5.
@pytest.mark.parametrize(
    ("successes", "trials", "score", "exact"),
    [
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_published_intervals(
    successes: int, trials: int, score: tuple[float, float], exact: tuple[float, float]
) -> None:
    assert ends(wilson(successes, trials)) == score
    assert ends(clopper_pearson(successes, trials)) == exact


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_edges(interval) -> None:
    assert interval(0, 0) == Missing("there are no trials")
    none, every = interval(0, 7), interval(7, 7)
    assert none.low == 0.0
    assert every.high == 1.0
    assert none.high == pytest.approx(1.0 - every.low)
    assert 0.0 < interval(1, 1).low < 1.0


def test_exact_limits_satisfy_their_definition() -> None:
    found = clopper_pearson(3, 11)
    assert isinstance(found, Interval)

    def at_most(count: int, share: float) -> float:
        return sum(math.comb(11, k) * share**k * (1 - share) ** (11 - k) for k in range(count + 1))

    assert at_most(3, found.high) == pytest.approx(0.025)
    assert 1 - at_most(2, found.low) == pytest.approx(0.025)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (0, -1), (math.nan, 5)])
def test_impossible_counts_are_refused(successes: float, trials: int) -> None:
    with pytest.raises(UsageError, match="allowed: 0 to the trials"):
        wilson(successes, trials)


@pytest.mark.parametrize("level", [0.0, 1.0, math.nan, 95])
def test_levels_outside_zero_to_one_are_refused(level: float) -> None:
    with pytest.raises(UsageError, match="confidence level"):
        wilson(1, 2, level=level)


def coverage(interval, trials: int, share: float) -> float:
    """The exact chance that the interval holds the true share."""
    total = 0.0
    for count in range(trials + 1):
        found = interval(count, trials)
        if found.low <= share <= found.high:
            total += math.comb(trials, count) * share**count * (1 - share) ** (trials - count)
    return total


def test_coverage_is_what_is_claimed() -> None:
    shares = [step / 40 for step in range(2, 39)]
    exact = [coverage(clopper_pearson, 20, share) for share in shares]
    score = [coverage(wilson, 20, share) for share in shares]
    assert min(exact) >= 0.95
    assert 0.94 <= sum(score) / len(score) <= 0.965
