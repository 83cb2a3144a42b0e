"""Stays beside process 1 inside an environment of Inspect and passes on what it reports.

This file is sent as text and runs inside, on Python 3.9 or newer; it imports nothing of codequake.
Inspect hands in all of the input at once, closes it, and hands out all of the output at the end,
perhaps only its last part.  Process 1 wants a driver that lives as long as it does, and a reply
must be whole or be known not to be.  So this process plays the driver: it holds process 1's
lifeline, watches time, memory and the size of the reply, and ends the reply with one line that
says how many bytes came before it.
"""

# pathlib and contextlib would cost start-up time for every program:
# ruff: noqa: PTH102, PTH109, PTH118, SIM105

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TYPE_CHECKING = False  # typing takes milliseconds to import, for every program
if TYPE_CHECKING:
    from typing import Any

__all__ = ["keep", "main"]

PIECE = 1 << 16
ERROR_BYTES = 4096
LOOK_SECONDS = 0.05
GRACE_SECONDS = 2.0


def main() -> None:
    """Read the orders and a job from standard input, and report on standard output.

    The orders are one line of JSON: ``runner`` and ``memory`` are source texts, ``environment``
    is what programs see, ``seconds``, ``room`` (bytes of the reply) and ``bytes`` (memory of all
    processes together) are the limits.
    """
    # At a terminal an interrupt goes to everybody; who asked for this run ends it in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    head, _, tail = sys.stdin.buffer.read().partition(b"\n")
    orders, job = json.loads(head), json.loads(tail)
    folder = tempfile.mkdtemp(prefix="codequake-", dir=os.getcwd())
    try:
        scratch = os.path.join(folder, "scratch")
        os.mkdir(scratch)
        job.update(folder=folder, scratch=scratch)
        closing = keep(orders, json.dumps(job).encode() + b"\n", scratch)
        _write(1, b"\n" + json.dumps(closing).encode() + b"\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep(orders: dict[str, Any], message: bytes, scratch: str) -> dict[str, Any]:
    """Run process 1 to its end and pass on its events; return what the closing line says.

    ``cut`` is empty or why process 1 was ended: ``overflow``, ``late`` or ``starved``.  ``sent``
    is the number of bytes passed on, ``errors`` what process 1 said on standard error.
    """
    names: dict[str, Any] = {}
    exec(compile(orders["memory"], "memory", "exec", dont_inherit=True), names)  # noqa: S102
    environment = {**orders["environment"], "HOME": scratch, "TMPDIR": scratch}
    process = subprocess.Popen(
        [sys.executable, "-s", "-S", "-B", "-c", orders["runner"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=environment,
        cwd="/",
        start_new_session=True,
    )
    assert process.stdin
    try:
        _write(process.stdin.fileno(), message)
    except OSError:
        pass  # process 1 is gone; what it said tells why
    closing = _pass_on(process, orders, names["tree_bytes"])
    process.stdin.close()  # the end of its lifeline: process 1 ends the program, then itself
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return closing


def _pass_on(
    process: subprocess.Popen[bytes], orders: dict[str, Any], tree_bytes: Any
) -> dict[str, Any]:
    """Copy events to standard output until process 1 ends or uses up a limit."""
    assert process.stdout
    assert process.stderr
    out, err = process.stdout.fileno(), process.stderr.fileno()
    end = time.monotonic() + orders["seconds"]
    sent, errors, cut = 0, b"", ""
    poller = select.poll()
    poller.register(out, select.POLLIN)
    poller.register(err, select.POLLIN)
    poller.register(1, 0)  # only the loss of the reader is of interest
    while not cut:
        ready = dict(poller.poll(LOOK_SECONDS * 1000))
        if 1 in ready:
            break  # nobody listens any more
        if time.monotonic() > end:
            cut = "late"
        elif not ready and process.poll() is not None:
            break  # what is left of it goes when its pipes are closed
        elif not ready and tree_bytes(process.pid) > orders["bytes"]:
            cut = "starved"
        if err in ready:
            piece = os.read(err, PIECE)
            errors = (errors + piece)[:ERROR_BYTES]
            if not piece:
                poller.unregister(err)
        if out in ready:
            piece = os.read(out, PIECE)
            if not piece:
                break
            _write(1, piece)
            sent += len(piece)
            if sent > orders["room"]:
                cut = "overflow"
    return {"cut": cut, "sent": sent, "errors": errors.decode("utf-8", "replace")}


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


if __name__ == "__main__":
    main()
