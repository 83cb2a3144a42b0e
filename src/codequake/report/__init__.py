"""Estimates to tables, figures, one HTML page and a summary for a terminal."""

from codequake.report.tables import ModelRun, StudyTables, Version
from codequake.report.terminal import summary_text
from codequake.report.writing import FORMATS, write_report

__all__ = [
    "FORMATS",
    "ModelRun",
    "StudyTables",
    "Version",
    "summary_text",
    "write_report",
]
