"""Sandboxes that serve many requests: start them, talk to them, keep them, end them."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Served", "ServedLaunch", "ServedLostError", "ServedPool"]

_READY = b"ready   "
_PIECE = 1 << 20
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ServedLaunch:
    """How to start process 1: ``command`` for the descriptor of its filter, and the user."""

    command: Callable[[int], tuple[str, ...]]
    filter_program: bytes
    user: int | None


class ServedLostError(Exception):
    """A served sandbox went away or said what none says; its programs are run elsewhere."""


class Served:
    """One sandbox and our ends of its pipes; ``greeting`` is what it is told first."""

    def __init__(self, launch: ServedLaunch, number: int, greeting: bytes) -> None:
        self.busy = True
        self.known: object = None
        filter_fd = os.memfd_create("filter")
        try:
            os.write(filter_fd, launch.filter_program)
            os.lseek(filter_fd, 0, os.SEEK_SET)
            user: dict[str, Any] = {}
            if launch.user is not None:
                user = {"user": launch.user, "group": launch.user, "extra_groups": []}
            with _pinned(number):
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
        self._greeting = greeting

    def wait_until_ready(self) -> None:
        """Raise ``ServedLostError`` when process 1 does not come up."""
        end = time.monotonic() + _START_SECONDS
        data = bytearray()
        left: memoryview | bytes = self._greeting
        while len(data) < len(_READY):
            left = self.exchange(left, data, end)
        if data != _READY:
            raise ServedLostError

    def exchange(self, left: memoryview | bytes, data: bytearray, end: float) -> memoryview | bytes:
        """Wait until something can be written or read, do it, return what is left to write."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        reader, writer = self._process.stdout.fileno(), self._process.stdin.fileno()
        seconds = max(0.0, end - time.monotonic())
        readable, writable, _ = select.select([reader], [writer] if left else [], [], seconds)
        if not readable and not writable:
            raise ServedLostError
        if writable:
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(writer, left[:_PIECE]) :]
        if readable:
            piece = os.read(reader, _PIECE)
            if not piece:
                raise ServedLostError
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


class ServedPool:
    """Keeps idle sandboxes and lends one to each call; may be used from several threads."""

    def __init__(self, launch: ServedLaunch, greeting: bytes = b"") -> None:
        self._launch = launch
        self._greeting = greeting
        self._idle: list[Served] = []
        self._live: set[Served] = set()
        self._lock = threading.Lock()
        self._started = os.getpid()

    def take(self) -> Served:
        """Lend a sandbox; raises ``OSError`` or ``ServedLostError`` when none comes up."""
        with self._lock:
            if self._idle:
                served = self._idle.pop()
                served.busy = True
                return served
            number = self._started
            self._started += 1
        served = Served(self._launch, number, self._greeting)
        with self._lock:
            self._live.add(served)
        try:
            served.wait_until_ready()
        except BaseException:  # an interruption too: a sandbox that nobody holds must not live
            self.drop(served)
            raise
        return served

    def give(self, served: Served) -> None:
        """Take back a sandbox that answered everything."""
        with self._lock:
            served.busy = False
            if served in self._live:
                self._idle.append(served)

    def drop(self, served: Served) -> None:
        """End a sandbox that did not."""
        served.kill()
        served.close()
        with self._lock:
            self._live.discard(served)

    def kill_all(self) -> None:
        """End every sandbox, those that wait too."""
        with self._lock:
            self._idle.clear()
            for served in self._live:
                served.kill()
            self._live = {served for served in self._live if served.busy}


@contextlib.contextmanager
def _pinned(number: int) -> Iterator[None]:
    """Let a process start on one processor only: what it forks then wakes on a warm one."""
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {sorted(allowed)[number % len(allowed)]})
        yield
    finally:
        os.sched_setaffinity(0, allowed)
