"""Process 1 of a sandbox that serves many called programs: compile, fork, collect, clean up.

This file runs inside the sandbox on an interpreter of 3.9 or newer and imports nothing of
codequake but its neighbours there.  A request (8 bytes of length, then JSON) brings programs; the
answer (in the same form, then the records of the programs) says for each what can be told.
Programs run in forked children that hold neither of the two pipes; nothing in this sandbox can be
written, and after each child everything in the process namespace is killed and reaped.

Only programs that can be seen to be harmless run here: our memory holds, or held, the texts and
results of others, and the frames and the memory of a process are open to a program that asks for
them.  What a program does here can prove that it is right.  It proves that it is wrong only when
the program also carries nothing over from call to call and came near no limit (``plain`` in the
answer); all else is for the caller to run in a sandbox of its own.
"""

# contextlib would cost start-up time in every sandbox:
# ruff: noqa: SIM105

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import time
import warnings
from functools import partial

from codequake.sandbox import admission, calling, candidate
from codequake.sandbox.watching import cpu_of, plain_fork, raise_stack

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from codequake.sandbox.calling import Program

    Record = tuple[int, str, int, bytes]

__all__ = ["Zygote", "main"]

SINK_FD = 2
RECURSION_LIMIT = 300_000
STEP_SECONDS = 0.05
WARM = (
    *("array", "bisect", "collections", "copy", "datetime", "fractions", "functools", "heapq"),
    *("itertools", "json", "math", "operator", "re", "string", "typing"),
)
LENGTH_BYTES = 8


class Zygote:
    """Serves requests until its driver is gone."""

    def __init__(self, requests: int, report: int) -> None:
        self.requests = requests
        self.report = report
        self.inputs: dict[str, tuple[bytes, ...]] = {}
        self.fork = plain_fork()
        self.limits: dict[str, Any] = {}

    def serve(self) -> None:
        """Answer one request after the other; return when there are no more."""
        while True:
            length = self._read(LENGTH_BYTES)
            if length is None:
                return
            message = self._read(int(length, 16))
            if message is None:
                return
            self._answer(json.loads(message))

    def _read(self, count: int) -> bytes | None:
        data = bytearray()
        while len(data) < count:
            piece = os.read(self.requests, count - len(data))
            if not piece:
                return None
            data += piece
        return bytes(data)

    def _answer(self, request: dict[str, Any]) -> None:
        for key in request["drop"]:
            del self.inputs[key]
        for key, texts in request["add"].items():
            self.inputs[key] = tuple(calling.pack_arguments(text) for text in texts)
        self._limit(request["limits"], request["count_processes"])
        programs: list[Program] = [
            (index, source, entry_point, self.inputs[key])
            for index, (source, entry_point, key) in enumerate(request["programs"])
        ]
        results: list[dict[str, Any]] = [
            {"kind": "none", "plain": False, "cpu": 0.0, "peak": None} for _ in programs
        ]
        records: dict[int, bytes] = {}
        if request["share"]:
            self._run_together(programs, results, records)
        else:
            for program in programs:
                self._run_apart(program, results, records)
        self._reply(results, records)

    def _limit(self, limits: dict[str, Any], count_processes: bool) -> None:
        """Put the limits of programs on ourselves, for children to inherit.

        Only the soft ones, since others may be asked for later: the programs that run here have no
        way to raise them.  Time is watched by us.
        """
        if limits == self.limits:
            return
        self.limits = limits
        pairs = [
            (resource.RLIMIT_AS, limits["memory_bytes"]),
            (resource.RLIMIT_FSIZE, limits["output_bytes"]),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NOFILE, limits["open_files"]),
        ]
        if count_processes:
            pairs.append((resource.RLIMIT_NPROC, limits["processes"]))
        for kind, value in pairs:
            hard = resource.getrlimit(kind)[1]
            soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (soft, hard))

    def _run_together(
        self, programs: list[Program], results: list[dict[str, Any]], records: dict[int, bytes]
    ) -> None:
        """Run programs in one child; one that uses it up is left out and the rest go on."""
        while programs:
            found, _ = self._fork(len(programs), partial(calling.run_together, programs))
            done = 0
            for program, record in zip(programs, found):  # noqa: B905 - Python 3.9
                if record[0] != program[0]:
                    break
                self._note(record, results, records)
                done += 1
            programs = programs[done + 1 :]

    def _run_apart(
        self, program: Program, results: list[dict[str, Any]], records: dict[int, bytes]
    ) -> None:
        index, source, entry_point, inputs = program
        result = results[index]
        ready = calling.prepare(source, entry_point)
        code = ready.code
        if code is None:
            result["kind"] = ready.kind
            records[index] = ready.why.encode("utf-8", "surrogatepass")
            return
        found, (cpu, peak) = self._fork(
            1, partial(calling.run_one, index, ready, entry_point, inputs)
        )
        if len(found) == 1 and found[0][0] == index:
            self._note(found[0], results, records)
            result["plain"] = admission.keeps_nothing(code) and self._had_room(peak)
            result["cpu"], result["peak"] = cpu, peak

    def _note(
        self, record: Record, results: list[dict[str, Any]], records: dict[int, bytes]
    ) -> None:
        index, kind, used, data = record
        results[index]["kind"], results[index]["cpu"] = kind, used / 1e6
        records[index] = data

    def _reply(self, results: list[dict[str, Any]], records: dict[int, bytes]) -> None:
        for index, result in enumerate(results):
            result["bytes"] = len(records.get(index, b""))
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        head = json.dumps({"results": results, "held": used}).encode()
        pieces = [b"%08x" % len(head), head]
        pieces += [records[index] for index in sorted(records)]
        data = memoryview(b"".join(pieces))
        while data:
            data = data[os.write(self.report, data) :]

    # -- one child ---------------------------------------------------------------------------

    def _fork(
        self, count: int, work: Callable[[int], None]
    ) -> tuple[list[Record], tuple[float, int]]:
        """Do work in a child that writes records; return them, and its time and memory."""
        os.ftruncate(SINK_FD, 0)
        os.lseek(SINK_FD, 0, os.SEEK_SET)
        reader, writer = os.pipe()
        gc.freeze()  # else the child's first collection copies every page that we have
        pid = self.fork()
        if pid == 0:
            self._child(work, writer)
        os.close(writer)
        found = self._collect(pid, reader, count)
        os.close(reader)
        return found, self._clear(pid)

    def _had_room(self, peak: int) -> bool:
        """Whether the last child, alone, was far from limits that it may have met all the same."""
        printed = os.fstat(SINK_FD).st_size
        limits = self.limits
        return bool(printed < limits["output_bytes"] // 2 and peak < limits["memory_bytes"] // 2)

    def _child(self, work: Callable[[int], None], report: int) -> NoReturn:
        """Become the process of some programs.

        Everything that is touched here first costs a page, so nothing is done that can be done
        before: the limits are those of process 1 itself.
        """
        try:
            os.close(self.requests)
            os.close(self.report)
            work(report)
        finally:
            os._exit(0)

    def _collect(self, pid: int, reader: int, count: int) -> list[Record]:
        """Read records until all are there, the child ends, or it uses up a limit."""
        ended = os.pidfd_open(pid)
        poller = select.poll()
        for fd in (ended, reader):
            poller.register(fd, select.POLLIN)
        poller.register(self.requests, 0)  # only its hang-up is of interest
        records = _Records()
        mark = (0.0, time.monotonic())
        while len(records.found) < count:
            ready = dict(poller.poll(STEP_SECONDS * 1000))
            if self.requests in ready:
                os._exit(0)
            if reader in ready:
                piece = os.read(reader, 1 << 20)
                if records.take(piece):
                    mark = (cpu_of(pid), time.monotonic())
                if not piece or records.waiting > self.limits["output_bytes"]:
                    break
            elif ended in ready or self._is_over(pid, mark):
                break
        os.close(ended)
        return records.found

    def _is_over(self, pid: int, mark: tuple[float, float]) -> bool:
        """Whether a child has used up what it may use for one program."""
        busy, elapsed = cpu_of(pid) - mark[0], time.monotonic() - mark[1]
        limits = self.limits
        return bool(busy > limits["slice_seconds"] or elapsed > limits["wall_seconds"])

    def _clear(self, pid: int) -> tuple[float, int]:
        """Kill and reap all that there is beside us; return time and memory of the child."""
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        _, _, own = os.wait4(pid, 0)
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        return own.ru_utime + own.ru_stime, own.ru_maxrss * 1024


class _Records:
    """The whole records in what a child writes, as they come, up to the first that is none."""

    def __init__(self) -> None:
        self.found: list[Record] = []
        self._rest = bytearray()
        self._readable = True

    @property
    def waiting(self) -> int:
        """Bytes that are no whole record yet."""
        return len(self._rest)

    def take(self, piece: bytes) -> bool:
        """Add what was read; return whether that completed a record."""
        self._rest += piece
        before = len(self.found)
        start = 0
        while self._readable:
            line = self._rest.find(b"\n", start)
            if line < 0:
                break
            try:
                index, kind, used, size = self._rest[start:line].split(b" ")
                end = line + 1 + int(size)
                if end <= line:
                    raise ValueError
                if end > len(self._rest):
                    break
                data = bytes(self._rest[line + 1 : end])
                self.found.append((int(index), kind.decode("ascii"), int(used), data))
            except ValueError:
                self._readable = False  # nothing after this can be told from forgeries
                break
            start = end
        del self._rest[:start]
        return len(self.found) > before


def main() -> None:
    """Serve the driver on descriptors 0 and 1; what programs print goes into the file on 2."""
    os.setpgid(0, 0)  # the group that we were started in holds bubblewrap itself
    for taken in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(taken, signal.SIG_DFL)
    requests, report = os.dup(0), os.dup(1)
    for fd in (requests, report):
        os.set_inheritable(fd, False)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(SINK_FD, 1)
    raise_stack()
    sys.setrecursionlimit(RECURSION_LIMIT)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    warnings.simplefilter("ignore")
    for name in WARM:
        __import__(name)
    candidate.open_streams()
    calling.warm_up(SINK_FD)
    os.write(report, b"ready   ")
    gc.collect()
    Zygote(requests, report).serve()
