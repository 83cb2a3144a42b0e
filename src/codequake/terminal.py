"""Results on standard output; progress on standard error: a bar on a terminal, else lines."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from codequake.errors import StorageError
from codequake.plain import plain_text
from codequake.ports import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

__all__ = ["Terminal", "emit", "flush", "say"]

_LINE_EVERY_SECONDS = 15.0


def emit(value: Any) -> None:
    """Print one JSON value for machines."""
    with _told_apart():
        sys.stdout.write(json.dumps(value, ensure_ascii=True, indent=2, sort_keys=True) + "\n")


def say(text: str) -> None:
    """Print text for people; nothing in it can steer the terminal."""
    with _told_apart():
        sys.stdout.write(plain_text(text) + "\n")


def flush() -> None:
    """Write out what was printed; raises ``StorageError`` where that cannot be done."""
    with _told_apart():
        sys.stdout.flush()


@contextlib.contextmanager
def _told_apart() -> Iterator[None]:
    """Turn a full disk behind standard output into an error of the machine.

    A reader that went away, as ``head`` does, is no error: the command goes on unheard, since its
    exit code still tells whether a check failed.
    """
    try:
        yield
    except OSError as error:
        # What could not be written stays in the buffer, and would fail again at the very end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            reason = error.strerror or str(error)
            raise StorageError(f"standard output cannot be written: {reason}") from error


class Terminal:
    """Shows stages with count, rate and time left; use it as a context manager."""

    def __init__(self) -> None:
        self._bars: Bars | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as RichProgress

            self._bars = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}", markup=False),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None

    @contextlib.contextmanager
    def stage(self, title: str, total: int) -> Iterator[Progress]:
        """Open a stage of ``total`` items; the value is called with (done, total)."""
        title = plain_text(title, keep="")
        if self._bars is None:
            yield _lines(title, total)
            return
        bars = self._bars
        task = bars.add_task(title, total=total, rate="")
        started = time.monotonic()

        def show(done: int, total: int) -> None:
            passed = time.monotonic() - started
            rate = f"{done / passed:.1f}/s" if done and passed > 0 else ""
            bars.update(task, completed=done, total=total, rate=rate)

        yield show
        bars.stop_task(task)

    def say(self, text: str) -> None:
        """Tell one sentence."""
        line = plain_text(text)
        if self._bars is None:
            sys.stderr.write(line + "\n")
        else:
            self._bars.console.print(line, markup=False, highlight=False)


def _lines(title: str, total: int) -> Progress:
    """Return progress for logs: the first, the last, and a line every few seconds between."""
    started = last = time.monotonic()
    sys.stderr.write(f"{title}: {total} to do\n")
    sys.stderr.flush()

    def show(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done < total and now - last < _LINE_EVERY_SECONDS:
            return
        last = now
        rate = done / (now - started) if now > started else 0.0
        left = f", {(total - done) / rate:.0f} s left" if rate and done < total else ""
        sys.stderr.write(f"{title}: {done}/{total}, {rate:.1f}/s{left}\n")
        sys.stderr.flush()

    return show
