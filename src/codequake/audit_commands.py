"""``codequake audit``: recompute published tables."""

from __future__ import annotations

from typing import Annotated

import typer

from codequake.command_options import JsonOption
from codequake.errors import CheckFailedError, UsageError
from codequake.terminal import emit, say

# The function is reached as a command.
__all__ = ["audit"]


def audit(
    table: Annotated[
        str, typer.Argument(help="CSV file of published cells; - is standard input.")
    ] = "",
    paper: Annotated[
        str, typer.Option("--paper", help="cocc or syntactic-robustness, instead of a file.")
    ] = "",
    cells: Annotated[
        bool, typer.Option("--cells", help="Also show counts and intervals of every cell.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Recompute a published table; exit code 1 when something does not follow from its cells."""
    from codequake.audit import (
        audit_as_json,
        audit_as_text,
        audit_sheet,
        contradictions,
        read_paper,
        read_sheet,
    )

    if bool(table) == bool(paper):
        given = f"TABLE is {table!r} and --paper is {paper!r}"
        raise UsageError(f"{given}; allowed: one of them")
    found = audit_sheet(read_paper(paper) if paper else read_sheet(table))
    title = f"paper {paper}" if paper else "standard input" if table == "-" else table
    if json:
        emit(audit_as_json(found, title))
    else:
        say(audit_as_text(found, title, every_cell=cells))
    failed = len(contradictions(found))
    if failed:
        number = "1 thing does" if failed == 1 else f"{failed} things do"
        raise CheckFailedError(f"{number} not follow from the cells of {title}")
