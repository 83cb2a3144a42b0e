"""``codequake export`` and ``codequake import``: studies to and from other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codequake.command_options import JsonOption
from codequake.terminal import Terminal, emit, say

# The functions under the commands are the commands; nobody else calls them.
__all__ = ["export"]


def export(
    folder: Annotated[Path, typer.Argument(help="Folder of a study.")],
    format: Annotated[str, typer.Option("--format", help="inspect.")] = "inspect",
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the files; DIR/inspect by default.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write a study for other tools: logs that `inspect view` opens."""
    from codequake.study.exporting import export_study

    with Terminal() as notify:
        done = export_study(folder, format, out, notify)
    if json:
        emit({"files": [str(path) for path in done.files], "completions": done.completions})
    else:
        say("\n".join(str(path) for path in done.files))
