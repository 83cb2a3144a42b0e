"""Switches that take one defence out of the sandbox, for as long as a test looks without it.

Only the throw-away sandbox of ``defence_trial`` opens them.  Each is a context manager that must be
entered before a backend is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from codequake.sandbox import BubblewrapBackend, bubblewrap, driving, seccomp

Switch = Callable[[], AbstractContextManager[Any]]


@contextmanager
def swapped(owner: object, name: str, value: object) -> Iterator[None]:
    """Put a value in the place of another for a while."""
    original = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)


_NO_CALL = (4095, 4095)  # a number that no kernel knows


def words(change: Callable[[list[str]], list[str]]) -> Switch:
    """Change the command line of bubblewrap; a change that changes nothing is a mistake."""

    @contextmanager
    def switch() -> Iterator[None]:
        original = BubblewrapBackend._with_program

        def changed(
            self: BubblewrapBackend, command: list[str], filter_fd: int, source: str
        ) -> tuple[str, ...]:
            line = list(original(self, command, filter_fd, source))
            end = line.index("--")
            found = change(line[:end])
            assert found != line[:end]
            return (*found, *line[end:])

        with swapped(BubblewrapBackend, "_with_program", changed):
            yield

    return switch


def without_words(*gone: str) -> Switch:
    """Leave out words that stand one after the other."""

    def change(line: list[str]) -> list[str]:
        for start in range(len(line)):
            if tuple(line[start : start + len(gone)]) == gone:
                return line[:start] + line[start + len(gone) :]
        raise AssertionError(f"{gone} are not in {line}")

    return words(change)


def with_words(*more: str) -> Switch:
    """Add a view of something, before the root becomes read-only."""

    def change(line: list[str]) -> list[str]:
        place = len(line) - 1 - line[::-1].index("--remount-ro")
        return [*line[:place], *more, *line[place:]]

    return words(change)


def instead(old: tuple[str, ...], new: tuple[str, ...]) -> Switch:
    """Put other words in the place of some that stand one after the other."""

    def change(line: list[str]) -> list[str]:
        for start in range(len(line)):
            if tuple(line[start : start + len(old)]) == old:
                return [*line[:start], *new, *line[start + len(old) :]]
        raise AssertionError(f"{old} are not in {line}")

    return words(change)


def shared_namespace(kind: str) -> Switch:
    """Leave the sandbox in a namespace of its surroundings: net, pid, ipc or uts."""
    kinds = [f"--unshare-{name}" for name in ("user", "net", "pid", "ipc", "uts") if name != kind]

    def change(line: list[str]) -> list[str]:
        rest = [word for word in line if word != "--unshare-all"]
        if kind == "pid":
            rest.remove("--as-pid-1")
        return [rest[0], *kinds, "--unshare-cgroup-try", *rest[1:]]

    return words(change)


def calls(*names: str) -> Switch:
    """Let system calls through that the filter refuses."""
    assert set(names) <= set(seccomp._DENIED)
    # Rules on arguments may be switched off besides: the filter is made when it is asked for.
    return lambda: swapped(
        bubblewrap,
        "filter_program",
        lambda leave_out=frozenset(): seccomp.filter_program(leave_out=leave_out | set(names)),
    )


def rule(name: str, value: object) -> Switch:
    """Switch off a rule on the argument of a call."""
    return lambda: swapped(seccomp, name, value)


namespace_flags = rule("_NAMESPACE_FLAGS", 0)
clone3_rule = rule("_CLONE3", _NO_CALL)
limits_of_others_rule = rule("_PRLIMIT", _NO_CALL)
shared_memory_rule = rule("_MMAP", _NO_CALL)
terminal_rule = rule("_TERMINAL_CALLS", ())
architecture_rule = rule("_KILL", seccomp._ALLOW)
x32_rule = rule("_X32_BIT", 0xFFFFFFFF)


def user() -> AbstractContextManager[Any]:
    """Keep our own user."""
    return swapped(bubblewrap, "sandbox_user", lambda: None)


def all_shown() -> AbstractContextManager[Any]:
    """Hide no part of what is shown."""
    return swapped(bubblewrap, "hidden_folders", lambda interpreter: ())


def in_driver(name: str, value: object) -> Switch:
    """Replace a name of the trusted side."""
    return lambda: swapped(driving, name, value)


@contextmanager
def driver_environment() -> Iterator[None]:
    """Start bubblewrap with the environment of its driver."""
    original = driving._start

    def start(launch: driving.Launch) -> Any:
        return original(replace(launch, environment=dict(os.environ)))

    with swapped(driving, "_start", start):
        yield


@contextmanager
def told_answers() -> Iterator[None]:
    """Give process 1 what the program should answer."""
    original = driving.job_message

    def message(*given: Any) -> bytes:
        return original(*given)[:-2] + b', "expected": "got through"}\n'

    with swapped(driving, "job_message", message):
        yield


def popen(**changes: object) -> Switch:
    """Start bubblewrap with other arguments of ``Popen``."""
    original = driving.subprocess.Popen
    return lambda: swapped(
        driving.subprocess, "Popen", lambda *given, **named: original(*given, **(named | changes))
    )


def in_process_1(text: str, *, worker: bool = False) -> Switch:
    """Run a few lines in process 1 before it starts; ``package`` holds its modules by name."""

    @contextmanager
    def switch() -> Iterator[None]:
        original = bubblewrap.runner_source

        def source(kind: str = "alone", *, magic: str | None = None) -> str:
            script = original(kind, magic=magic)
            if kind != changed:
                return script
            start = script.rindex("package.", 0, len(script) - 1)
            # In a function: each switch has names of its own.
            body = "".join(f"    {line}\n" for line in text.splitlines())
            return f"{script[:start]}def switch():\n{body}switch()\n{script[start:]}"

        with swapped(bubblewrap, "runner_source", source):
            yield

    changed = "zygote" if worker else "alone"
    return switch


def in_pair(text: str) -> Switch:
    """The same for the part that only tests by statements need; ``pair`` is its module."""
    body = "".join(f"    {line}\n" for line in text.splitlines())
    return in_process_1(
        "load_rest = package.load_rest\ndef loaded():\n    load_rest()\n    pair = package.pair\n"
        f"{body}package.load_rest = loaded"
    )


def in_worker(text: str) -> Switch:
    """The same for process 1 of a worker."""
    return in_process_1(text, worker=True)


def resource_limit(name: str, *, worker: bool = False) -> Switch:
    """Leave out one limit that process 1 puts on programs."""
    return in_process_1(
        "import resource\nput = resource.setrlimit\n"
        f"resource.setrlimit = lambda kind, pair: kind == resource.{name} or put(kind, pair)",
        worker=worker,
    )


reaping = in_process_1(
    "import os\ndef finish(self, pid, kill):\n    kill and os.kill(pid, 9)\n"
    "    _, status, own = os.wait4(pid, 0)\n"
    "    return status, (own.ru_utime + own.ru_stime, own.ru_maxrss * 1024)\n"
    "package.inside.Tester._finish = finish"
)
wiping = in_process_1("package.inside.Tester._wipe = lambda self: None")
own_group_of_process_1 = in_process_1(
    "import os\nput_group = os.setpgid\n"
    "os.setpgid = lambda pid, group: os.getpid() == 1 or put_group(pid, group)"
)
own_group_of_program = in_process_1(
    "import os\nput_group_2 = os.setpgid\n"
    "os.setpgid = lambda pid, group: os.getpid() == 1 and put_group_2(pid, group)"
)
_DEAF = (
    "import select\nclass Poll:\n"
    "    def __init__(self):\n        self.poller = poll()\n        self.poll = self.poller.poll\n"
    "        self.unregister = self.poller.unregister\n"
    "    def register(self, fd, kinds):\n        kinds and self.poller.register(fd, kinds)\n"
    "poll, select.poll = select.poll, Poll"
)
lifeline = in_process_1(_DEAF)
output_watch = in_process_1("package.inside.Tester._over = lambda self, channels: False")
total_output_watch = in_process_1(
    "class Tester(package.inside.Tester):\n"
    "    printed = property(lambda self: 0, lambda self, value: None)\n"
    "package.alone.Tester = Tester"
)
processor_watch = in_process_1("package.inside.cpu_of = lambda pid: 0.0")
processor_count = in_process_1(
    "count = package.inside.Tester._finish\ndef uncounted(self, pid, kill):\n"
    "    status, used = count(self, pid, kill)\n    return status, (0.0, used[1])\n"
    "package.inside.Tester._finish = uncounted"
)
wall_watch = in_process_1(
    "class Patient(package.inside.Tester):\n    def __init__(self, *given):\n"
    "        super().__init__(*given)\n        self.limits['wall_factor'] = 1e9\n"
    "package.alone.Tester = Patient"
)
token = in_process_1("import os\nos.urandom = bytes")
closing = in_process_1("import os\nos.closerange = lambda low, high: None")
judge_apart = in_pair(
    "import json, os\ntest = pair.PairTester._test\n"
    "def told(self, what, given):\n    start, length = json.loads(given)[:2]\n"
    "    self.statements = json.loads(os.pread(self.material, length, start))\n"
    "    return test(self, what, given)\n"
    "pair.PairTester._test = told"
)
verdict_pipe = in_pair(
    "import os\nchild = pair.PairTester._child\n"
    "def open_child(self, what, text, fds, token):\n    os.closerange = lambda low, high: None\n"
    "    return child(self, what, text, fds, token)\n"
    "pair.PairTester._child = open_child\n"
    "pair.Channel.close_writer = lambda self: None"
)
tests_closed = in_pair(
    "import os\nchild = pair.PairTester._child\n"
    "def open_child(self, what, text, fds, token):\n    os.closerange = lambda low, high: None\n"
    "    return child(self, what, text, fds, token)\n"
    "pair.PairTester._child = open_child"
)
length_of_answers = in_pair(
    "judge = pair.judge\n"
    "def trusting(setup, statements, entry_point, wires, most, emit):\n"
    "    judge(setup, statements, entry_point, wires, 1 << 40, emit)\n"
    "pair.judge = trusting"
)
time_of_judge = in_pair("pair.PairTester._judge_is_late = lambda self, test: False")
quick_judge = in_pair(
    "class Quick(pair.PairTester):\n    def __init__(self, *given):\n"
    "        super().__init__(*given)\n        self.job['judge_cpu_seconds'] = 1\n"
    "pair.PairTester = Quick"
)
reaping_after_a_test = in_pair(
    "import os\ndef kill(self, pid):\n    try: os.kill(pid, 9)\n"
    "    except ProcessLookupError: pass\npair.PairTester._kill = kill\n"
    "def none_left(pid, options): raise ChildProcessError\n"
    "os.waitpid = none_left"
)
signals_of_judge = in_pair("import signal\nsignal.pthread_sigmask = lambda how, signals: None")
admission = in_worker("package.admission.can_share = lambda code: True")
keeping = in_worker("package.admission.keeps_nothing = lambda code: True")
fresh_arguments = in_worker(
    "import functools\npackage.calling._unpack = functools.lru_cache(package.calling._unpack)"
)
lifeline_of_worker = in_worker(_DEAF)
clearing = in_worker(
    "import os\ndef clear(self, pid):\n    own = os.wait4(pid, 0)[2]\n"
    "    return own.ru_utime + own.ru_stime, own.ru_maxrss * 1024\n"
    "package.zygote.Zygote._clear = clear"
)
slices = in_worker("package.zygote.Zygote._is_over = lambda self, pid, mark: False")
worker_pipes = in_worker(
    "import os\nclose = os.close\nos.close = lambda fd: None if os.getpid() != 1 else close(fd)"
)
worker_view = with_words("--tmpfs", "/tmp")
