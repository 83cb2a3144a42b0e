"""What the checks found, each with its derivation and with what it leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import assert_never

from codequake.audit.cells import Cell, Printed, Role, Sheet, Unit, name_of
from codequake.audit.copies import Coincidence, borrowed_from
from codequake.audit.counts import conventions, fitting_counts, is_countable, scale_of
from codequake.audit.deltas import Change, DeltaReading, LikeForLike
from codequake.audit.likeness import Alike
from codequake.audit.totals import PlainReading, TotalReading

__all__ = [
    "Finding",
    "Kind",
    "decimal",
    "find_in_cells",
    "find_in_deltas",
    "find_in_plain",
    "find_in_totals",
    "follows_not",
    "like_for_like",
    "notes_on_copies",
    "notes_on_likeness",
]


class Kind(StrEnum):
    """The kinds of findings; the last four are notes, the others say that something fails."""

    NOT_A_COUNT = "not a count"
    SIZES = "sizes differ"
    TOTAL = "total does not follow"
    SUM = "sum does not follow"
    MEAN = "mean does not follow"
    DELTA = "delta does not follow"
    TWO_METRICS = "delta of two metrics"
    TIE = "only by a tie"
    SIGN = "sign changes like for like"
    SAME_CELLS = "same cells"
    ALIKE_ROWS = "rows alike"


def follows_not(kind: Kind) -> bool:
    """Whether findings of this kind say that a cell does not follow, so that the exit code is 1."""
    match kind:
        case (
            Kind.NOT_A_COUNT
            | Kind.SIZES
            | Kind.TOTAL
            | Kind.SUM
            | Kind.MEAN
            | Kind.DELTA
            | Kind.TWO_METRICS
        ):
            return True
        case Kind.TIE | Kind.SIGN | Kind.SAME_CELLS | Kind.ALIKE_ROWS:
            return False
        case _:
            assert_never(kind)


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: about which cells, what, and by which arithmetic."""

    kind: Kind
    cells: tuple[Cell, ...]
    statement: str
    derivation: str


def decimal(value: Fraction | float, digits: int = 2) -> str:
    """Return a number with so many decimals, without a minus before zero."""
    text = f"{float(value):.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def _shown(cell: Cell) -> str:
    match cell.unit:
        case Unit.PERCENT:
            return f"{cell.printed.text} %"
        case Unit.POINTS:
            return f"{cell.printed.text} points"
        case Unit.SHARE | Unit.COUNT | Unit.SCORE:
            return cell.printed.text
        case _:
            assert_never(cell.unit)


def find_in_cells(sheet: Sheet) -> Iterator[Finding]:
    """Yield the cells that no count over their ``n`` gives, and those that only a tie gives."""
    every = [line.cell for line in sheet.cells]
    for cell in every:
        if not is_countable(cell) or cell.role is not Role.CELL:
            continue
        assert cell.n is not None
        scale = scale_of(cell.unit, cell.n)
        fits = fitting_counts(cell.printed, cell.n, scale)
        if not fits:
            yield Finding(
                Kind.NOT_A_COUNT,
                (cell,),
                f"{_shown(cell)} is no count over n = {cell.n}",
                _why_no_count(cell, cell.n, scale, every),
            )
        elif not any(len(conventions(k, cell.n, scale, cell.printed)) == 2 for k in fits):
            rules = {rule for k in fits for rule in conventions(k, cell.n, scale, cell.printed)}
            how = " or ".join(sorted(rules)) or "a rounding of binary floating point"
            yield Finding(
                Kind.TIE,
                (cell,),
                f"{_shown(cell)} is {fits[0]} of {cell.n} only with {how}",
                "the exact share lies half way between two printed values",
            )


def _why_no_count(cell: Cell, n: int, scale: int, every: Sequence[Cell]) -> str:
    place = cell.printed.value * n / scale
    near = [k for k in (int(place // 1), int(place // 1) + 1) if 0 <= k <= n]
    digits = _digits(cell.printed)
    said = [
        " and ".join(f"{k}/{n} is {decimal(Fraction(scale * k, n), digits + 2)}" for k in near)
        or f"0 to {n} of {n} are 0 to {scale}"
    ]
    sizes = {
        (other.group, other.n)
        for other in every
        if (other.table, other.row, other.column) == (cell.table, cell.row, cell.column)
        and other.role is Role.CELL
        and other.n not in (None, n)
    }
    for group, size in sorted((group, size) for group, size in sizes if size is not None):
        counts = fitting_counts(cell.printed, size, scale_of(cell.unit, size))
        if counts:
            said.append(f"over the n of {group} it would be {counts[0]}/{size}")
    source = borrowed_from(cell, every)
    if source is not None:
        said.append(f"it is {source.printed.text} of {name_of(source)}, rounded")
    return "; ".join(said)


def _digits(printed: Printed) -> int:
    return len(printed.text.partition(".")[2])


def find_in_totals(totals: Sequence[TotalReading]) -> Iterator[Finding]:
    """Yield totals that their parts do not give, and claimed sizes that do not add up."""
    for total in totals:
        cell = total.cell
        if not total.sizes_agree:
            yield Finding(
                Kind.SIZES,
                (cell, *total.parts),
                f"n = {cell.n} is claimed, the parts have {total.n}",
                " + ".join(str(part.n) for part in total.parts) + f" = {total.n}",
            )
        if total.follows is False:
            yield Finding(
                Kind.TOTAL,
                (cell, *total.parts),
                f"{_shown(cell)} is not what its parts give",
                "; ".join((_by_parts(total), *_other_readings(total))),
            )


def _by_parts(total: TotalReading) -> str:
    digits = _digits(total.cell.printed)
    span = _span(total.low, total.high, digits)
    if total.n is None:
        return f"the parts, of unknown sizes, lie between {span}"
    if total.passes is None:
        weights = " + ".join(f"{part.n} x {part.printed.text}" for part in total.parts)
        return f"({weights}) / {total.n} is {span}"
    counts = _counts(total.passes)
    if total.exact:
        return f"the parts are {counts} of {total.n}, which is {span}"
    return (
        f"a part is no count; with the rounding of the parts the total is {span}, "
        f"and the nearest counts are {counts} of {total.n}"
    )


def _counts(counts: range) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _span(low: Fraction, high: Fraction, digits: int) -> str:
    one, two = decimal(low, digits), decimal(high, digits)
    return one if one == two else f"{one} to {two}"


def _other_readings(total: TotalReading) -> Iterator[str]:
    mixture, flat = total.mixture, total.flattened
    if mixture is not None and (mixture.low > 1 or mixture.high < 0):
        yield "no weights of the two parts give it, since it does not lie between them"
    elif mixture is not None:
        sizes = f"{_counts(mixture.sizes)} of them do" if mixture.sizes else "none does"
        yield (
            f"it needs a weight of {decimal(mixture.low, 4)} to {decimal(mixture.high, 4)} for "
            f"{mixture.first.row}, {mixture.first.column}, {mixture.first.group}, where the sizes "
            f"give {decimal(mixture.claimed, 4)}; of whole numbers of the {total.n} items {sizes}"
        )
    if flat is None:
        return
    digits = _digits(total.cell.printed) + 1
    low, high = decimal(flat.low * 100, digits), decimal(flat.high * 100, digits)
    if flat.fits:
        true, failures = flat.fits[0]
        more = f" (and {len(flat.fits) - 1} more)" if len(flat.fits) > 1 else ""
        yield f"as a flattened early-stop mean it is {true}/{true + failures}{more}"
    elif flat.inside:
        yield f"as a flattened early-stop mean ({low} to {high} %) no whole number fits"
    else:
        yield f"a flattened early-stop mean would be {low} to {high} %"
    if flat.fewer_failures and not flat.fits:
        yield (
            f"with {flat.fewer_failures[0]} to {flat.fewer_failures[-1]} recorded failures "
            "(the other failed problems left out) some would"
        )


def find_in_plain(readings: Sequence[PlainReading]) -> Iterator[Finding]:
    """Yield means and sums that the cells do not give."""
    for item in readings:
        if item.follows:
            continue
        mean = item.cell.role is Role.MEAN
        digits = _digits(item.cell.printed)
        yield Finding(
            Kind.MEAN if mean else Kind.SUM,
            (item.cell,),
            f"{_shown(item.cell)} is not the {'mean' if mean else 'sum'} of its cells",
            f"the {len(item.parts)} cells give {decimal(item.value, digits + 1)}; with their "
            f"rounding {decimal(item.low, digits + 2)} to {decimal(item.high, digits + 2)}",
        )


def find_in_deltas(deltas: Sequence[DeltaReading]) -> Iterator[Finding]:
    """Yield deltas that do not follow, that mix two quantities, or whose sign changes."""
    for delta in deltas:
        cell, first, second = delta.cell, delta.first, delta.second
        shown = f"{first.printed.text} - {second.printed.text} = {decimal(delta.value)}"
        if not delta.follows:
            yield Finding(
                Kind.DELTA,
                (cell, first, second),
                f"{_shown(cell)} is not the difference of its two cells",
                shown,
            )
        if delta.two_metrics:
            yield Finding(
                Kind.TWO_METRICS,
                (cell, first, second),
                f"{_shown(cell)} subtracts two quantities",
                f"{shown}; {delta.two_metrics}",
            )
        changes = [
            f"{name}: {like_for_like(other)}"
            for name, other in (("share of items", delta.items), ("flattened", delta.flattened))
            if other is not None and other.change not in (Change.KEPT, Change.UNDETERMINED)
        ]
        if changes:
            yield Finding(
                Kind.SIGN,
                (cell,),
                f"{_shown(cell)} changes its sign when one quantity is subtracted",
                "; ".join(changes),
            )


def like_for_like(found: LikeForLike) -> str:
    """Return a like-for-like difference in words: its range and what becomes of the sign."""
    return f"{_span(found.low, found.high, 1)} ({found.change})"


def notes_on_copies(coincidences: Sequence[Coincidence]) -> Iterator[Finding]:
    """Yield one note for each pair of columns (or rows) that share cells."""
    for found in coincidences:
        places = "; ".join(
            f"{same.name}: " + ", ".join(f"{cell.group} {cell.printed.text}" for cell in same.first)
            for same in found.equal
        )
        yield Finding(
            Kind.SAME_CELLS,
            tuple(cell for same in found.equal for cell in (*same.first, *same.second)),
            f"{found.table}: the {found.axis} {found.first} and {found.second} share cells "
            f"({places})",
            f"were the counts independent, {found.bound:.1g} such sets of equal cells or fewer "
            "would be expected in the table",
        )


def notes_on_likeness(pairs: Sequence[Alike], starts: Mapping[str, Cell]) -> Iterator[Finding]:
    """Yield one note for each pair of rows that only the start tells apart."""
    for pair in pairs:
        others = "; ".join(
            f"{one.column} {one.first.counts[0]} and {one.second.counts[0]} (p = {one.p_value:.2g})"
            for one in pair.others
        )
        start = pair.start
        yield Finding(
            Kind.ALIKE_ROWS,
            tuple(starts[row] for row in (pair.first, pair.second) if row in starts),
            f"{pair.first} and {pair.second} differ in {start.column} and in no other column",
            f"{start.column} {start.first.counts[0]} and {start.second.counts[0]} "
            f"(p = {start.p_value:.2g}); {others}",
        )
