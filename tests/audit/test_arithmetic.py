"""The checks one by one, on cells whose answer is worked out by hand or by counting everything."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from tests.audit.sheets import audited, kinds

from codequake.audit.cells import Printed, ProblemGroup
from codequake.audit.copies import coincidence
from codequake.audit.counts import Rounding, conventions, fitting_counts, nearest_counts, rounded
from codequake.audit.flattened import possible_with, read_flattened, true_counts_that_fit
from codequake.audit.reading import parse_printed
from codequake.audit.uncertainty import compare_shares
from codequake.errors import UsageError
from codequake.stats import Interval, Missing, fisher_exact, unpaired_interval


def printed(text: str) -> Printed:
    found = parse_printed(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "n", "counts"),
    [
        ("93.9", 33, [31]),  # 31/33 = 93.939...
        ("89.8", 33, []),  # between 29/33 = 87.9 and 30/33 = 90.9
        ("25.0", 50, []),  # 12.5 of 50
        ("97", 100, [97]),
        ("50", 200, [99, 100, 101]),  # 49.5 and 50.5 are ties
        ("100.0", 17, [17]),
        ("101.0", 17, []),
        ("-3", 17, []),
        ("0", 1000, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_counts_that_fit(text: str, n: int, counts: list[int]) -> None:
    assert list(fitting_counts(printed(text), n, 100)) == counts


@given(st.integers(1, 60), st.integers(0, 3), st.data())
def test_every_honest_share_is_a_count_and_every_count_is_found(
    n: int, decimals: int, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, n))
    exact = Fraction(100 * count, n)
    half = Fraction(1, 2 * 10**decimals)
    for rule in Rounding:
        text = f"{float(rounded(exact, half, rule)):.{decimals}f}"
        found = fitting_counts(printed(text), n, 100)
        assert count in found
        assert list(found) == [
            k for k in range(n + 1) if abs(Fraction(100 * k, n) - Fraction(text)) <= half
        ]
        assert rule in conventions(count, n, 100, printed(text))


def test_ties_belong_to_one_rule() -> None:
    # 1 of 16 is 6.25 %: 6.3 away from zero, 6.2 to the even digit.
    assert conventions(1, 16, 100, printed("6.3")) == (Rounding.HALF_UP,)
    assert conventions(1, 16, 100, printed("6.2")) == (Rounding.HALF_EVEN,)
    assert rounded(Fraction(-5, 2), Fraction(1, 2), Rounding.HALF_UP) == -3
    assert rounded(Fraction(-5, 2), Fraction(1, 2), Rounding.HALF_EVEN) == -2
    audit = audited("t,m,c,all,6.2,%,16,,,,,,")
    assert kinds(audit) == ["only by a tie"]
    assert "1 of 16 only with half even" in audit.findings[0].statement


def test_nearest_counts() -> None:
    assert list(nearest_counts(printed("25.0"), 50, 100)) == [12, 13]
    assert list(nearest_counts(printed("41.2"), 50, 100)) == [21]
    assert list(nearest_counts(printed("120"), 50, 100)) == [50]


def all_lists(tests: tuple[int, ...], passes: int) -> set[int]:
    """The numbers of true results that lists of early-stopped problems can hold, by trying all."""
    found = set()
    for true in product(*(range(count + 1) for count in tests)):
        if sum(got == count for got, count in zip(true, tests, strict=True)) == passes:
            found.add(sum(true))
    return found


@pytest.mark.parametrize("tests", [(2, 2, 2, 3, 3, 4), (1, 1, 5), (1, 2, 3, 4, 5), (3,)])
def test_the_range_of_flattened_lists_is_that_of_all_lists(tests: tuple[int, ...]) -> None:
    groups = [ProblemGroup(tests.count(size), size) for size in sorted(set(tests))]
    for passes in range(len(tests) + 1):
        possible = possible_with(groups, passes)
        assert possible.failures == len(tests) - passes
        assert set(range(possible.low, possible.high + 1)) == all_lists(tests, passes)


def test_lists_with_problems_left_out() -> None:
    # Of 2, 2 and 3 tests one passes and one fails: at least 2 true; at most 3 + 1 (the one with 3
    # passes, or fails last while one with 2 passes: 2 + 2).
    possible = possible_with([ProblemGroup(2, 2), ProblemGroup(1, 3)], 1, 1)
    assert (possible.low, possible.high) == (2, 4)


@given(st.integers(0, 400), st.integers(0, 40), st.integers(0, 2))
def test_true_counts_are_those_found_by_trying_each(
    value: int, failures: int, decimals: int
) -> None:
    text = f"{value / 4:.{decimals}f}"
    groups = [ProblemGroup(40, 3)]
    possible = possible_with(groups, 40 - failures)
    tried = [
        true
        for true in range(possible.low, possible.high + 1)
        if abs(Fraction(100 * true, true + possible.failures) - Fraction(text))
        <= printed(text).half
    ]
    assert list(true_counts_that_fit(printed(text), possible, 100)) == tried


def test_a_flattened_mean_by_hand() -> None:
    """Three problems of two tests; one passes, so F = 2 and T is 2 to 4: 2/4, 3/5 or 4/6."""
    groups = [ProblemGroup(3, 2)]
    fits = {
        text: read_flattened(printed(text), 100, range(1, 2), groups).fits
        for text in ("50.0", "60.0", "66.7", "55.0")
    }
    assert fits == {"50.0": ((2, 2),), "60.0": ((3, 2),), "66.7": ((4, 2),), "55.0": ()}
    other = read_flattened(printed("75.0"), 100, range(1, 2), groups)
    assert not other.inside
    # One failure recorded and 3 true: one passes (2), one fails last (1), one left nothing.
    assert other.fewer_failures == (1,)
    assert other.passes == ()
    assert read_flattened(printed("80.0"), 100, range(1, 2), groups).passes == (2,)


def test_totals_of_counts() -> None:
    parts = ("t,m,c,easy,33.3,%,3,,,,,,", "t,m,c,hard,50.0,%,2,,,,,,")
    assert kinds(audited(*parts, "t,m,c,all,40.0,%,5,,total,,.:.:.:*,,")) == []
    wrong = audited(*parts, "t,m,c,all,41.7,%,5,,total,,.:.:.:*,,")
    assert kinds(wrong) == ["total does not follow"]
    assert "the parts are 2 of 5, which is 40.0" in wrong.findings[0].derivation
    sizes = audited(*parts, "t,m,c,all,40.0,%,6,,total,,.:.:.:*,,")
    assert kinds(sizes) == ["sizes differ"]


def test_totals_between_two_whole_counts_do_not_follow() -> None:
    # Each part may be 99 to 101 of 200, so the total is 198 to 202 of 400: never 49.60 %.
    parts = ("t,m,c,a,50,%,200,,,,,,", "t,m,c,b,50,%,200,,,,,,")
    assert kinds(audited(*parts, "t,m,c,all,49.75,%,400,,total,,.:.:.:*,,")) == []
    assert kinds(audited(*parts, "t,m,c,all,49.60,%,400,,total,,.:.:.:*,,")) == [
        "total does not follow"
    ]


def test_totals_of_unknown_sizes_lie_between() -> None:
    parts = ("t,m,c,a,10,%,,,,,,,", "t,m,c,b,20,%,,,,,,,")
    inside = audited(*parts, "t,m,c,all,15,%,,,total,,.:.:.:*,,")
    assert (kinds(inside), inside.totals[0].reading.value) == ([], "open")
    outside = audited(*parts, "t,m,c,all,21.5,%,,,total,,.:.:.:*,,")
    assert kinds(outside) == ["total does not follow"]


def test_the_weight_of_a_mixture_by_hand() -> None:
    # 30 = w * 10 + (1 - w) * 50 gives w = 1/2; the sizes 1 and 3 say 1/4, so the total is 40.
    audit = audited(
        "t,m,c,a,10.0,%,1,,,number,,,",
        "t,m,c,b,50.0,%,3,,,number,,,",
        "t,m,c,all,30.0,%,4,,total,number,.:.:.:*,,",
    )
    mixture = audit.totals[0].mixture
    assert mixture is not None
    # The corners: (50.05 - 29.95) / (50.05 - 10.05) and the like.
    corners = [
        (Fraction(b) - Fraction(t)) / (Fraction(b) - Fraction(a))
        for a, b, t in product(("9.95", "10.05"), ("49.95", "50.05"), ("29.95", "30.05"))
    ]
    assert (mixture.low, mixture.high) == (min(corners), max(corners))
    assert mixture.low < Fraction(1, 2) < mixture.high
    assert (mixture.claimed, list(mixture.sizes)) == (Fraction(1, 4), [2])
    assert kinds(audit) == ["total does not follow"]


def test_means_and_sums() -> None:
    cells = ("t,a,c,all,1.0,score,,,,,,,", "t,b,c,all,2.0,score,,,,,,,")
    for text, expected in (("1.5", []), ("1.45", []), ("1.56", ["mean does not follow"])):
        assert kinds(audited(*cells, f"t,mean,c,all,{text},score,,,mean,,.:*:.:.,,")) == expected
    counts = ("t,a,c,all,1,count,,,,,,,", "t,b,c,all,2,count,,,,,,,")
    # Whole counts are exact: nothing is allowed for rounding.
    assert kinds(audited(*counts, "t,s,c,all,3,count,,,sum,,.:*:.:.,,")) == []
    assert kinds(audited(*counts, "t,s,c,all,4,count,,,sum,,.:*:.:.,,")) == ["sum does not follow"]


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        ("+11.7", []),  # 88.2 - 76.5
        ("+11.8", []),  # 15/17 - 13/17 = 11.76
        ("+11.6", ["delta does not follow"]),
        ("-11.7", ["delta does not follow", "sign changes like for like"]),
    ],
)
def test_deltas_of_counts(delta: str, expected: list[str]) -> None:
    audit = audited(
        "t,m,a,hard,88.2,%,17,,,,,,",
        "t,m,b,hard,76.5,%,17,,,,,,",
        f"t,m,a,hard,{delta},points,,,delta,,.:.:.:.,.:.:b:.,",
    )
    assert kinds(audit) == expected


def test_deltas_of_two_metrics_by_name() -> None:
    audit = audited(
        "t,m,a,all,60,%,,mean of tests,,,,,",
        "t,m,b,all,50,%,,pass@1,,,,,",
        "t,m,a,all,10,points,,,delta,,.:.:.:.,.:.:b:.,",
    )
    assert kinds(audit) == ["delta of two metrics"]
    assert "'mean of tests'" in audit.findings[0].derivation


def test_a_gain_that_is_none_like_for_like() -> None:
    """Ten problems of two tests.  Clean 5 pass; changed 4 pass, printed as 8/14 = 57.14 %."""
    audit = audited(
        "t,m,clean,a,50,%,10,,,,,,",
        "t,m,clean,all,50,%,10,,total,,.:.:.:a,,10x2",
        "t,m,new,a,40,%,10,,,,,,",
        "t,m,new,all,57.14,%,10,,total,,.:.:.:a,,10x2",
        "t,m,new,all,+7.1,points,,,delta,,.:.:.:.,.:.:clean:.,",
    )
    assert kinds(audit) == [
        "total does not follow", "delta of two metrics", "sign changes like for like"
    ]  # fmt: skip
    delta, total = audit.deltas[0], audit.totals[1]
    assert total.flattened is not None
    assert total.flattened.fits == ((8, 6),)
    assert delta.items is not None
    assert (delta.items.low, delta.items.high, delta.items.change.value) == (-10, -10, "reversed")
    assert delta.flattened is not None
    # Clean, T is 10 to 15 with F = 5: 66.67 to 75 %.
    assert delta.flattened.change.value == "reversed"
    assert math.isclose(delta.flattened.low, 57.135 - 75)
    assert math.isclose(delta.flattened.high, 57.145 - 200 / 3)
    (column,) = audit.columns
    assert (column.losses, column.flattened_losses, column.improved, column.improved_items) == (
        1,
        1,
        1,
        0,
    )


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12), st.integers(1, 12))
def test_fisher_is_that_of_another_program(a: int, n: int, b: int, m: int) -> None:
    a, b = min(a, n), min(b, m)
    other = scipy_stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue
    assert math.isclose(float(fisher_exact(a, n, b, m)), float(other), rel_tol=1e-9)


def test_fisher_by_hand_and_at_the_edges() -> None:
    # The lady tasting tea, 3 of 4: (1 + 16 + 16 + 1) / 70 of the tables are as likely or less.
    assert fisher_exact(3, 4, 1, 4) == Fraction(34, 70)
    assert fisher_exact(0, 0, 1, 4) == 1
    assert fisher_exact(5, 5, 7, 7) == 1
    with pytest.raises(UsageError, match="5 of 4 passed"):
        fisher_exact(5, 4, 0, 1)


def test_unpaired_intervals_are_those_of_their_source() -> None:
    # Newcombe (1998), Table II: 56/70 against 48/80 gives 0.0524 to 0.3339.
    found = unpaired_interval(56, 70, 48, 80)
    assert isinstance(found, Interval)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)
    zero = unpaired_interval(0, 10, 0, 10)
    assert isinstance(zero, Interval)
    assert zero.low == -zero.high < 0
    assert isinstance(unpaired_interval(0, 0, 1, 2), Missing)
    assert compare_shares(0, 5_001, 1, 5_001).p_value is None


def test_the_chance_of_equal_counts() -> None:
    assert math.isclose(coincidence(1, 2), 0.25**2 * 2 + 0.5**2)
    assert coincidence(0, 50) == coincidence(50, 50) == 1.0
    wanted = sum(scipy_stats.binom.pmf(range(51), 50, 0.4) ** 2)
    assert math.isclose(coincidence(20, 50), wanted)


def test_equal_cells_are_told_only_where_that_is_rare() -> None:
    def lines(column: str, *values: int) -> list[str]:
        return [
            f"t,m{row},{column},{group},{value},%,100,,,,,,"
            for row, value in enumerate(values)
            for group in ("a", "b")
        ]

    copied = audited(*lines("x", 40, 50, 60), *lines("y", 40, 50, 60))
    assert kinds(copied) == ["same cells"]
    assert [same.name for same in copied.coincidences[0].equal] == ["m0", "m1", "m2"]
    assert kinds(audited(*lines("x", 40), *lines("y", 40))) == ["same cells"]
    assert kinds(audited(*lines("x", 0, 0, 0), *lines("y", 0, 0, 0))) == []
    assert kinds(audited(*lines("x", 40, 50, 60), *lines("y", 41, 51, 61))) == []
