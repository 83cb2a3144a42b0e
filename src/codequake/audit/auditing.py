"""All checks on one sheet of published cells, in one result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from codequake.audit.cells import Cell, Role, Sheet
from codequake.audit.copies import Coincidence, find_coincidences
from codequake.audit.deltas import Change, DeltaReading, read_delta
from codequake.audit.findings import (
    Finding,
    find_in_cells,
    find_in_deltas,
    find_in_plain,
    find_in_totals,
    follows_not,
    notes_on_copies,
    notes_on_likeness,
)
from codequake.audit.likeness import Alike, find_alike
from codequake.audit.totals import PlainReading, TotalReading, read_plain, read_total

__all__ = ["Audit", "ColumnSummary", "audit_sheet", "contradictions"]


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The deltas of totals in one column of a table.

    ``published`` is the mean of the printed deltas; ``items`` the lowest and highest mean of the
    like-for-like differences, ``None`` where a row has none.  ``improved`` counts printed deltas
    above 0, ``improved_items`` those above 0 like for like.  ``fits`` of ``totals`` have a
    flattened reading in whole numbers; ``by_chance`` bounds how many would without being one.
    ``losses``, ``zeros``: printed gains that are losses, or nothing, like for like.
    ``flattened_losses`` and ``flattened_open``: printed gains that are certainly losses, or can be
    either, as flattened means.
    """

    table: str
    column: str
    rows: int
    published: Fraction
    items: tuple[Fraction, Fraction] | None
    improved: int
    improved_items: int
    totals: int
    fits: int
    by_chance: Fraction
    losses: int
    zeros: int
    flattened_losses: int
    flattened_open: int


@dataclass(frozen=True, slots=True)
class Audit:
    """What was read and what was found; ``findings`` in the order of their kinds."""

    sheet: Sheet
    totals: tuple[TotalReading, ...]
    plain: tuple[PlainReading, ...]
    deltas: tuple[DeltaReading, ...]
    columns: tuple[ColumnSummary, ...]
    coincidences: tuple[Coincidence, ...]
    alike: tuple[Alike, ...]
    findings: tuple[Finding, ...]


def contradictions(audit: Audit) -> tuple[Finding, ...]:
    """Return the findings that say that something does not follow."""
    return tuple(item for item in audit.findings if follows_not(item.kind))


def audit_sheet(sheet: Sheet) -> Audit:
    """Run every check; pure arithmetic on the cells, no randomness."""
    totals = tuple(read_total(line) for line in sheet.cells if line.cell.role is Role.TOTAL)
    by_place = {total.cell.place: total for total in totals}
    plain = tuple(
        read_plain(line) for line in sheet.cells if line.cell.role in (Role.MEAN, Role.SUM)
    )
    deltas = tuple(
        read_delta(line, by_place) for line in sheet.cells if line.cell.role is Role.DELTA
    )
    coincidences = find_coincidences(sheet)
    alike = find_alike(deltas, by_place)
    starts: dict[str, Cell] = {}
    for delta in deltas:
        if delta.first.role is Role.TOTAL:
            starts.setdefault(delta.second.row, delta.second)
    findings = [
        *find_in_cells(sheet),
        *find_in_totals(totals),
        *find_in_plain(plain),
        *find_in_deltas(deltas),
        *notes_on_copies(coincidences),
        *notes_on_likeness(alike, starts),
    ]
    return Audit(
        sheet,
        totals,
        plain,
        deltas,
        tuple(_summaries(deltas, by_place)),
        coincidences,
        alike,
        tuple(findings),
    )


def _summaries(
    deltas: Sequence[DeltaReading], totals: dict[str, TotalReading]
) -> Iterator[ColumnSummary]:
    groups: dict[tuple[str, str], list[DeltaReading]] = defaultdict(list)
    for delta in deltas:
        if delta.first.role is Role.TOTAL:
            groups[delta.first.table, delta.first.column].append(delta)
    for (table, column), group in groups.items():
        yield _summary(table, column, group, [totals[delta.first.place] for delta in group])


def _summary(
    table: str, column: str, deltas: Sequence[DeltaReading], totals: Sequence[TotalReading]
) -> ColumnSummary:
    gains = [delta for delta in deltas if delta.cell.printed.value > 0]
    items = [delta.items for delta in deltas if delta.items is not None]
    flat = [total.flattened for total in totals if total.flattened is not None]
    every = len(items) == len(deltas)
    return ColumnSummary(
        table,
        column,
        len(deltas),
        sum((delta.cell.printed.value for delta in deltas), Fraction(0)) / len(deltas),
        (
            sum((item.low for item in items), Fraction(0)) / len(items),
            sum((item.high for item in items), Fraction(0)) / len(items),
        )
        if every
        else None,
        len(gains),
        sum(item.low > 0 for item in items),
        len(flat),
        sum(bool(item.fits) for item in flat),
        sum((item.chance for item in flat), Fraction(0)),
        _became(gains, "items", Change.REVERSED),
        _became(gains, "items", Change.VANISHED),
        _became(gains, "flattened", Change.REVERSED),
        _became(gains, "flattened", Change.UNDETERMINED),
    )


def _became(deltas: Sequence[DeltaReading], how: str, change: Change) -> int:
    readings = [delta.items if how == "items" else delta.flattened for delta in deltas]
    return sum(item is not None and item.change is change for item in readings)
