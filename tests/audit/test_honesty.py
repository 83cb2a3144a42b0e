"""Honest tables are never flagged; changed ones are, wherever counting everything can tell."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.audit.sheets import audited

from codequake.audit.auditing import contradictions
from codequake.audit.counts import Rounding, rounded


def as_printed(value: Fraction, decimals: int, rule: Rounding) -> str:
    shown = rounded(value, Fraction(1, 2 * 10**decimals), rule)
    return f"{float(shown):.{decimals}f}"


class Honest:
    """A table of real counts: classes, totals, column means, and deltas to the first column."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.sizes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=3))
        self.rule = draw(st.sampled_from(Rounding))
        self.decimals = draw(st.integers(0, 2))
        # A delta is taken from the exact shares or from the printed ones.
        self.from_printed = draw(st.booleans())
        rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3))
        self.counts = [
            [[draw(st.integers(0, size)) for size in self.sizes] for _ in range(columns)]
            for _ in range(rows)
        ]

    def show(self, value: Fraction) -> str:
        return as_printed(value, self.decimals, self.rule)

    def lines(self) -> list[str]:
        n, made = sum(self.sizes), []
        for row, columns in enumerate(self.counts):
            totals = [Fraction(100 * sum(counts), n) for counts in columns]
            for column, counts in enumerate(columns):
                for group, (count, size) in enumerate(zip(counts, self.sizes, strict=True)):
                    value = self.show(Fraction(100 * count, size))
                    made.append(f"t,m{row},c{column},g{group},{value},%,{size},,,,,,")
                shown = self.show(totals[column])
                made.append(f"t,m{row},c{column},all,{shown},%,{n},,total,,.:.:.:*,,{n}x2")
                delta = totals[column] - totals[0]
                if self.from_printed:
                    delta = Fraction(shown) - Fraction(self.show(totals[0]))
                made.append(
                    f"t,m{row},c{column},all,{self.show(delta)},points,,,delta,,.:.:.:.,.:.:c0:.,"
                )
        for column in range(len(self.counts[0])):
            every = [Fraction(100 * sum(columns[column]), n) for columns in self.counts]
            mean = self.show(sum(every, Fraction(0)) / len(every))
            made.append(f"t,mean,c{column},all,{mean},%,,,mean,,.:*:.:.,,")
        return made


@st.composite
def honest_tables(draw: st.DrawFn) -> Honest:
    return Honest(draw)


@settings(max_examples=150)
@given(honest_tables())
def test_honest_tables_are_never_flagged(table: Honest) -> None:
    found = contradictions(audited(*table.lines()))
    assert [(item.statement, item.derivation) for item in found] == []


@pytest.mark.quality
@settings(max_examples=4_000)
@given(honest_tables())
def test_honest_tables_are_never_flagged_in_full(table: Honest) -> None:
    assert contradictions(audited(*table.lines())) == ()


def possible(sizes: list[int], parts: list[str], total: str) -> bool:
    """Whether any counts at all are printed so: every combination is tried."""

    def fits(count: int, n: int, text: str) -> bool:
        half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
        return abs(Fraction(100 * count, n) - Fraction(text)) <= half

    return any(
        fits(sum(counts), sum(sizes), total)
        for counts in product(*(range(size + 1) for size in sizes))
        if all(fits(*item) for item in zip(counts, sizes, parts, strict=True))
    )


@settings(max_examples=300)
@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=3),
    st.integers(0, 2),
    st.data(),
)
def test_changed_tables_are_flagged_exactly_where_no_counts_give_them(
    sizes: list[int], decimals: int, data: st.DataObject
) -> None:
    """A class or the total is changed; the audit and the trying of all counts must agree."""
    counts = [data.draw(st.integers(0, size)) for size in sizes]
    values = [Fraction(100 * count, size) for count, size in zip(counts, sizes, strict=True)]
    values.append(Fraction(100 * sum(counts), sum(sizes)))
    texts = [as_printed(value, decimals, Rounding.HALF_UP) for value in values]
    at = data.draw(st.integers(0, len(texts) - 1))
    shift = Fraction(data.draw(st.integers(-60, 60)), 10**decimals)
    texts[at] = f"{float(Fraction(texts[at]) + shift):.{decimals}f}"
    lines = [
        f"t,m,c,g{number},{text},%,{size},,,,,,"
        for number, (text, size) in enumerate(zip(texts, sizes, strict=False))
    ]
    lines.append(f"t,m,c,all,{texts[-1]},%,{sum(sizes)},,total,,.:.:.:*,,")
    found = contradictions(audited(*lines))
    assert bool(found) is not possible(sizes, texts[:-1], texts[-1])
