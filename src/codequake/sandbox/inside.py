"""What process 1 does: start the program once for each input, end it, report plain data.

This file runs inside the sandbox on an interpreter of 3.9 or newer and imports nothing of
codequake but its two neighbours here.  It writes one JSON line an event.  Programs run in forked
children that hold neither the descriptor for that nor the one that the job came from.  After each
input everything in the process namespace is killed and reaped.
"""

# pathlib and contextlib would cost start-up time in every sandbox:
# ruff: noqa: PTH118, PTH123

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time

from codequake.sandbox import candidate
from codequake.sandbox.watching import (
    Channel,
    code_text,
    cpu_of,
    empty,
    first_error,
    kill_quietly,
    last_line,
    open_input,
    put_limits,
    read_record,
    static_bytes,
    was_read,
)

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

__all__ = ["Tester", "run_with"]

RESULT_FD = 60
PROGRAM_FD = 61
RECURSION_LIMIT = 300_000
DETAIL_BYTES = 400
STDERR_TAIL = 4096
STEP_SECONDS = 0.05
KILLED_AT_START = 127


class Tester:
    """Runs the parts of one job in children and watches them."""

    def __init__(self, job: dict[str, Any], report: int, lifeline: int) -> None:
        self.job = job
        self.lifeline = lifeline
        self.limits = job["limits"]
        self.alone = os.getpid() == 1
        self.folder = job["folder"]
        self.scratch = job["scratch"]
        self.shared = ["/dev/shm", self.folder] if self.alone else []  # noqa: S108
        self.report_fd = report
        self.fork: Callable[[], int] = os.fork
        self.built = False
        self.program = -1
        self.needs = 0
        self.printed = 0

    def _send(self, **event: Any) -> None:
        """Write one event to the driver; without a driver there is nothing left to do."""
        data = (json.dumps(event) + "\n").encode()
        while data:
            data = data[os.write(self.report_fd, data) :]

    # -- one child ---------------------------------------------------------------------------

    def _start(self, what: str, text: str | None) -> dict[str, Any]:
        """Run one part of the job in a child and return how that ended.

        ``what`` is ``build``, ``call`` or ``stdin``.
        """
        stdin, read_mark = open_input(self.folder, text)
        out, err, result = (
            Channel(self._fifo("stdout")),
            Channel(self._fifo("stderr")),
            Channel(None),
        )
        token = os.urandom(8).hex()
        started = time.monotonic()
        pid = self.fork()
        if pid == 0:
            self._child(what, text, (stdin, out.writer, err.writer, result.writer), token)
        for channel in (out, err, result):
            channel.close_writer()
            os.set_blocking(channel.reader, False)
        killed, status, used = self._watch(pid, what, (out, err, result), started)
        ending = {
            "killed": killed,
            "code": os.waitstatus_to_exitcode(status),
            "cpu": used[0],
            "peak": used[1],
            "record": read_record(bytes(result.data), token),
            "out": out,
            "err": bytes(err.data),
            "read": was_read(stdin, read_mark) if text is not None and what == "stdin" else None,
        }
        for channel in (out, err, result):
            channel.close()
        os.close(stdin)
        return ending

    def _fifo(self, name: str) -> str | None:
        return os.path.join(self.folder, name) if self.alone else None

    def _child(self, what: str, text: str | None, fds: tuple[int, ...], token: str) -> NoReturn:
        """Become the program.  Leaves by ``_exit``, by ``exec`` or by ``SystemExit``."""
        try:
            for number, fd in enumerate(fds):
                os.dup2(fd, RESULT_FD + number - 3 if number > 2 else number)
            if self.program >= 0:
                os.dup2(self.program, PROGRAM_FD, inheritable=False)
            os.closerange(3, RESULT_FD)
            os.closerange(RESULT_FD + len(fds) - 3 + (self.program >= 0), 4096)
            if self.alone:
                os.setpgid(0, 0)  # a signal to the own group must reach nobody else
            else:
                os.setsid()
            self._limit(what)
            os.chdir(self.scratch)
        except OSError:
            os._exit(KILLED_AT_START)
        write = os.write

        def emit(kind: str, payload: str) -> None:
            data = payload.encode("utf-8", "surrogatepass")
            data = f"{token} {kind} {len(data)}\n".encode() + data
            try:
                while data:
                    data = data[write(RESULT_FD, data) :]
            except OSError:
                pass  # the program closed the channel: it gave no result

        self._become(what, text, emit)
        raise SystemExit(0)

    def _become(self, what: str, text: str | None, emit: Any) -> None:
        job = self.job
        if job["build"] and what == "build":
            self._execute(job["build"][0], job["build"])
        if job["build"]:
            self._execute(PROGRAM_FD, ["program"])
        sys.setrecursionlimit(RECURSION_LIMIT)
        if hasattr(sys, "set_int_max_str_digits"):
            sys.set_int_max_str_digits(0)
        candidate.open_streams()
        self._interpret(what, text, emit)

    def _interpret(self, what: str, text: str | None, emit: Any) -> None:
        job = self.job
        if what == "build":
            candidate.check_syntax(job["source"], emit)
            os._exit(0)
        if what == "call":
            candidate.run_call(job["source"], job["entry_point"], text or "[]", emit)
        candidate.run_stdin(job["source"], emit)

    def _execute(self, program: Any, arguments: list[str]) -> NoReturn:
        try:
            os.close(RESULT_FD)
            os.execve(program, arguments, dict(os.environ))  # noqa: S606
        except OSError as error:
            os.write(2, f"cannot start: {error.strerror}\n".encode())
            os._exit(KILLED_AT_START)

    def _limit(self, what: str) -> None:
        """Put the limits of the program or of the compiler on this process."""
        limits, build = self.limits, what == "build"
        # A compiler works in children of its own, which only this limit sees.
        cpu = int(limits["build_cpu_seconds"]) + 1 if build else int(limits["cpu_seconds"]) + 2
        memory = limits["build_memory_bytes" if build else "memory_bytes"]
        put_limits(cpu, memory, limits, count_processes=self.job["count_processes"])

    # -- watching ----------------------------------------------------------------------------

    def _watch(
        self, pid: int, what: str, channels: tuple[Channel, ...], started: float
    ) -> tuple[str, int, tuple[float, int]]:
        """Wait for the child, read its pipes, and kill it when it uses up a limit."""
        limits = self.limits
        cpu_limit = limits["build_cpu_seconds" if what == "build" else "slice_seconds"]
        wall_end = started + cpu_limit * limits["wall_factor"]
        ended = os.pidfd_open(pid)
        poller = select.poll()
        poller.register(ended, select.POLLIN)
        poller.register(self.lifeline, 0)  # only its hang-up is of interest
        by_fd = {channel.reader: channel for channel in channels}
        for fd in by_fd:
            poller.register(fd, select.POLLIN)
        killed = ""
        while not killed:
            ready = {fd for fd, _ in poller.poll(STEP_SECONDS * 1000)}
            if self.lifeline in ready:
                self._kill(pid)
                os._exit(KILLED_AT_START)
            for fd in ready & by_fd.keys():
                if not self._take(by_fd[fd], channels):
                    poller.unregister(fd)
            if ended in ready:
                break
            if self._over(channels):
                killed = "output"
            elif cpu_of(pid) > cpu_limit or time.monotonic() > wall_end:
                killed = "timeout"
        os.close(ended)
        status, used = self._finish(pid, bool(killed))
        self._drain(channels)
        if not killed and self._over(channels):
            killed = "output"
        if not killed and used[0] > cpu_limit:
            killed = "timeout"
        self.printed += channels[0].total + channels[2].total
        return killed, status, used

    def _drain(self, channels: tuple[Channel, ...]) -> None:
        """Read what the pipes still hold; nobody writes to them any more."""
        for channel in channels:
            while not self._over(channels) and self._take(channel, channels):
                if not select.select([channel.reader], [], [], 0)[0]:
                    break

    def _take(self, channel: Channel, channels: tuple[Channel, ...]) -> bool:
        keep = STDERR_TAIL if channel is channels[1] else self.limits["output_bytes"]
        return channel.drain(keep)

    def _over(self, channels: tuple[Channel, ...]) -> bool:
        if any(channel.total > self.limits["output_bytes"] for channel in channels):
            return True
        here = channels[0].total + channels[2].total
        return bool(self.printed + here > self.limits["total_output_bytes"])

    def _finish(self, pid: int, kill: bool) -> tuple[int, tuple[float, int]]:
        """Reap the child and everything else that it left behind."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        if kill:
            self._kill(pid)
        _, status, own = os.wait4(pid, 0)
        self._kill(pid)
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return status, (cpu, own.ru_maxrss * 1024)

    def _kill(self, pid: int) -> None:
        """Kill all there is in the sandbox; outside of one, only the child's own session."""
        try:
            if self.alone:
                os.kill(-1, signal.SIGKILL)
            else:
                os.killpg(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            if not self.alone:
                kill_quietly(pid)

    # -- the job -----------------------------------------------------------------------------

    def run(self) -> None:
        """Build the program, then run it on each input until a limit is used up."""
        self._send(event="ready")
        if not self._build():
            return
        what = self.job["mode"]
        for index, text in enumerate(self.job["inputs"]):
            event = self._test(what, self._given(what, text))
            self._wipe()
            if not self.built and not self._tell_built(event):
                return
            if event["ending"] in ("missing", "broken"):
                self._send(event=event["ending"], why=event["detail"])
                return
            self._send(event="run", index=index, **event)
            if event["ending"] in ("timeout", "memory_limit", "output_limit"):
                return

    def _given(self, what: str, text: Any) -> Any:
        """Return what the program gets of one input."""
        return json.loads(text) if what == "stdin" else text

    def _tell_built(self, event: dict[str, Any]) -> bool:
        """Report whether a program could be compiled whose first run did that."""
        ok = event["ending"] != "syntax"
        self._send(event="build", ok=ok, why="" if ok else event["detail"])
        self.built = True
        if ok:
            self._keep(event)
        return bool(ok)

    def _keep(self, event: dict[str, Any]) -> None:
        """Prepare the later runs of a program whose first run was this."""

    def _test(self, what: str, given: Any) -> dict[str, Any]:
        """Run the program on one input and return the event that tells how it ended."""
        return self._judge(self._start(what, given))

    def _build(self) -> bool:
        job = self.job
        if job["build"]:
            path = os.path.join(self.scratch, job["source_name"])
            with open(path, "wb") as file:
                file.write(job["source"].encode("utf-8", "replace"))
        end = self._start("build", None)
        self.printed = 0  # nothing of that is the program's own
        if job["build"] and end["code"] == KILLED_AT_START:
            self._send(event="broken", why=f"{job['build'][0]} {last_line(end['err'])}")
            return False
        why = self._build_problem(end)
        if job["build"]:
            target = os.path.join(self.scratch, job["target_name"])
            try:
                self.program = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
                self.needs = static_bytes(self.program)
            except OSError:
                why = why or "the compiler made no program"
            self._wipe()
        self._send(event="build", ok=not why, why=why)
        self.built = True
        return not why

    def _build_problem(self, end: dict[str, Any]) -> str:
        if end["killed"] == "output":
            return "the compiler printed too much"
        if end["killed"]:
            return "the compiler used up its time"
        if self.job["build"]:
            return "" if end["code"] == 0 else first_error(end["err"] or bytes(end["out"].data))
        kind, payload = end["record"] or ("crash", "the program cannot be compiled")
        return "" if kind == "built" else payload

    def _judge(self, end: dict[str, Any]) -> dict[str, Any]:
        """Turn how a child ended into an event."""
        kind, payload = end["record"] or ("", "")
        ending, output, detail = "crashed", None, last_line(end["err"])
        if kind == "syntax" and not self.built:
            ending, detail = kind, payload
        elif end["killed"] == "timeout" or end["code"] == -signal.SIGXCPU:
            ending, detail = "timeout", "used up its time"
        elif end["killed"] == "output":
            ending, detail = "output_limit", "printed or returned too much"
        elif kind == "memory" or self._starved(end):
            ending, detail = "memory_limit", "used up its memory"
        elif self.job["mode"] == "stdin":
            if end["code"] == 0:
                ending, detail = "returned", ""
                output = json.dumps(bytes(end["out"].data).decode("utf-8", "replace"))
            elif not detail:
                detail = code_text(end["code"])
        elif kind == "value" and end["code"] == 0:
            ending, output, detail = "returned", payload, ""
        elif kind in ("missing", "not_data", "error"):
            ending = "crashed" if kind == "error" else kind
            detail = payload
        else:
            detail = "gave no result: " + code_text(end["code"])
        return {
            "ending": ending,
            "output": output,
            "detail": detail[:DETAIL_BYTES],
            "cpu": end["cpu"],
            "read": end["read"],
        }

    def _starved(self, end: dict[str, Any]) -> bool:
        """Whether a death by signal came of memory: nearly all in use, or never enough to start."""
        if end["code"] >= 0:
            return False
        limit = self.limits["memory_bytes"]
        return bool(end["peak"] > 0.8 * limit or self.needs > limit)

    def _wipe(self) -> None:
        """Empty the scratch folder, so that no input finds what another one left there."""
        for folder in (self.scratch, *self.shared):
            empty(folder)


def run_with(tester: Tester, report: int) -> None:
    """Run a job and report its events to the end."""
    tester.run()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    end = {"event": "end", "cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024}
    os.write(report, (json.dumps(end) + "\n").encode())
