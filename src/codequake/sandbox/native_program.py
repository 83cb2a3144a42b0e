"""The worker for C programs: our C sources, compiled by gcc at first use and kept."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from importlib import resources
from pathlib import Path

from codequake.canonical import content_key
from codequake.errors import SandboxUnavailableError
from codequake.sandbox.caching import made_once
from codequake.sandbox.toolchains import COMPILER

__all__ = ["COMPILER_LIBRARY", "NativeProgram", "find_native_program", "fork_server_source"]
__all__ += ["native_sources"]

COMPILER_LIBRARY = "libtcc.a"
_NEEDED = (COMPILER_LIBRARY, "libc.a", "libm.a")
# Fortified functions forbid to leave the stack of a program.
_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-U_FORTIFY_SOURCE", "-static")
# What libtcc would read from the file system comes from headers.c instead.
_WRAPPED = ("open", "read", "lseek", "close")
_BUILD_SECONDS = 300.0


class NativeProgram:
    """Where the compiled worker lies; ``why`` says why there is none."""

    def __init__(self, path: Path | None, why: str) -> None:
        self.path = path
        self.why = why


def find_native_program() -> NativeProgram:
    """Return the worker, compiled from our sources if need be.

    It is kept under the hash of its sources, of the compiler and of the libraries that go into
    it.  Without gcc, libtcc or a place to keep it there is none, and ``why`` says what is missing;
    C programs are then compiled by gcc alone, with the same verdicts.
    """
    libraries = _libraries()
    if isinstance(libraries, str):
        return NativeProgram(None, libraries)
    sources = native_sources()
    marks = [_mark(Path(COMPILER)), *map(_mark, libraries)]
    key = content_key([sorted(sources.items()), _FLAGS, _WRAPPED, marks], length=16)
    try:
        folder = made_once(f"worker-{key}", lambda copy: _build(sources, copy))
    except subprocess.SubprocessError as error:
        return NativeProgram(None, f"gcc cannot build the worker for C programs: {error}")
    except (OSError, SandboxUnavailableError) as error:
        return NativeProgram(None, f"cannot keep the worker for C programs: {error}")
    return NativeProgram(folder / "worker", "")


def native_sources() -> dict[str, str]:
    """Return our C sources by name: those of the worker, and ``include/`` for its programs."""
    folder = resources.files("codequake.sandbox").joinpath("native")
    found = {item.name: item.read_text("utf-8") for item in folder.iterdir() if item.is_file()}
    for item in folder.joinpath("include").iterdir():
        found[f"include/{item.name}"] = item.read_text("utf-8")
    return found


def fork_server_source() -> str:
    """Return the C text of what runs a program by gcc once for each input."""
    folder = resources.files("codequake.sandbox").joinpath("native", "preload")
    return folder.joinpath("fork_server.c").read_text("utf-8")


def _libraries() -> tuple[Path, ...] | str:
    """Return the static libraries that the worker is linked with, or what is missing."""
    if not Path(COMPILER).exists():
        return f"no C compiler at {COMPILER}"
    folders = _usual_folders()  # to ask gcc takes a process
    if not all(_first(folders, name) for name in _NEEDED):
        folders = _folders_of_gcc()
    found = [(name, _first(folders, name)) for name in _NEEDED]
    for name, path in found:
        if path is None:
            return f"{name} is not installed"
    return tuple(path for _, path in found if path is not None)


def _usual_folders() -> list[str]:
    return [f"/usr/lib/{platform.machine()}-linux-gnu", "/usr/lib64", "/usr/lib"]


def _folders_of_gcc() -> list[str]:
    try:
        said = subprocess.run(
            [COMPILER, "-print-search-dirs"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            cwd="/",
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    found = re.findall(r"^libraries: =(.*)$", said, re.MULTILINE)
    return found[0].split(":") if found else []


def _first(folders: list[str], name: str) -> Path | None:
    """The first of the folders' files of a name."""
    return next((path for folder in folders if (path := Path(folder, name)).is_file()), None)


def _mark(path: Path) -> list[str | int]:
    state = path.stat()
    return [os.path.realpath(path), state.st_size, state.st_mtime_ns]


def _build(sources: dict[str, str], folder: Path) -> None:
    """Compile the worker into a new folder."""
    folder.mkdir()
    rows = []
    for name, text in sources.items():
        if name.startswith("include/"):
            data = text.encode()
            numbers = ",".join(map(str, data))
            rows.append(f'{{"{Path(name).name}", (const char[]){{{numbers}}}, {len(data)}}},\n')
        else:
            (folder / name).write_text(text, "utf-8")
    (folder / "headers.inc").write_text("".join(rows), "ascii")
    parts = sorted(name for name in sources if name.endswith(".c"))
    wrapped = [f"-Wl,--wrap={name}" for name in _WRAPPED]
    libraries = [f"-l{name.removeprefix('lib').removesuffix('.a')}" for name in _NEEDED]
    subprocess.run(
        [COMPILER, *_FLAGS, "-o", "worker", *parts, *wrapped, *libraries],
        capture_output=True,
        timeout=_BUILD_SECONDS,
        check=True,
        cwd=folder,
    )
