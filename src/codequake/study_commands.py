"""Commands on whole study folders: ``codequake merge``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from codequake.command_options import JsonOption, OutOption, WorkersOption
from codequake.terminal import Terminal, emit, say

# The function is reached as a command.
__all__ = ["merge"]


def merge(
    first: Annotated[Path, typer.Argument(help="Folder of a study.", metavar="DIR_A")],
    second: Annotated[Path, typer.Argument(help="Another of the same study.", metavar="DIR_B")],
    out: OutOption,
    workers: WorkersOption = 0,
    json: JsonOption = False,
) -> None:
    """Join two folders of one study in a new one; asks no model."""
    from codequake.study.merging import merge_studies

    with Terminal() as notify:
        merged = merge_studies(
            first, second, out, workers=workers or os.cpu_count() or 1, notify=notify
        )
    if json:
        emit(merged.as_json())
    else:
        say(merged.as_text())
    merged.run.raise_for_pending(f"`codequake run STUDY --out {out}` asks for them")
