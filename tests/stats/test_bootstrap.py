"""Intervals over problems: determinism, edges, agreement with theory, coverage."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import t as student

from codequake.errors import UsageError
from codequake.stats import (
    Interval,
    Missing,
    bootstrap_mean,
    mean,
    mean_interval,
    paired_interval,
    paired_score_interval,
    wilson,
)

VALUES = [0.2, 0.4, 0.6, 1.0, 0.0, 0.2, 0.4, 0.8, 0.6, 0.6]


def test_order_and_seed() -> None:
    shuffled = VALUES[:]
    random.Random(4).shuffle(shuffled)
    assert bootstrap_mean(shuffled, seed=9) == bootstrap_mean(VALUES, seed=9)
    few = {bootstrap_mean(VALUES, seed=seed, resamples=150) for seed in range(5)}
    assert len(few) > 1


def test_many_values_agree_with_student_and_with_scipy() -> None:
    rng = random.Random(8)
    values = [rng.betavariate(2, 5) for _ in range(400)]
    found = bootstrap_mean(values, seed=1)
    assert isinstance(found, Interval)
    centre, error = statistics.fmean(values), statistics.stdev(values) / 20
    low, high = student.interval(0.95, 399, centre, error)
    assert found.low == pytest.approx(low, abs=0.1 * error)
    assert found.high == pytest.approx(high, abs=0.1 * error)
    other = scipy_bootstrap((values,), statistics.fmean, vectorized=False, rng=2, n_resamples=2000)
    assert found.low == pytest.approx(other.confidence_interval.low, abs=0.2 * error)


def test_edges_are_missing_with_a_reason() -> None:
    assert bootstrap_mean([], seed=1) == Missing("there are no values")
    assert bootstrap_mean([0.4], seed=1) == Missing("one problem has no spread")
    assert isinstance(bootstrap_mean([0.4] * 9, seed=1), Missing)
    assert isinstance(mean([]), Missing)
    assert isinstance(mean_interval([], seed=1), Missing)
    assert isinstance(paired_interval([], [], seed=1), Missing)
    for bad in (math.nan, math.inf):
        with pytest.raises(UsageError, match="values holds"):
            bootstrap_mean([0.1, bad], seed=1)


def test_yes_no_values_take_the_exact_forms() -> None:
    assert mean_interval([1, 0, 1, 1], seed=1) == wilson(3, 4)
    assert mean_interval([0.0] * 5, seed=1) == wilson(0, 5)
    assert paired_interval([1, 1, 0, 1], [0, 1, 1, 0], seed=1) == paired_score_interval(2, 1, 4)


def test_equal_shares_have_a_wide_interval_not_a_point() -> None:
    found = mean_interval([0.5] * 8, seed=1)
    assert isinstance(found, Interval)
    assert found.low < 0.3
    assert "wider than needed" in found.method
    same = paired_interval([0.5] * 8, [0.5] * 8, seed=1)
    assert isinstance(same, Interval)
    assert same.low < -0.2
    assert isinstance(paired_interval([0.5] * 8, [0.25] * 8, seed=1), Missing)


def clusters(rng: random.Random, count: int, share: float) -> list[float]:
    """``count`` problems of unequal difficulty with five samples each, of mean ``share``."""
    rates = [rng.betavariate(2 * share, 2 * (1 - share)) for _ in range(count)]
    return [sum(rng.random() < rate for _ in range(5)) / 5 for rate in rates]


def cluster_coverage(count: int, share: float, replicates: int) -> float:
    rng = random.Random(f"{count} {share}")
    held = 0
    for number in range(replicates):
        found = mean_interval(clusters(rng, count, share), seed=number)
        held += isinstance(found, Interval) and found.low <= share <= found.high
    return held / replicates


def test_cluster_interval_covers() -> None:
    assert 0.91 <= cluster_coverage(30, 0.4, 300) <= 0.985


@pytest.mark.quality
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_cluster_interval_covers_at_full_size(share: float) -> None:
    assert 0.93 <= cluster_coverage(30, share, 4000) <= 0.97
