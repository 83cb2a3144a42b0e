"""The study as Markdown, for a pull request or a wiki."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codequake.metrics import METRICS
from codequake.report.limits import limits_of
from codequake.report.numbers import amount, with_interval
from codequake.report.origins import origin_rows
from codequake.report.pairs import problem_views
from codequake.report.safe import markdown_cell
from codequake.report.tables import StudyTables
from codequake.report.views import ModelView, headline, model_views

__all__ = ["markdown_report"]


def markdown_report(tables: StudyTables) -> str:
    """Return the report as Markdown; nothing that a model wrote is markup in it."""
    views = model_views(tables)
    lines = [f"# {markdown_cell(tables.title)}", ""]
    lines += [f"- {markdown_cell(text, limit=1000)}" for text in limits_of(tables, views)]
    lines.append("")
    for view in views:
        lines += _model(view)
    lines += _flips(tables)
    used = {item.metric for item in tables.estimates}
    lines += ["## What the numbers are", ""]
    for name in METRICS:
        if name in used:
            metric = METRICS[name]
            lines.append(f"- **{metric.title}** (`{metric.formula}`): {metric.definition}")
    lines += ["", "## Where the problems come from", ""]
    lines += _table(
        ("set", "problems", "source", "licence", "text of the prompts"),
        [
            (
                item.name,
                str(item.problems),
                item.source,
                item.licence,
                "not shown" if item.withheld else "shown",
            )
            for item in origin_rows(tables.problems)
        ],
    )
    if tables.skipped:
        lines += ["## Variants that could not be made", ""]
        rows = sorted((item.problem_id, item.perturbation, item.reason) for item in tables.skipped)
        lines += _table(("problem", "perturbation", "reason"), rows)
    return "\n".join(lines).rstrip() + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(markdown_cell(cell) for cell in row)} |" for row in rows]
    return [*lines, ""]


_HEAD = (
    "prompts",
    "problems",
    "Pass@1",
    "clean, same problems",
    "change in points",
    "p (Holm)",
    "broken",
    "solved",
    "all tests",
    "visible tests only",
    "reading",
)


def _model(view: ModelView) -> list[str]:
    lines = [f"## {markdown_cell(view.name)}", "", markdown_cell(headline(view), limit=1000), ""]
    lines += _table(
        _HEAD,
        [
            (
                row.label,
                str(row.passed.problems),
                with_interval(row.passed),
                amount(row.clean),
                with_interval(row.delta),
                amount(row.holm),
                amount(row.down),
                amount(row.up),
                amount(row.every),
                amount(row.visible),
                row.reading,
            )
            for row in view.rows
        ],
    )
    extra = [
        (name, with_interval(item), item.note)
        for name, item in (
            ("worst of the wordings tried", view.robust),
            ("worst of plain repeats", view.repeats),
            ("noise floor", view.floor),
        )
        if item is not None
    ]
    extra += [
        (f"recovery by reduction, {row.label}", with_interval(row.recovery), row.recovery.note)
        for row in view.rows
        if row.recovery is not None
    ]
    lines += _table(("figure", "value", "note"), extra)
    lines += _table(
        ("prompts", "replies", "endings"),
        [
            (
                row.label,
                str(row.total),
                ", ".join(f"{status.replace('_', ' ')} {count}" for status, count in row.counts),
            )
            for row in view.statuses
        ],
    )
    return lines


def _flips(tables: StudyTables) -> list[str]:
    rows = [
        (view.problem_id, pair.label, pair.model, pair.left.status, pair.right.status)
        for view in problem_views(tables)
        for pair in view.pairs
        if pair.change in ("down", "up")
    ]
    if not rows:
        return []
    return [
        "## Outcomes that flipped",
        "",
        *_table(("problem", "prompt", "model", "before", "now"), rows),
    ]
