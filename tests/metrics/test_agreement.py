from __future__ import annotations

import dataclasses

import pytest
from tests.metrics.planting import plant

from codequake.errors import DataError
from codequake.metrics.agreement import Agreement, agreement_estimates, agreements
from codequake.metrics.making import Context
from codequake.metrics.program_pairs import vector_of
from codequake.records import Estimate, Status, Variant, Verdict

CONTEXT = Context(1, 0.95)


def study(table: dict[str, dict[str, str]]) -> tuple[tuple[Variant, ...], tuple[Verdict, ...]]:
    """Letters: P right, a to d a wrong output of that name, N no code, E an error."""
    arms = {
        problem: {
            arm: "".join("F" if one in "abcd" else one for one in text) for arm, text in row.items()
        }
        for problem, row in table.items()
    }
    rows = plant(arms)
    verdicts = []
    for verdict in rows.verdicts:
        problem, _, arm = verdict.variant_id.partition("|")
        text = table[problem][arm]
        letter = text[verdict.sample - (len(text) if arm == "repeat" else 0)]
        outputs = ("=", letter) if letter in "abcd" else ()
        verdicts.append(dataclasses.replace(verdict, outputs=outputs))
    return rows.variants, tuple(verdicts)


def only(table: dict[str, str]) -> Agreement:
    (found,) = agreements(*study({"p": table}))
    return found


def counts(found: Agreement) -> tuple[int, ...]:
    return (found.pairs, found.equal, found.consistent, found.inconsistent, found.alone)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"clean": "P", "x": "P", "y": "P"}, (3, 3, 0, 0, 0)),
        ({"clean": "a", "x": "a", "y": "a"}, (3, 3, 3, 0, 0)),
        ({"clean": "a", "x": "b", "y": "c"}, (3, 0, 0, 3, 0)),
        ({"clean": "P", "x": "a", "y": "a"}, (3, 1, 2, 0, 0)),
        ({"clean": "P", "x": "P", "y": "a"}, (3, 1, 0, 1, 0)),
        ({"clean": "a", "x": "a", "y": "b", "z": "P"}, (6, 1, 2, 1, 0)),
        ({"clean": "a"}, (0, 0, 0, 0, 1)),
        ({"clean": "a", "x": "N"}, (0, 0, 0, 0, 1)),
        ({"clean": "N", "x": "N"}, (0, 0, 0, 0, 0)),
        # Samples are compared with each other by rank, never two of one prompt.
        ({"clean": "aP", "x": "Pa"}, (2, 0, 0, 2, 0)),
        ({"clean": "aP", "x": "aP"}, (2, 2, 2, 0, 0)),
        ({"clean": "ab", "repeat": "ab"}, (2, 2, 4, 0, 0)),
    ],
)
def test_counts_by_hand(table: dict[str, str], expected: tuple[int, ...]) -> None:
    assert counts(only(table)) == expected


def test_what_is_not_known_and_what_is_pending_is_counted_apart() -> None:
    found = only({"clean": "a", "x": "N", "y": "E", "z": "a"})
    assert counts(found) == (1, 1, 2, 0, 0)
    assert (found.unknown, found.pending, found.possible) == (1, 1, 3)


def test_vectors() -> None:
    _, (verdict,) = study({"p": {"clean": "P"}})
    assert vector_of(verdict) == ("=", "=")
    old = dataclasses.replace(verdict, status=Status.WRONG_ANSWER, outputs=())
    assert vector_of(old) is None  # graded before marks were kept


def estimates(table: dict[str, dict[str, str]]) -> tuple[Estimate, ...]:
    return agreement_estimates(CONTEXT, "m", "all", agreements(*study(table)))


def test_estimates_are_means_over_problems() -> None:
    pairs, failing = estimates(
        {
            "p": {"clean": "a", "x": "a", "y": "P"},  # 1 of 3 pairs; 2 of 2 failures
            "q": {"clean": "a", "x": "b", "y": "P"},  # 0 of 3 pairs; 0 of 2 failures
            "r": {"clean": "P", "x": "P", "y": "P"},  # 3 of 3 pairs; no failure
            "s": {"clean": "a", "x": "N", "y": "N"},  # no pair; a failure alone
        }
    )
    assert pairs.value == pytest.approx((1 / 3 + 0 + 1) / 3)
    assert (failing.value, failing.problems) == (0.5, 2)
    assert {item.reason: item.count for item in failing.left_out} == {
        "programs without known outputs": 2,
        "failing programs with none beside them": 1,
    }
    assert not pairs.incomplete
    assert pairs.low is not None
    assert pairs.high is not None


def test_pending_programs_widen_to_bounds() -> None:
    pairs, failing = estimates({"p": {"clean": "a", "x": "b", "y": "E"}})
    # One pair of three is known, and it differs; the pending one may equal one of the two.
    assert (pairs.value, pairs.bound_low, pairs.bound_high) == (0.0, 0.0, pytest.approx(2 / 3))
    # It may join one of the two failures, so two of three are consistent at most.
    assert (failing.value, failing.bound_low, failing.bound_high) == (
        0.0,
        0.0,
        pytest.approx(2 / 3),
    )
    assert pairs.incomplete
    assert failing.incomplete


def test_nothing_to_compare_is_said() -> None:
    for found in estimates({"p": {"clean": "N"}}):
        assert (found.value, found.missing) == (
            None,
            "no problem has two programs whose outputs are known",
        )


def test_order_does_not_matter_and_lengths_must_fit() -> None:
    variants, verdicts = study({"p": {"clean": "ab", "x": "aP"}, "q": {"clean": "P", "x": "a"}})
    assert agreements(variants[::-1], verdicts[::-1]) == agreements(variants, verdicts)
    assert agreements(variants, ()) == ()
    longer = dataclasses.replace(verdicts[0], outputs=("=", "a", "b"))
    with pytest.raises(DataError, match="different numbers of tests"):
        agreements(variants, (longer, *verdicts[1:]))
