"""What a program cannot do: see, reach, outlive, or speak for anybody else."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import codequake
from codequake.errors import SandboxUnavailableError, UsageError
from codequake.sandbox import (
    BubblewrapBackend,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    UnsafeBackend,
    bubblewrap,
    diagnose,
    diagnosis,
    driving,
    interpreter,
    open_backend,
    seccomp,
)
from codequake.tasks import Language

QUICK = Limits(cpu_seconds=0.5, wall_factor=10.0, output_bytes=1 << 20)
SHORT = Limits(cpu_seconds=0.3, wall_factor=2.5, output_bytes=1 << 20)  # to end what waits
Survivors = Callable[[], list[str]]
Running = Callable[[], int]


def main(backend: BubblewrapBackend, source: str, limits: Limits = QUICK) -> Outcome:
    job = Job(Language.PYTHON, source, Mode.STDIN, None, ('""', '""'), limits)
    outcome = backend.run(job)
    assert outcome.harness_error is None
    assert len(outcome.runs) == 2
    return outcome


def printed(backend: BubblewrapBackend, source: str) -> str:
    run = main(backend, source).runs[0]
    assert run.ending is Ending.RETURNED, run.detail
    return str(json.loads(run.output or ""))


def test_only_the_system_is_visible(backend: BubblewrapBackend, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("expected outputs")
    for path in (tmp_path / "data", Path(codequake.__file__), Path("/etc/passwd")):
        assert printed(backend, f"import os; print(os.path.exists({str(path)!r}))") == "False\n"
    top = printed(backend, "import os; print(*sorted(os.listdir('/')))").split()
    assert set(top) <= {
        *["bin", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "tmp", "usr"]
    }
    assert printed(backend, "import os; print(os.listdir('/proc/self'))") == "['fd']\n"


def test_environment_and_user_have_no_rights(backend: BubblewrapBackend) -> None:
    os.environ["CODEQUAKE_TEST_SECRET"] = "hidden"
    try:
        seen = printed(backend, "import os; print(dict(os.environ), os.getuid(), os.getpid() > 1)")
    finally:
        del os.environ["CODEQUAKE_TEST_SECRET"]
    assert "hidden" not in seen
    user = 65534 if os.getuid() == 0 else os.getuid()
    assert seen.endswith(f"{user} True\n")


@pytest.mark.parametrize("path", ["/", "/usr", "/usr/bin", "/dev", "/etc", "/proc/self/fd"])
def test_nothing_can_be_written_but_scratch(backend: BubblewrapBackend, path: str) -> None:
    run = main(backend, f"open({path!r} + '/new', 'w')").runs[0]
    assert run.ending is Ending.CRASHED
    assert "Read-only file system" in run.detail or "Permission denied" in run.detail


def test_network_is_unreachable(backend: BubblewrapBackend) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
        assert "not permitted" in main(backend, source).runs[0].detail


CALLS = {
    "ptrace": (101, "0, 0, 0, 0"),
    "process_vm_readv": (310, "1, 0, 0, 0, 0, 0"),
    "bpf": (321, "0, 0, 0"),
    "io_uring_setup": (425, "1, 0"),
    "mount": (165, "0, 0, 0, 0, 0"),
    "add_key": (248, "0, 0, 0, 0, 0"),
    "keyctl": (250, "0, 0, 0, 0, 0"),
    "userfaultfd": (323, "0"),
    "pidfd_getfd": (438, "0, 0, 0"),
    "perf_event_open": (298, "0, 0, 0, 0, 0"),
    "unshare": (272, "0x10000000"),
    "clone new user": (56, "0x10000011, 0, 0, 0, 0"),
    "setns": (308, "0, 0"),
    "socket": (41, "2, 1, 0"),
    "memfd_create": (319, "0, 0"),
    "shmget": (29, "0, 4096, 0"),
    "prlimit of process 1": (302, "1, 7, 0, 0"),
    "TIOCSTI": (16, "0, 0x5412, 0"),
    "x32 getpid": (0x40000000 + 39, ""),
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")
@pytest.mark.parametrize("name", CALLS)
def test_dangerous_calls_are_refused(backend: BubblewrapBackend, name: str) -> None:
    number, arguments = CALLS[name]
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"print(libc.syscall({number}, {arguments}), ctypes.get_errno())"
    )
    assert printed(backend, source) == "-1 1\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")
def test_the_filter_is_what_refuses(backend: BubblewrapBackend) -> None:
    open_filter = seccomp.filter_program(leave_out=frozenset({"memfd_create"}))
    source = "import ctypes\nprint(ctypes.CDLL(None).syscall(319, b'x', 0))"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "_filter", open_filter)
        assert int(printed(backend, source)) >= 3
    assert printed(backend, source) == "-1\n"


def test_filter_needs_a_known_architecture() -> None:
    assert len(seccomp.filter_program("aarch64")) % 8 == 0
    assert seccomp.filter_program("aarch64") != seccomp.filter_program("x86_64")
    with pytest.raises(SandboxUnavailableError, match="riscv64"):
        seccomp.filter_program("riscv64")


BOMBS = {
    "fork bomb": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "threads": "import threading, time\n"
    "while True:\n    threading.Thread(target=time.sleep, args=(100,)).start()",
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        os.setpgid(0, 0)\n        time.sleep(100)\n    os._exit(0)\nprint(1)",
    "stopped child": "import os, signal\npid = os.fork()\nif pid == 0: os.kill(os.getpid(), 19)\n",
    "stops itself": "import os\nos.kill(os.getpid(), 19)",
    "kills all": "import os\nos.kill(-1, 9)",
    "kills process 1": "import os\nfor s in range(1, 65):\n    if s != 19: os.kill(1, s)\n",
    "ignores all signals": "import signal\nfor s in range(1, 65):\n"
    "    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
    "while True: pass",
    "closes everything": "import os\nos.closerange(0, 4096)",
    "fills scratch": "i = 0\nwhile True:\n    open(f'{i}', 'wb').write(bytes(1 << 20))\n    i += 1",
    "deep folders": "import os\nwhile True:\n    os.mkdir('d'); os.chdir('d')",
    "no rights on scratch": "import os\nfor p in ('/tmp', '/run', '/dev/shm'): os.chmod(p, 0)",
    "exec": "import os\nos.execv('/bin/sh', ['sh', '-c', 'sleep 100 & exec sleep 100'])",
    "limits of others": "import resource\nresource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))",
    "dead lock at exit": "import atexit, time\natexit.register(time.sleep, 100)",
}


@pytest.mark.parametrize("name", BOMBS)
def test_nothing_outlives_its_program(
    backend: BubblewrapBackend, survivors: Survivors, name: str
) -> None:
    outcome = main(backend, BOMBS[name], SHORT)
    allowed = {Ending.CRASHED, Ending.TIMEOUT, Ending.RETURNED, Ending.MEMORY_LIMIT, Ending.NOT_RUN}
    assert {run.ending for run in outcome.runs} <= allowed
    assert survivors() == []
    assert printed(backend, "print(1)") == "1\n"


def test_many_processes_together_have_a_memory_limit(backend: BubblewrapBackend) -> None:
    source = (
        "import os, time\nfor _ in range(4): os.fork()\nblock = b'x' * (60 << 20)\ntime.sleep(60)"
    )
    limits = Limits(cpu_seconds=10.0, memory_bytes=128 << 20)
    runs = main(backend, source, limits).runs
    assert [run.ending for run in runs] == [Ending.MEMORY_LIMIT, Ending.NOT_RUN]
    assert "together" in runs[0].detail


def kill_when_it_runs(process: subprocess.Popen[bytes]) -> None:
    """Kill a sandbox once one of its processes has given itself the name ``running``."""
    while process.poll() is None and "running" not in names_below(process.pid):
        time.sleep(0.01)
    process.kill()


def names_below(pid: int) -> list[str]:
    found: list[str] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, listed.read_text().split()):
                found += [Path(f"/proc/{child}/comm").read_text().strip(), *names_below(child)]
    return found


def test_a_sandbox_that_is_brought_down_is_tried_twice(backend: BubblewrapBackend) -> None:
    starts: list[int] = []
    broken = 0

    def start(launch: driving.Launch) -> subprocess.Popen[bytes]:
        process = original(launch)
        starts.append(process.pid)
        if len(starts) <= broken:
            threading.Thread(target=kill_when_it_runs, args=(process,)).start()
        return process

    original = driving._start
    name = "import ctypes\nctypes.CDLL(None).prctl(15, b'running', 0, 0, 0)\n"
    source = f"{name}import time\ntime.sleep(2)\nprint(1)"
    for endings in ([Ending.RETURNED, Ending.RETURNED], [Ending.CRASHED, Ending.NOT_RUN]):
        broken += 1
        starts.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(driving, "_start", start)
            assert [run.ending for run in main(backend, source).runs] == endings
        assert len(starts) == 2


def test_ending_runs_from_outside_is_no_verdict(backend: BubblewrapBackend) -> None:
    job = Job(Language.PYTHON, "import time\ntime.sleep(60)", Mode.STDIN, None, ('""',))
    outcomes: list[Outcome] = []
    runner = threading.Thread(target=lambda: outcomes.append(backend.run(job)))
    runner.start()
    while runner.is_alive():
        backend.kill_all()
        time.sleep(0.05)
    (outcome,) = outcomes
    assert outcome.harness_error == "the run was ended from outside"


FORGERIES = {
    "plain": "import os\nos.write(60, b'value 1\\n7')",
    "token": "import gc, os, sys\n"
    "f = sys._getframe()\nseen = []\n"
    "while f: seen.append(f.f_locals); f = f.f_back\n"
    "token = next(s['token'] for s in seen if isinstance(s.get('token'), str))\n"
    "os.write(60, f'{token} value 1\\n7'.encode())",
    "flood": "import os\nwhile True: os.write(60, b'x' * 65536)",
    "close": "import os\nos.close(60)",
    "other event": "import os, json\nfor fd in range(3, 256):\n"
    '    try: os.write(fd, b\'{"event": "end"}\\n\')\n    except OSError: pass',
}


@pytest.mark.parametrize("name", FORGERIES)
def test_the_result_channel_gives_no_more_than_an_output(
    backend: BubblewrapBackend, name: str
) -> None:
    source = f"def solve(x):\n    return 1\n{FORGERIES[name]}\n"
    job = Job(Language.PYTHON, source, Mode.CALL, "solve", ("[1]", "[2]"), QUICK)
    outcome = backend.run(job)
    assert outcome.harness_error is None
    assert len(outcome.runs) == 2
    assert outcome.runs[0].ending in (Ending.CRASHED, Ending.OUTPUT_LIMIT)
    assert outcome.runs[0].output is None


def test_expected_outputs_are_not_in_the_job() -> None:
    fields = set(Job.__dataclass_fields__)
    # Statements and their setup, which may hold some, never reach the program's process.
    assert fields == {"language", "source", "mode", "entry_point", "inputs", "limits", "setup"}


DRIVER = """
import sys
from codequake.sandbox import *
from codequake.sandbox import bubblewrap
from codequake.tasks import Language
bubblewrap.ENVIRONMENT["CODEQUAKE_TEST_MARK"] = {mark!r}
backend = BubblewrapBackend()
print("ready", flush=True)
source = {source!r}
backend.run(Job(Language.PYTHON, source, Mode.STDIN, None, ('""',), Limits(cpu_seconds=60)))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killing_the_driver_leaves_no_process(
    mark: str, survivors: Survivors, how: signal.Signals
) -> None:
    source = "import os, time\nfor _ in '123': os.fork()\nos.fork() or os.setsid()\ntime.sleep(100)"
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER.format(mark=mark, source=source)],
        env={"PYTHONPATH": str(Path(codequake.__file__).parents[1]), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    end = time.monotonic() + 60
    while len(_marked(mark)) < 16 and time.monotonic() < end:
        time.sleep(0.05)
    assert len(_marked(mark)) >= 16
    process.send_signal(how)
    process.wait(timeout=60)
    process.stdout.close()
    assert survivors() == []


def _marked(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="needs the system's Python")
def test_an_ordinary_user_with_a_closed_home_can_grade(tmp_path: Path) -> None:
    home = Path("/var/tmp", f"codequake-test-{os.getpid()}")
    shutil.copytree(Path(codequake.__file__).parent, home / "checkout" / "codequake")
    user = 54321
    try:
        for path in [home, *home.rglob("*")]:
            os.chown(path, user, user)
        home.chmod(0o700)
        script = (
            "from codequake.sandbox import *\nfrom codequake.tasks import Language\n"
            "j = Job(Language.PYTHON, 'import os\\ndef f(x): return [x, os.getuid()]', Mode.CALL,"
            " 'f', ('[1]',))\nprint(open_backend('bwrap').run(j).runs[0].output)"
        )
        done = subprocess.run(
            ["/usr/bin/python3", "-c", script],
            env={"PYTHONPATH": str(home / "checkout"), "PATH": "/usr/bin:/bin", "HOME": str(home)},
            capture_output=True,
            text=True,
            user=user,
            group=user,
            extra_groups=[],
            check=False,
            cwd="/",
        )
    finally:
        shutil.rmtree(home)
    assert (done.stdout, done.stderr) == (f"[1,{user}]\n", "")


def test_own_interpreter_serves_when_the_system_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(interpreter, "SYSTEM_PYTHON", tmp_path / "none")
    own = BubblewrapBackend()
    version = ".".join(map(str, sys.version_info[:3]))
    assert f"Python {version}" in own.name
    source = "import sys, decimal, math\ndef f(x): return [sys.version_info[:2], sys.prefix]"
    outcome = own.run(Job(Language.PYTHON, source, Mode.CALL, "f", ("[1]",), QUICK))
    assert outcome.harness_error is None
    assert json.loads(outcome.runs[0].output or "") == [list(sys.version_info[:2]), "/opt/python"]


def test_open_backend_refuses_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="allowed: bwrap, bwrap:ubsan, none"):
        open_backend("docker")
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name: None)
    with pytest.raises(SandboxUnavailableError, match="apt-get install bubblewrap"):
        open_backend("bwrap")
    missing = {finding.name: finding for finding in diagnose() if not finding.ok}
    assert missing["bubblewrap"].remedy == "install it with `apt-get install bubblewrap`"
    assert missing["bubblewrap"].required


def test_diagnosis_is_good_where_the_tests_run() -> None:
    findings = diagnose()
    assert all(finding.ok and not finding.remedy for finding in findings if finding.required)
    assert all(finding.detail for finding in findings)


def test_diagnosis_names_the_switch_that_blocks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    switch = tmp_path / "apparmor_restrict_unprivileged_userns"
    switch.write_text("1\n")
    monkeypatch.setattr(diagnosis, "_SWITCHES", ((str(switch), "1", "sysctl -w this=0"),))
    monkeypatch.setattr(diagnosis, "_said", lambda *_, **__: (False, "bwrap: no"))
    found = {finding.name: finding for finding in diagnose()}["user namespaces"]
    assert not found.ok
    assert str(switch) in found.detail
    assert found.remedy == "as root: sysctl -w this=0"


def test_a_sandbox_that_does_not_start_is_a_harness_error(backend: BubblewrapBackend) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "_program", "/usr/bin/false")
        outcome = backend.run(Job(Language.PYTHON, "", Mode.STDIN, None, ('""',)))
    assert outcome.harness_error is not None
    assert "did not start" in outcome.harness_error


def test_no_sandbox_is_loud() -> None:
    unsafe = UnsafeBackend()
    source = "import os\ndef f(x):\n    if os.fork() == 0:\n        while True: pass\n    return x"
    outcome = unsafe.run(Job(Language.PYTHON, source, Mode.CALL, "f", ("[1]",), QUICK))
    assert "NOT ISOLATED" in outcome.warning
    assert "not isolated" in outcome.backend
    assert outcome.runs[0].output == "1"


def test_process_1_ends_with_its_driver_even_when_bubblewrap_does_not_tell(
    backend: BubblewrapBackend, survivors: Survivors, running: Running
) -> None:
    command = backend._command

    def without_death_signal(filter_fd: int, limits: Limits) -> tuple[str, ...]:
        return tuple(word for word in command(filter_fd, limits) if word != "--die-with-parent")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "_command", without_death_signal)
        # By itself it would end long after the look at what is left.
        limits = Limits(cpu_seconds=60.0)
        source = "import time\ntime.sleep(200)"
        job = Job(Language.PYTHON, source, Mode.STDIN, None, ('""',), limits)
        outcomes: list[Outcome] = []
        runner = threading.Thread(target=lambda: outcomes.append(backend.run(job)))
        runner.start()
        while runner.is_alive() and running() < 2:
            time.sleep(0.01)  # process 1 and what it started
        backend.kill_all()
        runner.join()
    assert [item.harness_error for item in outcomes] == ["the run was ended from outside"]
    assert survivors() == []


def test_packages_beside_an_interpreter_of_our_own_are_hidden(tmp_path: Path) -> None:
    (tmp_path / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    found = interpreter.Interpreter("/opt/python/bin/python3.11", "3.11.7", tmp_path)
    assert bubblewrap.hidden_folders(found)[-1] == "/opt/python/lib/python3.11/site-packages"
