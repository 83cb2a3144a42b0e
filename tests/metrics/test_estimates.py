"""Planted studies with answers worked out by hand, and the rules that keep numbers honest."""

from __future__ import annotations

import dataclasses

import pytest
from tests.metrics.planting import plant, with_reported

from codequake.errors import DataError, UsageError
from codequake.metrics import StudyRows, count_shared_replies, estimate_study
from codequake.records import Estimate, LeftOut, TaskKind, TestOutcome, TestStatus
from codequake.stats import Interval, holm, minimum_detectable_effect, paired_interval, wilson

MIXED = {
    "s/a": {"clean": "P", "repeat": "P", "story": "P", "noise": "F"},
    "s/b": {"clean": "P", "repeat": "P", "story": "F", "noise": "P"},
    "s/c": {"clean": "P", "repeat": "F", "story": "N", "noise": "P"},
    "s/d": {"clean": "P", "repeat": "P", "story": "T", "noise": "P"},
    "s/e": {"clean": "F", "repeat": "F", "story": "V", "noise": "F"},
    "s/f": {"clean": "V", "repeat": "V", "story": "P", "noise": "F"},
    "s/g": {"clean": "N", "repeat": "P"},
}


class Found:
    """Estimates by label; asking for one that is not there fails."""

    def __init__(self, rows: StudyRows, **options: float) -> None:
        self.all = estimate_study(rows, seed=7, **options)

    def __call__(
        self, metric: str, family: str = "", group: str = "", scope: str = "all tests"
    ) -> Estimate:
        (one,) = (
            item
            for item in self.all
            if (item.metric, item.family, item.group) == (metric, family, group)
            and item.scope in (scope, "")
        )
        return one


def test_pass_at_1_counts_every_attempt() -> None:
    found = Found(plant(MIXED))
    clean = found("pass_at_1", "clean")
    assert (clean.numerator, clean.denominator, clean.problems) == (4, 7, 7)
    interval = wilson(4, 7)
    assert isinstance(interval, Interval)
    assert (clean.value, clean.low, clean.high) == (4 / 7, interval.low, interval.high)
    assert not clean.incomplete
    story = found("pass_at_1", "story")
    assert (story.numerator, story.denominator) == (2, 6)
    assert found("pass_at_1", "story", scope="visible").value == 3 / 6
    assert found("pass_at_1", "clean", scope="visible").value == 5 / 7
    assert "Only 6 problems" in story.note


def test_delta_is_paired_on_the_same_problems() -> None:
    found = Found(plant(MIXED))
    delta = found("delta_to_clean", "story")
    assert (delta.value, delta.denominator) == (pytest.approx(-2 / 6), 6)
    assert found("pass_at_1_clean", "story").value == 4 / 6
    expected = paired_interval([1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 1], seed=1)
    assert isinstance(expected, Interval)
    assert (delta.low, delta.high) == (expected.low, expected.high)
    assert found("flips_down", "story").numerator == 3
    assert found("flips_up", "story").value == 1 / 6
    assert found("delta_p", "story").value == 10 / 16
    assert found("delta_p", "noise").value == 1.0
    assert (
        found("delta_p_holm", "story").value,
        found("delta_p_holm", "noise").value,
    ) == holm([10 / 16, 1.0])
    smallest = minimum_detectable_effect(6, discordance=4 / 6)
    assert found("minimum_detectable_effect", "story").value == smallest


def test_noise_floor_and_what_exceeds_it() -> None:
    found = Found(plant(MIXED))
    assert found("noise_flips", "repeat").value == 2 / 7
    assert found("noise_floor", "repeat").value == 0.0
    assert found("flips", "story").value == pytest.approx(4 / 6)
    assert found("delta_to_clean", "repeat").value == 0.0
    beyond = found("delta_beyond_floor", "story")
    assert (beyond.value, beyond.denominator) == (pytest.approx(2 / 6 - 3 / 6), 6)
    assert found("flips_beyond_floor", "story").value == pytest.approx(4 / 6 - 1 / 6)
    assert not any(item.family == "repeat" for item in found.all if item.metric == "delta_p_holm")


def test_deterministic_floor_claims_nothing() -> None:
    same = {name: {"clean": "P", "repeat": "P", "story": "F"} for name in ("s/a", "s/b")}
    found = Found(plant(same, deterministic=True))
    floor = found("noise_floor", "repeat")
    assert (floor.value, floor.low, floor.method) == (0.0, None, "by construction")
    assert "0 by construction; nothing is claimed from it" in floor.note
    beyond = found("delta_beyond_floor", "story")
    assert beyond.value is None
    assert beyond.missing == "decoding is deterministic, so there is no floor to exceed"
    sampled = Found(plant(same))("noise_floor", "repeat")
    assert sampled.note == "Only 2 problems: read the interval, not the value."
    assert sampled.low is not None
    same["s/a"]["repeat"] = "F"
    false_claim = Found(plant(same, deterministic=True))("noise_floor", "repeat")
    assert "1 of 2 repeated replies differ" in false_claim.note
    assert false_claim.value == -0.5


def test_worst_case_stands_beside_the_worst_of_repeats() -> None:
    found = Found(plant(MIXED))
    worst = found("robust_pass_at_1")
    assert (worst.numerator, worst.denominator) == (0, 7)
    assert "0 to 2 accepted variants a problem, 12 in all" in worst.note
    assert found("worst_of_repeats").numerator == 3


@pytest.mark.parametrize(
    ("letter", "reason"),
    [
        ("E", "provider_error"),
        ("H", "harness_error"),
        (".", "no reply yet"),
        ("?", "not graded yet"),
    ],
)
def test_pending_replies_open_the_number(letter: str, reason: str) -> None:
    table = {name: {"clean": "P", "story": "P"} for name in ("s/a", "s/b", "s/c", "s/d")}
    table["s/a"]["story"] = "F"
    table["s/d"]["story"] = letter
    found = Found(plant(table))
    share = found("pass_at_1", "story")
    assert share.incomplete
    assert (share.value, share.denominator, share.problems) == (2 / 3, 3, 4)
    assert (share.bound_low, share.bound_high) == (2 / 4, 3 / 4)
    assert share.left_out == (LeftOut("problems that wait for replies", 1),)
    assert f"Pending replies: {reason} 1." in share.note
    # The interval covers whatever the pending reply may turn out to be.
    low, high = wilson(2, 4), wilson(3, 4)
    assert isinstance(low, Interval)
    assert isinstance(high, Interval)
    assert share.low is not None
    assert share.high is not None
    assert share.low <= low.low
    assert share.high >= high.high
    delta = found("delta_to_clean", "story")
    assert (delta.value, delta.bound_low, delta.bound_high) == (
        pytest.approx(-1 / 3),
        -2 / 4,
        -1 / 4,
    )
    down = found("flips_down", "story")
    assert (down.bound_low, down.bound_high) == (1 / 4, 2 / 4)
    assert found("delta_p", "story").value is None
    assert found("delta_p_holm", "story").incomplete
    assert found("pass_at_1", "clean").value == 1.0
    assert found("robust_pass_at_1").bound_high == 3 / 4


def test_a_sure_failure_settles_the_worst_case() -> None:
    table = {"s/a": {"clean": "F", "story": "."}, "s/b": {"clean": "P", "story": "P"}}
    worst = Found(plant(table))("robust_pass_at_1")
    assert (worst.value, worst.denominator, worst.incomplete) == (0.5, 2, False)


def test_no_reply_at_all_has_bounds_and_no_value() -> None:
    table = {name: {"clean": ".", "story": "."} for name in ("s/a", "s/b")}
    share = Found(plant(table))("pass_at_1", "clean")
    assert (share.value, share.missing, share.denominator) == (None, "all replies are pending", 0)
    assert (share.bound_low, share.bound_high, share.incomplete) == (0.0, 1.0, True)


def test_several_samples_and_variants_are_averaged_within_the_problem() -> None:
    table = {
        "s/a": {"clean": "PPPP", "story#1": "PFPF", "story#2": "FFFF"},
        "s/b": {"clean": "PFFF", "story#1": "PPPP"},
    }
    found = Found(plant(table))
    assert found("pass_at_1", "story").value == (0.25 + 1.0) / 2
    assert found("delta_to_clean", "story").value == pytest.approx((-0.75 + 0.75) / 2)
    assert found("flips_down", "story").value == pytest.approx((1 * 0.75 + 0) / 2)
    assert found("robust_pass_at_1").value == (0 + 0.25) / 2
    assert found("delta_p", "story").method == "exact sign test over problems"
    assert found("status_share", "story", "status=passed").numerator == 6
    assert found("status_share", "story", "status=passed").denominator == 12


def formula_table() -> dict[str, dict[str, str]]:
    return {
        "f/a": {
            "clean": "P",
            "formula@1": "P",
            "formula@3": "F",
            "reduced@1": "P",
            "reduced@3": "P",
        },
        "f/b": {
            "clean": "P",
            "formula@1": "F",
            "formula@3": "F",
            "reduced@1": "P",
            "reduced@3": "F",
        },
        "f/c": {
            "clean": "P",
            "formula@1": "P",
            "formula@3": "F",
            "reduced@1": "F",
            "reduced@3": "P",
        },
        "s/d": {"clean": "F"},
    }


def test_distances_and_recovery() -> None:
    found = Found(plant(formula_table()))
    assert found("pass_at_1", "formula", "distance=1").value == 2 / 3
    assert found("pass_at_1", "formula", "distance=3").value == 0.0
    assert found("pass_at_1", "formula").value == pytest.approx(1 / 3)
    assert found("delta_to_clean", "formula", "distance=3").value == -1.0
    assert found("reduction_recovery", "reduced", "distance=1").value == 0.0
    recovery = found("reduction_recovery", "reduced", "distance=3")
    assert (recovery.value, recovery.denominator) == (pytest.approx(2 / 3), 3)
    assert found("reduction_recovery_p", "reduced", "distance=3").value == 0.5
    # Four questions: two families at two distances; the pooled rows repeat them.
    assert found("delta_p_holm", "formula", "distance=3").note == (
        "One of 4 questions asked of this model."
    )
    # Repairs are not attacks.
    assert found("robust_pass_at_1").note.startswith("Worst of the clean prompt and 0 to 2 accep")


def test_rejected_variants_are_counted_and_kept_apart() -> None:
    table = {
        "s/a": {"clean": "P", "story": "P", "story!": "F"},
        "s/b": {"clean": "P", "story!": "F"},
    }
    found = Found(plant(table))
    gated = found("pass_at_1", "story")
    assert (gated.value, gated.denominator) == (1.0, 1)
    assert gated.left_out == (LeftOut("problems with rejected variants only", 1),)
    assert "Replies to rejected variants, counted apart: 2." in gated.note
    assert found("pass_at_1_all_variants", "story").value == (0.5 + 0.0) / 2
    assert found("pass_at_1_rejected_variants", "story").value == 0.0
    rejected = found("rejected_variants", "story")
    assert (rejected.numerator, rejected.denominator) == (2, 3)
    assert found("robust_pass_at_1").value == 1.0
    none = Found(plant({"s/a": {"clean": "P", "story!": "F"}}))("pass_at_1", "story")
    assert (none.value, none.missing) == (None, "every variant failed a preservation check")


def test_problems_without_visible_tests_leave_the_visible_scope_only() -> None:
    found = Found(plant({"s/a": {"clean": "P"}, "s/b": {"clean": "F"}}, without_visible=("s/b",)))
    assert found("pass_at_1", "clean").value == 0.5
    visible = found("pass_at_1", "clean", scope="visible")
    assert (visible.value, visible.denominator) == (1.0, 1)
    assert visible.left_out == (LeftOut("problems without visible tests", 1),)


def shown(rows: StudyRows, arm: str, *tests: int) -> StudyRows:
    """The rows, with the prompts of an arm showing these tests of the two that there are."""
    variants = tuple(
        dataclasses.replace(item, shown_tests=tests) if item.family == arm else item
        for item in rows.variants
    )
    return dataclasses.replace(rows, variants=variants)


def test_hidden_is_what_no_prompt_of_the_problem_shows() -> None:
    # V: the first test passes, the second fails.  Clean prompts show the first.
    rows = plant({"s/a": {"clean": "V", "story": "P"}, "s/b": {"clean": "P", "story": "F"}})
    found = Found(rows)
    assert found("pass_at_1", "clean", scope="hidden").value == 1 / 2
    assert found("delta_to_clean", "story", scope="hidden").value == 0
    # The story shows the second test instead: no test is left that neither prompt shows.
    both = Found(shown(rows, "story", 1))
    for metric, family in (("pass_at_1", "clean"), ("delta_to_clean", "story")):
        empty = both(metric, family, scope="hidden")
        assert empty.value is None
        assert [(out.reason, out.count) for out in empty.left_out] == [
            ("problems without hidden tests", 2)
        ]
    assert both("pass_at_1", "story", scope="visible").value == 1 / 2
    assert both("pass_at_1", "clean", scope="visible").value == 1
    # It shows none: what the clean prompt shows stays out on both sides.
    none = Found(shown(rows, "story"))
    assert none("pass_at_1", "story", scope="hidden").value == 1 / 2
    assert none("pass_at_1", "story", scope="visible").value is None


def test_a_failed_visible_test_does_not_count_where_hidden_tests_are_asked() -> None:
    rows = plant({"s/a": {"clean": "P"}, "s/b": {"clean": "F"}})
    late = dataclasses.replace(
        rows.verdicts[1],
        tests=(
            TestOutcome(True, TestStatus.WRONG_ANSWER),
            TestOutcome(False, TestStatus.PASSED),
        ),
    )
    found = Found(dataclasses.replace(rows, verdicts=(rows.verdicts[0], late)))
    assert found("pass_at_1", "clean", scope="hidden").value == 1
    assert found("pass_at_1", "clean").value == 1 / 2
    assert found("pass_at_1", "clean", scope="visible").value == 1 / 2


def test_mixing_is_an_error() -> None:
    rows = plant({"s/a": {"clean": "P", "story": "P"}, "s/b": {"clean": "P", "story": "F"}})
    with pytest.raises(UsageError, match=r"two model ids .*'m-2024', 'm-2025'.* are mixed"):
        estimate_study(with_reported(rows, "story", "m-2025"), seed=1)
    hotter = tuple(
        dataclasses.replace(item, decoding='{"temperature":1}')
        if item.variant_id.endswith("story")
        else item
        for item in rows.planned
    )
    with pytest.raises(UsageError, match="two decodings"):
        estimate_study(dataclasses.replace(rows, planned=hotter), seed=1)
    graded = (dataclasses.replace(rows.verdicts[0], grader="g2"), *rows.verdicts[1:])
    with pytest.raises(UsageError, match="two graders"):
        estimate_study(dataclasses.replace(rows, verdicts=graded), seed=1)
    with pytest.raises(UsageError, match="two numbers of samples"):
        estimate_study(plant({"s/a": {"clean": "PP", "story": "P"}}), seed=1)
    with pytest.raises(UsageError, match="two numbers of samples"):
        estimate_study(plant({"s/a": {"clean": "PP", "repeat": "P"}}), seed=1)


def test_a_changed_task_is_never_compared_with_clean() -> None:
    rows = plant({"s/a": {"clean": "P", "story": "F"}})
    changed = tuple(
        dataclasses.replace(item, task=TaskKind.CHANGED) if item.family == "story" else item
        for item in rows.variants
    )
    found = Found(dataclasses.replace(rows, variants=changed))
    assert "its own oracle" in found("pass_at_1", "story").note
    assert not [item for item in found.all if item.metric == "delta_to_clean"]
    assert found("robust_pass_at_1").value == 1.0


def test_rows_that_do_not_fit_are_refused() -> None:
    rows = plant({"s/a": {"clean": "P"}})
    for broken, match in (
        (dataclasses.replace(rows, planned=()), "was not planned"),
        (dataclasses.replace(rows, planned=rows.planned * 2), "planned reply .* stands twice"),
        (dataclasses.replace(rows, verdicts=rows.verdicts * 2), "verdict .* stands twice"),
        (dataclasses.replace(rows, variants=()), "unknown variant"),
        (dataclasses.replace(rows, problems=()), "unknown problem"),
        (dataclasses.replace(rows, variants=rows.variants * 2), "stands twice in the study"),
    ):
        with pytest.raises(DataError, match=match):
            estimate_study(broken, seed=1)
    bad = dataclasses.replace(
        rows.verdicts[0],
        tests=(dataclasses.replace(rows.verdicts[0].tests[0], status="wrong_answer"),),
    )
    with pytest.raises(DataError, match="says passed"):
        estimate_study(dataclasses.replace(rows, verdicts=(bad,)), seed=1)


def test_an_empty_study_has_no_numbers() -> None:
    assert estimate_study(plant({}), seed=1) == ()
    nothing = Found(plant({"s/a": {"story": "P"}}))
    assert nothing("delta_to_clean", "story").missing == "no problem has both prompts"
    assert nothing("robust_pass_at_1").missing == "the clean prompt was not asked"


def test_shared_replies_are_counted_and_said() -> None:
    rows = plant({"f/a": {"clean": "P", "formula@1": "P"}, "f/b": {"clean": "P", "formula@1": "F"}})
    first = rows.completions[0].key
    shared = tuple(
        dataclasses.replace(item, key=first) if item.variant_id == "f/a|formula@1" else item
        for item in rows.completions
    )
    assert count_shared_replies(rows.completions) == 0
    assert count_shared_replies(shared) == 1
    found = Found(dataclasses.replace(rows, completions=shared))
    assert "1 of 2 replies are the clean prompt's own" in found("delta_to_clean", "formula").note
