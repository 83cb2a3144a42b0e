"""The trusted side of the sandboxes where gcc compiles many C programs.

The same compiler and options as in a sandbox of its own, and a process for each input, so what a
program printed is settled when every input ended with exit code 0.  All else runs alone.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from codequake.sandbox.jobs import Build, Care, Ending, Job, Mode, Outcome, Run
from codequake.sandbox.native_program import fork_server_source
from codequake.sandbox.patterns import PERTURB, check_build_of
from codequake.sandbox.pool import LostError, Pool, ServerLaunch
from codequake.sandbox.served import Served
from codequake.sandbox.toolchains import COMPILER, toolchain_of
from codequake.tasks import Language

__all__ = ["GccWorkers"]

_LONGEST_SOURCE = 1 << 16
_LONGEST_INPUTS = 1 << 20
_LOST_SECONDS = 120.0
_LENGTH_BYTES = 8
# What could run before the filter of a program is on, or write such a thing in disguise: names
# with two underscores (attributes), assembly, pasted tokens, spliced lines, pragmas, and files
# that are no headers of the system.
_ODD = re.compile(
    r"__|\basm\b|##|%:|\?\?|\\\s*\n|_Pragma|#\s*pragma|#\s*include\b(?!\s*<[a-z]+[a-z0-9/]*\.h>)"
)


class GccWorkers:
    """Lends a worker to each call; may be used from several threads."""

    def __init__(self, launch: ServerLaunch, backend: str) -> None:
        given = {"server": fork_server_source(), "compiler": COMPILER}
        greeting = _message(given)
        self._pool: Pool[Served] = Pool(lambda number: Served(launch, number, greeting))
        self._backend = backend

    @property
    def fault(self) -> str:
        """Why no worker starts; empty where they do, or none was needed yet."""
        return self._pool.fault

    def run(self, jobs: Sequence[Job], is_checked: Callable[[Job], bool]) -> list[Outcome | None]:
        """Run C programs on standard input, in order; ``None`` where more care has to tell.

        ``is_checked`` says of which programs it is known that they read no memory that they never
        wrote; all others are run twice, with two patterns in memory.
        """
        found: list[Outcome | None] = [None] * len(jobs)
        positions = [index for index, job in enumerate(jobs) if _is_servable(job)]
        if not positions:
            return found
        worker = self._pool.take()
        if worker is None:
            return found
        try:
            for index in positions:
                found[index] = self._ask(worker, jobs[index], checked=is_checked(jobs[index]))
        except (OSError, ValueError, KeyError, TypeError, LostError):
            # Whatever ended it, the programs that it has not answered run alone.
            self._pool.drop(worker)
            return found
        except BaseException:  # an interruption: nothing may outlive this call
            self._pool.drop(worker)
            raise
        self._pool.give_back(worker)
        return found

    def kill_all(self) -> None:
        """End every worker, those that wait too."""
        self._pool.kill_all()

    def _ask(self, worker: Served, job: Job, *, checked: bool) -> Outcome | None:
        other = () if checked else check_build_of(job.language)
        builds = [(toolchain_of(job.language).build, "")]
        if other:
            builds.append((other, PERTURB))
        limits = {name: getattr(job.limits, name) for name in job.limits.__dataclass_fields__}
        request: dict[str, Any] = {"source": job.source, "limits": limits, "builds": builds}
        if worker.known is not job.inputs:
            request["inputs"] = job.inputs
            worker.known = job.inputs
        wall = len(builds) * job.limits.wall_factor * job.limits.build_cpu_seconds
        wall += len(builds) * len(job.inputs) * job.limits.wall_factor * job.limits.cpu_seconds
        answer = _told(worker, _message(request), time.monotonic() + _LOST_SECONDS + wall)
        outputs = answer["outputs"]
        if outputs is None or len(outputs) != len(job.inputs):
            return None
        runs = tuple(
            Run(Ending.RETURNED, json.dumps(str(text)), "", 0.0, bool(was_read))
            for text, was_read in outputs
        )
        build = Build(ok=True, why="")
        return Outcome(
            build, None, runs, float(answer["cpu"]), None, self._backend, care=Care.APART
        )


def _is_servable(job: Job) -> bool:
    return (
        job.mode is Mode.STDIN
        and job.language is Language.C
        and bool(job.inputs)
        and len(job.source) <= _LONGEST_SOURCE
        and sum(map(len, job.inputs)) <= _LONGEST_INPUTS
        and _ODD.search(job.source) is None
    )


def _message(given: dict[str, Any]) -> bytes:
    data = json.dumps(given).encode()
    return b"%08x" % len(data) + data


def _told(worker: Served, request: bytes, end: float) -> dict[str, Any]:
    """Send a request and return the answer."""
    left: memoryview | bytes = memoryview(request)
    data = bytearray()
    while len(data) < _LENGTH_BYTES or len(data) < _LENGTH_BYTES + int(data[:_LENGTH_BYTES], 16):
        left = worker.exchange(left, data, end)
    answer: dict[str, Any] = json.loads(data[_LENGTH_BYTES:])
    return answer
