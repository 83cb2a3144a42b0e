"""Process 1 of a sandbox that many programs pass through, and that never reads one of them.

This file runs inside the sandbox on an interpreter of 3.9 or newer and imports nothing of
codequake but its neighbours there.  At each ring of a bell it makes a copy of itself, which is
process 1 of a process namespace of its own, with a mount namespace and three empty folders in
memory of its own.  That copy gives up the rights that it needed for this, and only then reads the
job from a file in memory and does what ``inside`` does in a sandbox of its own.

Between programs nothing can stay.  When the copy ends, the kernel ends all that lives in its
namespace before we hear of it, and its folders go with its last process.  No program can signal,
see or name process 1.  Process 1 itself learns no more than two sizes and how the
copy ended, so the next copy is one of the same memory as the first.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal

from codequake.sandbox import candidate
from codequake.sandbox.copies import run_copy, warm_up
from codequake.sandbox.watching import raise_stack, read_line

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["BELL_BYTES", "WARM", "Origin", "main"]

SIZE_BYTES = 16
BELL_BYTES = 2 * SIZE_BYTES  # the size of the folders, and that of the job
FOLDERS = (b"/dev/shm", b"/tmp", b"/run")
HOME = "/tmp"  # noqa: S108
NO_SETUID_OR_DEVICES = 2 | 4
NEW_MOUNTS, NEW_PROCESSES = 0x20000, 0x20000000
RIGHTS = (21, 8)  # CAP_SYS_ADMIN to mount, CAP_SETPCAP to give up even the bound of rights
CAPABILITY_VERSION = 0x20080522
DROP_BOUND, SET_FILTER, FILTER_MODE = 24, 22, 2
FILTER_STEP_BYTES = 8
# Exit codes of a copy; a program's own never come here.
NO_FOLDERS, NO_END_OF_RIGHTS, NO_FILTER = 101, 102, 103
REASONS = {
    NO_FOLDERS: "it cannot mount folders of its own",
    NO_END_OF_RIGHTS: "it cannot give up its rights",
    NO_FILTER: "it cannot load its system-call filter",
}
# What many programs import.  Modules, and packages that look the same whoever imported them:
# a program must not find a submodule that it would have to import in a sandbox of its own.
WARM = (
    *("array", "bisect", "collections", "copy", "datetime", "decimal", "fractions", "functools"),
    *("heapq", "itertools", "math", "operator", "random", "re", "statistics", "string", "typing"),
)


class _Filter(ctypes.Structure):
    """The kernel's ``sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


class Origin:
    """Makes copies of itself until its driver is gone."""

    def __init__(self, request: int, line: int, material: int, setup: dict[str, Any]) -> None:
        self.request = request
        self.line = line
        self.material = material
        self.clone = setup["clone"]
        steps = bytes.fromhex(setup["filter"])
        self.filter = _Filter(len(steps) // FILTER_STEP_BYTES, steps)
        # A library that keeps the lock of the interpreter; looking its parts up costs pages.
        libc = ctypes.PyDLL(None, use_errno=True)
        self.call, self.mount, self.prctl = libc.syscall, libc.mount, libc.prctl
        self.capset = libc.capset
        self.header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
        self.no_rights = (ctypes.c_uint32 * 6)()
        self.filter_place = ctypes.byref(self.filter)

    def trial(self) -> str:
        """Make one copy that only gives up its rights; return why that fails, or nothing."""
        pid = self._copy()
        if pid < 0:
            return f"it gets no namespaces ({os.strerror(ctypes.get_errno())})"
        if pid == 0:
            self._settle(1 << 20)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return "" if code == 0 else REASONS.get(code, f"its copy ended with {code}")

    def serve(self) -> None:
        """Let a copy run one job at each ring; return when the driver is gone."""
        while True:
            bell = _read_exactly(self.line, BELL_BYTES)
            if bell is None:
                return
            pid = self._copy()
            if pid == 0:
                self._run(int(bell[:SIZE_BYTES], 16), int(bell[SIZE_BYTES:], 16))
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if pid > 0 else NO_FOLDERS
            if not _is_empty():
                return
            try:
                os.write(self.line, b'\n{"event": "done", "code": %d}\n' % code)
            except OSError:
                return

    def _copy(self) -> int:
        """Fork into new namespaces; the C library's own fork cannot ask for them."""
        flags = NEW_MOUNTS | NEW_PROCESSES | signal.SIGCHLD
        return int(self.call(self.clone, flags, 0, 0, 0, 0))

    def _settle(self, room: int) -> None:
        """Mount the folders of one program, and give up every right that this took."""
        options = b"mode=0755,size=%d" % room
        for folder in FOLDERS:
            if self.mount(b"tmpfs", folder, b"tmpfs", NO_SETUID_OR_DEVICES, options):
                os._exit(NO_FOLDERS)
        os.chdir(HOME)
        for right in RIGHTS:
            if self.prctl(DROP_BOUND, right, 0, 0, 0):
                os._exit(NO_END_OF_RIGHTS)
        if self.capset(self.header, self.no_rights):
            os._exit(NO_END_OF_RIGHTS)
        if self.prctl(SET_FILTER, FILTER_MODE, self.filter_place, 0, 0):
            os._exit(NO_FILTER)

    def _run(self, room: int, size: int) -> NoReturn:
        """Be process 1 of one program."""
        self._settle(room)
        os.setpgid(0, 0)
        job = json.loads(os.pread(self.request, size, 0))
        job["request"], job["material"] = self.request, self.material
        run_copy(job, self.line, self.line)


def _is_empty() -> bool:
    """Whether nothing lives here but us; the kernel has seen to it when a copy has ended."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    else:
        return False
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def _make_streams(request: int, null: int) -> None:
    """Make the streams of programs on what they will be on: a file and two pipes."""
    reader, writer = os.pipe()
    for number, fd in enumerate((request, writer, writer)):
        os.dup2(fd, number)
    candidate.make_streams()
    for number in (0, 1, 2):
        os.dup2(null, number)
    for fd in (reader, writer, null):
        os.close(fd)


def _read_exactly(fd: int, count: int) -> bytes | None:
    data = b""
    while len(data) < count:
        piece = os.read(fd, count - len(data))
        if not piece:
            return None
        data += piece
    return data


def main() -> None:
    """Serve the driver.

    Descriptor 0 is the file of the job, 1 a socket to the driver and 2 the file of tests by
    statements, which takes what goes wrong until we are ready.  The driver first sends one line
    of JSON, which has nothing to do with any program, and then rings.
    """
    os.setpgid(0, 0)  # the group that we were started in holds bubblewrap itself
    for taken in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(taken, signal.SIG_DFL)
    request, line, material = os.dup(0), os.dup(1), os.dup(2)
    setup = json.loads(read_line(line))
    raise_stack()
    for name in WARM:
        __import__(name)
    origin = Origin(request, line, material, setup)
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    warm_up(setup["warm"], material, null)
    _make_streams(request, null)
    gc.collect()
    gc.freeze()  # else the first collection of every child copies every page that we have
    fault = origin.trial()
    os.write(line, (f"failed {fault}\n" if fault else "ready\n").encode())
    if not fault:
        origin.serve()
