"""Run one row of the defences: with all of them, then without one, in a throw-away sandbox.

Started as ``python -m tests.sandbox.defence_trial NAME`` by ``outer_command``.  The throw-away
sandbox has no network, processes and files of its own, and dies with us: whatever gets through a
defence that is switched off stays in there.  What was seen is printed as JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from tests.sandbox.defence_answer_rows import ANSWERS, WORKERS
from tests.sandbox.defence_calls import CALL_ROWS
from tests.sandbox.defence_limit_rows import LIMITS
from tests.sandbox.defence_rows import ENDING, PLACES, PORT, SHARED_KEY, VIEW, Row
from tests.sandbox.defence_switches import Switch

from codequake.sandbox import BubblewrapBackend, Job, Outcome

__all__ = ["ALL_ROWS", "outer_command"]

ALL_ROWS = {row.name: row for row in (*VIEW, *ENDING, *LIMITS, *ANSWERS, *WORKERS, *CALL_ROWS)}
NOBODY = 65534
OUTER_SECONDS = 90

ROOT = Path(__file__).parents[2]


def outer_command(name: str) -> list[str]:
    """The command line of a row: limits, the throw-away sandbox, this file in it.

    Where we are root the rights to become another user, to end what that user runs, and those that
    rows speak of go along.
    """
    command = ["prlimit", "--nproc=600", f"--as={8 << 30}", f"--fsize={256 << 20}", "--core=0"]
    command += ["timeout", "-s", "KILL", str(OUTER_SECONDS)]
    command += ["bwrap", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    if os.geteuid() == 0:
        command += ["--cap-drop", "ALL"]
        for right in ("SETUID", "SETGID", "KILL", "SETFCAP", "SYS_CHROOT"):
            command += ["--cap-add", f"CAP_{right}"]
    else:
        command.append("--unshare-user")
    command += ["--hostname", "surroundings", "--die-with-parent", "--ro-bind", "/", "/"]
    command += ["--dev", "/dev", "--proc", "/proc"]
    for place in ("/tmp", *PLACES):
        command += ["--size", str(128 << 20), "--perms", "0777", "--tmpfs", place]
    for needed in dict.fromkeys((str(ROOT), sys.prefix, sys.base_prefix)):
        command += ["--ro-bind", needed, needed]  # they may lie in a place that was just emptied
    return [*command, "--", sys.executable, "-m", "tests.sandbox.defence_trial", name]


def prepare_surroundings() -> subprocess.Popen[bytes]:
    """Put everything in place that a program might reach; return a process that it might kill."""
    os.environ["CODEQUAKE_TRIAL_SECRET"] = "got through by the environment"
    for place in PLACES:
        Path(place, "open").write_text("got through to a file")
        closed = Path(place, "closed")
        closed.write_text("got through to a closed file")
        closed.chmod(0o600)
        grouped = Path(place, "grouped")
        grouped.write_text("got through to a file of a group")
        grouped.chmod(0o640)
    listeners = [
        socket.create_server(("127.0.0.1", PORT)),
        socket.socket(socket.AF_UNIX),
    ]
    listeners[1].bind("\0codequake-trial")
    listeners[1].listen()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    segment = libc.shmget(SHARED_KEY, 4096, 0o1666)
    ctypes.memmove(libc.shmat(segment, None, 0), b"got through to shared memory\0", 29)
    for listener in listeners:
        listener.detach()
    user = NOBODY if os.geteuid() == 0 else None
    nothing = subprocess.DEVNULL
    return subprocess.Popen(["sleep", "1000"], user=user, stdin=nothing, stdout=nothing)


def processes() -> set[int]:
    """All that runs in the throw-away sandbox."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208


def see(row: Row, switches: tuple[Switch, ...], victim: subprocess.Popen[bytes]) -> str:
    """Run the programs of a row with some defences switched off; say what could be seen."""
    before = processes()
    with ExitStack() as stack:
        for switch in switches:
            stack.enter_context(switch())
        backend = BubblewrapBackend()
        if row.kill_driver:
            words = kill_driver(row, backend, victim)
        else:
            words = [told(outcome) for outcome in run(row, backend, victim)]
        if row.care is not None:
            backend.kill_all()
    planted = any(Path(place, "planted").exists() for place in PLACES)
    words.append("a file was planted" if planted else "nothing planted")
    words.append("victim lives" if victim.poll() is None else "victim was killed")
    words.append("a survivor" if survivors(before) else "nobody left")
    return " | ".join(words)


def run(row: Row, backend: BubblewrapBackend, victim: subprocess.Popen[bytes]) -> list[Outcome]:
    jobs = [
        Job(
            row.language,
            text.replace("VICTIM", str(victim.pid)),
            row.mode,
            row.entry_point,
            row.inputs,
            row.limits,
        )
        for text in row.programs
    ]
    if row.care is None:
        return [backend.run(job) for job in jobs]
    return list(backend.run_all(jobs, row.care))


def told(outcome: Outcome) -> str:
    if outcome.harness_error is not None:
        return f"harness error: {outcome.harness_error}"
    if not outcome.build.ok:
        return f"not built: {outcome.build.why}"
    runs = [f"{run.ending} {run.output or ''} {run.detail}"[-400:] for run in outcome.runs]
    settled = "settled" if outcome.settled else "open"
    return f"{outcome.care} {settled}: " + "; ".join(runs)


def kill_driver(row: Row, backend: BubblewrapBackend, victim: subprocess.Popen[bytes]) -> list[str]:
    """Let a process of ours run the programs, and kill it while they run."""
    before = processes()
    driver = os.fork()
    if driver == 0:
        run(row, backend, victim)
        os._exit(0)
    end = time.monotonic() + 30
    while len(processes() - before) < 1 + row.kill_driver and time.monotonic() < end:
        time.sleep(0.02)
    os.kill(driver, signal.SIGKILL)
    os.waitpid(driver, 0)
    return ["the driver was killed"]


def survivors(before: set[int]) -> set[int]:
    """Processes that were not there before; the kernel gets a moment to end them."""
    end = time.monotonic() + 5
    while (left := processes() - before) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def main(name: str) -> None:
    row = ALL_ROWS[name]
    victim = prepare_surroundings()
    seen = [see(row, switches, victim) for switches in (row.hidden_by, row.without)]
    os.write(1, b"\n" + json.dumps(seen).encode())  # a program may have reached our output, too
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
