"""The trusted side of the sandboxes that compile and run C programs in memory.

What such a worker says can prove a program right, never wrong: it compiles with libtcc, which is no
authority, and gives up at anything that is not a clean end on every input.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Any

from codequake.sandbox.jobs import Build, Care, Job, Limits, Mode, Outcome, Returned
from codequake.sandbox.workers import WorkerLaunch, pinned
from codequake.tasks import Language

__all__ = ["CWorkers"]

_READY = b"ready   "
_PIECE = 1 << 20
_LONGEST_SOURCE = 1 << 16
_LONGEST_INPUTS = 1 << 20
_SLICE_SECONDS = 1.0
_START_SECONDS = 60.0
_LOST_SECONDS = 120.0
_CLEAN = b"+"


class _WorkerLostError(Exception):
    """A worker went away or said what no worker says; its programs are run elsewhere."""


class CWorkers:
    """Keeps idle workers and lends one to each call; may be used from several threads."""

    def __init__(self, launch: WorkerLaunch, backend: str) -> None:
        self._launch = launch
        self._backend = backend
        self._idle: list[_Worker] = []
        self._live: set[_Worker] = set()
        self._lock = threading.Lock()
        self._started = os.getpid()

    def run(self, jobs: Sequence[Job]) -> list[Outcome | None]:
        """Run C programs on standard input, in order; ``None`` where gcc has to tell."""
        found: list[Outcome | None] = [None] * len(jobs)
        positions = [index for index, job in enumerate(jobs) if _is_servable(job)]
        if not positions:
            return found
        try:
            worker = self._take()
        except (OSError, _WorkerLostError):
            return found
        try:
            records = worker.ask([jobs[index] for index in positions])
        except (OSError, _WorkerLostError):
            # Whatever ended it, each of its programs is compiled by gcc.
            self._drop(worker)
            return found
        except BaseException:  # an interruption: nothing may outlive this call
            self._drop(worker)
            raise
        with self._lock:
            worker.busy = False
            if worker in self._live:
                self._idle.append(worker)
        for index, (record, seconds) in zip(positions, records, strict=True):
            found[index] = self._outcome(jobs[index], record, seconds)
        return found

    def kill_all(self) -> None:
        """End every worker, those that wait too."""
        with self._lock:
            self._idle.clear()
            for worker in self._live:
                worker.kill()
            self._live = {worker for worker in self._live if worker.busy}

    def _take(self) -> _Worker:
        with self._lock:
            if self._idle:
                worker = self._idle.pop()
                worker.busy = True
                return worker
            number = self._started
            self._started += 1
        worker = _Worker(self._launch, number)
        with self._lock:
            self._live.add(worker)
        try:
            worker.wait_until_ready()
        except BaseException:  # an interruption too: a worker that nobody holds must not live
            self._drop(worker)
            raise
        return worker

    def _drop(self, worker: _Worker) -> None:
        worker.kill()
        worker.close()
        with self._lock:
            self._live.discard(worker)

    def _outcome(self, job: Job, record: bytes, seconds: float) -> Outcome | None:
        """Read one record; ``None`` when it tells of a doubt, or is none."""
        if record[:1] != _CLEAN:
            return None
        text = record[1:].decode("ascii", "replace")
        if text.count("\n") != len(job.inputs) - 1:
            return None
        runs = Returned(text, len(job.inputs))
        build = Build(ok=True, why="")
        return Outcome(
            build, None, runs, seconds, None, self._backend, care=Care.TOGETHER, settled=False
        )


def _is_servable(job: Job) -> bool:
    return (
        job.mode is Mode.STDIN
        and job.language is Language.C
        and bool(job.inputs)
        and "\0" not in job.source
        and len(job.source) <= _LONGEST_SOURCE
        and sum(map(len, job.inputs)) <= _LONGEST_INPUTS
    )


def _message(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("=I", len(data)) + data


def _limits_message(limits: Limits) -> bytes:
    part = min(_SLICE_SECONDS, limits.cpu_seconds)
    sizes = (limits.memory_bytes, limits.output_bytes, limits.total_output_bytes)
    return _message(b"L", struct.pack("=IIQQQ", int(part * 1000), 1, *sizes))


def _inputs_message(inputs: tuple[str, ...]) -> bytes:
    texts = [json.loads(text).encode("utf-8", "surrogatepass") for text in inputs]
    sizes = struct.pack(f"={1 + len(texts)}I", len(texts), *map(len, texts))
    return _message(b"I", sizes + b"".join(texts))


class _Worker:
    """One sandbox and our ends of its pipes."""

    def __init__(self, launch: WorkerLaunch, number: int) -> None:
        self.busy = True
        self._limits: Limits | None = None
        self._inputs: tuple[str, ...] = ()
        filter_fd = os.memfd_create("filter")
        try:
            os.write(filter_fd, launch.filter_program)
            os.lseek(filter_fd, 0, os.SEEK_SET)
            user: dict[str, Any] = {}
            if launch.user is not None:
                user = {"user": launch.user, "group": launch.user, "extra_groups": []}
            with pinned(number):
                self._process = subprocess.Popen(
                    launch.command(filter_fd),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    bufsize=0,
                    pass_fds=(filter_fd,),
                    env={},
                    cwd="/",
                    process_group=0,  # a Ctrl-C at the terminal is for us alone
                    **user,
                )
        finally:
            os.close(filter_fd)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)

    def wait_until_ready(self) -> None:
        """Raise ``_WorkerLostError`` when process 1 does not come up."""
        end = time.monotonic() + _START_SECONDS
        if bytes(self._talk(b"", len(_READY), end)) != _READY:
            raise _WorkerLostError

    def ask(self, jobs: list[Job]) -> list[tuple[bytes, float]]:
        """Send programs; return the record and the processor seconds of each."""
        request = bytearray()
        wall = 0.0
        for job in jobs:
            if job.limits != self._limits:
                self._limits = job.limits
                request += _limits_message(job.limits)
            if job.inputs is not self._inputs:  # equal ones are the same object, see Runner
                self._inputs = job.inputs
                request += _inputs_message(job.inputs)
            request += _message(b"P", job.source.encode("utf-8", "replace"))
            wall += _SLICE_SECONDS * job.limits.wall_factor
        end = time.monotonic() + _LOST_SECONDS + wall
        left: memoryview | bytes = memoryview(request)
        records: list[tuple[bytes, float]] = []
        data = bytearray()
        while len(records) < len(jobs):
            left = self._exchange(left, data, end)
            _take_records(data, records)
        if left or data:
            raise _WorkerLostError
        return records

    def _talk(self, request: bytes, size: int, end: float) -> bytearray:
        data = bytearray()
        left: memoryview | bytes = request
        while len(data) < size:
            left = self._exchange(left, data, end)
        return data

    def _exchange(
        self, left: memoryview | bytes, data: bytearray, end: float
    ) -> memoryview | bytes:
        """Wait until something can be written or read, do it, return what is left to write."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        reader, writer = self._process.stdout.fileno(), self._process.stdin.fileno()
        seconds = end - time.monotonic()
        ready = select.select([reader], [writer] if left else [], [], max(0.0, seconds))
        if not ready[0] and not ready[1]:
            raise _WorkerLostError
        if ready[1]:
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(writer, left[:_PIECE]) :]
        if ready[0]:
            piece = os.read(reader, _PIECE)
            if not piece:
                raise _WorkerLostError
            data += piece
        return left

    def kill(self) -> None:
        """End the sandbox and all in it."""
        self._process.kill()
        if not self.busy:
            self.close()

    def close(self) -> None:
        """Reap process 1 and close our ends."""
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _take_records(data: bytearray, records: list[tuple[bytes, float]]) -> None:
    """Move whole records from what was read to the others."""
    while len(data) >= 8:
        size, microseconds = struct.unpack_from("=II", data)
        if len(data) < 8 + size:
            return
        records.append((bytes(data[8 : 8 + size]), microseconds / 1e6))
        del data[: 8 + size]
