"""What a job gives to process 1, and what it gives to the judge process alone.

Tests by statements hold what a program should answer.  They go in a file in memory that process 1
hands on unread: the process of the program is a copy of process 1, and nothing of them must ever
have been in it.  The judge writes into the same file what it has to say about a failed assertion,
since that quotes the test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from codequake.sandbox.jobs import Job, Limits, Mode, Run

__all__ = ["Material", "judge_cpu_seconds", "material_of", "write_all"]

_MIB = 1 << 20
_JUDGE_CPU_SECONDS = 5.0
_JUDGE_CPU_FACTOR = 2.0
_REASON_BYTES = 480
_JUDGE_MEMORY_BYTES = 1024 * _MIB


@dataclass(frozen=True, slots=True)
class Material:
    """Fields of the message to process 1, and the files that it inherits (none or the judge's)."""

    fields: dict[str, Any]
    keep_open: tuple[int, ...] = ()

    def with_reasons(self, runs: Sequence[Run]) -> Sequence[Run]:
        """Return the runs of a job, each failed test with the reason that the judge left."""
        if not self.keep_open:
            return runs
        return tuple(
            replace(run, detail=self._reason(index)) if run.output == "false" else run
            for index, run in enumerate(runs)
        )

    def _reason(self, index: int) -> str:
        start = json.loads(self.fields["inputs"][index])[2]
        data = os.pread(self.keep_open[0], _REASON_BYTES, start)
        return data.rstrip(b"\0").decode("utf-8", "replace")


def judge_cpu_seconds(limits: Limits) -> float:
    """Processor time of the judge process for one test: more than any sensible test uses."""
    return _JUDGE_CPU_SECONDS + _JUDGE_CPU_FACTOR * limits.cpu_seconds


@contextmanager
def material_of(job: Job, file: int | None = None) -> Iterator[Material]:
    """Give the material of a job as long as it runs.

    For ``ASSERT`` the inputs become the places of the tests in the judge's file: a new one, or an
    empty ``file`` of the caller's, which is emptied in the end.
    """
    if job.mode is not Mode.ASSERT:
        yield Material({"inputs": job.inputs})
        return
    texts = [text.encode("utf-8", "surrogatepass") for text in (job.setup, *job.inputs)]
    places = []
    start = 0
    for text in texts:
        places.append((start, len(text)))
        start += len(text)
    used = os.memfd_create("tests") if file is None else file
    try:
        write_all(used, b"".join(texts))
        fields = {
            "inputs": [
                json.dumps((*place, start + index * _REASON_BYTES))
                for index, place in enumerate(places[1:])
            ],
            "reason_bytes": _REASON_BYTES,
            "setup": places[0],
            "material": used,
            "judge_cpu_seconds": judge_cpu_seconds(job.limits),
            "judge_memory_bytes": max(_JUDGE_MEMORY_BYTES, job.limits.memory_bytes),
        }
        yield Material(fields, (used,))
    finally:
        if file is None:
            os.close(used)
        else:
            os.ftruncate(used, 0)


def write_all(file: int, data: bytes) -> None:
    """Make ``data`` the whole content of a file in memory, wherever its offset is."""
    os.ftruncate(file, 0)
    left, start = memoryview(data), 0
    while left:
        written = os.pwrite(file, left, start)
        left, start = left[written:], start + written
