"""An audit as text for people and as JSON values for programs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, assert_never

from codequake.audit.auditing import Audit, ColumnSummary, contradictions
from codequake.audit.cells import Cell, Related, Role, name_of
from codequake.audit.counts import fitting_counts, is_countable, scale_of
from codequake.audit.deltas import DeltaReading, LikeForLike, counted
from codequake.audit.findings import Finding, Kind, decimal, follows_not, like_for_like
from codequake.audit.totals import TotalReading
from codequake.audit.uncertainty import share_intervals
from codequake.stats import Interval, Missing

__all__ = ["audit_as_json", "audit_as_text"]


def _meaning(kind: Kind) -> str:
    """Return what a kind of finding says."""
    match kind:
        case Kind.NOT_A_COUNT:
            return "No whole count over n is printed so, by any rule of rounding"
        case Kind.SIZES:
            return "The claimed n is not what the parts add up to"
        case Kind.TOTAL:
            return "The parts, each with its n as weight, do not give the printed total"
        case Kind.SUM:
            return "The cells do not add up to the printed sum"
        case Kind.MEAN:
            return "The plain mean of the cells, with their rounding, is not the printed mean"
        case Kind.DELTA:
            return "The two cells of the delta, with their rounding, do not give it"
        case Kind.TWO_METRICS:
            return (
                "One cell of the delta is a share of items and the other is not, so that "
                "the difference measures neither"
            )
        case Kind.TIE:
            return "The printed value is a count only if a tie was rounded in one way"
        case Kind.SIGN:
            return "With the same quantity on both sides, the sign of the delta is another"
        case Kind.SAME_CELLS:
            return "Cells are equal where independent counts seldom are"
        case Kind.ALIKE_ROWS:
            return (
                "Two rows are far apart where the deltas start (p < 0.001) and nowhere else "
                "(p > 0.05)"
            )
        case _:
            assert_never(kind)


def _left_open(kind: Kind) -> str:
    """Return what a kind of finding leaves open."""
    match kind:
        case Kind.NOT_A_COUNT:
            return "whether the value, n or the place in the table is off"
        case Kind.SIZES:
            return "which of them is off, or whether parts are missing"
        case Kind.TOTAL:
            return (
                "whether the total, a part or the sizes are off, unless a second reading "
                "fits; a reading that fits is a possible way, not the only one"
            )
        case Kind.SUM:
            return "which cell is off"
        case Kind.MEAN:
            return "whether other cells or weights were used, or a cell is off"
        case Kind.DELTA:
            return "which of the three is off"
        case Kind.TWO_METRICS:
            return "what the difference would be; the next notes give what the cells allow"
        case Kind.TIE:
            return "which rule of rounding was used"
        case Kind.SIGN:
            return "chance: see the intervals of the cells"
        case Kind.SAME_CELLS:
            return "how they came to be equal, and which of the two places they belong to"
        case Kind.ALIKE_ROWS:
            return (
                "whether the second row's model behaves like the first's or the cells are "
                "the same model's; no difference seen is no proof of equality"
            )
        case _:
            assert_never(kind)


def audit_as_text(audit: Audit, title: str, *, every_cell: bool = False) -> str:
    """Return the audit as lines of text.

    ``every_cell`` adds the counts and intervals of each cell and delta.  Names in it come from
    the file; whoever prints it must neutralise them for the terminal.
    """
    failed = contradictions(audit)
    lines = [
        f"{title}: {_plural(len(audit.sheet.cells), 'cell')}, {_plural(len(failed), 'finding')} "
        f"that something does not follow, {_plural(len(audit.findings) - len(failed), 'note')}",
        "What the printed cells imply by arithmetic; how they came about is not known here.",
    ]
    for kind in Kind:
        found = [item for item in audit.findings if item.kind is kind]
        if found:
            lines += ["", *_section(kind, found)]
    if audit.columns:
        lines += ["", *_columns(audit.columns)]
    if every_cell:
        lines += ["", "Every cell: counts that fit, with Wilson and exact 95 % intervals"]
        totals = {total.cell.place: total for total in audit.totals}
        lines += [f"  {_cell_line(line, totals)}" for line in audit.sheet.cells if _shown(line)]
        lines += [
            "",
            "Every delta: as printed, and like for like; unpaired 95 % interval, Fisher's p",
        ]
        lines += [f"  {_delta_line(delta)}" for delta in audit.deltas]
    return "\n".join(lines)


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _section(kind: Kind, found: list[Finding]) -> Iterator[str]:
    yield f"{kind.value.capitalize()} ({len(found)}{'' if follows_not(kind) else ', a note'})"
    yield f"  {_meaning(kind)}."
    yield f"  Not known: {_left_open(kind)}."
    for item in found:
        # A note on a whole table names its cells itself.
        where = "" if kind in (Kind.SAME_CELLS, Kind.ALIKE_ROWS) else f"{name_of(item.cells[0])}: "
        yield f"  - {where}{item.statement}: {item.derivation}"


def _columns(columns: tuple[ColumnSummary, ...]) -> Iterator[str]:
    yield "Deltas of totals by column, as printed and like for like (share of items)"
    for item in columns:
        same = "open" if item.items is None else _range(*item.items)
        yield (
            f"  - {item.table}, {item.column}: mean of {_plural(item.rows, 'delta')} "
            f"{decimal(item.published, 1)} as printed, {same} like for like; "
            f"{item.improved} gains as printed, {item.improved_items} like for like"
        )
        if item.losses or item.zeros or item.flattened_losses or item.flattened_open:
            yield (
                f"    printed gains that are no gain like for like: {item.losses} losses and "
                f"{item.zeros} of 0 as shares of items; as flattened means "
                f"{item.flattened_losses} certain losses, {item.flattened_open} undetermined"
            )
        if item.totals:
            yield (
                f"    {item.fits} of {item.totals} totals are flattened means in whole numbers "
                f"(at most {decimal(item.by_chance, 1)} expected by chance)"
            )


def _range(low: Fraction, high: Fraction) -> str:
    one, two = decimal(low, 1), decimal(high, 1)
    return one if one == two else f"{one} to {two}"


def _shown(line: Related) -> bool:
    return line.cell.role is not Role.DELTA


def _cell_line(line: Related, totals: dict[str, TotalReading]) -> str:
    cell = line.cell
    start = f"{name_of(cell)}: {cell.printed.text}"
    total = totals.get(cell.place)
    if total is not None:
        start += f", read as {total.reading.value}"
        if total.flattened is not None and total.reading.value == "flattened":
            true, failures = total.flattened.fits[0]
            start += f" {true}/{true + failures}"
    behind = counted(cell, totals)
    if behind is None:
        return f"{start}, no count"
    found = behind.counts
    shown = str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
    wilson, exactly = (f"{_interval(item)} %" for item in share_intervals(found, behind.n))
    how = "" if behind.exact else "nearest "
    return f"{start}, {how}{shown} of {behind.n}, {wilson}, {exactly}"


def _interval(interval: Interval | Missing) -> str:
    if isinstance(interval, Missing):
        return interval.reason
    return f"{decimal(100 * interval.low, 1)} to {decimal(100 * interval.high, 1)}"


def _delta_line(delta: DeltaReading) -> str:
    said = [f"{name_of(delta.cell)}: {delta.cell.printed.text}"]
    if delta.items is not None:
        said.append(f"items {like_for_like(delta.items)}")
    if delta.flattened is not None:
        said.append(f"flattened {like_for_like(delta.flattened)}")
    if delta.difference is not None:
        said.append(f"{_interval(delta.difference.interval)} points")
        if delta.difference.p_value is not None:
            said.append(f"p = {delta.difference.p_value:.2g}")
    return ", ".join(said)


def audit_as_json(audit: Audit, title: str) -> dict[str, Any]:
    """Return the audit as one JSON value: cells, totals, deltas, columns and findings.

    Fractions are given as numbers; shares are 0 to 1 where a name ends in ``share``, else in the
    unit of the cell.
    """
    totals = {total.cell.place: total for total in audit.totals}
    return {
        "source": title,
        "follows": not contradictions(audit),
        "cells": [_cell_value(line.cell, totals) for line in audit.sheet.cells],
        "deltas": [_delta_value(delta) for delta in audit.deltas],
        "columns": [_column_value(item) for item in audit.columns],
        "findings": [
            {
                "kind": item.kind.value,
                "follows": not follows_not(item.kind),
                "cells": [_key_of(cell) for cell in item.cells],
                "statement": item.statement,
                "derivation": item.derivation,
                "meaning": _meaning(item.kind),
                "not_known": _left_open(item.kind),
            }
            for item in audit.findings
        ],
    }


def _key_of(cell: Cell) -> dict[str, Any]:
    return {
        "table": cell.table,
        "row": cell.row,
        "column": cell.column,
        "class": cell.group,
        "role": cell.role.value,
        "place": cell.place,
    }


def _cell_value(cell: Cell, totals: dict[str, TotalReading]) -> dict[str, Any]:
    value = {**_key_of(cell), "printed": cell.printed.text, "unit": cell.unit.value, "n": cell.n}
    if is_countable(cell):
        assert cell.n is not None
        fits = fitting_counts(cell.printed, cell.n, scale_of(cell.unit, cell.n))
        value["counts"] = [fits[0], fits[-1]] if fits else None
    total = totals.get(cell.place)
    behind = counted(cell, totals)
    if behind is not None:
        wilson, exactly = share_intervals(behind.counts, behind.n)
        value["items"] = {
            "passed": [behind.counts[0], behind.counts[-1]],
            "n": behind.n,
            "exact": behind.exact,
            "wilson_share": _pair(wilson),
            "clopper_pearson_share": _pair(exactly),
        }
    if total is not None:
        value["reading"] = total.reading.value
        value["by_parts"] = [float(total.low), float(total.high)]
        value["flattened"] = _flattened_value(total)
        if total.mixture is not None:
            mixture = total.mixture
            value["weight_share"] = {
                "of": _key_of(mixture.first),
                "implied": [float(mixture.low), float(mixture.high)],
                "claimed": float(mixture.claimed),
                "sizes": list(mixture.sizes),
            }
    return value


def _flattened_value(total: TotalReading) -> dict[str, Any] | None:
    flat = total.flattened
    if flat is None:
        return None
    return {
        "share": [float(flat.low), float(flat.high)],
        "inside": flat.inside,
        "fits": [{"true": true, "failures": failures} for true, failures in flat.fits],
        "chance_share": float(flat.chance),
        "fewer_failures": list(flat.fewer_failures),
        "passes": list(flat.passes),
    }


def _pair(interval: Interval | Missing) -> list[float] | None:
    return None if isinstance(interval, Missing) else [interval.low, interval.high]


def _delta_value(delta: DeltaReading) -> dict[str, Any]:
    return {
        **_key_of(delta.cell),
        "printed": delta.cell.printed.text,
        "of": _key_of(delta.first),
        "minus": _key_of(delta.second),
        "difference": float(delta.value),
        "follows": delta.follows,
        "two_metrics": delta.two_metrics or None,
        "items": _like_value(delta.items),
        "flattened": _like_value(delta.flattened),
        "interval_share": None if delta.difference is None else _pair(delta.difference.interval),
        "p_value": None if delta.difference is None else delta.difference.p_value,
    }


def _like_value(found: LikeForLike | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"low": float(found.low), "high": float(found.high), "change": found.change.value}


def _column_value(item: ColumnSummary) -> dict[str, Any]:
    return {
        "table": item.table,
        "column": item.column,
        "rows": item.rows,
        "mean_published": float(item.published),
        "mean_items": None if item.items is None else [float(end) for end in item.items],
        "gains": item.improved,
        "gains_items": item.improved_items,
        "totals": item.totals,
        "flattened_fits": item.fits,
        "flattened_fits_by_chance": float(item.by_chance),
        "gains_to_losses_items": item.losses,
        "gains_to_zero_items": item.zeros,
        "gains_to_losses_flattened": item.flattened_losses,
        "gains_undetermined_flattened": item.flattened_open,
    }
