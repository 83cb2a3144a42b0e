"""The bundled published cells, and which of them can stand beside a measured figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from codequake.audit.auditing import Audit, audit_sheet
from codequake.audit.cells import Cell, Role, Sheet, name_of
from codequake.audit.findings import Kind, follows_not
from codequake.audit.likeness import Alike
from codequake.audit.reading import read_cells
from codequake.audit.relating import relate
from codequake.audit.totals import Reading
from codequake.errors import UnknownNameError
from codequake.stats import fisher_exact

__all__ = ["PAPERS", "PublishedCell", "judge_cells", "published_cells", "read_paper"]

PAPERS = {
    "cocc": (
        "cocc-table-1.csv",
        "cocc-table-2.csv",
        "cocc-table-3.csv",
        "cocc-table-4.csv",
        "cocc-table-5.csv",
        "cocc-table-7.csv",
    ),
    "syntactic-robustness": ("syntactic-robustness.csv",),
}
"""The papers whose cells are bundled, with their files."""

_FAR = 0.001


@dataclass(frozen=True, slots=True)
class PublishedCell:
    """A cell with what it can be used for.

    ``usable``: whether it may stand beside a figure that is measured the same way.  ``reason``:
    why not, or what it must be read as; empty when it is what its metric says.  ``reading`` is
    ``None`` for cells that are not totals.
    """

    cell: Cell
    usable: bool
    reason: str
    reading: Reading | None


def read_paper(paper: str) -> Sheet:
    """Return the cells of a bundled paper.  Raises ``UnknownNameError`` for another name."""
    if paper not in PAPERS:
        raise UnknownNameError(f"paper is {paper!r}; allowed: {', '.join(PAPERS)}")
    folder = resources.files("codequake.audit").joinpath("papers")
    return relate(
        [
            cell
            for name in PAPERS[paper]
            for cell in read_cells(folder.joinpath(name).read_text("utf-8"), name)
        ]
    )


@cache
def published_cells(paper: str) -> tuple[PublishedCell, ...]:
    """Return the cells of a bundled paper, each judged by the checks of this package.

    Raises ``UnknownNameError`` for an unknown paper.
    """
    return judge_cells(audit_sheet(read_paper(paper)))


def judge_cells(audit: Audit) -> tuple[PublishedCell, ...]:
    """Say of each cell whether it can be used, by what the audit found about it.

    A cell cannot be used when it is no count over its ``n``; when it is a mean, sum or delta that
    does not follow or subtracts two quantities; when it belongs to a total that no reading gives
    (the total and its parts alike, since which of them is off is not known); when it is one of
    equal cells that no total confirms; when it stands in a row that, away from its start, cannot
    be told from another row; and when it is a mean or delta of a cell that cannot be used.
    """
    reasons: dict[str, str] = {}
    for place, reason in _direct_reasons(audit):
        reasons.setdefault(place, reason)
    for line in audit.sheet.cells:
        if line.cell.role in (Role.MEAN, Role.SUM, Role.DELTA):
            for part in (*line.of, *line.minus):
                if part.place in reasons:
                    what = f"it rests on {name_of(part)}, which cannot be used"
                    reasons.setdefault(line.cell.place, what)
    readings = {total.cell.place: total.reading for total in audit.totals}
    judged = []
    for line in audit.sheet.cells:
        cell, reading = line.cell, readings.get(line.cell.place)
        reason = reasons.get(cell.place, "")
        note = "as a flattened early-stop mean" if reading is Reading.FLATTENED else ""
        judged.append(PublishedCell(cell, not reason, reason or note, reading))
    return tuple(judged)


def _direct_reasons(audit: Audit) -> Iterator[tuple[str, str]]:
    """Yield (place of a cell, why it cannot be used), the strongest reason first."""
    for finding in audit.findings:
        if follows_not(finding.kind) and finding.kind is not Kind.TOTAL:
            yield finding.cells[0].place, finding.statement
    yield from _reasons_of_copies(audit)
    for alike in audit.alike:
        yield from _reasons_of_rows(audit, alike)
    for total in audit.totals:
        if total.reading is Reading.NEITHER:
            reason = f"no reading of its parts gives {name_of(total.cell)}"
            for cell in (total.cell, *total.parts):
                yield cell.place, f"{reason}; which of them is off is not known"


def _reasons_of_copies(audit: Audit) -> Iterator[tuple[str, str]]:
    """Yield the equal cells that are no part of a total that follows from them."""
    confirmed = {
        part.place
        for total in audit.totals
        if total.reading in (Reading.ITEMS, Reading.FLATTENED)
        for part in total.parts
    }
    for found in audit.coincidences:
        for same in found.equal:
            for cell in (*same.first, *same.second):
                if cell.place not in confirmed:
                    pair = f"{found.first} and {found.second}"
                    yield cell.place, f"{pair} share it, and no total confirms it here"


def _reasons_of_rows(audit: Audit, pair: Alike) -> Iterator[tuple[str, str]]:
    """Yield the cells of the row that is far from its own start wherever it is like the other."""
    for row, other, first in ((pair.first, pair.second, True), (pair.second, pair.first, False)):
        start = pair.start.first if first else pair.start.second
        away = [item.first if first else item.second for item in pair.others]
        if all(
            fisher_exact(start.counts[0], start.n, item.counts[0], item.n) < _FAR for item in away
        ):
            for line in audit.sheet.cells:
                if line.cell.row == row and line.cell.column != pair.start.column:
                    yield (
                        line.cell.place,
                        f"away from {pair.start.column} {row} cannot be told from {other}",
                    )
