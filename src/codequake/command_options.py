"""Options that several sub-commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["JsonOption", "OutOption", "SandboxOption", "WorkersOption"]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
OutOption = Annotated[Path, typer.Option("--out", help="Folder of the study.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=0, help="Sandboxes at a time; 0 means one per core.")
]
SandboxOption = Annotated[
    str,
    typer.Option("--sandbox", help="bwrap, bwrap:ubsan, none, inspect:local or inspect:docker."),
]
