"""The trusted side of the sandboxes whose process 1 copies itself for each program."""

from __future__ import annotations

import builtins
import fcntl
import json
import os
import re
import select
import socket
import subprocess
import time
from dataclasses import replace

from codequake.sandbox.driving import Launch, Reading, Reporter, job_message, reply_room
from codequake.sandbox.driving import time_ceiling as ceiling_of
from codequake.sandbox.first import SHOWING
from codequake.sandbox.jobs import Care, Ending, Job, Mode, Outcome, Run
from codequake.sandbox.material import Material, material_of, write_all
from codequake.sandbox.memory import tree_bytes
from codequake.sandbox.pool import (
    LostError,
    Pool,
    ServerLaunch,
    kill_group,
    last_words,
    start_server,
)
from codequake.sandbox.seccomp import clone_number, program_for_copies
from codequake.tasks import Language

__all__ = ["Forks"]

_READY = b"ready"
_PIECE = 1 << 16
_LOOK_SECONDS = 0.05
_START_SECONDS = 60.0
_SLICE_SECONDS = 1.0
_DONE = re.compile(rb'\n\{"event": "done", "code": (-?\d+)\}\n\Z')
_DONE_BYTES = 64
_OWN_PROCESSES = 1  # process 1, which counts beside its copy where that one is process 1 alone
_RULE_OF_SYNTAX = ("SyntaxError:", "IndentationError:", "TabError:", "ValueError:")
# Raised by a machine that is short of something as well as by a mistake.
_OF_THE_MACHINE = (OSError, MemoryError, RuntimeError, SystemError, KeyboardInterrupt, Warning)
_ERRORS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
_SHORTAGES = frozenset(n for n, kind in _ERRORS.items() if issubclass(kind, _OF_THE_MACHINE))
_MISTAKES = frozenset(_ERRORS) - _SHORTAGES
# What can tell a copy from a sandbox of its own: how deep the program's first frame lies, how much
# memory is left (to a few pages), when and in which order what it let go of is collected, and where
# modules of its own would be found.
_SEES_US = re.compile(
    r"RecursionError|MemoryError|_getframe|inspect|traceback|__del__|weakref|\bgc\b|importer|sys\.path"
)
# Parts of these are known to each other by the modules that they first met, and cannot be loaded
# again: where ``first`` forgets modules, a ``Decimal`` is no ``numbers.Number`` any more.
_NUMBERS = re.compile(r"decimal|fractions|numbers|statistics")

# Programs of ours that process 1 runs before it is ready, until the interpreter knows its ways.
_WARM_TEXT = "import math\n\ndef warm(a, b):\n    return [a, math.pi, str(b)]\n"
_WARM = (
    Job(Language.PYTHON, "import sys\nprint(sys.stdin.read())\n", Mode.STDIN, None, ('"1"',) * 2),
    Job(Language.PYTHON, _WARM_TEXT, Mode.CALL, "warm", ("[1,[2]]",)),
    Job(Language.PYTHON, _WARM_TEXT, Mode.ASSERT, "warm", ('"assert warm(1, [2])"',)),
)


class Forks:
    """Runs each program in a copy of a process 1 that has never read one; for several threads."""

    def __init__(self, launch: ServerLaunch, places: Launch, reporter: Reporter) -> None:
        """``places`` names the folders inside, as for a sandbox of one program."""
        self._pool = Pool(lambda _: _Origin(launch, places))
        self._places = places
        self._reporter = reporter

    @property
    def fault(self) -> str:
        """Why no worker starts; empty where they do, or none was needed yet."""
        return self._pool.fault

    def run(self, job: Job) -> Outcome | None:
        """Run one program; ``None`` where that must be done in a sandbox of its own."""
        origin = self._pool.take()
        if origin is None:
            return None
        try:
            outcome = self._outcome(job, origin)
        except (OSError, LostError):
            # Whatever ended it, the program is run again in a sandbox of its own.
            self._pool.drop(origin)
            return None
        except BaseException:  # an interruption: nothing may outlive this call
            self._pool.drop(origin)
            raise
        self._pool.give_back(origin)
        return outcome

    def kill_all(self) -> None:
        """End every worker, those that wait too."""
        self._pool.kill_all()

    def _outcome(self, job: Job, origin: _Origin) -> Outcome | None:
        part = min(_SLICE_SECONDS, job.limits.cpu_seconds)
        with material_of(job, origin.material) as material:
            length, message = self._request(job, material, part)
            code, reading = origin.run(job, length, message)
            found = self._reporter.judge(job, reading)
            if code != 0 or found.brought_down or found.outcome.harness_error is not None:
                return None
            outcome = replace(found.outcome, runs=material.with_reasons(found.outcome.runs))
        return replace(outcome, care=Care.FORKED, settled=_is_settled(job, outcome, part))

    def _request(self, job: Job, material: Material, part: float) -> tuple[int, bytes]:
        """Return the length of the job, and the job with its inputs behind it.

        The copy gets their places only, and reads each when it is its turn.
        """
        texts = [text.encode("utf-8", "surrogatepass") for text in material.fields["inputs"]]
        # Fixed widths: the places of the inputs must not depend on the length of their own list.
        start = len(_message(job, self._places, _placed(material, texts, 0), part))
        message = _message(job, self._places, _placed(material, texts, start), part)
        assert len(message) == start
        return start, b"".join((message, *texts))


def _message(job: Job, places: Launch, material: Material, part: float) -> bytes:
    limits = replace(job.limits, processes=job.limits.processes + _OWN_PROCESSES)
    return job_message(replace(job, limits=limits), places, material, part)


def _placed(material: Material, texts: list[bytes], start: int) -> Material:
    """Replace inputs by their lengths and places."""
    places = []
    for text in texts:
        places.append([len(text), f"{start:015d}"])
        start += len(text)
    return Material({**material.fields, "inputs": places}, material.keep_open)


def _is_settled(job: Job, outcome: Outcome, part: float) -> bool:
    """Whether a sandbox of its own can only say the same.

    A copy has the namespaces, the folders and the limits of such a sandbox.  Left to that one is
    everything that a limit may have had a part in, seen or not, and every end that is not the
    program's own word: a signal, a channel that was closed, an error of the machine.  So is a
    program that may see where it runs.
    """
    if not outcome.build.ok:
        return outcome.build.why.startswith(_RULE_OF_SYNTAX)
    if _SEES_US.search(job.source):
        return False
    if _NUMBERS.search(job.source) and any(word in job.source for word in SHOWING):
        return False
    peak = outcome.peak_bytes
    if peak is None or peak > job.limits.memory_bytes // 2:
        return False
    return all(_is_plain(run) and run.cpu_seconds < part / 2 for run in outcome.runs)


def _is_plain(run: Run) -> bool:
    word = run.detail.partition(":")[0]
    if run.ending is Ending.RETURNED:
        return run.output != "false" or word not in _SHORTAGES  # said by a judge, of itself
    return run.ending is Ending.NOT_DATA or (run.ending is Ending.CRASHED and word in _MISTAKES)


class _Origin:
    """One sandbox, the two files that it inherits, and our end of its socket."""

    def __init__(self, launch: ServerLaunch, places: Launch) -> None:
        self.busy = True
        self._places = places
        self._request, self.material = os.memfd_create("job"), os.memfd_create("tests")
        self._line, theirs = socket.socketpair()
        try:
            self._process: subprocess.Popen[bytes] = start_server(
                launch,
                stdin=self._request,
                stdout=theirs.fileno(),
                stderr=self.material,
            )
        except BaseException:  # whatever kept it from starting, nobody else would close these
            self._close_files()
            raise
        finally:
            theirs.close()
        self._flags = self._file_flags()

    def wait_until_ready(self) -> None:
        """Raise ``LostError`` with the reason when process 1 does not come up."""
        end = time.monotonic() + _START_SECONDS
        said = bytearray()
        with material_of(_WARM[-1], self.material) as material:
            warm = [
                _message(job, self._places, Material({"inputs": job.inputs}), 1.0)
                for job in _WARM[:-1]
            ]
            warm.append(_message(_WARM[-1], self._places, material, 1.0))
            setup = {
                "filter": program_for_copies().hex(),
                "clone": clone_number(),
                "warm": [json.loads(message) for message in warm],
            }
            try:
                self._line.sendall(json.dumps(setup).encode() + b"\n")
                while not said.endswith(b"\n"):
                    said += self._read(end - time.monotonic())
            except (OSError, LostError):
                raise LostError(last_words(self.material)) from None
        word, _, why = bytes(said).strip().partition(b" ")
        if word != _READY:
            raise LostError(why.decode("utf-8", "replace"))

    def run(self, job: Job, length: int, message: bytes) -> tuple[int, Reading]:
        """Run a job, the first part of the message; return how that ended and what it told.

        Raises ``LostError`` when it says too much, holds too much or is late: this sandbox is then
        of no more use.
        """
        reading = Reading()
        room, end = reply_room(job, message), time.monotonic() + ceiling_of(job)
        write_all(self._request, message)
        self._line.sendall(b"%016x%016x" % (job.limits.scratch_bytes, length))
        while (
            done := _DONE.search(reading.lines, max(0, len(reading.lines) - _DONE_BYTES))
        ) is None:
            left = end - time.monotonic()
            if left <= 0 or len(reading.lines) > room:
                raise LostError
            piece = self._read(min(left, _LOOK_SECONDS), wait=False)
            if not piece and tree_bytes(self._process.pid) > 2 * job.limits.memory_bytes:
                raise LostError
            reading.lines += piece
        code, start = int(done[1]), done.start()
        del reading.lines[start:]
        os.ftruncate(self._request, 0)
        if self._file_flags() != self._flags:
            raise LostError  # a judge holds one of the files as long as it lives
        return code, reading

    def _file_flags(self) -> tuple[int, int]:
        request, material = (
            fcntl.fcntl(file, fcntl.F_GETFL) for file in (self._request, self.material)
        )
        return request, material

    def _read(self, seconds: float, *, wait: bool = True) -> bytes:
        """Read what is there, or nothing after a time; then raise ``LostError`` if we must."""
        if not select.select([self._line], [], [], max(0.0, seconds))[0]:
            if wait:
                raise LostError
            return b""
        piece = self._line.recv(_PIECE)
        if not piece:
            raise LostError
        return piece

    def kill(self) -> None:
        """End the sandbox and all in it."""
        kill_group(self._process)
        if not self.busy:
            self.close()

    def close(self) -> None:
        """Reap process 1 and close our ends."""
        self._process.wait()
        self._close_files()

    def _close_files(self) -> None:
        self._line.close()
        for file in (self._request, self.material):
            if file >= 0:
                os.close(file)
        self._request = self.material = -1
