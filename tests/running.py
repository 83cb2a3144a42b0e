"""Running codequake as a program of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import codequake

RunCommand = Callable[..., subprocess.CompletedProcess[str]]


def installed_environment() -> dict[str, str]:
    """An environment in which an interpreter finds the package as it is installed.

    Inspect gives a task the name of its package only where that package is installed, in
    site-packages or editable, and not where it lies on a path.
    """
    environment = command_environment()
    del environment["PYTHONPATH"]
    return environment


def command_environment(home: Path | None = None) -> dict[str, str]:
    """An environment in which a new interpreter finds the package that is tested here."""
    environment = {**os.environ, "PYTHONPATH": str(Path(codequake.__file__).parents[1])}
    environment.pop("COLUMNS", None)
    if home is not None:
        environment["HOME"] = str(home)
    return environment
