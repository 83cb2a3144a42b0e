"""Tests by statements in process 1: two children for each test, the judge and the program.

This file runs inside the sandbox, beside ``inside``.  The judge starts first: a test that cannot
be compiled, or whose preparation fails, is told before the program could have a part in it.  Only
the judge holds the pipe that the verdict comes through.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time

from codequake.sandbox.inside import DETAIL_BYTES, KILLED_AT_START, RESULT_FD, STEP_SECONDS, Tester
from codequake.sandbox.judging import Wires, judge, serve
from codequake.sandbox.watching import (
    Channel,
    code_text,
    cpu_of,
    open_input,
    put_limits,
    read_record,
)

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["PairTester"]

REQUEST_FD = RESULT_FD + 1
LAST_WORDS_SECONDS = 0.5


class _Pair:
    """What process 1 holds of one test."""

    def __init__(self, stdin: int, out: Channel, err: Channel) -> None:
        self.stdin = stdin
        self.out = out
        self.err = err
        self.verdict = Channel(None)
        self.asks = os.pipe()
        self.answers = os.pipe()
        self.bell = os.pipe()
        # Its first letter keeps it from being read as the length of a message, wherever a program
        # that found it writes it.
        self.token = "t" + os.urandom(8).hex()
        self.judge = 0
        self.program = 0
        self.ended: dict[int, int] = {}  # process -> file descriptor that tells of its end
        self.killed = ""
        self.alone_ended = False  # the program, before we ended it
        self.code = 0
        self.used = 0.0
        self.peak = 0

    @property
    def channels(self) -> tuple[Channel, Channel, Channel]:
        """What children write to, in the order of ``Tester``."""
        return self.out, self.err, self.verdict

    def said(self) -> tuple[set[str], tuple[str, str] | None]:
        """What the judge told on its way, and its last word."""
        data, marks = bytes(self.verdict.data), set()
        for kind in ("ready", "answered"):
            line = f"{self.token} {kind} 0\n".encode()
            if data.startswith(line):
                marks.add(kind)
                data = data[len(line) :]
        return marks, read_record(data, self.token)

    def close(self) -> None:
        """Close everything that is open."""
        for channel in self.channels:
            channel.close()
        for fd in (self.stdin, *self.asks, *self.answers, *self.bell, *self.ended.values()):
            if fd >= 0:
                os.close(fd)


class _Clock:
    """Elapsed time of a test, and how much of it the judge was waiting."""

    def __init__(self, judge: int) -> None:
        self._judge = judge
        self._last, self._busy = time.monotonic(), cpu_of(judge)
        self.passed = self.waited = 0.0

    def look(self) -> None:
        """Count the time since the last look: as waiting, unless the judge was at work."""
        now, busy = time.monotonic(), cpu_of(self._judge)
        step, work = now - self._last, busy - self._busy
        self._last, self._busy = now, busy
        self.passed += step
        if work < 0.01 * step:  # it may have a small share of a busy machine
            self.waited += step


class PairTester(Tester):
    """Runs each test in a judge and a program that can only answer calls."""

    def __init__(self, job: dict[str, Any], report: int, lifeline: int) -> None:
        super().__init__(job, report, lifeline)
        # A number below those that children of ours keep, whatever it was outside.
        self.material = os.dup(job["material"])
        os.close(job["material"])

    def _test(self, what: str, given: Any) -> dict[str, Any]:
        """Run one test; ``given`` is the place of its statements in the judge's file."""
        stdin, _ = open_input(self.folder, None)
        pair = _Pair(stdin, Channel(self._fifo("stdout")), Channel(self._fifo("stderr")))
        self._fork_judge(pair, json.loads(given))
        if self._is_ready(pair):
            self._fork_program(pair)
            self._follow(pair)
        self._reap(pair)
        event = self._event(pair)
        pair.close()
        return event

    # -- the two children --------------------------------------------------------------------

    def _fork_judge(self, pair: _Pair, place: list[int]) -> None:
        pair.judge = self.fork()
        if pair.judge == 0:
            try:
                self._be_judge(pair, place)
            finally:
                os._exit(KILLED_AT_START)
        pair.verdict.close_writer()
        os.set_blocking(pair.verdict.reader, False)
        pair.ended[pair.judge] = os.pidfd_open(pair.judge)

    def _be_judge(self, pair: _Pair, place: list[int]) -> NoReturn:
        # The program has the same user: what of its signals can be kept away is.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        null = os.open("/dev/null", os.O_RDWR)
        held = (pair.verdict.writer, pair.asks[1], pair.answers[0], pair.bell[0], self.material)
        for number, fd in enumerate((null, null, null, *held)):
            os.dup2(fd, RESULT_FD + number - 3 if number > 2 else number)
        os.closerange(3, RESULT_FD)
        os.closerange(RESULT_FD + len(held), 4096)
        if self.alone:
            os.setpgid(0, 0)
        else:
            os.setsid()
        job, token = self.job, pair.token
        cpu = job["judge_cpu_seconds"] + 2
        put_limits(cpu, job["judge_memory_bytes"], self.limits, count_processes=False)
        os.chdir(self.scratch)
        verdict, asks, answers, bell, material = range(RESULT_FD, RESULT_FD + len(held))
        setup, statements = (
            os.pread(material, length, start).decode("utf-8", "surrogatepass")
            for start, length in (job["setup"], place[:2])
        )

        def emit(kind: str, detail: str) -> None:
            data = detail.encode("utf-8", "backslashreplace")
            if kind == "false":
                # It quotes the test, and later programs are copies of process 1.
                size = job["reason_bytes"]
                os.pwrite(material, data[:size].ljust(size, b"\0"), place[2])
                data = b""
            os.write(verdict, f"{token} {kind} {len(data)}\n".encode() + data)

        wires = Wires(asks, answers, bell)
        most = self.limits["output_bytes"]
        judge(setup, json.loads(statements), job["entry_point"], wires, most, emit)

    def _fork_program(self, pair: _Pair) -> None:
        fds = (pair.stdin, pair.out.writer, pair.err.writer, pair.answers[1], pair.asks[0])
        pair.program = self.fork()
        if pair.program == 0:
            self._child("serve", None, fds, "")
        pair.ended[pair.program] = os.pidfd_open(pair.program)
        for channel in (pair.out, pair.err):
            channel.close_writer()
            os.set_blocking(channel.reader, False)
        for fd in (*pair.answers, *pair.asks):
            os.close(fd)  # else the judge would never see the end of the program
        pair.answers = pair.asks = (-1, -1)

    def _interpret(self, what: str, text: str | None, emit: Any) -> None:
        if what == "serve":
            serve(self.job["source"], self.job["entry_point"], REQUEST_FD, RESULT_FD)
        super()._interpret(what, text, emit)

    # -- watching them -----------------------------------------------------------------------

    def _is_ready(self, pair: _Pair) -> bool:
        """Wait until the judge has prepared its test; false when it fails in that."""
        end = time.monotonic() + self.limits["wall_factor"] * self.job["judge_cpu_seconds"]
        poller = self._poller(pair, (pair.verdict,))
        while True:
            ready = self._poll(poller, pair)
            if pair.verdict.reader in ready:
                self._take(pair.verdict, pair.channels)
            if "ready" in pair.said()[0]:
                return True
            if pair.ended[pair.judge] in ready:
                return False
            if self._judge_is_late(pair) or time.monotonic() > end:
                pair.killed = "judge"
                return False

    def _follow(self, pair: _Pair) -> None:
        """Read the pipes until the judge has ended, or either of the two uses up a limit."""
        limits = self.limits
        clock = _Clock(pair.judge)
        most = limits["wall_factor"] * (limits["slice_seconds"] + self.job["judge_cpu_seconds"])
        poller = self._poller(pair, pair.channels)
        by_fd = {channel.reader: channel for channel in pair.channels}
        while not pair.killed:
            ready = self._poll(poller, pair)
            for fd in ready & by_fd.keys():
                if not self._take(by_fd[fd], pair.channels):
                    poller.unregister(fd)
            if pair.ended[pair.judge] in ready:
                return
            if pair.ended[pair.program] in ready:
                poller.unregister(pair.ended[pair.program])
                pair.alone_ended = True
                os.close(pair.bell[1])
                pair.bell = (pair.bell[0], -1)
            clock.look()
            waited = clock.waited / limits["wall_factor"]
            if self._over(pair.channels):
                pair.killed = "output"
            elif max(cpu_of(pair.program), waited) > limits["slice_seconds"] or clock.passed > most:
                pair.killed = "timeout"
            elif self._judge_is_late(pair):
                pair.killed = "judge"

    def _poller(self, pair: _Pair, channels: tuple[Channel, ...]) -> select.poll:
        poller = select.poll()
        poller.register(self.lifeline, 0)  # only its hang-up is of interest
        for fd in (*pair.ended.values(), *(channel.reader for channel in channels)):
            poller.register(fd, select.POLLIN)
        return poller

    def _poll(self, poller: select.poll, pair: _Pair) -> set[int]:
        ready = {fd for fd, _ in poller.poll(STEP_SECONDS * 1000)}
        if self.lifeline in ready:
            self._kill_both(pair)
            os._exit(KILLED_AT_START)
        return ready

    def _judge_is_late(self, pair: _Pair) -> bool:
        return bool(cpu_of(pair.judge) > self.job["judge_cpu_seconds"])

    def _kill_both(self, pair: _Pair) -> None:
        for pid in pair.ended:
            self._kill(pid)

    def _reap(self, pair: _Pair) -> None:
        """End and reap the two, and everything else that they left behind."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._take(pair.verdict, pair.channels)  # all that a judge says is one piece
        record = pair.said()[1]
        if pair.program and not pair.killed and record and record[0] == "gone":
            # Its pipes are closed before it has ended, and how it ended is what we want to know.
            ended = pair.ended[pair.program]
            pair.alone_ended = bool(select.select([ended], [], [], LAST_WORDS_SECONDS)[0])
        self._kill_both(pair)
        judging = os.wait4(pair.judge, 0)[2]
        self._take(pair.verdict, pair.channels)
        if pair.program:
            _, status, own = os.wait4(pair.program, 0)
            pair.code, pair.peak = os.waitstatus_to_exitcode(status), own.ru_maxrss * 1024
        self._kill_both(pair)
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        pair.used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        pair.used -= judging.ru_utime + judging.ru_stime
        if pair.program:
            self._drain(pair.channels)
        if not pair.killed and self._over(pair.channels):
            pair.killed = "output"
        if not pair.killed and pair.used > self.limits["slice_seconds"]:
            pair.killed = "timeout"
        self.printed += pair.out.total

    # -- what it means -----------------------------------------------------------------------

    def _event(self, pair: _Pair) -> dict[str, Any]:
        """Turn how a test ended into an event, as ``Tester._judge`` does for a call."""
        marks, record = pair.said()
        kind, detail = record or ("", "")
        ending, output = "crashed", None
        code = pair.code if pair.alone_ended else 0
        starved = self._starved({"code": code, "peak": pair.peak})
        if "ready" not in marks:
            ending = "broken"
            detail = detail or ("it used up its time" if pair.killed else "its process ended")
        elif pair.killed == "timeout" or code == -signal.SIGXCPU:
            ending, detail = "timeout", "used up its time"
        elif pair.killed == "output" or kind == "output":
            ending, detail = "output_limit", "printed or returned too much"
        elif kind == "memory" or (starved and kind in ("", "gone")):
            ending, detail = "memory_limit", "used up its memory"
        elif pair.killed == "judge":
            ending = "timeout" if "answered" in marks else "broken"
            detail = "the test used up its time"
        elif kind in ("true", "false"):
            ending, output, detail = "returned", kind, ""
        elif kind in ("missing", "not_data", "broken") or (kind == "syntax" and not self.built):
            ending = kind
        elif kind == "gone":
            how = code_text(code) if pair.alone_ended else "closed the channel of its results"
            detail = f"gave no result: {how}"
        elif kind != "crashed":
            detail = "the process that judges was killed"
        if ending == "broken":
            detail = f"the test's own code fails: {detail}"
        detail = detail[:DETAIL_BYTES]
        return {
            "ending": ending,
            "output": output,
            "detail": detail,
            "cpu": max(pair.used, 0.0),
            "read": None,
        }
