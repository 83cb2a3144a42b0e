"""Sandboxes that wait for work: started when needed, lent to one caller at a time, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

__all__ = [
    "LostError",
    "Pool",
    "Server",
    "ServerLaunch",
    "end_forgotten",
    "kill_group",
    "last_words",
    "start_server",
]

_MOST_FAILURES = 2
_ERROR_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ServerLaunch:
    """How to start process 1 of a worker: ``command`` for the descriptor of its filter."""

    command: Callable[[int], tuple[str, ...]]
    filter_program: bytes
    user: int | None
    count_processes: bool


class LostError(Exception):
    """A worker went away or said what no worker says; its programs are run elsewhere."""


class Server(Protocol):
    """A sandbox with our ends of its pipes; ``busy`` while it is lent."""

    busy: bool

    def wait_until_ready(self) -> None:
        """Raise ``LostError`` with the reason when process 1 does not come up."""
        ...

    def kill(self) -> None:
        """End the sandbox and all in it."""
        ...

    def close(self) -> None:
        """Reap process 1 and close our ends."""
        ...


_S = TypeVar("_S", bound=Server)


class Pool(Generic[_S]):
    """Keeps idle workers and lends one to each call; may be used from several threads."""

    def __init__(self, start: Callable[[int], _S]) -> None:
        """``start`` gets a number that is another one for each worker, if it wants to use it."""
        self._start = start
        self._idle: list[_S] = []
        self._live: set[_S] = set()
        self._lock = threading.Lock()
        self._started = os.getpid()
        weakref.finalize(self, end_forgotten, self._live, self._started).atexit = False
        self._kills = 0
        self._failures = 0
        self._fault = ""

    @property
    def fault(self) -> str:
        """Why the last worker that was started did not come up; empty when it did."""
        return self._fault

    def take(self) -> _S | None:
        """Return a worker of the caller's own; ``None`` where they do not start.

        After two that did not come up in a row no more are tried.
        """
        with self._lock:
            if self._idle:
                worker = self._idle.pop()
                worker.busy = True
                return worker
            if self._failures >= _MOST_FAILURES:
                return None
            number, kills = self._started, self._kills
            self._started += 1
        try:
            worker = self._start(number)
        except OSError as error:
            self._failed(kills, error.strerror or str(error))
            return None
        with self._lock:
            self._live.add(worker)
        try:
            worker.wait_until_ready()
        except (OSError, LostError) as error:
            self.drop(worker)
            self._failed(kills, str(error) or "it went away")
            return None
        except BaseException:  # an interruption: a worker that nobody holds must not live
            self.drop(worker)
            raise
        with self._lock:
            self._failures, self._fault = 0, ""
        return worker

    def give_back(self, worker: _S) -> None:
        """Let a worker wait for the next caller."""
        with self._lock:
            worker.busy = False
            if worker in self._live:
                self._idle.append(worker)

    def drop(self, worker: _S) -> None:
        """End a worker for good."""
        worker.kill()
        worker.close()
        with self._lock:
            self._live.discard(worker)

    def kill_all(self) -> None:
        """End every worker, those that wait too."""
        with self._lock:
            self._kills += 1
            self._idle.clear()
            for worker in self._live:
                worker.kill()
            self._live.intersection_update([worker for worker in self._live if worker.busy])

    def _failed(self, kills: int, why: str) -> None:
        with self._lock:
            if self._kills == kills:  # else it was ended, which is no fault of this machine
                self._failures += 1
                self._fault = why


def end_forgotten(live: set[Any], owner: int) -> None:
    """End the workers of a pool that nobody holds any more; a forked copy of it ends none."""
    if os.getpid() == owner:
        for worker in live:
            worker.busy = False
            worker.kill()


def start_server(
    launch: ServerLaunch, *, stdin: int, stdout: int, stderr: int, number: int | None = None
) -> subprocess.Popen[bytes]:
    """Start process 1, on one processor when it has a ``number``; raises ``OSError``."""
    filter_fd = os.memfd_create("filter")
    try:
        os.write(filter_fd, launch.filter_program)
        os.lseek(filter_fd, 0, os.SEEK_SET)
        user: dict[str, Any] = {}
        if launch.user is not None:
            user = {"user": launch.user, "group": launch.user, "extra_groups": []}
        with contextlib.nullcontext() if number is None else _pinned(number):
            return subprocess.Popen(
                launch.command(filter_fd),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                bufsize=0,
                pass_fds=(filter_fd,),
                env={},
                cwd="/",
                process_group=0,  # a Ctrl-C at the terminal is for us alone
                **user,
            )
    finally:
        os.close(filter_fd)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group of its own, with all of that group.

    Bubblewrap that is killed while it starts leaves a child that waits for it without end and
    holds our pipes.  That child is still in its group; process 1 has left it, and dies with its
    parent.
    """
    if process.returncode is None:  # else it is reaped, and the number may be another's
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def last_words(fd: int) -> str:
    """Return the last line in a file that a worker writes its errors to."""
    size = os.fstat(fd).st_size
    start = max(0, size - _ERROR_BYTES)
    lines = os.pread(fd, _ERROR_BYTES, start).decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


@contextlib.contextmanager
def _pinned(number: int) -> Iterator[None]:
    """Let a process start on one processor only: what it forks then wakes on a warm one.

    The affinity is that of this thread, and the new process inherits it.
    """
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {sorted(allowed)[number % len(allowed)]})
        yield
    finally:
        os.sched_setaffinity(0, allowed)
