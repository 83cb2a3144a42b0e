"""Paired tests: known answers, an independent solution of the score interval, exact power."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from scipy.optimize import minimize_scalar

from codequake.errors import UsageError
from codequake.stats import (
    Interval,
    Missing,
    PairCounts,
    count_pairs,
    holm,
    mcnemar_exact,
    minimum_detectable_effect,
    paired_score_interval,
    power_of_mcnemar,
)


def test_counts() -> None:
    assert count_pairs([1, 1, 0, 0.5], [0, 1, 1, 0.5]) == PairCounts(down=1, up=1, same=2)
    assert count_pairs([], []) == PairCounts(0, 0, 0)
    with pytest.raises(UsageError, match="do not pair"):
        count_pairs([1], [1, 0])


@pytest.mark.parametrize(
    ("down", "up", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (0, 6, 2 / 64),
        (5, 5, 1.0),
        (1, 9, 2 * 11 / 1024),
        (3, 12, 2 * (1 + 15 + 105 + 455) / 2**15),
    ],
)
def test_mcnemar_by_counting(down: int, up: int, p: float) -> None:
    assert mcnemar_exact(down, up) == pytest.approx(p, abs=1e-15)
    assert mcnemar_exact(up, down) == mcnemar_exact(down, up)


def test_mcnemar_of_many_pairs_and_bad_counts() -> None:
    assert mcnemar_exact(40_000, 40_000) == 1.0
    assert 0.0 <= mcnemar_exact(10, 3000) < 1e-300
    with pytest.raises(UsageError, match="discordant pairs"):
        mcnemar_exact(-1, 2)


def restricted_score(down: int, up: int, pairs: int, change: float) -> float:
    """The score statistic with its nuisance share found by maximising the likelihood."""

    def loss(rise: float) -> float:
        fall = rise - change
        rest = 1 - rise - fall
        value = 0.0
        for count, share in ((up, rise), (down, fall), (pairs - up - down, rest)):
            if count:
                value -= count * math.log(max(share, 1e-300))
        return value

    bounds = (max(0.0, change), (1 + change) / 2)
    rise = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
    variance = pairs * (rise + rise - change - change**2)
    return (up - down - pairs * change) / math.sqrt(variance)


@pytest.mark.parametrize(("down", "up", "pairs"), [(2, 14, 50), (5, 1, 12), (9, 9, 40), (0, 4, 30)])
def test_score_interval_against_a_maximised_likelihood(down: int, up: int, pairs: int) -> None:
    found = paired_score_interval(down, up, pairs)
    assert isinstance(found, Interval)
    assert restricted_score(down, up, pairs, found.low) == pytest.approx(1.95996, abs=2e-3)
    assert restricted_score(down, up, pairs, found.high) == pytest.approx(-1.95996, abs=2e-3)


def test_score_interval_edges() -> None:
    assert paired_score_interval(0, 0, 0) == Missing("there are no pairs")
    none = paired_score_interval(0, 0, 12)
    assert isinstance(none, Interval)
    z = 1.959963984540054
    assert none.high == pytest.approx(z * z / (12 + z * z))
    assert none.low == pytest.approx(-none.high)
    every = paired_score_interval(12, 0, 12)
    assert isinstance(every, Interval)
    assert every.low == -1.0
    assert -1.0 < every.high < 0.0
    single = paired_score_interval(1, 0, 1)
    assert isinstance(single, Interval)
    assert single.low == -1.0 < single.high
    with pytest.raises(UsageError, match="cannot be"):
        paired_score_interval(8, 5, 12)


def test_score_interval_covers() -> None:
    rng = random.Random(11)
    held = 0
    for _ in range(400):
        draws = rng.choices((-1, 0, 1), (0.3, 0.6, 0.1), k=20)
        found = paired_score_interval(draws.count(-1), draws.count(1), 20)
        assert isinstance(found, Interval)
        held += found.low <= -0.2 <= found.high
    assert 0.92 <= held / 400 <= 0.98


def test_holm_by_hand_and_its_order() -> None:
    plain = (0.01, 0.04, 0.03, 0.005)
    expected = {0.005: 0.02, 0.01: 0.03, 0.03: 0.06, 0.04: 0.06}
    for order in itertools.permutations(plain):
        assert holm(order) == pytest.approx([expected[value] for value in order])
    assert holm([]) == ()
    assert holm([0.7]) == (0.7,)
    assert holm([0.5, 0.9]) == (1.0, 1.0)
    with pytest.raises(UsageError, match="p values"):
        holm([0.1, math.nan])


def test_holm_keeps_false_findings_rare() -> None:
    rng = random.Random(5)
    wrong = sum(min(holm([rng.random() for _ in range(6)])) <= 0.05 for _ in range(2000))
    assert wrong / 2000 <= 0.065


def brute_power(pairs: int, change: float, discordance: float) -> float:
    """Power by walking over every outcome of the table."""
    fall, rise = (discordance + change) / 2, (discordance - change) / 2
    total = 0.0
    for down in range(pairs + 1):
        for up in range(pairs - down + 1):
            if mcnemar_exact(down, up) <= 0.05:
                ways = math.comb(pairs, down) * math.comb(pairs - down, up)
                same = pairs - down - up
                total += ways * fall**down * rise**up * (1 - discordance) ** same
    return total


@pytest.mark.parametrize(("change", "discordance"), [(0.3, 0.4), (0.5, 0.5), (0.0, 0.3), (0.1, 1)])
def test_power_against_every_outcome(change: float, discordance: float) -> None:
    found = power_of_mcnemar(14, change=change, discordance=discordance)
    assert found == pytest.approx(brute_power(14, change, discordance), abs=1e-12)


def test_minimum_detectable_effect() -> None:
    found = minimum_detectable_effect(20, discordance=0.3)
    assert isinstance(found, float)
    assert brute_power(20, found, max(found, 0.3)) == pytest.approx(0.8, abs=1e-3)
    assert isinstance(minimum_detectable_effect(5), Missing)
    assert isinstance(minimum_detectable_effect(0), Missing)
    sizes = [minimum_detectable_effect(pairs) for pairs in (12, 50, 400)]
    assert sizes == sorted(sizes, reverse=True)
    with pytest.raises(UsageError, match="discordance"):
        minimum_detectable_effect(20, discordance=1.5)
