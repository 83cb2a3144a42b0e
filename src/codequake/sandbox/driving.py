"""The trusted side of a sandbox: start process 1, give it a job, read its events, end it."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from codequake.sandbox.jobs import Build, Ending, Job, Mode, Outcome, Run
from codequake.sandbox.material import Material, judge_cpu_seconds, material_of
from codequake.sandbox.memory import tree_bytes
from codequake.sandbox.patterns import PERTURB, check_build_of
from codequake.sandbox.toolchains import toolchain_of

__all__ = [
    "ENDED_OUTSIDE",
    "Driver",
    "Launch",
    "Reading",
    "Reporter",
    "Try",
    "job_message",
    "reply_room",
    "time_ceiling",
    "tried",
]

_ERROR_BYTES = 4096
_PIECE = 1 << 16
_START_SECONDS = 60.0
_CPU_SLACK = 2.0
_MOST_RUNS = 4  # of a compiled program on one input, where its memory is looked at
_LOOK_SECONDS = 0.05
ENDED_OUTSIDE = "the run was ended from outside"

# How often a job is tried whose sandbox went away: twice once the program may have run, and once
# more where the sandbox was never ready and so has run nothing of it.
_TRIES = 3
_TRIES_WHEN_STARTED = 2


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start process 1: command, inherited files (read from the start), folders, user.

    ``folder`` holds what process 1 shares with a program, ``scratch`` is the program's own.
    """

    command: tuple[str, ...]
    keep_open: tuple[int, ...]
    folder: str
    scratch: str
    environment: dict[str, str]
    user: int | None
    count_processes: bool


@dataclass(slots=True)
class Reading:
    """What came from process 1 so far."""

    lines: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)
    overflow: bool = False
    late: bool = False
    starved: bool = False

    @property
    def cut(self) -> bool:
        """Whether we ended process 1 ourselves."""
        return self.overflow or self.late or self.starved


@dataclass(frozen=True, slots=True)
class Try:
    """One run of a job: whether process 1 was ready, and whether it went away by itself."""

    outcome: Outcome
    was_ready: bool
    brought_down: bool


def tried(once: Callable[[], Try]) -> Outcome:
    """Run a job once, and again where its sandbox went away by itself."""
    started = 0
    for _ in range(_TRIES):
        found = once()
        started += found.was_ready
        if not found.brought_down or started == _TRIES_WHEN_STARTED:
            break
        # A machine that is busy or short of memory may have ended it, too: only what happens
        # at every try is the program's doing, or a fault of this machine.
    return found.outcome


class Driver:
    """Runs process 1 of one backend; may be used from several threads."""

    def __init__(self, name: str, warning: str) -> None:
        self._reporter = Reporter(name, warning)
        self._live: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._kills = 0

    @property
    def kills(self) -> int:
        """How often everything was killed."""
        return self._kills

    def run(self, job: Job, launch: Launch) -> Outcome:
        """Run a job to its end.  Nothing that the program does raises."""
        with material_of(job) as material:
            keep_open = (*launch.keep_open, *material.keep_open)
            launch = replace(launch, keep_open=keep_open)
            message = job_message(job, launch, material)
            outcome = tried(lambda: self._once(job, launch, message))
            return replace(outcome, runs=material.with_reasons(outcome.runs))

    def _once(self, job: Job, launch: Launch, message: bytes) -> Try:
        kills = self._kills
        try:
            process = _start(launch)
        except OSError as error:
            why = f"cannot start {launch.command[0]}: {error.strerror or error}"
            return Try(self._reporter.broken(why), False, False)
        with self._lock:
            self._live.add(process)
        try:
            reading = _exchange(process, message, job)
        finally:
            # Also when we are interrupted: no program may outlive this call.
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            with self._lock:
                self._live.discard(process)
        if self._kills != kills:
            return Try(self._reporter.broken(ENDED_OUTSIDE), False, False)
        return self._reporter.judge(job, reading)

    def kill_all(self) -> None:
        """Kill every process 1 that lives, and with it all that runs inside."""
        with self._lock:
            self._kills += 1
            for process in self._live:
                process.kill()

    def ended_from_outside(self) -> Outcome:
        """Return the outcome of a job that ``kill_all`` ended."""
        return self._reporter.broken(ENDED_OUTSIDE)


class Reporter:
    """Turns what came from process 1 into an outcome that names its backend."""

    def __init__(self, name: str, warning: str) -> None:
        self._name = name
        self._warning = warning

    def broken(self, why: str) -> Outcome:
        """Return the outcome of a sandbox that failed."""
        build = Build(ok=False, why="")
        return Outcome(build, None, (), None, None, self._name, why, self._warning)

    def judge(self, job: Job, reading: Reading) -> Try:
        """Read the events.  Nothing that process 1 or the program wrote raises."""
        lines = bytes(reading.lines)
        started = b'"ready"' in lines
        brought_down = not started or (b'"event": "end"' not in lines and not reading.cut)
        return Try(self._outcome(job, reading), started, brought_down)

    def _outcome(self, job: Job, reading: Reading) -> Outcome:
        try:
            events = [json.loads(line) for line in bytes(reading.lines).split(b"\n")[:-1]]
            return self._from_events(job, events, reading)
        except (ValueError, KeyError, TypeError) as error:
            return self.broken(f"process 1 of the sandbox wrote no event: {error}")

    def _from_events(self, job: Job, events: list[Any], reading: Reading) -> Outcome:
        by_name = {event["event"]: event for event in events}
        said = bytes(reading.errors).decode("utf-8", "replace").strip().splitlines()
        if "ready" not in by_name:
            why = said[-1] if said else "it said nothing"
            return self.broken(f"the sandbox did not start: {why}")
        if "broken" in by_name:
            return self.broken(str(by_name["broken"]["why"]))
        end = by_name.get("end")
        cpu, peak = (end["cpu"], end["peak"]) if end else (None, None)
        built = by_name.get("build")
        if built is None:
            why = "the program cannot be compiled within the limits"
            return Outcome(Build(False, why), None, (), cpu, peak, self._name, None, self._warning)
        build = Build(bool(built["ok"]), str(built["why"]))
        missing = "missing" in by_name
        runs = tuple(_run_of(event) for event in events if event["event"] == "run")
        if not build.ok or missing:
            runs = ()
        elif len(runs) < len(job.inputs):
            runs = _filled(runs, job, reading, ended=end is not None)
        found = None if not build.ok or job.mode is Mode.STDIN else not missing
        return Outcome(build, found, runs, cpu, peak, self._name, None, self._warning)


def _filled(runs: tuple[Run, ...], job: Job, reading: Reading, *, ended: bool) -> tuple[Run, ...]:
    """Say what became of the inputs that process 1 did not report."""
    if not ended:
        # Process 1 was brought down while the program ran: the program's doing, not a pass.
        ending, why = Ending.CRASHED, "the program brought its sandbox down"
        if reading.late:
            ending, why = Ending.TIMEOUT, "used up its time"
        elif reading.starved:
            ending, why = Ending.MEMORY_LIMIT, "its processes together used up the memory"
        elif reading.overflow:
            ending, why = Ending.OUTPUT_LIMIT, "printed or returned too much"
        runs = (*runs, Run(ending, None, why, 0.0, None))
    rest = len(job.inputs) - len(runs)
    return (*runs, *(Run(Ending.NOT_RUN, None, "", 0.0, None) for _ in range(rest)))


def _run_of(event: dict[str, Any]) -> Run:
    output = event["output"]
    return Run(
        Ending(event["ending"]),
        None if output is None else str(output),
        str(event["detail"]),
        float(event["cpu"]),
        event["read"],
    )


def job_message(
    job: Job, launch: Launch, material: Material, slice_seconds: float | None = None
) -> bytes:
    """Return the line of JSON that process 1 reads.

    ``slice_seconds`` ends an input earlier than the limit that the program itself can see.
    """
    limits = {name: getattr(job.limits, name) for name in job.limits.__dataclass_fields__}
    limits["slice_seconds"] = job.limits.cpu_seconds if slice_seconds is None else slice_seconds
    chain = toolchain_of(job.language)
    message = {
        "source": job.source,
        "mode": job.mode.value,
        "entry_point": job.entry_point,
        "limits": limits,
        "build": chain.build,
        "check_build": check_build_of(job.language),
        "perturb": PERTURB,
        "source_name": chain.source_name,
        "target_name": chain.target_name,
        "folder": launch.folder,
        "scratch": launch.scratch,
        "count_processes": launch.count_processes,
        **material.fields,
    }
    return json.dumps(message).encode() + b"\n"


def _start(launch: Launch) -> subprocess.Popen[bytes]:
    for fd in launch.keep_open:
        os.lseek(fd, 0, os.SEEK_SET)  # whoever was started before has read it
    user: dict[str, Any] = {}
    if launch.user is not None:
        user = {"user": launch.user, "group": launch.user, "extra_groups": []}
    return subprocess.Popen(
        launch.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        pass_fds=launch.keep_open,
        env=launch.environment,
        cwd="/",
        process_group=0,  # a Ctrl-C at the terminal is for us alone; we end our programs ourselves
        **user,
    )


def _exchange(process: subprocess.Popen[bytes], message: bytes, job: Job) -> Reading:
    """Send the job and read events until process 1 ends, says too much, or is late."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    reading = Reading()
    room = reply_room(job, message)
    end = time.monotonic() + time_ceiling(job)
    with selectors.DefaultSelector() as selector:
        os.set_blocking(process.stdin.fileno(), False)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ)
        waiting = memoryview(message)
        while process.stdout in selector.get_map():
            left = end - time.monotonic()
            if left <= 0:
                reading.late = True
                break
            ready = selector.select(min(left, _LOOK_SECONDS))
            if not ready and process.poll() is not None:
                break  # ended from outside; what is left of it goes when its pipes are closed
            if not ready and tree_bytes(process.pid) > 2 * job.limits.memory_bytes:
                reading.starved = True
                break
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    waiting = _feed(process, waiting, selector)
                else:
                    _take(key.fileobj, process, reading, selector)
            if len(reading.lines) > room:
                reading.overflow = True
                break
    return reading


def _feed(
    process: subprocess.Popen[bytes], waiting: memoryview, selector: selectors.BaseSelector
) -> memoryview:
    assert process.stdin
    try:
        waiting = waiting[os.write(process.stdin.fileno(), waiting[:_PIECE]) :]
    except BlockingIOError:
        return waiting
    except OSError:
        waiting = waiting[:0]  # process 1 is gone; what it said tells why
    if not waiting:
        # It stays open: process 1 takes its end for ours.
        selector.unregister(process.stdin)
    return waiting


def _take(
    pipe: Any,
    process: subprocess.Popen[bytes],
    reading: Reading,
    selector: selectors.BaseSelector,
) -> None:
    piece = os.read(pipe.fileno(), _PIECE)
    if not piece:
        selector.unregister(pipe)
    elif pipe is process.stdout:
        reading.lines += piece
    elif len(reading.errors) < _ERROR_BYTES:
        reading.errors += piece


def reply_room(job: Job, message: bytes) -> int:
    """Bytes of events that the limits of a job allow; its text may be escaped sixfold."""
    return job.limits.total_output_bytes * 6 + 2 * len(message) + (len(job.inputs) + 4) * 8192


def time_ceiling(job: Job) -> float:
    """Elapsed seconds after which process 1 itself must have failed."""
    limits = job.limits
    each = limits.cpu_seconds + _CPU_SLACK
    if job.mode is Mode.ASSERT:
        each += judge_cpu_seconds(limits)
    seconds = limits.build_cpu_seconds + len(job.inputs) * each
    if check_build_of(job.language):
        seconds *= _MOST_RUNS
    return _START_SECONDS + limits.wall_factor * seconds
