"""``codequake export`` and ``codequake import``: studies to and from other tools."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from codequake.command_options import JsonOption, OutOption, WorkersOption
from codequake.terminal import Terminal, emit, say

# The functions under the commands are the commands; nobody else calls them.
__all__ = ["export", "import_"]


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


def import_(
    logs: Annotated[list[Path], typer.Argument(help="Logs of Inspect, .eval.")],
    out: OutOption,
    workers: WorkersOption = 0,
    json: JsonOption = False,
) -> None:
    """Make a study of logs that `inspect eval codequake/...` wrote, or add them to one."""
    from codequake.study.importing import import_logs

    with Terminal() as notify:
        done = import_logs(logs, out, workers=workers or os.cpu_count() or 1, notify=notify)
    if json:
        emit(done.as_json())
    else:
        say(f"{done.as_text()}\n\nReport: {done.run.report}")
    done.raise_for_problems()
