"""Small parts of process 1: pipes with what came through them, clocks, and reading what ended.

This file runs inside the sandbox on an interpreter of 3.9 or newer and imports nothing of
codequake.
"""

# pathlib and contextlib would cost start-up time in every sandbox:
# ruff: noqa: PTH101, PTH106, PTH108, PTH118, PTH123, SIM105

from __future__ import annotations

import os
import resource
import signal
import sys
import time

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "Channel",
    "code_text",
    "cpu_of",
    "empty",
    "first_error",
    "kill_quietly",
    "last_line",
    "open_input",
    "plain_fork",
    "put_limits",
    "raise_stack",
    "read_line",
    "read_record",
    "static_bytes",
    "was_read",
]

PIPE_BYTES = 65536
STACK_BYTES = 120 << 20  # below the gap of 128 MiB that the kernel always leaves for the stack
LOADABLE = 1  # PT_LOAD


class Channel:
    """The reading end of a pipe, with what came through it so far."""

    def __init__(self, path: str | None) -> None:
        self.data = bytearray()
        self.total = 0
        self.reader, self.writer = _open_fifo(path) if path else os.pipe()

    def drain(self, keep: int) -> bool:
        """Read once; return false at the end.  More than ``keep`` bytes drop the oldest half."""
        try:
            piece = os.read(self.reader, PIPE_BYTES)
        except BlockingIOError:
            return True
        self.total += len(piece)
        self.data += piece
        if len(self.data) > 2 * keep:
            del self.data[:-keep]
        return bool(piece)

    def close_writer(self) -> None:
        """Close our copy of the writing end, so that the end of the writers can be seen."""
        os.close(self.writer)
        self.writer = -1

    def close(self) -> None:
        """Close what is open."""
        os.close(self.reader)
        if self.writer >= 0:
            os.close(self.writer)


def _open_fifo(path: str) -> tuple[int, int]:
    """A named pipe where the file system allows it, so that ``/dev/stdout`` can be opened."""
    try:
        if os.path.lexists(path):
            os.unlink(path)
        os.mkfifo(path, 0o600)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        return reader, os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return os.pipe()


def open_input(folder: str, text: str | None) -> tuple[int, int]:
    """A regular file with the input; its access time tells whether it was read.

    The second number is -1 where that cannot be told.
    """
    path = os.path.join(folder, "stdin")
    try:
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "wb") as file:
            file.write((text or "").encode("utf-8", "surrogatepass"))
        os.utime(path, ns=(0, time.time_ns()))
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC), 0
    except OSError:
        # The program damaged its own folder: it gets an empty input.
        return os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), -1


def read_line(fd: int) -> bytes:
    """Read up to the end of the first line, or of the file."""
    pieces = []
    while piece := os.read(fd, 1 << 20):
        pieces.append(piece)
        if piece.endswith(b"\n"):
            break
    return b"".join(pieces)


def plain_fork() -> Callable[[], int]:
    """The C library's fork: what Python does after its own copies many pages of every child.

    It puts locks and threads in order, of which process 1 has none, and seeds ``random``, which is
    left to the caller.
    """
    import ctypes

    fork: Callable[[], int] = ctypes.PyDLL(None).fork
    return fork


def raise_stack() -> None:
    """Give programs the largest stack that there is room for, so that deep recursion works."""
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    stack = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, hard))


def put_limits(
    cpu_seconds: float, memory_bytes: int, limits: dict[str, Any], *, count_processes: bool
) -> None:
    """Put the limits on this process; its children inherit them."""
    pairs = [
        (resource.RLIMIT_CPU, int(cpu_seconds)),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
    ]
    if count_processes:
        pairs.append((resource.RLIMIT_NPROC, limits["processes"]))
    for kind, value in pairs:
        resource.setrlimit(kind, (value, value))


def cpu_of(pid: int) -> float:
    """Processor seconds that a process has used, all its threads together."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the kernel's number of that process's clock
    except OSError:
        return 0.0


def kill_quietly(pid: int) -> None:
    """Kill one process that may be gone."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def empty(folder: str) -> None:
    """Remove everything in a folder that a program could write; what resists stays.

    A program may make its own folder unusable, which is its own loss.
    """
    folders = [folder]
    for place in folders:  # grows while it is walked, so that depth costs no stack
        try:
            os.chmod(place, 0o700)
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        os.unlink(entry.path)
        except OSError:
            continue
    for place in reversed(folders[1:]):
        try:
            os.rmdir(place)
        except OSError:
            continue


def read_record(data: bytes, token: str) -> tuple[str, str] | None:
    """Return (kind, payload) of the one record that carries the token.

    Anything else in the channel, before it or after it, makes the record void: a program that
    writes there has given no result.
    """
    header, found, payload = data.partition(b"\n")
    parts = header.split(b" ")
    if not found or len(parts) != 3 or parts[0] != token.encode():
        return None
    if parts[2] != str(len(payload)).encode():
        return None
    return parts[1].decode("ascii", "replace"), payload.decode("utf-8", "replace")


def static_bytes(fd: int) -> int:
    """Memory that a 64-bit ELF program asks for before its first instruction; 0 for others."""
    head = os.pread(fd, 64, 0)
    if head[:5] != b"\x7fELF\x02":
        return 0
    table = int.from_bytes(head[32:40], sys.byteorder)
    size = int.from_bytes(head[54:56], sys.byteorder)
    total = 0
    for index in range(int.from_bytes(head[56:58], sys.byteorder)):
        entry = os.pread(fd, size, table + index * size)
        if int.from_bytes(entry[:4], sys.byteorder) == LOADABLE:
            total += int.from_bytes(entry[40:48], sys.byteorder)
    return total


def was_read(fd: int, mark: int) -> bool:
    """Whether anything was read of the input file, through this descriptor or by its name."""
    if mark < 0:
        return True
    return os.lseek(fd, 0, os.SEEK_CUR) > 0 or os.fstat(fd).st_atime_ns != 0


def last_line(data: bytes) -> str:
    """Return the last line that is not blank."""
    lines = [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def first_error(data: bytes) -> str:
    """Return the first complaint of a compiler."""
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    for mark in ("error:", "undefined reference", "Error:"):
        for line in lines:
            if mark in line and not line.startswith("collect2:"):
                return line[:400]
    return lines[0][:400] if lines else "the compiler ended without a word"


def code_text(code: int) -> str:
    """Say in words how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
