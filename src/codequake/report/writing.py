"""Write a report in the formats that were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from codequake.errors import NotAvailableError, UsageError
from codequake.files import make_folder, write_text
from codequake.report.markdown import markdown_report
from codequake.report.page import html_report
from codequake.report.plainfiles import csv_report, json_report
from codequake.report.tables import StudyTables

__all__ = ["FORMATS", "write_report"]

FORMATS = {
    "html": ("report.html", html_report),
    "md": ("report.md", markdown_report),
    "csv": ("estimates.csv", csv_report),
    "json": ("report.json", json_report),
}


def write_report(
    tables: StudyTables, folder: Path, formats: Sequence[str] = ("html", "md", "csv", "json")
) -> tuple[Path, ...]:
    """Write one file a format into ``folder`` and return their paths in the order asked.

    Equal tables give equal bytes.  Raises ``UsageError`` for a format that does not exist,
    ``NotAvailableError`` for ``latex``, and ``StorageError`` when a file cannot be written.
    """
    for name in formats:
        if name == "latex":
            raise NotAvailableError("format 'latex' is not part of this version; use md or csv")
        if name not in FORMATS:
            raise UsageError(f"format {name!r} is not known; allowed: {', '.join(FORMATS)}")
    make_folder(folder)
    written = []
    for name in dict.fromkeys(formats):
        file_name, build = FORMATS[name]
        write_text(folder / file_name, build(tables))
        written.append(folder / file_name)
    return tuple(written)
