"""A folder for what is made once: readable by everybody, so that the sandbox's user reaches it."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from codequake.errors import SandboxUnavailableError

__all__ = ["CACHE_ROOT", "made_once"]

CACHE_ROOT = Path("/var/tmp")  # noqa: S108 - the owner of our folder in it is checked


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return the folder ``name`` in our cache; ``make`` fills it when it is not there yet.

    It appears at once and whole, so being killed in between leaves nothing that looks finished,
    and of two processes that make it at a time one wins.  Raises ``SandboxUnavailableError`` when
    somebody else could write to the cache, ``OSError`` when it cannot be written, and what
    ``make`` raises.
    """
    folder = CACHE_ROOT / f"codequake-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o755)  # whatever the umask is
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o022:
        raise SandboxUnavailableError(
            f"{folder} is not a folder that only this user can write; remove it and try again"
        )
    target = folder / name
    if target.exists():
        return target
    temporary = Path(tempfile.mkdtemp(dir=folder))
    try:
        copy = temporary / "copy"
        make(copy)
        _open_to_all(copy)
        try:
            copy.rename(target)
        except OSError:
            if not target.exists():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target


def _open_to_all(folder: Path) -> None:
    """Let everybody read, and enter folders and programs."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            mode = stat.S_IMODE(path.stat().st_mode) & ~0o022
            path.chmod(mode | (0o555 if path.is_dir() or mode & 0o100 else 0o444))
