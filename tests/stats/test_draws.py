"""pass@k against enumeration of every draw, and its edges."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest

from codequake.errors import UsageError
from codequake.stats import Missing, pass_at_k


@pytest.mark.parametrize("replies", range(1, 8))
def test_equals_the_share_of_draws_with_a_pass(replies: int) -> None:
    for passed in range(replies + 1):
        for k in range(1, replies + 1):
            draws = list(combinations(range(replies), k))
            found = sum(min(draw) < passed for draw in draws) / len(draws)
            assert pass_at_k(replies, passed, k) == pytest.approx(found, abs=1e-15)


def test_never_falls_with_k_and_is_the_mean_at_one() -> None:
    for passed in range(21):
        values = [pass_at_k(20, passed, k) for k in range(1, 21)]
        numbers = [value for value in values if not isinstance(value, Missing)]
        assert len(numbers) == 20
        assert numbers == sorted(numbers)
        assert numbers[0] == passed / 20


@pytest.mark.parametrize(("replies", "passed", "k"), [(0, 0, 1), (3, 0, 4), (3, 3, 4)])
def test_k_beyond_the_replies_is_missing(replies: int, passed: int, k: int) -> None:
    assert isinstance(pass_at_k(replies, passed, k), Missing)


@pytest.mark.parametrize(("replies", "passed", "k"), [(3, 4, 1), (3, -1, 1), (-1, 0, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(replies: int, passed: int, k: int) -> None:
    with pytest.raises(UsageError, match="allowed"):
        pass_at_k(replies, passed, k)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_is_unbiased_over_every_count(share: float) -> None:
    """The mean over all counts, weighted by their binomial chance, is the true pass@k."""
    for k in (1, 3, 10):
        expected = 0.0
        for passed in range(11):
            value = pass_at_k(10, passed, k)
            assert not isinstance(value, Missing)
            expected += comb(10, passed) * share**passed * (1 - share) ** (10 - passed) * value
        assert expected == pytest.approx(1 - (1 - share) ** k, abs=1e-12)
