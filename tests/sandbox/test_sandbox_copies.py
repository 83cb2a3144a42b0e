"""Programs one after the other in copies of one process 1: nothing passes, nothing differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from tests.sandbox.test_sandbox_assert_hostile import SCAN

from codequake.sandbox import (
    BubblewrapBackend,
    Care,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    diagnose,
    zygote,
)
from codequake.sandbox import bubblewrap as bubblewrap_module
from codequake.sandbox.driving import Reporter
from codequake.sandbox.forks import Forks
from codequake.sandbox.quiet import ends_quietly
from codequake.sandbox.sources import own_magic, runner_source
from codequake.sandbox.workers import Workers
from codequake.tasks import Language

Survivors = Callable[..., list[str]]
LIMITS = Limits(cpu_seconds=4.0, wall_factor=10.0, output_bytes=1 << 20)


@pytest.fixture(scope="module")
def backend(mark: str) -> Iterator[BubblewrapBackend]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bubblewrap_module.ENVIRONMENT, "CODEQUAKE_TEST_MARK", mark)
        made = BubblewrapBackend()
        yield made
        made.kill_all()


def main(source: str, *texts: str, limits: Limits = LIMITS) -> Job:
    inputs = tuple(json.dumps(text) for text in texts or ("",))
    return Job(Language.PYTHON, source, Mode.STDIN, None, inputs, limits)


def forked(backend: BubblewrapBackend, *jobs: Job) -> tuple[Outcome, ...]:
    """Run programs in copies of one process 1, and be sure that it was so."""
    origins = set(backend._forks._pool._live)
    found = backend.run_all(jobs, Care.FORKED)
    assert [outcome.care for outcome in found] == [Care.FORKED] * len(jobs)
    after = set(backend._forks._pool._live)
    assert len(after) == 1
    assert not origins or origins == after, "another process 1 was started meanwhile"
    return found


def told(outcome: Outcome) -> tuple[object, ...]:
    runs = [(run.ending, run.output, run.detail, run.read_input) for run in outcome.runs]
    return outcome.harness_error, outcome.build, outcome.entry_found, runs


def output(outcome: Outcome) -> str:
    assert outcome.runs[0].ending is Ending.RETURNED, outcome.runs[0]
    return str(json.loads(outcome.runs[0].output or ""))


# What a main program may leave for the end of the interpreter, or do with its streams.
ENDS = {
    "plain": "print(input())",
    "no newline": "import sys\nsys.stdout.write(input())",
    "bytes": "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())",
    "mixed": "import sys\nprint('a', end='')\nsys.stdout.buffer.write(b'b')\nprint('c')",
    "reader": "import sys\nfor line in sys.stdin: print(line.strip())",
    "open": "print(open(0).read())",
    "device": "print(open('/dev/stdin').read(), file=open('/dev/stdout', 'w'))",
    "not closed": "f = open('/dev/stdout', 'w')\nf.write('late')",
    "delete": "class A:\n    def __del__(self): print('late')\na = A()",
    "delete by name": "A = type('A', (), {'__d' + 'el__': lambda self: print('late')})\na = A()",
    "generator": "def g():\n    try: yield 1\n    finally: print('late')\nx = g()\nnext(x)",
    "expression": "x = (i for i in range(3))\nprint(next(x))",
    "handler": "import atexit\natexit.register(print, 'late')",
    "thread": "import threading, time\n"
    "def f():\n    time.sleep(0.1)\n    print('late')\nthreading.Thread(target=f).start()",
    "weak": "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'late')",
    "other stream": "import sys, io\nsys.stdout = io.StringIO()\nprint('lost')",
    "stream kept": "import sys\nold = sys.stdout\nsys.stdout = None\nold.write('kept')",
    "own stream": "import sys\nclass S:\n    def write(self, t): pass\n    def flush(self): "
    "sys.__stdout__.write('flushed')\nsys.stdout = S()\nprint(1)",
    "closed stream": "import sys\nprint(1)\nsys.stdout.close()",
    "detached": "import sys\nb = sys.stdout.detach()\nb.write(b'x')",
    "exit": "import sys\nprint(1)\nsys.exit()",
    "exit 0": "import sys\nprint(1)\nsys.exit(0)",
    "exit false": "import sys\nprint(1)\nsys.exit(False)",
    "exit 3": "import sys\nprint(1)\nsys.exit(3)",
    "exit text": "import sys\nprint(1)\nsys.exit('why')",
    "exit by name": "print(1)\nexit()",
    "quit": "print(1)\nquit(0)",
    "at once": "import os\nprint(1)\nos._exit(0)",
    "error": "print(1)\n[][1]",
    "error in words": "raise ValueError('no')",
    "own error": "class E(Exception): pass\nraise E('no')",
    "error of the machine": "raise OSError(28, 'full')",
    "nothing": "",
    "no program": "x = (",
    "null character": "x = '\0'",
    "name of the module": "print(__name__, __file__)\nimport sys\nprint(sys.argv, sys.path[:1])",
    "builtins": "print(sorted(dir(__builtins__)) == sorted(dir(__import__('builtins'))))",
    "random": "import random\nprint(0 <= random.random() < 1)",
    "typing": "from typing import *\nprint(List[int], Optional[str])",
    "hints": "import importlib, xml, collections, json\n"
    "for m in (importlib, xml, collections, json):\n    print(sorted(n for n in dir(m)))",
    "streams": "import sys\nfor s in (sys.stdin, sys.stdout, sys.stderr):\n"
    "    print(s.fileno(), s.seekable(), s.isatty(), s.encoding, s.errors, s.line_buffering)",
    "descriptors": "import os\nfound = []\nfor fd in range(4096):\n"
    "    try: found.append((fd, os.fstat(fd).st_mode))\n    except OSError: pass\nprint(found)",
    "limits": "import resource as r\n"
    "print([(n, r.getrlimit(getattr(r, n))) for n in sorted(dir(r)) if n.startswith('RLIMIT')\n"
    "       and n not in ('RLIMIT_NPROC', 'RLIMIT_CPU')])",
    "time limit": "import resource as r\nprint(r.getrlimit(r.RLIMIT_CPU))",
    "signals": "import signal\nprint([signal.getsignal(s) for s in range(1, 65)\n"
    "       if s not in (32, 33)], signal.pthread_sigmask(signal.SIG_BLOCK, []))",
    "surroundings": "import os\nprint(sorted(os.environ.items()), os.getcwd(), os.umask(0),\n"
    "      os.getuid(), os.nice(0), os.getpgrp() == os.getpid(),\n"
    "      sorted(os.sched_getaffinity(0)), os.sched_getscheduler(0))",
    "files": "import os\nfor p in ('/', '/tmp', '/run', '/dev', '/dev/shm', '/proc/self/fd'):\n"
    "    s = os.stat(p)\n    print(p, sorted(os.listdir(p)), oct(s.st_mode), s.st_uid)",
    "room": "import os\nfor p in ('/tmp', '/run', '/dev/shm'):\n"
    "    s = os.statvfs(p)\n    print(s.f_blocks * s.f_bsize, s.f_flag)",
    "rights": "import ctypes\nc = ctypes.CDLL(None)\n"
    "print([c.prctl(23, n, 0, 0, 0) for n in range(41)], c.prctl(39, 0, 0, 0, 0))",
    "first child": "import os\npid = os.fork()\nif pid == 0: os._exit(7)\n"
    "print(os.waitpid(pid, 0)[1], os.getppid())",
    "modules": "import random, statistics, decimal, fractions, datetime, typing, re, sys\n"
    "print(sorted(n for m in list(sys.modules.values()) if hasattr(m, '__path__')\n"
    "             for n in dir(m) if m.__name__ + '.' + n in sys.modules))",
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_copy_tells_what_a_sandbox_of_its_own_tells(
    backend: BubblewrapBackend, name: str
) -> None:
    job = main(ENDS[name], "one\ntwo\n", "three\n")
    (copy,) = forked(backend, job)
    assert told(copy) == told(backend.run(job))


def test_as_many_processes_can_be_started(backend: BubblewrapBackend) -> None:
    source = (
        "import os, time\ncount = 0\ntry:\n    while True:\n        if os.fork() == 0:\n"
        "            time.sleep(60)\n        count += 1\nexcept OSError: print(count)"
    )
    job = main(source)
    assert output(forked(backend, job)[0]) == output(backend.run(job))


# Each is run, and then a program that must be served as if nothing had been.
LEFT_BEHIND = {
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        time.sleep(100)\n    os._exit(0)\nprint(1)",
    "daemon that ignores": "import os, signal, time\nif os.fork() == 0:\n    os.setsid()\n"
    "    for s in range(1, 65):\n        try: signal.signal(s, signal.SIG_IGN)\n"
    "        except (OSError, ValueError): pass\n    os.closerange(0, 99)\n    time.sleep(100)",
    "stopped child": "import os\nif os.fork() == 0: os.kill(os.getpid(), 19)",
    "files": "import os\nfor p in ('/tmp', '/run', '/dev/shm'):\n"
    "    open(p + '/left', 'w').write('LEFT')\n    os.mkdir(p + '/deep')\n    os.chmod(p, 0o1000)",
    "full folders": "for p in ('/tmp/x', '/run/x', '/dev/shm/x'):\n"
    "    try:\n        f = open(p, 'wb', 0)\n        while True: f.write(bytes(1 << 20))\n"
    "    except OSError: pass",
    "marks on folders": "import os\nfor p in ('/tmp', '/run', '/dev/shm'):\n"
    "    os.utime(p, (7, 7))\n    try: os.setxattr(p, 'user.left', b'LEFT')\n"
    "    except OSError: pass",
    "streams by name": "import os\nfor n in ('stdin', 'stdout', 'stderr'):\n"
    "    os.unlink('/run/' + n)\n    os.symlink('/tmp/left', '/run/' + n)",
    "named socket": "import socket\na, b = socket.socketpair(type=socket.SOCK_DGRAM)\n"
    "a.bind('\\0left')\nprint(1)",
    "signals": "import os\nfor p in (1, 0, -1, os.getppid()):\n"
    "    for s in (1, 2, 9, 10, 15, 18):\n"
    "        if (p, s) != (0, 9) and p:\n            try: os.kill(p, s)\n"
    "            except OSError: pass",
    "limits and turns": "import os, resource\n"
    "for n in (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_NPROC):\n"
    "    for p in (0, 1, os.getppid()):\n"
    "        try: resource.prlimit(p, n, (9, 9))\n        except (OSError, ValueError): pass\n"
    "for f in (lambda: os.sched_setaffinity(1, {0}), lambda: os.setpriority(0, 1, 19),\n"
    "          lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),\n"
    "          lambda: os.nice(9)):\n    try: f()\n    except OSError: pass",
    "mounts": "import ctypes\nc = ctypes.CDLL(None)\n"
    "print(c.mount(b'tmpfs', b'/usr', b'tmpfs', 0, b''), c.umount2(b'/tmp', 2),\n"
    "      c.unshare(0x20000))",
    "descriptors": "import os\nfor fd in range(3, 4096):\n\n"
    "    for act in (lambda: os.write(fd, b'LEFT'),\n"
    "            lambda: os.ftruncate(fd, 0), lambda: os.read(fd, 99), lambda: os.close(fd)):\n"
    "        try: act()\n        except OSError: pass",
    "interpreter": "import builtins, sys, json, os, typing, math\nmath.pi = 3\n"
    "builtins.print = builtins.len = None\njson.loads = os.read = os.write = None\n"
    "sys.modules.clear()\nsys.path.clear()",
    "leaves": "import os\nos.abort()",
}  # fmt: skip
AFTER = """import os, sys, math, json, resource, signal, threading
thread = threading.Thread(target=lambda: None)
thread.start(); thread.join()
seen = [sorted(os.listdir(p)) for p in ('/tmp', '/run', '/dev/shm')]
state = [[oct(os.stat(p).st_mode), os.listxattr(p), os.stat(p).st_mtime > 1e9] for p in
         ('/tmp', '/run', '/dev/shm')]
open('/dev/shm/big', 'wb').write(bytes(30 << 20))
print(input(), seen, state, math.pi, os.getpid(), len(json.dumps([1])),
      resource.getrlimit(resource.RLIMIT_NOFILE), os.getpriority(os.PRIO_PROCESS, 0),
      os.sched_getscheduler(0), sorted(os.sched_getaffinity(0)), os.access('/usr/bin', os.R_OK))
"""


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_nothing_is_left_for_the_next_program(
    backend: BubblewrapBackend, survivors: Survivors, name: str
) -> None:
    quick = Limits(cpu_seconds=1.0, wall_factor=3.0, output_bytes=1 << 20)
    job = main(AFTER, "text\n")
    first, _, last = forked(backend, job, main(LEFT_BEHIND[name], "LEFT\n", limits=quick), job)
    assert first.settled
    assert "'stderr', 'stdin', 'stdout'" in output(first)
    assert told(last) == told(first)
    assert len(survivors(1)) == 1


WORD = b"needle:" + b"0123456789abcdef"[::-1]
HUNT = (
    SCAN.replace("def solve(*given):\n    return found() > 0\n", "")
    + """
import gc, os, sys

def hunt():
    texts, frame = [], sys._getframe()
    while frame is not None:
        texts.append(repr(frame.f_locals) + repr(list(frame.f_globals)))
        frame = frame.f_back
    texts += [repr(item) for item in gc.get_objects() if type(item) in (dict, list, tuple)]
    texts += [repr(sys.argv), repr(getattr(sys, "orig_argv", "")), repr(os.environ)]
    for fd in range(4096):
        try: texts.append(repr(os.pread(fd, 1 << 20, 0)))
        except OSError: pass
    for top in ("/tmp", "/run", "/dev", "/proc", "/etc"):
        for place, folders, files in os.walk(top):
            texts += [place, *folders, *files]
    return sum((HEAD + TAIL).decode() in text for text in texts)

print(found(), hunt())
"""
)


def test_nothing_of_an_earlier_program_can_be_found(backend: BubblewrapBackend) -> None:
    word = WORD.decode()
    limits = Limits(cpu_seconds=30.0, memory_bytes=1 << 30)
    # The word is in its own text only in two pieces; with it in one the hunt must succeed.
    found = output(backend.run(main(f"given = {word!r}\n{HUNT}", limits=limits))).split()
    assert min(map(int, found)) > 0, "the hunt finds nothing"
    filled = f"kept = [{word!r} + str(i) for i in range(50_000)]\nprint(input(), kept[:9])\n"
    filled += f"open('/tmp/x', 'w').write({word!r})\n"
    statement = json.dumps(f"assert solve() == '{word}' and '{word}'")
    source = f"def solve():\n    return '{word}'\n"
    first = main(filled, word, word)
    called = Job(Language.PYTHON, f"import sys\n{source}", Mode.CALL, "solve", ("[]",), LIMITS)
    tests = Job(Language.PYTHON, source, Mode.ASSERT, "solve", (statement,), LIMITS, f"'{word}'")
    *before, hunting = forked(backend, first, tests, called, main(HUNT, limits=limits))
    assert [run.ending for outcome in before for run in outcome.runs] == [Ending.RETURNED] * 4
    assert output(hunting) == "0 0\n"


def test_workers_that_do_not_start_are_told_and_change_no_verdict(
    backend: BubblewrapBackend,
) -> None:
    source = "def add(a, b):\n    return a + b\n"
    called = Job(Language.PYTHON, source, Mode.CALL, "add", ("[1,2]",), LIMITS)
    jobs = [called, main("print(input())", "1\n")]
    made = BubblewrapBackend()
    rights = made._fork_command

    def without_rights(filter_fd: int) -> tuple[str, ...]:
        words = list(rights(filter_fd))
        while "--cap-add" in words:
            place = words.index("--cap-add")
            del words[place : place + 2]
        return tuple(words)

    assert made.trouble == ""
    for name, command, reason in (
        ("_forks", without_rights, "gets no namespaces"),
        ("_workers", lambda _: ("/usr/bin/false",), "it said nothing"),
        ("_forks", lambda _: ("/nowhere/bwrap",), "No such file or directory"),
    ):
        broken = BubblewrapBackend()
        kind = type(getattr(broken, name))
        launch = broken._served(command, broken._filter)
        if kind is Forks:
            parts = (launch, broken._launch((), ()), Reporter(broken.name, ""))
            broken._forks = Forks(*parts)
        else:
            broken._workers = Workers(launch, broken.name)
        for _ in range(3):
            found = broken.run_all(jobs, Care.TOGETHER)
            assert [told(item) for item in found] == [told(backend.run(job)) for job in jobs]
        assert reason in broken.trouble
        assert "the verdicts are the same" in broken.trouble
        assert (found[1].care is Care.ALONE) is (kind is Forks)
        broken.kill_all()


def test_doctor_tries_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {item.name: item for item in diagnose()}["fast grading"]
    assert found.ok
    monkeypatch.setattr(
        BubblewrapBackend, "_fork_command", lambda *_: ("/usr/bin/false",), raising=True
    )
    found = {item.name: item for item in diagnose()}["fast grading"]
    assert not found.ok
    assert not found.required
    assert "do not start" in found.detail
    assert found.remedy


@pytest.mark.parametrize(
    ("name", "quiet"),
    [
        *((name, True) for name in ("plain", "bytes", "reader", "expression", "exit", "typing")),
        *((name, False) for name in ("not closed", "delete", "delete by name", "generator")),
        *((name, False) for name in ("handler", "thread", "weak", "own stream", "other stream")),
    ],
)
def test_only_programs_that_say_nothing_at_their_end_leave_at_once(name: str, quiet: bool) -> None:
    assert ends_quietly(compile(ENDS[name], "solution.py", "exec")) is quiet


@pytest.mark.parametrize("kind", ["alone", "zygote", "origin"])
@pytest.mark.parametrize("magic", [None, own_magic()])
def test_process_1_fits_into_one_argument(kind: str, magic: str | None) -> None:
    assert len(runner_source(kind, magic=magic).encode()) < 131_072  # the kernel's limit


RECORDS = b"0 data 17 3\n1\n2" + b"1 syntax 5 4\nwhy?" + b"2 missing 9 0\n"


@pytest.mark.parametrize("size", [1, 2, 7, len(RECORDS)])
def test_records_are_read_however_they_arrive(size: int) -> None:
    reader = zygote._Records()
    whole = [reader.take(RECORDS[at : at + size]) for at in range(0, len(RECORDS), size)]
    assert reader.found == [
        (0, "data", 17, b"1\n2"),
        (1, "syntax", 5, b"why?"),
        (2, "missing", 9, b""),
    ]
    assert reader.waiting == 0
    assert 1 <= sum(whole) <= 3


@pytest.mark.parametrize("forged", [b"x\n", b"0 data 1\n", b"0 data 1 -9\n", b"0 data 1 x\n\n"])
def test_nothing_is_read_behind_what_is_no_record(forged: bytes) -> None:
    reader = zygote._Records()
    assert reader.take(RECORDS)
    assert not reader.take(forged)
    assert not reader.take(RECORDS)
    assert len(reader.found) == 3
