from __future__ import annotations

import math
import random

import pytest
from scipy.stats import ttest_ind

from codequake.errors import UsageError
from codequake.stats import Interval, Missing, group_difference, group_interval


def named(values: list[float], first: int = 0) -> dict[str, float]:
    return {f"p{first + index}": value for index, value in enumerate(values)}


def test_difference_and_interval_of_equal_groups_are_those_of_the_t_test() -> None:
    one, other = [1.0, 2.0, 4.0, 5.0], [2.0, 4.0, 7.0, 7.0]
    first, second = named(one), named(other, 10)
    assert group_difference(first, second) == pytest.approx(2.0)
    # Welch's standard error; its degrees of freedom are replaced by 3, which is fewer.
    welch = ttest_ind(other, one, equal_var=False)
    error = 2.0 / welch.statistic
    found = group_interval(first, second)
    assert isinstance(found, Interval)
    assert (found.high - found.low) / 2 == pytest.approx(3.182446 * error, rel=1e-6)
    assert (found.high + found.low) / 2 == pytest.approx(2.0)


def test_clusters_in_both_groups_are_paired() -> None:
    one = named([1.0, 2.0, 3.0, 5.0])
    other = {name: value + 1.0 + (0.1 if name == "p0" else 0.0) for name, value in one.items()}
    found = group_interval(one, other)
    assert isinstance(found, Interval)
    # All that is left is the spread of the differences 1.1, 1, 1 and 1.
    error = math.sqrt(((0.075**2 + 3 * 0.025**2) / 3) / 4)
    assert (found.high - found.low) / 2 == pytest.approx(3.182446 * error, rel=1e-6)


def test_no_number_for_no_data() -> None:
    assert group_difference({}, {"p": 1.0}) == Missing("one of the groups is empty")
    few = Missing("one of the groups has fewer than 2 problems")
    assert group_interval({"p": 1.0}, named([1.0, 2.0])) == few
    flat = Missing("neither group has any spread")
    assert group_interval(named([1.0, 1.0]), named([0.0, 0.0], 5)) == flat
    with pytest.raises(UsageError, match="first values"):
        group_interval(named([math.nan, 1.0]), named([0.0, 0.0]))


def covered(replicates: int, *, shared: bool, seed: int) -> float:
    """The share of intervals that hold the true difference, for falls of 0 or 1 in two groups."""
    rng = random.Random(seed)
    hits = 0
    for _ in range(replicates):
        first, second = {}, {}
        for index in range(40):
            level = rng.random()  # what the two values of one problem share
            if index < 25:
                first[f"p{index}"] = float(level < 0.2)
            if index >= (10 if shared else 25):
                own = level if shared and rng.random() < 0.5 else rng.random()
                second[f"p{index}"] = float(own < 0.5)
        found = group_interval(first, second)
        hits += isinstance(found, Interval) and found.low <= 0.3 <= found.high
    return hits / replicates


@pytest.mark.parametrize("shared", [False, True])
def test_coverage_of_a_share(shared: bool) -> None:
    assert 0.90 <= covered(400, shared=shared, seed=7) <= 0.99


@pytest.mark.quality
@pytest.mark.parametrize("shared", [False, True])
def test_coverage(shared: bool) -> None:
    assert 0.93 <= covered(4000, shared=shared, seed=8) <= 0.97
