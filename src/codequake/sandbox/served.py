"""A sandbox that answers requests on its two pipes, and our ends of them."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time

from codequake.sandbox.pool import LostError, ServerLaunch, kill_group, start_server

__all__ = ["Served"]

_READY = b"ready   "
_PIECE = 1 << 20
_START_SECONDS = 60.0


class Served:
    """One sandbox and our ends of its pipes; ``greeting`` is what it is told first."""

    def __init__(self, launch: ServerLaunch, number: int, greeting: bytes = b"") -> None:
        self.busy = True
        self.known: object = None
        self._process: subprocess.Popen[bytes] = start_server(
            launch,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            number=number,
        )
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._greeting = greeting

    def wait_until_ready(self) -> None:
        """Raise ``LostError`` when process 1 does not come up."""
        end = time.monotonic() + _START_SECONDS
        data = bytearray()
        left: memoryview | bytes = self._greeting
        while len(data) < len(_READY):
            left = self.exchange(left, data, end)
        if data != _READY:
            raise LostError("it said what no worker says")

    def exchange(self, left: memoryview | bytes, data: bytearray, end: float) -> memoryview | bytes:
        """Wait until something can be written or read, do it, return what is left to write."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        reader, writer = self._process.stdout.fileno(), self._process.stdin.fileno()
        seconds = max(0.0, end - time.monotonic())
        readable, writable, _ = select.select([reader], [writer] if left else [], [], seconds)
        if not readable and not writable:
            raise LostError
        if writable:
            try:
                left = left[os.write(writer, left[:_PIECE]) :]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                raise LostError from None
        if readable:
            piece = os.read(reader, _PIECE)
            if not piece:
                raise LostError
            data += piece
        return left

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
