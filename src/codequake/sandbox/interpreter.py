"""The Python that candidate programs run on, at a path that the sandbox's user can reach."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from codequake.canonical import content_key
from codequake.errors import StorageError
from codequake.sandbox.caching import made_once
from codequake.sandbox.sources import own_magic

__all__ = ["Interpreter", "find_interpreter"]

SYSTEM_PYTHON = Path("/usr/bin/python3")
PLACE_INSIDE = "/opt/python"
_QUESTION = (
    "import sys; from importlib._bootstrap_external import MAGIC_NUMBER as magic; "
    "print('.'.join(map(str, sys.version_info[:3])), magic.hex())"
)
_OLDEST = (3, 9)
_LEFT_OUT = ("site-packages", "__pycache__", "test", "tests", "idlelib", "tkinter", "share")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """``program`` is the path inside the sandbox; ``prefix`` what must be mounted, if anything.

    ``magic`` says which compiled code it understands; ``None`` when that is not known.
    """

    program: str
    version: str
    prefix: Path | None
    magic: str | None = None


def find_interpreter(*, without_rights: bool) -> Interpreter:
    """Return the system's ``/usr/bin/python3``, else our own interpreter.

    ``without_rights`` says that programs run as another user than we are: our own interpreter is
    then copied to a folder that everybody can read.  Raises ``SandboxUnavailableError`` when
    neither works.
    """
    known = _version_of(SYSTEM_PYTHON)
    if known is not None:
        version, magic = known
        return Interpreter(str(SYSTEM_PYTHON), version, None, magic)
    prefix = Path(sys.base_prefix)
    if without_rights:
        prefix = _shared_copy(prefix)
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Interpreter(f"{PLACE_INSIDE}/bin/{name}", version, prefix, own_magic())


def _version_of(program: Path) -> tuple[str, str] | None:
    """Ask an interpreter for version and magic; ``None`` when it is missing, broken or too old."""
    try:
        done = subprocess.run(
            [program, "-I", "-S", "-c", _QUESTION],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env={},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version, _, magic = done.stdout.strip().partition(" ")
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    return (version, magic) if numbers >= _OLDEST else None


def _shared_copy(prefix: Path) -> Path:
    """Copy the interpreter once to a folder of ours that everybody can read, and return it."""
    key = content_key([str(prefix), sys.version, prefix.stat().st_mtime_ns], length=16)
    try:
        return made_once(
            f"python-{key}",
            lambda copy: _copied(prefix, copy),
        )
    except OSError as error:
        raise StorageError(f"cannot copy the interpreter for the sandbox: {error}") from error


def _copied(prefix: Path, copy: Path) -> None:
    shutil.copytree(prefix, copy, symlinks=True, ignore=_ignored)


def _ignored(_folder: str, names: Iterable[str]) -> set[str]:
    return {name for name in names if name in _LEFT_OUT}
