"""The trusted side of the sandboxes that serve many programs: start them, ask them, end them."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from codequake.sandbox.jobs import (
    Build,
    Care,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    Returned,
    Run,
)
from codequake.sandbox.pool import (
    LostError,
    Pool,
    ServerLaunch,
    kill_group,
    last_words,
    start_server,
)
from codequake.tasks import Language

__all__ = ["Workers"]

_READY = b"ready   "
_LENGTH_BYTES = 8
_PIECE = 1 << 20
_KNOWN_BYTES = 8 << 20  # inputs that a worker keeps; every fork of it copies the tables of them
_MOST_HELD = 192 << 20
_LONGEST_SOURCE = 1 << 16
_LONGEST_INPUTS = 1 << 20
_SLICE_SECONDS = 1.0
_START_SECONDS = 60.0
_LOST_SECONDS = 120.0


class Workers:
    """Runs called programs in sandboxes that serve many; may be used from several threads."""

    def __init__(self, launch: ServerLaunch, backend: str) -> None:
        self._pool = Pool(lambda number: _Worker(launch, number))
        self._backend = backend

    @property
    def fault(self) -> str:
        """Why no worker starts; empty where they do, or none was needed yet."""
        return self._pool.fault

    def run(self, jobs: Sequence[Job], *, share: bool) -> list[Outcome | None]:
        """Run called Python programs, in order; ``None`` where more care is needed to tell.

        ``share`` lets programs that can leave no trace run in one process.
        """
        found: list[Outcome | None] = [None] * len(jobs)
        groups: dict[Limits, list[int]] = {}
        for position, job in enumerate(jobs):
            if _is_servable(job):
                groups.setdefault(job.limits, []).append(position)
        for limits, positions in groups.items():
            chosen = [jobs[position] for position in positions]
            for position, outcome in zip(
                positions, self._serve(chosen, limits, share), strict=True
            ):
                found[position] = outcome
        return found

    def kill_all(self) -> None:
        """End every worker, those that wait too."""
        self._pool.kill_all()

    def _serve(self, jobs: list[Job], limits: Limits, share: bool) -> list[Outcome | None]:
        worker = self._pool.take()
        if worker is None:
            return [None] * len(jobs)
        try:
            head, records = worker.ask(jobs, limits, share=share)
            outcomes = self._outcomes(jobs, head["results"], records)
        except (OSError, ValueError, KeyError, TypeError, LostError):
            # Whatever ended it, each of its programs is run again in a sandbox of its own.
            self._pool.drop(worker)
            return [None] * len(jobs)
        except BaseException:  # an interruption: nothing may outlive this call
            self._pool.drop(worker)
            raise
        if head["held"] > _MOST_HELD:
            self._pool.drop(worker)
        else:
            self._pool.give_back(worker)
        return outcomes

    def _outcomes(
        self, jobs: list[Job], results: list[dict[str, Any]], records: memoryview
    ) -> list[Outcome | None]:
        outcomes: list[Outcome | None] = []
        position = 0
        for job, result in zip(jobs, results, strict=True):
            end = position + result["bytes"]
            text = str(records[position:end], "utf-8", "replace")
            outcomes.append(self._outcome(job, result, text))
            position = end
        return outcomes

    def _outcome(self, job: Job, result: dict[str, Any], text: str) -> Outcome | None:
        """Read one record; ``None`` when it is none, or tells of a limit."""
        kind, alone = result["kind"], result["peak"] is not None
        care = Care.APART if alone else Care.TOGETHER
        if kind == "syntax":
            build = Build(ok=False, why=text)
            return Outcome(build, None, (), result["cpu"], None, self._backend, care=care)
        runs: Sequence[Run] = ()
        if kind in _READERS:
            runs = _READERS[kind](text, len(job.inputs))
        if not runs and kind != "missing":
            return None
        return Outcome(
            Build(ok=True, why=""),
            kind != "missing",
            runs,
            result["cpu"],
            result["peak"],
            self._backend,
            care=care,
            settled=alone
            and bool(result["plain"])
            and (kind == "data" or not any(map(_may_differ, runs))),
        )


def _is_servable(job: Job) -> bool:
    return (
        job.mode is Mode.CALL
        and job.language is Language.PYTHON
        and bool(job.inputs)
        and len(job.source) <= _LONGEST_SOURCE
        and sum(map(len, job.inputs)) <= _LONGEST_INPUTS
    )


def _all_returned(text: str, count: int) -> Sequence[Run]:
    return Returned(text, count) if text.count("\n") == count - 1 else ()


def _mixed(text: str, count: int) -> tuple[Run, ...]:
    try:
        rows = json.loads(text)
        runs = tuple(
            Run(
                Ending(ending),
                None if output is None else _storable(output),
                _storable(detail),
                0.0,
                None,
            )
            for ending, detail, output in rows
        )
    except (ValueError, TypeError, RecursionError):
        return ()
    return runs if len(runs) == count else ()


def _storable(text: Any) -> str:
    """The text without halves of surrogate pairs, which JSON escapes can name, as when alone."""
    return str(str(text).encode("utf-8", "surrogatepass"), "utf-8", "replace")


_READERS: dict[str, Callable[[str, int], Sequence[Run]]] = {"data": _all_returned, "mixed": _mixed}


def _may_differ(run: Run) -> bool:
    """Whether a process of its own, with the whole of the limits, might end otherwise."""
    if run.ending in (Ending.RETURNED, Ending.NOT_DATA):
        return False
    return run.ending is not Ending.CRASHED or run.detail.startswith(("Recursion", "Memory"))


class _Worker:
    """One sandbox and our ends of its pipes."""

    def __init__(self, launch: ServerLaunch, number: int) -> None:
        self.busy = True
        self._known: OrderedDict[int, tuple[tuple[str, ...], int]] = OrderedDict()
        self._known_bytes = 0
        self._count_processes = launch.count_processes
        self._sink = os.memfd_create("printed")
        try:
            self._process = start_server(
                launch,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._sink,
                number=number,
            )
        except BaseException:  # whatever kept it from starting, nobody else would close this
            os.close(self._sink)
            raise

    def wait_until_ready(self) -> None:
        """Raise ``LostError`` with the reason when process 1 does not come up."""
        try:
            ready = bytes(self._read(len(_READY), time.monotonic() + _START_SECONDS)) == _READY
        except LostError:
            ready = False
        if not ready:
            raise LostError(last_words(self._sink))

    def ask(
        self, jobs: list[Job], limits: Limits, *, share: bool
    ) -> tuple[dict[str, Any], memoryview]:
        """Send programs with the inputs that the worker lacks; return the answer to them."""
        added: dict[str, tuple[str, ...]] = {}
        programs = [[job.source, job.entry_point, self._key(job.inputs, added)] for job in jobs]
        dropped = self._forget({key for _, _, key in programs})
        part = min(_SLICE_SECONDS, limits.cpu_seconds)
        message = {
            "drop": dropped,
            "add": added,
            "limits": {
                "cpu_seconds": limits.cpu_seconds,
                "slice_seconds": part,
                "wall_seconds": part * limits.wall_factor,
                "memory_bytes": limits.memory_bytes,
                "output_bytes": limits.output_bytes,
                "processes": limits.processes,
                "open_files": limits.open_files,
            },
            "count_processes": self._count_processes,
            "share": share,
            "programs": programs,
        }
        data = json.dumps(message).encode()
        end = time.monotonic() + _LOST_SECONDS + len(jobs) * 3 * part * limits.wall_factor
        self._write(b"%08x" % len(data) + data, end)
        head = json.loads(bytes(self._read(int(bytes(self._read(_LENGTH_BYTES, end)), 16), end)))
        size = sum(result["bytes"] for result in head["results"])
        return head, self._read(size, end)

    def _key(self, inputs: tuple[str, ...], added: dict[str, tuple[str, ...]]) -> str:
        """The name that the worker knows these inputs by; new ones are put among ``added``."""
        key = id(inputs)  # the table keeps them alive, so no others can have this number
        if key in self._known:
            self._known.move_to_end(key)
        else:
            size = sum(map(len, inputs))
            self._known[key] = (inputs, size)
            self._known_bytes += size
            added[str(key)] = inputs
        return str(key)

    def _forget(self, needed: set[str | None]) -> list[str]:
        """Choose the oldest inputs that are to be dropped, none of those that are needed now."""
        dropped: list[str] = []
        while self._known_bytes > _KNOWN_BYTES:
            oldest = next(iter(self._known))
            if str(oldest) in needed:
                break  # all that are left: those of this request were moved to the end
            self._known_bytes -= self._known.pop(oldest)[1]
            dropped.append(str(oldest))
        return dropped

    def _write(self, data: bytes, end: float) -> None:
        assert self._process.stdin is not None
        fd = self._process.stdin.fileno()
        os.set_blocking(fd, False)
        left = memoryview(data)
        while left:
            if not select.select([], [fd], [], max(0.0, end - time.monotonic()))[1]:
                raise LostError
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(fd, left[:_PIECE]) :]

    def _read(self, size: int, end: float) -> memoryview:
        assert self._process.stdout is not None
        fd = self._process.stdout.fileno()
        data = bytearray()
        while len(data) < size:
            if not select.select([fd], [], [], max(0.0, end - time.monotonic()))[0]:
                raise LostError
            piece = os.read(fd, min(_PIECE, size - len(data)))
            if not piece:
                raise LostError
            data += piece
        return memoryview(data)

    def kill(self) -> None:
        """End the sandbox and all in it."""
        kill_group(self._process)
        if not self.busy:
            self.close()

    def close(self) -> None:
        """Reap process 1 and close our ends."""
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self._sink >= 0:
            os.close(self._sink)
            self._sink = -1
