"""The trusted side of the sandboxes that compile and run C programs in memory.

What such a worker says can prove a program right, never wrong: it compiles with libtcc, which is no
authority, and gives up at anything that is not a clean end on every input.
"""

from __future__ import annotations

import functools
import json
import struct
import time
from collections.abc import Sequence

from codequake.sandbox.jobs import Build, Care, Job, Limits, Mode, Outcome, Returned
from codequake.sandbox.pool import LostError, Pool, ServerLaunch
from codequake.sandbox.served import Served
from codequake.tasks import Language

__all__ = ["CWorkers"]

_LONGEST_SOURCE = 1 << 16
_LONGEST_INPUTS = 1 << 20
_SLICE_SECONDS = 1.0
_LOST_SECONDS = 120.0
_CLEAN = b"+"


class CWorkers:
    """Lends a worker to each call; may be used from several threads."""

    def __init__(self, launch: ServerLaunch, backend: str) -> None:
        self._pool: Pool[Served] = Pool(lambda number: Served(launch, number))
        self._backend = backend

    @property
    def fault(self) -> str:
        """Why no worker starts; empty where they do, or none was needed yet."""
        return self._pool.fault

    def run(self, jobs: Sequence[Job]) -> list[Outcome | None]:
        """Run C programs on standard input, in order; ``None`` where gcc has to tell."""
        found: list[Outcome | None] = [None] * len(jobs)
        positions = [index for index, job in enumerate(jobs) if _is_servable(job)]
        if not positions:
            return found
        # Programs with the same inputs stand together, so that these are sent once.
        seen = {id(jobs[index].inputs): index for index in reversed(positions)}
        positions.sort(key=lambda index: seen[id(jobs[index].inputs)])
        worker = self._pool.take()
        if worker is None:
            return found
        try:
            records = _ask(worker, [jobs[index] for index in positions])
        except (OSError, LostError):
            # Whatever ended it, each of its programs is compiled by gcc.
            self._pool.drop(worker)
            return found
        except BaseException:  # an interruption: nothing may outlive this call
            self._pool.drop(worker)
            raise
        self._pool.give_back(worker)
        for index, (record, seconds) in zip(positions, records, strict=True):
            found[index] = self._outcome(jobs[index], record, seconds)
        return found

    def kill_all(self) -> None:
        """End every worker, those that wait too."""
        self._pool.kill_all()

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
    return _message(b"L", struct.pack("=IIQQQ", max(1, int(part * 1000)), 1, *sizes))


@functools.lru_cache(maxsize=32)  # the inputs of a problem are asked for with each of its programs
def _inputs_message(inputs: tuple[str, ...]) -> bytes:
    texts = [json.loads(text).encode("utf-8", "surrogatepass") for text in inputs]
    sizes = struct.pack(f"={1 + len(texts)}I", len(texts), *map(len, texts))
    return _message(b"I", sizes + b"".join(texts))


def _ask(worker: Served, jobs: list[Job]) -> list[tuple[bytes, float]]:
    """Send programs; return the record and the processor seconds of each."""
    request = bytearray()
    wall = 0.0
    limits, inputs = worker.known if isinstance(worker.known, tuple) else (None, None)
    for job in jobs:
        if job.limits != limits:
            limits = job.limits
            request += _limits_message(limits)
        if job.inputs is not inputs:  # equal ones are the same object, see Runner
            inputs = job.inputs
            request += _inputs_message(inputs)
        request += _message(b"P", job.source.encode("utf-8", "replace"))
        wall += _SLICE_SECONDS * job.limits.wall_factor
    worker.known = (limits, inputs)
    end = time.monotonic() + _LOST_SECONDS + wall
    left: memoryview | bytes = memoryview(request)
    records: list[tuple[bytes, float]] = []
    data = bytearray()
    while len(records) < len(jobs):
        left = worker.exchange(left, data, end)
        _take_records(data, records)
    if left or data:
        raise LostError
    return records


def _take_records(data: bytearray, records: list[tuple[bytes, float]]) -> None:
    """Move whole records from what was read to the others."""
    while len(data) >= 8:
        size, microseconds = struct.unpack_from("=II", data)
        if len(data) < 8 + size:
            return
        records.append((bytes(data[8 : 8 + size]), microseconds / 1e6))
        del data[: 8 + size]
