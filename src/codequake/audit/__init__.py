"""Recompute published tables: what follows from the printed cells, and what does not."""

from codequake.audit.auditing import Audit, audit_sheet, contradictions
from codequake.audit.cells import Cell, Sheet
from codequake.audit.findings import Finding, Kind
from codequake.audit.published import PAPERS, PublishedCell, published_cells, read_paper
from codequake.audit.reading import read_sheet
from codequake.audit.wording import audit_as_json, audit_as_text

__all__ = [
    "PAPERS",
    "Audit",
    "Cell",
    "Finding",
    "Kind",
    "PublishedCell",
    "Sheet",
    "audit_as_json",
    "audit_as_text",
    "audit_sheet",
    "contradictions",
    "published_cells",
    "read_paper",
    "read_sheet",
]
