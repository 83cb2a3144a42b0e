"""Running codequake as a program of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import codequake

RunCommand = Callable[..., subprocess.CompletedProcess[str]]


def command_environment(home: Path | None = None) -> dict[str, str]:
    """An environment in which a new interpreter finds the package that is tested here."""
    environment = {**os.environ, "PYTHONPATH": str(Path(codequake.__file__).parents[1])}
    environment.pop("COLUMNS", None)
    if home is not None:
        environment["HOME"] = str(home)
    return environment
