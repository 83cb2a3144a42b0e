"""Small sheets of published cells, written as a person would write them."""

from __future__ import annotations

from codequake.audit.auditing import Audit, audit_sheet
from codequake.audit.reading import read_cells
from codequake.audit.relating import relate

__all__ = ["HEAD", "audited", "kinds"]

HEAD = "table,row,column,class,value,unit,n,metric,role,item,of,minus,tests\n"


def audited(*lines: str) -> Audit:
    """The audit of a file with the full head and these lines."""
    return audit_sheet(relate(read_cells(HEAD + "\n".join(lines), "cells.csv")))


def kinds(audit: Audit) -> list[str]:
    """The kinds of its findings, in order."""
    return [finding.kind.value for finding in audit.findings]
