"""Process 1 of a sandbox where gcc compiles many C programs, and each runs once for each input.

This file runs inside the sandbox on an interpreter of 3.9 or newer and imports nothing of codequake
but its neighbour there.  A request (8 bytes of length, then JSON) brings one program; the answer
(in the same form) has what it printed on each input, or nothing when anything was not clean: it
did not compile, an input did not end with exit code 0, a limit was used up, a call was refused, or
two patterns in memory gave two outputs.  All that is for a sandbox of its own to tell.

Programs are executed here, but only such as carry no attribute, assembly or other way to run code
before their filter is on; under it they have memory, one input and one output.
"""

# pathlib and contextlib would cost start-up time in every sandbox:
# ruff: noqa: PTH103, PTH118, PTH123, SIM105

from __future__ import annotations

import json
import os
import resource
import signal
import struct
import sys

from codequake.sandbox.watching import empty, raise_stack

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["Server", "execute", "finish", "main"]

WORK = "/tmp/work"  # noqa: S108 - a file system of this sandbox alone
INPUTS = "/tmp/inputs"  # noqa: S108
SERVER = "/tmp/server.so"  # noqa: S108
OUTPUT_FD = 4
REPORT_FD = 3
RECORD = struct.Struct("=QQ")
BUILD_FLAGS = ("-O2", "-fPIC", "-shared", "-pipe")
LENGTH_BYTES = 8


class Server:
    """Serves requests until its driver is gone."""

    def __init__(self, requests: int, report: int) -> None:
        self.requests = requests
        self.report = report
        self.inputs: list[str] = []

    def serve(self) -> None:
        """Answer one request after the other; return when there are no more."""
        while True:
            length = self._read(LENGTH_BYTES)
            message = None if length is None else self._read(int(length, 16))
            if message is None:
                return
            answer = json.dumps(self._answer(json.loads(message))).encode()
            data = memoryview(b"%08x" % len(answer) + answer)
            while data:
                data = data[os.write(self.report, data) :]

    def _read(self, count: int) -> bytes | None:
        data = bytearray()
        while len(data) < count:
            piece = os.read(self.requests, count - len(data))
            if not piece:
                return None
            data += piece
        return bytes(data)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "inputs" in request:
            self._keep(request["inputs"])
        empty(WORK)
        with open(os.path.join(WORK, "main.c"), "wb") as file:
            file.write(request["source"].encode("utf-8", "replace"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        outputs = self._outputs(request)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        empty(WORK)
        return {"outputs": outputs, "cpu": used}

    def _keep(self, inputs: list[str]) -> None:
        empty(INPUTS)
        for index, text in enumerate(inputs):
            with open(os.path.join(INPUTS, f"in{index}"), "wb") as file:
                file.write(json.loads(text).encode("utf-8", "surrogatepass"))
        self.inputs = inputs

    def _outputs(self, request: dict[str, Any]) -> list[tuple[str, bool]] | None:
        """What the program printed on each input and whether it read any of it."""
        found = None
        for build, perturb in request["builds"]:
            if not self._compile(build, request["limits"]):
                return None
            outputs = self._run_all(request["limits"], perturb)
            if outputs is None or (found is not None and outputs != found):
                return None
            found = outputs
        return found

    def _compile(self, build: list[str], limits: dict[str, Any]) -> bool:
        pid = os.fork()
        if pid == 0:
            self._leave_pipes()
            seconds = int(limits["build_cpu_seconds"]) + 1
            for kind, value in (
                (resource.RLIMIT_CPU, seconds),
                (resource.RLIMIT_AS, limits["build_memory_bytes"]),
                (resource.RLIMIT_FSIZE, limits["file_bytes"]),
                (resource.RLIMIT_CORE, 0),
            ):
                resource.setrlimit(kind, (value, value))
            signal.alarm(int(limits["build_cpu_seconds"] * limits["wall_factor"]) + 1)
            execute(WORK, build, {**os.environ, "TMPDIR": WORK})
        return finish(pid) == 0

    def _run_all(self, limits: dict[str, Any], perturb: str) -> list[tuple[str, bool]] | None:
        """Run the program on all inputs; ``None`` unless each ends with exit code 0."""
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        output = os.open(os.path.join(WORK, "output"), flags | os.O_APPEND, 0o600)
        ends = os.open(os.path.join(WORK, "ends"), flags, 0o600)
        pid = os.fork()
        if pid == 0:
            self._leave_pipes()
            os.dup2(ends, 30)
            os.dup2(output, 31)
            os.dup2(30, REPORT_FD)
            os.dup2(31, OUTPUT_FD)
            os.closerange(5, 64)
            memory = limits["memory_bytes"]
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            execute(INPUTS, [os.path.join(WORK, "program")], self._environment(limits, perturb))
        status = finish(pid)
        records = os.pread(ends, RECORD.size * (len(self.inputs) + 1), 0)
        size = os.fstat(output).st_size
        text = os.pread(output, size, 0) if size <= limits["total_output_bytes"] else b""
        os.close(output)
        os.close(ends)
        if status != 0 or len(records) != RECORD.size * len(self.inputs) or size != len(text):
            return None
        found = []
        start = 0
        for end, was_read in RECORD.iter_unpack(records):
            found.append((text[start:end].decode("utf-8", "replace"), bool(was_read)))
            start = end
        return found

    def _environment(self, limits: dict[str, Any], perturb: str) -> dict[str, str]:
        wall = limits["cpu_seconds"] * limits["wall_factor"]
        own = {
            "LD_PRELOAD": SERVER,
            "CODEQUAKE_COUNT": str(len(self.inputs)),
            "CODEQUAKE_CPU_MS": str(int(limits["cpu_seconds"] * 1000)),
            "CODEQUAKE_WALL_MS": str(int(wall * 1000)),
            "CODEQUAKE_OUTPUT": str(limits["output_bytes"]),
        }
        if perturb:
            own["MALLOC_PERTURB_"] = perturb
        return {**os.environ, **own}

    def _leave_pipes(self) -> None:
        os.close(self.requests)
        os.close(self.report)


def execute(folder: str, arguments: list[str], environment: dict[str, str]) -> NoReturn:
    """Become another program; the first argument is its path."""
    try:
        os.chdir(folder)
        os.execve(arguments[0], arguments, environment)  # noqa: S606
    finally:
        os._exit(127)


def finish(pid: int) -> int:
    """Wait for a child, kill and reap whatever it left, and return how it ended."""
    _, status = os.waitpid(pid, 0)
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return status


def main() -> None:
    """Build the server from the text that comes first, then serve the driver on 0 and 1."""
    os.setpgid(0, 0)  # the group that we were started in holds bubblewrap itself
    for taken in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # the last ends long outputs
        signal.signal(taken, signal.SIG_DFL)
    requests, report = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    raise_stack()
    os.makedirs(WORK, exist_ok=True)
    os.makedirs(INPUTS, exist_ok=True)
    server = Server(requests, report)
    first = server._read(int(server._read(LENGTH_BYTES) or b"0", 16))  # noqa: SLF001
    given = json.loads(first or b"{}")
    with open(os.path.join(WORK, "server.c"), "w") as file:
        file.write(given["server"])
    build = [given["compiler"], *BUILD_FLAGS, "-o", SERVER, "server.c", "-ldl"]
    pid = os.fork()
    if pid == 0:
        execute(WORK, build, dict(os.environ))
    if finish(pid) != 0:
        sys.exit(1)
    os.write(report, b"ready   ")
    server.serve()
