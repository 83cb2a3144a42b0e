"""Benjamini-Hochberg against the example of 1995 and SciPy's own computation."""

from __future__ import annotations

import random

import pytest
from scipy.stats import false_discovery_control

from codequake.errors import UsageError
from codequake.stats import benjamini_hochberg

_PUBLISHED: tuple[float, ...] = (0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344)
_PUBLISHED += (0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0)


def test_the_published_example_has_four_findings() -> None:
    q_values = benjamini_hochberg(_PUBLISHED)
    assert sum(value <= 0.05 for value in q_values) == 4
    assert q_values[3] == pytest.approx(0.0095 * 15 / 4)


def test_equals_an_independent_computation_in_any_order() -> None:
    values = [*_PUBLISHED, 0.0095, 0.0]
    random.Random(7).shuffle(values)
    assert benjamini_hochberg(values) == pytest.approx(false_discovery_control(values))


def test_empty_and_impossible_tables() -> None:
    assert benjamini_hochberg([]) == ()
    with pytest.raises(UsageError):
        benjamini_hochberg([0.5, 1.5])
