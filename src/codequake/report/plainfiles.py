"""Estimates as CSV and JSON, for other programs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import Any

from codequake.codec import to_plain
from codequake.metrics import METRICS, count_shared_replies
from codequake.records import SCHEMA_VERSION, Estimate
from codequake.report.limits import limits_of
from codequake.report.safe import csv_cell
from codequake.report.tables import StudyTables
from codequake.report.views import model_views

__all__ = ["csv_report", "json_report"]


def csv_report(tables: StudyTables) -> str:
    """Return one line an estimate; no cell of text starts a formula in a spreadsheet."""
    names = [field.name for field in dataclasses.fields(Estimate)]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(names)
    for item in _sorted(tables):
        writer.writerow([_csv_value(item, name) for name in names])
    return buffer.getvalue()


def _csv_value(item: Estimate, name: str) -> str:
    value = getattr(item, name)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple):
        return csv_cell("; ".join(f"{part.reason}: {part.count}" for part in value))
    return csv_cell(str(value))


def _sorted(tables: StudyTables) -> list[Estimate]:
    return sorted(
        tables.estimates,
        key=lambda item: (item.metric, item.model, item.family, item.group, item.scope),
    )


def json_report(tables: StudyTables) -> str:
    """Return estimates, how the study was run and what it cannot say, as JSON.

    The file is plain ASCII, so nothing in it acts on a terminal, and every text comes back from it
    character by character.
    """
    used = {item.metric for item in tables.estimates}
    value: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "title": tables.title,
        "seed": tables.seed,
        "sets": sorted(tables.sets),
        "models": [to_plain(item) for item in sorted(tables.models, key=lambda one: one.name)],
        "versions": {item.name: item.version for item in tables.versions},
        "counts": {
            "problems": len(tables.problems),
            "variants": len(tables.variants),
            "planned": len(tables.planned),
            "completions": len(tables.completions),
            "verdicts": len(tables.verdicts),
            "shared_replies": count_shared_replies(tables.completions),
            "skipped_variants": len(tables.skipped),
        },
        "limits": list(limits_of(tables, model_views(tables))),
        "metrics": {name: to_plain(METRICS[name]) for name in METRICS if name in used},
        "problems": [
            {
                "problem_id": item.problem_id,
                "source": item.source,
                "licence": item.licence,
                "redistributable": item.redistributable,
            }
            for item in sorted(tables.problems, key=lambda one: one.problem_id)
        ],
        "estimates": [to_plain(item) for item in _sorted(tables)],
        "skipped": sorted(
            (to_plain(item) for item in tables.skipped),
            key=lambda one: (one["problem_id"], one["perturbation"], one["reason"]),
        ),
    }
    return json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True, allow_nan=False) + "\n"
