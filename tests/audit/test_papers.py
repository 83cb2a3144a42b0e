"""The bundled cells of the two papers: that they are whole, and what follows from them.

Every figure is computed again from the cells; where a number stands here, the way to it that is
written beside it is not the one that the package takes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from statistics import mean

import pytest
from scipy import stats as scipy_stats

from codequake.audit import Audit, audit_sheet, published_cells, read_paper
from codequake.audit.cells import Cell, Role
from codequake.audit.deltas import Change
from codequake.audit.findings import Kind
from codequake.audit.published import PAPERS
from codequake.audit.totals import Reading, TotalReading
from codequake.errors import UserError

CLASSES = {"easy": 33, "medium": 50, "hard": 17}
TESTS = [2] * 67 + [3] * 32 + [4]
REWRITES = {
    "storytelling",
    "gamification",
    "example perturbation",
    "distracting constraints",
    "domain shift",
}


@pytest.fixture(scope="module")
def cocc() -> Audit:
    return audit_sheet(read_paper("cocc"))


@pytest.fixture(scope="module")
def robustness() -> Audit:
    return audit_sheet(read_paper("syntactic-robustness"))


def cells_of(audit: Audit, table: str, role: Role | None = None) -> list[Cell]:
    return [
        line.cell
        for line in audit.sheet.cells
        if line.cell.table == table and role in (None, line.cell.role)
    ]


def total_of(audit: Audit, table: str, row: str, column: str) -> TotalReading:
    (found,) = [
        item
        for item in audit.totals
        if (item.cell.table, item.cell.row, item.cell.column) == (table, row, column)
    ]
    return found


def places(audit: Audit, kind: Kind, table: str) -> list[tuple[str, str, str, str]]:
    return [
        (cell.row, cell.column, cell.group, cell.printed.text)
        for item in audit.findings
        if item.kind is kind and (cell := item.cells[0]).table == table
    ]


# How many cells of each role, and the sum of all printed values: both were counted in the text of
# the paper by another program, which knew nothing of these files.
@pytest.mark.parametrize(
    ("table", "counts", "total"),
    [
        ("table-1", {"cell": 5}, "34.50"),
        ("table-2", {"cell": 30, "total": 10, "mean": 4}, "2607.7"),
        ("table-3", {"total": 45, "delta": 45, "mean": 14}, "4096.45"),
        ("table-4", {"cell": 90, "delta": 90}, "3534.8"),
        ("table-5", {"cell": 45, "delta": 45}, "1611.4"),
        ("table-7", {"cell": 54, "total": 18, "delta": 72}, "-2474.2"),
    ],
)
def test_the_tables_are_whole(cocc: Audit, table: str, counts: dict[str, int], total: str) -> None:
    cells = cells_of(cocc, table)
    assert Counter(cell.role.value for cell in cells) == counts
    assert sum((cell.printed.value for cell in cells), Fraction(0)) == Fraction(total)


def test_the_cells_of_a_row_are_in_their_places(cocc: Audit) -> None:
    """One row of each table, read off the paper once more."""
    rows = {
        ("table-1", "gamification"): ["8.01"],
        ("table-2", "DeepSeek-7B"): ["90.9", "70.0", "35.3", "71.0"],
        ("table-3", "LLaMA-3.1-8B"): [
            "37.59", "+18.6", "22.03", "+3.0", "54.30", "+35.3", "37.78", "+18.8",
            "44.68", "+25.7", "39.28",
        ],
        ("table-4", "Claude-3-Haiku"): [
            "45.5", "-6.0", "26.0", "-6.0", "35.3", "-5.9", "30.3", "-21.2", "18.0", "-14.0",
            "5.9", "-35.3", "45.5", "-6.0", "28.0", "-4.0", "35.3", "-5.9", "36.4", "-15.1",
            "12.0", "-20.0", "17.6", "-23.6", "51.5", "+0.0", "34.0", "+2.0", "35.3", "-5.9",
        ],
        ("table-5", "DeepSeek-Coder-33B"): [
            "81.8", "-3.0", "34.0", "-14.0", "23.5", "+11.7", "72.7", "-12.1", "44.0", "-4.0",
            "17.6", "+5.8", "54.5", "-30.3", "26.0", "-22.0", "29.4", "+17.6", "69.7", "-15.1",
            "50.0", "+2.0", "35.3", "+23.5", "48.5", "-36.3", "26.0", "-22.0", "17.6", "+5.8",
        ],
        ("table-7", "LLaMA-3.1-8B"): [
            "3.0", "-33.4", "0.0", "-12.0", "0.0", "-5.9", "8.3", "-10.7",
            "21.2", "-15.2", "6.0", "-6.0", "5.9", "+0.0", "29.4", "+10.4",
        ],
    }  # fmt: skip
    for (table, row), printed in rows.items():
        found = [cell.printed.text for cell in cells_of(cocc, table) if cell.row == row]
        assert found == printed, (table, row)


def test_every_rewrite_and_model_is_there_once(cocc: Audit) -> None:
    third = {(cell.row, cell.column) for cell in cells_of(cocc, "table-3", Role.TOTAL)}
    classes = Counter(
        (cell.row, cell.column)
        for table in ("table-4", "table-5")
        for cell in cells_of(cocc, table, Role.CELL)
    )
    assert len(third) == 9 * 5
    assert classes == dict.fromkeys(third, 3)
    assert {column for _, column in third} == REWRITES


def test_clean_totals_are_shares_of_problems(cocc: Audit) -> None:
    totals = [item for item in cocc.totals if item.cell.table == "table-2"]
    assert {item.reading for item in totals} == {Reading.ITEMS}
    assert [item.passes[0] for item in totals if item.passes is not None] == [
        95, 90, 88, 83, 71, 59, 54, 40, 19, 17
    ]  # fmt: skip


def passes_of(total: TotalReading) -> int:
    """The passes of a row: the nearest count of each class, found by trying all."""
    return sum(
        min(
            range(CLASSES[part.group] + 1),
            key=lambda count: abs(100 * count / CLASSES[part.group] - float(part.printed.value)),
        )
        for part in total.parts
    )


def flattened_by_trying(total: TotalReading) -> Sequence[int]:
    """All numbers of true results whose early-stop mean is printed as this total."""
    passes = passes_of(total)
    failures = 100 - passes
    possible = range(sum(TESTS[:passes]), sum(TESTS) - failures + 1)
    return [
        true
        for true in possible
        if abs(Fraction(100 * true, true + failures) - total.cell.printed.value)
        <= total.cell.printed.half
    ]


def test_34_of_45_attack_accuracies_are_flattened_means(cocc: Audit) -> None:
    totals = [item for item in cocc.totals if item.cell.table == "table-3"]
    fits = {}
    for total in totals:
        assert total.flattened is not None
        tried = flattened_by_trying(total)
        assert [true for true, _ in total.flattened.fits] == tried
        fits[total.cell.row, total.cell.column] = bool(tried)
    assert sum(fits.values()) == 34
    by_column = Counter(column for (_, column), fit in fits.items() if fit)
    assert by_column == {
        "storytelling": 9,
        "example perturbation": 9,
        "distracting constraints": 9,
        "domain shift": 5,
        "gamification": 2,
    }
    # None is a share of problems; only two values are whole percentages at all.
    assert {item.follows for item in totals} == {False}
    whole = [item.cell.printed.text for item in totals if item.cell.printed.value.denominator == 1]
    assert sorted(whole) == ["50.00", "70.00"]
    # By chance about 7 would fit: the share of printable values inside each range that has one.
    chance = sum((item.flattened.chance for item in totals if item.flattened), Fraction(0))
    assert 6.5 < chance < 7.5


def test_the_11_that_do_not_fit_and_why(cocc: Audit) -> None:
    outside, between, no_counts = set(), set(), set()
    for total in cocc.totals:
        flat, cell = total.flattened, total.cell
        if cell.table != "table-3" or flat is None or flat.fits:
            continue
        passes = passes_of(total)
        low = 100 * sum(TESTS[:passes]) / (sum(TESTS[:passes]) + 100 - passes)
        high = 100 * (sum(TESTS) - 100 + passes) / sum(TESTS)
        assert math.isclose(float(flat.low), low / 100)
        assert math.isclose(float(flat.high), high / 100)
        (between if flat.inside else outside).add((cell.row, cell.column))
        if not total.exact:
            no_counts.add((cell.row, cell.column))
    assert between == {("Qwen2.5-Coder", "domain shift")}
    assert no_counts == {
        (row, "domain shift")
        for row in ("Gemini-2.5-Flash", "Gemini-2.0-Flash", "Claude-3.7-Sonnet", "Qwen2.5-Coder")
    }
    assert outside - no_counts == {
        (row, "gamification")
        for row in (
            "Gemini-2.5-Flash",
            "DeepSeek-14B",  # by 0.003 points: at most 203/234 = 86.752, and 86.76 is printed
            "Qwen2.5-Coder",
            "DeepSeek-Coder-33B",
            "Claude-3.7-Sonnet",
            "Claude-3-Haiku",
            "LLaMA-3.1-8B",
        )
    }
    assert len(outside | between) == 11


def test_storytelling_of_one_model_in_full(cocc: Audit) -> None:
    total = total_of(cocc, "table-3", "Gemini-2.5-Flash", "storytelling")
    # 31 + 48 + 15 problems passed, 6 failed: 222 true results of 228 are 97.368 %.
    assert total.passes == range(94, 95)
    assert total.flattened is not None
    assert total.flattened.fits == ((222, 6),)
    assert 94 in total.flattened.passes


def test_all_deltas_subtract_two_quantities(cocc: Audit) -> None:
    third = [item for item in cocc.deltas if item.cell.table == "table-3"]
    assert len(third) == 45
    assert all(item.follows and item.two_metrics for item in third)
    assert all(
        abs(item.first.printed.value - item.second.printed.value - item.cell.printed.value)
        <= Fraction(1, 20)
        for item in third
    )
    overall = [
        item for item in cocc.deltas if item.cell.table == "table-7" and item.cell.group == "all"
    ]
    assert [bool(item.two_metrics) for item in overall] == [True] * 18


def test_gains_that_are_losses_like_for_like(cocc: Audit) -> None:
    clean = {cell.row: int(cell.printed.value) for cell in cells_of(cocc, "table-2", Role.TOTAL)}
    items: Counter[str] = Counter()
    flat: Counter[str] = Counter()
    for delta in cocc.deltas:
        if delta.cell.table != "table-3" or delta.cell.printed.value <= 0:
            continue
        before = clean[delta.cell.row]
        after = passes_of(total_of(cocc, "table-3", delta.cell.row, delta.cell.column))
        items["loss" if after < before else "zero" if after == before else "gain"] += 1
        value, half = float(delta.first.printed.value), 0.005
        few = sum(TESTS[:before])
        low = 100 * few / (few + 100 - before)
        high = 100 * (sum(TESTS) - 100 + before) / sum(TESTS)
        flat["loss" if value + half < low else "gain" if value - half > high else "open"] += 1
    assert items == {"loss": 22, "zero": 2, "gain": 6}
    assert flat == {"loss": 20, "open": 8, "gain": 2}
    columns = [item for item in cocc.columns if item.table == "table-3"]
    assert sum(item.losses for item in columns) == items["loss"]
    assert sum(item.zeros for item in columns) == items["zero"]
    assert sum(item.flattened_losses for item in columns) == flat["loss"]
    assert sum(item.flattened_open for item in columns) == flat["open"]
    assert sum(item.improved_items for item in columns) == items["gain"]


def test_the_copied_cells_of_domain_shift(cocc: Audit) -> None:
    (found,) = cocc.coincidences
    assert {found.first, found.second} == {"domain shift", "distracting constraints"}
    assert (found.table, found.axis) == ("table-4", "columns")
    models = ["Gemini-2.5-Flash", "Gemini-2.0-Flash", "Claude-3.7-Sonnet"]
    assert [same.name for same in found.equal] == models
    for same in found.equal:
        assert [cell.group for cell in same.first] == ["medium", "hard"]
        assert [c.printed.text for c in same.first] == [c.printed.text for c in same.second]
    # Three rows of six in one of ten pairs of columns, if the counts were independent.
    chance = 1.0
    for n, counts in ((50, (48, 40, 12)), (17, (14, 10, 2))):
        for count in counts:
            chance *= sum(scipy_stats.binom.pmf(range(n + 1), n, count / n) ** 2)
    assert math.isclose(found.bound, chance * math.comb(6, 3) * math.comb(5, 2))
    assert found.bound < 0.003
    # Their easy cells are no counts over 33, and are the overall values of Table 3, rounded.
    third = {(c.row, c.column): c.printed.value for c in cells_of(cocc, "table-3", Role.TOTAL)}
    wrong = places(cocc, Kind.NOT_A_COUNT, "table-4")
    assert [row for row, *_ in wrong] == models
    for row, column, group, text in wrong:
        assert (column, group) == ("domain shift", "easy")
        assert f"{float(third[row, column]):.1f}" == text
    derivations = [
        item.derivation
        for item in cocc.findings
        if item.kind is Kind.NOT_A_COUNT and item.cells[0].table == "table-4"
    ]
    assert all("of table-3" in text and "rounded" in text for text in derivations)


def test_the_row_of_table_5_without_counts(cocc: Audit) -> None:
    wrong = places(cocc, Kind.NOT_A_COUNT, "table-5")
    assert wrong == [
        ("Qwen2.5-Coder", "domain shift", group, text)
        for group, text in (("easy", "64.3"), ("medium", "41.2"), ("hard", "20.0"))
    ]
    said = [i.derivation for i in cocc.findings if i.cells[0].table == "table-5"]
    assert "over the n of hard it would be 7/17" in said[1]  # 41.18
    assert "over the n of medium it would be 10/50" in said[2]


def test_a_delta_of_table_4_that_its_cells_do_not_give(cocc: Audit) -> None:
    wrong = [item for item in cocc.findings if item.kind is Kind.DELTA]
    assert [item.cells[0].row for item in wrong] == ["Gemini-2.5-Flash"]
    # 96.0 is printed with +0.0, and clean is 98.0.
    assert [cell.printed.text for cell in wrong[0].cells] == ["+0.0", "96.0", "98.0"]


def test_averages_that_do_not_follow(cocc: Audit) -> None:
    wrong = {
        (item.cell.table, item.cell.row, item.cell.column, item.cell.group): (
            item.cell.printed.text,
            round(float(item.value), 2),
        )
        for item in cocc.plain
        if not item.follows
    }
    assert {
        key: text for key, (text, _) in wrong.items() if key[1] == "mean" and key[0] == "table-3"
    } == {
        ("table-3", "mean", "distracting constraints", "all"): "64.57",
        ("table-3", "mean", "domain shift", "all"): "57.70",
        ("table-3", "mean", "example perturbation", "all"): "75.24",
        ("table-3", "mean", "gamification", "all"): "68.80",
        ("table-3", "mean", "storytelling", "all"): "75.64",
    }
    assert wrong["table-3", "Gemini-2.5-Flash", "mean", "all"][0] == "94.94"
    assert wrong["table-2", "mean", "clean", "medium"][0] == "59.9"
    assert wrong["table-2", "mean", "clean", "all"][0] == "67.6"
    assert len(wrong) == 8
    for (table, row, column, group), (_, value) in wrong.items():
        cells = [
            float(cell.printed.value)
            for cell in cells_of(cocc, table)
            if cell.role in (Role.CELL, Role.TOTAL)
            and cell.group == group
            and (row in ("mean", cell.row))
            and (column in ("mean", cell.column))
        ]
        assert math.isclose(value, mean(cells), abs_tol=0.005), (table, row, column)


def test_negation(cocc: Audit) -> None:
    totals = [item for item in cocc.totals if item.cell.table == "table-7"]
    for total in totals:
        assert total.flattened is not None
        if total.exact:
            assert [true for true, _ in total.flattened.fits] == flattened_by_trying(total)
    no_fit = {
        (item.cell.row, item.cell.column)
        for item in totals
        if item.flattened and not item.flattened.fits
    }
    assert no_fit == {
        ("DeepSeek-14B", "soft negation"),
        ("DeepSeek-Coder-33B", "soft negation"),
    }
    soft = total_of(cocc, "table-7", "DeepSeek-14B", "soft negation")
    assert (soft.passes, soft.reading) == (range(1), Reading.NEITHER)
    assert soft.flattened is not None
    # One true result: 1/(1 + F) is 1.1 % for F from 86 (1.149) to 94 (1.053); two need F > 100.
    wanted = [f for f in range(1, 100) for t in range(1, 135) if round(100 * t / (t + f), 1) == 1.1]
    assert list(soft.flattened.fewer_failures) == wanted == list(range(86, 95))
    assert places(cocc, Kind.NOT_A_COUNT, "table-7") == [
        ("DeepSeek-Coder-33B", "soft negation", "medium", "25.0")
    ]


def test_the_drop_of_negation_in_both_ways(cocc: Audit) -> None:
    (hard,) = [item for item in cocc.columns if item.column == "hard negation"]
    printed = [
        float(cell.printed.value)
        for cell in cells_of(cocc, "table-7", Role.DELTA)
        if (cell.column, cell.group) == ("hard negation", "all")
    ]
    assert math.isclose(float(hard.published), mean(printed))
    assert round(float(hard.published), 1) == -40.5
    # Passed 2, 1, 25, 1, 18, 7, 4, 22, 21 of 100, where clean 71, 88, 59, 19, 54, 40, 90, 95, 83.
    wanted = Fraction(2 + 1 + 25 + 1 + 18 + 7 + 4 + 22 + 21, 9) - Fraction(
        71 + 88 + 59 + 19 + 54 + 40 + 90 + 95 + 83, 9
    )
    assert hard.items == (wanted, wanted)
    assert round(float(wanted), 1) == -55.3
    assert (hard.improved, hard.improved_items) == (0, 0)
    (llama,) = [
        item
        for item in cocc.deltas
        if (item.cell.row, item.cell.column, item.cell.group)
        == ("LLaMA-3.1-8B", "soft negation", "all")
    ]
    assert llama.items is not None
    assert (llama.cell.printed.text, llama.items.low, llama.items.change) == (
        "+10.4", -8, Change.REVERSED,
    )  # fmt: skip


def test_two_models_that_only_the_clean_prompts_tell_apart(cocc: Audit) -> None:
    (pair,) = cocc.alike
    assert (pair.first, pair.second) == ("Claude-3.7-Sonnet", "Claude-3-Haiku")
    counts = {
        item.column: (item.first.counts[0], item.second.counts[0], item.p_value)
        for item in pair.others
    }
    assert {name: both[:2] for name, both in counts.items()} == {
        "storytelling": (41, 34),
        "gamification": (35, 40),
        "example perturbation": (38, 35),
        "distracting constraints": (26, 21),
        "hard negation": (4, 7),
        "soft negation": (6, 7),
    }
    for one, two, p_value in counts.values():
        other = scipy_stats.fisher_exact([[one, 100 - one], [two, 100 - two]]).pvalue
        assert math.isclose(p_value, float(other), rel_tol=1e-9)
        assert p_value > 0.3
    start = scipy_stats.fisher_exact([[90, 10], [40, 60]]).pvalue
    assert math.isclose(pair.start.p_value, float(start), rel_tol=1e-9)
    assert pair.start.p_value < 1e-13


def test_the_second_paper(robustness: Audit) -> None:
    roles = Counter(line.cell.role.value for line in robustness.sheet.cells)
    assert roles == {"cell": 50, "sum": 19, "total": 1, "delta": 1}
    assert [item.kind for item in robustness.findings] == [Kind.TOTAL]
    (total,) = robustness.totals
    assert total.mixture is not None
    # 21 reasoning and 12 translation prompts give 57.75, not 54.05.
    assert round((21 * 42.86 + 12 * 83.80) / 33, 2) == 57.75
    assert (total.n, total.reading) == (33, Reading.NEITHER)
    weight = (83.80 - 54.05) / (83.80 - 42.86)
    assert float(total.mixture.low) < weight < float(total.mixture.high)
    assert total.mixture.claimed == Fraction(21, 33)
    assert float(total.mixture.high) - float(total.mixture.low) < 0.001
    # 23/33 is 0.697 and 24/33 is 0.7273: no number of 33 prompts has that weight.
    assert list(total.mixture.sizes) == []
    assert total.mixture.high < Fraction(24, 33)
    assert all(item.follows for item in robustness.plain)
    (delta,) = robustness.deltas
    assert (delta.cell.printed.text, delta.value, delta.follows) == (
        "20.37",
        Fraction("20.37"),
        True,
    )


def test_what_can_be_used(cocc: Audit) -> None:
    judged = published_cells("cocc")
    assert len(judged) == len(cocc.sheet.cells)
    used = {
        (item.cell.table, item.cell.row, item.cell.column, item.cell.group): item
        for item in judged
        if item.cell.role is not Role.DELTA
    }
    assert all(item.reason for item in judged if not item.usable)
    assert used["table-2", "LLaMA-3.1-8B", "clean", "all"].usable
    fit = used["table-3", "Gemini-2.0-Flash", "storytelling", "all"]
    assert (fit.usable, fit.reading, fit.reason) == (
        True, Reading.FLATTENED, "as a flattened early-stop mean",
    )  # fmt: skip
    for key in (
        ("table-2", "mean", "clean", "medium"),
        ("table-3", "Gemini-2.5-Flash", "gamification", "all"),
        ("table-4", "Gemini-2.5-Flash", "gamification", "easy"),
        ("table-4", "Gemini-2.5-Flash", "domain shift", "easy"),
        ("table-4", "Gemini-2.0-Flash", "domain shift", "hard"),
        ("table-5", "Qwen2.5-Coder", "domain shift", "hard"),
        ("table-4", "Claude-3.7-Sonnet", "storytelling", "easy"),
    ):
        assert not used[key].usable, key
    # Their totals confirm the cells of the other rewrite and of the other model.
    assert used["table-4", "Gemini-2.0-Flash", "distracting constraints", "hard"].usable
    assert used["table-4", "Claude-3-Haiku", "storytelling", "easy"].usable
    assert used["table-2", "Claude-3.7-Sonnet", "clean", "all"].usable
    deltas = [item for item in judged if item.cell.role is Role.DELTA]
    assert not any(item.usable for item in deltas if item.cell.table == "table-3")
    with pytest.raises(UserError, match="paper is 'other'; allowed: cocc, syntactic-robustness"):
        published_cells("other")


@pytest.mark.parametrize("paper", PAPERS)
def test_an_audit_is_the_same_each_time(paper: str) -> None:
    assert audit_sheet(read_paper(paper)) == audit_sheet(read_paper(paper))
