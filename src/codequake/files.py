"""Files that are either the old or the new, never a half of each."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codequake.canonical import parse_json
from codequake.errors import DataError, StorageError

__all__ = ["make_folder", "read_json_lines", "read_text", "replacing", "write_bytes", "write_text"]


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place when the block ends well.

    The content reaches the disk before the name changes, so a process that is killed, or a disk
    that is full, leaves the old file.  Raises ``StorageError`` with the reason of the system.
    """
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
        temporary = None
        _sync_folder(path.parent)
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Make a rename durable; file systems that cannot are left to their own order."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one piece.  Raises ``StorageError``."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file in one piece.  Raises ``StorageError``."""
    write_bytes(path, text.encode("utf-8"))


def read_text(path: Path) -> str:
    """Read a UTF-8 file.  Raises ``DataError`` when it is missing, unreadable or not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", place=str(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=str(path)) from error


def make_folder(path: Path) -> None:
    """Create a folder and its parents.  Raises ``StorageError``."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create folder {path}: {error.strerror or error}") from error


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (``file:line``, value) of each line that is not blank.  Raises ``DataError``."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                place = f"{path}:{number}"
                try:
                    line = raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise DataError(f"not UTF-8 at byte {error.start}", place=place) from error
                if line.strip():
                    yield place, parse_json(line, place=place)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=str(path)) from error
