"""What holds of the estimates of any study."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.planting import plant

from codequake.canonical import canonical_json
from codequake.codec import to_plain
from codequake.metrics import METRICS, StudyRows, estimate_study
from codequake.records import Estimate


def text_of(rows: StudyRows) -> str:
    return canonical_json([to_plain(item) for item in estimate_study(rows, seed=3)])


tables = st.dictionaries(
    st.sampled_from([f"s/{letter}" for letter in "abcdef"]),
    st.fixed_dictionaries(
        {
            "clean": st.text("PFVNE?.", min_size=2, max_size=2),
            "repeat": st.text("PFVN", min_size=2, max_size=2),
            "story": st.text("PFVNH.", min_size=2, max_size=2),
            "formula@1": st.text("PFVN", min_size=2, max_size=2),
            "reduced@1": st.text("PFVN", min_size=2, max_size=2),
            "story!": st.text("PF", min_size=2, max_size=2),
        }
    ),
    max_size=5,
)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(tables, st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing(
    table: dict[str, dict[str, str]], rng: random.Random
) -> None:
    rows = plant(table)
    shuffled = {}
    for name in ("problems", "variants", "planned", "completions", "verdicts"):
        items = list(getattr(rows, name))
        rng.shuffle(items)
        shuffled[name] = tuple(items)
    assert text_of(rows) == text_of(dataclasses.replace(rows, **shuffled))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(tables)
def test_invariants(table: dict[str, dict[str, str]]) -> None:
    found = estimate_study(plant(table), seed=3)
    by_label = {(i.metric, i.family, i.group, i.scope): i for i in found}
    for item in found:
        low_limit = -1.0 if METRICS[item.metric].unit == "difference" else 0.0
        for number in (item.value, item.low, item.high, item.bound_low, item.bound_high):
            assert number is None or low_limit - 1e-12 <= number <= 1.0 + 1e-12
        assert (item.value is None) == (item.missing is not None)
        if item.low is not None and item.high is not None:
            assert item.low <= item.high
        if item.bound_low is not None and item.bound_high is not None:
            assert item.incomplete
            assert item.bound_low <= item.bound_high
    for scope in ("all tests", "visible"):
        if table:
            worst = by_label["robust_pass_at_1", "", "", scope]
            clean = by_label["pass_at_1", "clean", "", scope]
            if not (worst.incomplete or clean.incomplete):
                assert worst.value is not None
                assert clean.value is not None
                assert worst.value <= clean.value + 1e-12
            assert edge(worst, "bound_high") <= edge(clean, "bound_high") + 1e-12
            assert edge(worst, "bound_low") <= edge(clean, "bound_low") + 1e-12
            gap = by_label["delta_to_clean", "formula", "distance=1", scope]
            down = by_label["flips_down", "formula", "distance=1", scope]
            up = by_label["flips_up", "formula", "distance=1", scope]
            if gap.value is not None and up.value is not None and down.value is not None:
                assert gap.value == pytest.approx(up.value - down.value)


def edge(item: Estimate, name: str) -> float:
    """A bound, or the value where nothing is pending."""
    found = getattr(item, name) if item.incomplete else item.value
    assert isinstance(found, float)
    return found


def test_every_metric_is_defined_in_words() -> None:
    for name in METRICS:
        metric = METRICS[name]
        assert metric.name == name
        assert metric.definition.endswith(".")
        assert metric.formula
        assert metric.unit in ("share", "difference", "p value")
