"""The study in a terminal: plain text, no colours, nothing that a reply could smuggle in."""

from __future__ import annotations

from collections.abc import Sequence

from codequake.report.limits import limits_of
from codequake.report.numbers import amount, with_interval
from codequake.report.safe import one_line
from codequake.report.tables import StudyTables
from codequake.report.views import ModelView, headline, model_views

__all__ = ["summary_text"]


def summary_text(tables: StudyTables) -> str:
    """Return the summary of a study, with a line break at the end.

    Text of models and problem sets is stripped of control characters.
    """
    views = model_views(tables)
    lines = [one_line(tables.title), ""]
    if not views:
        lines += ["No reply was planned, so there is no number.", ""]
    for view in views:
        lines += _model_lines(view)
    lines.append("Before you quote a number:")
    lines += [f"  - {one_line(text, limit=1000)}" for text in limits_of(tables, views)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _model_lines(view: ModelView) -> list[str]:
    rows: list[Sequence[str]] = [
        (
            "prompts",
            "problems",
            "Pass@1",
            "change",
            "p (Holm)",
            "broken",
            "solved",
            "all tests",
            "visible only",
        )
    ]
    rows += [
        (
            one_line(row.label, limit=40),
            str(row.passed.problems),
            with_interval(row.passed),
            with_interval(row.delta),
            amount(row.holm),
            amount(row.down),
            amount(row.up),
            amount(row.every),
            amount(row.visible),
        )
        for row in view.rows
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [f"Model {one_line(view.name)}", f"  {headline(view)}", ""]
    for number, row in enumerate(rows):
        cells = [
            cell.ljust(width) if column in (0, 2, 3) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells))
        if number == 0:
            lines.append("  " + "  ".join("-" * width for width in widths))
    lines.append("")
    for text, item in (
        ("worst of the wordings tried", view.robust),
        ("worst of plain repeats", view.repeats),
        ("noise floor (outcomes that differ on asking again)", view.floor),
    ):
        if item is not None:
            note = f"  {item.note}" if item.note else ""
            lines.append(f"  {text}: {with_interval(item)}{note}")
    lines += [
        f"  recovery by reduction, {one_line(row.label, limit=40)}: "
        f"{with_interval(row.recovery)} points, p {amount(row.recovery_p)}"
        for row in view.rows
        if row.recovery is not None
    ]
    lines.append("")
    return lines
