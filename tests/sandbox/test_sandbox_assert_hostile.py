"""Programs that want to pass tests by statements without being right, or without being judged."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from codequake.sandbox import BubblewrapBackend, Ending, Job, Limits, Mode, Outcome, UnsafeBackend
from codequake.tasks import Language

SHORT = Limits(cpu_seconds=0.5, wall_factor=6.0, output_bytes=1 << 20, total_output_bytes=2 << 20)
Survivors = Callable[[], list[str]]

TEST = "assert candidate(2, [3]) == 5\nassert candidate(7, [1]) == 8"
FAILED = {Ending.CRASHED, Ending.TIMEOUT}
DENIED = {*FAILED, Ending.MEMORY_LIMIT, Ending.OUTPUT_LIMIT, Ending.NOT_DATA, Ending.RETURNED}


def in_call(body: str) -> str:
    """A program that does something when it is called."""
    return f"import os, sys\ndef solve(a, b):\n    {body.replace(chr(10), chr(10) + '    ')}\n"


def at_load(body: str) -> str:
    """A program that does something when it is loaded, and then would answer wrongly."""
    return f"import os, sys\ndef solve(a, b):\n    return 0\n{body}\n"


EQUAL = """
class Same:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 5
    def __bool__(self): return True
    def __class_getitem__(cls, x): return 5
"""
FORGED = (
    "for fd in range(256):\n    for line in LINES:\n"
    "        try: os.write(fd, line)\n        except OSError: pass\n"
)
RECORDS = (
    "token = next((f.f_locals['pair'].token for f in FRAMES if 'pair' in f.f_locals), '0' * 16)\n"
    "LINES = [f'{token} true 0\\n'.encode(), b'000000000014[0,\"ready\",[]]',"
    ' b\'{"event": "run", "index": 0, "ending": "returned", "output": "true", "detail": "",\''
    ' b\' "cpu": 0, "read": null}\\n{"event": "end", "cpu": 0, "peak": 0}\\n\']\n'
)
WALK = "f, FRAMES = sys._getframe(), []\nwhile f: FRAMES.append(f); f = f.f_back\n"
HOSTILE: dict[str, tuple[str, set[Ending]]] = {
    "always equal": (EQUAL + in_call("return Same()"), {Ending.NOT_DATA}),
    "always equal in a list": (EQUAL + in_call("return [Same()]"), {Ending.NOT_DATA}),
    "always equal integer": (
        EQUAL + "class Five(Same, int): pass\n" + in_call("return Five(0)"),
        {Ending.RETURNED},
    ),
    "always equal metaclass": (
        EQUAL + "class Meta(type, Same): __hash__ = type.__hash__\n"
        "class Odd(metaclass=Meta): pass\n"
        "class Odd2(int, metaclass=Meta): pass\n"
        + in_call("return Odd2() if a == 2 else Odd()"),
        DENIED,
    ),
    "comparison raises": (
        "class Bad:\n    def __eq__(self, other): raise SystemExit(0)\n" + in_call("return Bad()"),
        {Ending.NOT_DATA},
    ),
    "odd fraction": (
        "class Fraction:\n    numerator, denominator = 5, 0\nFraction.__module__ = 'fractions'\n"
        + in_call("return Fraction()"),
        FAILED,
    ),
    "kills all": (in_call("os.kill(-1, 9)\nreturn 5"), FAILED),
    "kills all at load": (at_load("os.kill(-1, 9)"), FAILED),
    "kills whom it can guess": (
        in_call("for p in range(2, 400):\n    if p != os.getpid():\n        try: os.kill(p, 9)\n"
                "        except OSError: pass\nreturn 5"),
        FAILED,
    ),
    "kills the judge it knows": (
        "import sys, os\n" + WALK + "pid = next(f.f_locals['pair'].judge for f in FRAMES"
        " if 'pair' in f.f_locals)\n" + in_call("os.kill(pid, 9)\nreturn 5"),
        FAILED,
    ),
    "stops all": (in_call("os.kill(-1, 19)\nreturn 5"), {Ending.TIMEOUT}),
    "all signals to all": (
        in_call("for s in range(1, 65):\n"  # but those of the C library, which cannot be blocked
                "    try: os.kill(-1, s) if s not in (9, 19, 32, 33) else 0\n"
                "    except OSError: pass\nreturn 0"),
        {Ending.RETURNED},
    ),
    "closes everything": (in_call("os.closerange(0, 4096)\nreturn 5"), {Ending.CRASHED}),
    "closes everything and waits": (
        in_call("import time\nos.closerange(0, 4096)\ntime.sleep(100)"),
        {Ending.CRASHED},
    ),
    "floods everything": (
        in_call("while True:\n    for fd in range(256):\n        try: os.write(fd, b'x' * 4096)\n"
                "        except OSError: pass"),
        {Ending.CRASHED, Ending.OUTPUT_LIMIT},
    ),
    "forges records at load": (at_load(WALK + RECORDS + FORGED), {Ending.CRASHED}),
    "forges records in a call": (
        in_call(WALK + RECORDS + FORGED + "return 5"),
        {Ending.CRASHED},
    ),
    "forges records and leaves": (
        at_load(WALK + RECORDS + FORGED + "os._exit(0)"),
        {Ending.CRASHED},
    ),
    "leaves at load": (at_load("os._exit(0)"), {Ending.CRASHED}),
    "leaves in a call": (in_call("os._exit(0)"), {Ending.CRASHED}),
    "exits in a call": (in_call("sys.exit(0)"), {Ending.CRASHED}),
    "exits in a thread": (
        in_call("import threading\nthreading.Thread(target=os._exit, args=(0,)).start()\n"
                "while True: pass"),
        FAILED,
    ),
    "leaves a child to answer": (
        in_call("if os.fork(): os._exit(0)\nimport time\ntime.sleep(100)"),
        {Ending.CRASHED},
    ),
    "starts threads": (
        in_call("import threading, time\nwhile True:\n"
                "    threading.Thread(target=time.sleep, args=(100,)).start()"),
        {*FAILED, Ending.MEMORY_LIMIT},
    ),
    "fork bomb": (
        in_call("while True:\n    try: os.fork()\n    except OSError: pass"),
        {*FAILED, Ending.MEMORY_LIMIT},
    ),
    "hangs": (in_call("while True: pass"), {Ending.TIMEOUT}),
    "sleeps": (in_call("import time\ntime.sleep(100)"), {Ending.TIMEOUT}),
    "infinite generator": (in_call("while True:\n    yield 5"), {Ending.NOT_DATA}),
    "infinite list": (in_call("return list(iter(int, 1))"), {Ending.MEMORY_LIMIT, Ending.TIMEOUT}),
    "huge result": (in_call("return 'x' * (2 << 20)"), {Ending.OUTPUT_LIMIT}),
    "huge integer": (in_call("return 1 << 40_000_000"), {Ending.OUTPUT_LIMIT, Ending.TIMEOUT}),
    "colliding set": (
        in_call("m = 2**61 - 1\nreturn [set(range(m, 15_000 * m, m))]"),
        {Ending.TIMEOUT, Ending.RETURNED},
    ),
    "claims a long answer": (
        at_load("os.write(60, b'999999999999')"),
        {Ending.OUTPUT_LIMIT},
    ),
    "answers by hand": (
        in_call("os.write(60, b'000000000005[[[[[')"),
        {Ending.CRASHED},
    ),
    "odd answers by hand": (
        in_call("a = '[1,\"value\",[[\"o\",99]],[]]'\n"
                "for body in (a, '[1,\"value\"]', '[1,\"error\",[]]'):\n"
                "    os.write(60, f'{len(body):012d}{body}'.encode())"),
        {Ending.CRASHED},
    ),
    "says that the test is broken": (
        in_call("body = '[1,\"broken\",\"\"]'\nos.write(60, f'{len(body):012d}{body}'.encode())"),
        {Ending.CRASHED},
    ),
    "an error that is no exception": (
        in_call("body = '[1,\"error\",\"print\",\"\",[],[null]]'\n"
                "os.write(60, f'{len(body):012d}{body}'.encode())"),
        {Ending.CRASHED},
    ),
    "assertion of its own": (in_call("raise AssertionError('assert True')"), {Ending.CRASHED}),
    "name error of its own": (in_call("raise NameError('x')"), {Ending.CRASHED}),
    "error with odd text": (
        "class Odd(Exception):\n    def __str__(self): raise SystemExit(0)\n"
        "    args = property(lambda self: os._exit(0))\n" + in_call("raise Odd()"),
        {Ending.CRASHED},
    ),
    "error with odd type": (
        "class Meta(type):\n    def mro(cls): return [cls, *type.mro(cls)]\n"
        "    __name__ = property(lambda self: os._exit(0))\n"
        "class Odd(BaseException, metaclass=type): pass\n" + in_call("raise Odd()"),
        {Ending.CRASHED},
    ),
    "changes its arguments": (in_call("b[:] = [lambda: 5]\na = 5\nreturn 0"), {Ending.RETURNED}),
    "replaces builtins": (
        in_call("import builtins, json, select\n"
                "for n in ('len', 'isinstance', 'type', 'list', 'set', 'str', 'map', 'zip'):\n"
                "    setattr(builtins, n, lambda *a, **k: 5)\n"
                "json.loads = json.dumps = os.write = os.read = select.poll = lambda *a, **k: 5\n"
                "return 0"),
        {Ending.RETURNED},
    ),
    "limits of others": (
        in_call("import resource\nfor p in range(1, 99):\n"
                "    if p == os.getpid(): continue\n"
                "    try: resource.prlimit(p, resource.RLIMIT_CPU, (0, 0))\n"
                "    except OSError: pass\nreturn 0"),
        {Ending.RETURNED},
    ),
}  # fmt: skip


def outcome_of(
    backend: BubblewrapBackend | UnsafeBackend, source: str, *tests: str, limits: Limits = SHORT
) -> Outcome:
    inputs = tuple(json.dumps(test) for test in tests or (TEST, TEST))
    return backend.run(Job(Language.PYTHON, source, Mode.ASSERT, "solve", inputs, limits))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_never_passes_and_never_looks_like_a_broken_test(
    backend: BubblewrapBackend, survivors: Survivors, name: str
) -> None:
    source, allowed = HOSTILE[name]
    outcome = outcome_of(backend, source)
    assert outcome.harness_error is None
    assert outcome.entry_found is True
    assert len(outcome.runs) == 2
    first = outcome.runs[0]
    assert first.ending in allowed, first
    assert "true" not in [run.output for run in outcome.runs]
    assert survivors() == []


def test_right_programs_survive_their_own_bad_manners(backend: BubblewrapBackend) -> None:
    for extra in (
        "import builtins, json, os, select, io\nbuiltins.len = builtins.isinstance = None\n"
        "json.loads = json.dumps = os.write = os.read = select.poll = None",
        "import sys\nsys.stdout = sys.stderr = sys.stdin = None",
        "import sys\nsys.modules.clear()",
        "import sys\nsys.setrecursionlimit(100)",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(100,)).start()",
        "print('noise' * 1000)\nimport sys\nprint('noise', file=sys.stderr)",
        "import os\nos.chdir('/')\nos.environ.clear()",
        "import signal\nfor s in (2, 10, 13, 15): signal.signal(s, signal.SIG_IGN)",
        "import gc\ngc.disable()",
    ):
        outcome = outcome_of(backend, f"def solve(a, b):\n    return a + b[0]\n{extra}\n")
        assert [run.output for run in outcome.runs] == ["true", "true"], (extra, outcome)


# What a test expects is looked for in all of the memory of the program's process: a page that is
# not there gives an error when it is written to a file, and no signal.  The word is put together
# at run time, so that only a copy that came from outside can be found.
SCAN = """
import ctypes, gc, sys
HEAD, TAIL = b"needle:", b"0123456789abcdef"[::-1]

def pages():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sbrk.restype = libc.write.restype = ctypes.c_ssize_t
    libc.write.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t]
    import os
    top = libc.sbrk(0)
    starts = {id(x) >> 26 << 26 for x in [*gc.get_objects(), libc, sys]}
    spans = [(max(top - (64 << 20), 0), top)] + [(s - (64 << 20), s + (128 << 20)) for s in starts]
    reader, writer = os.pipe()
    seen = set()
    for low, high in spans:
        for page in range(low >> 12 << 12, high, 4096):
            if page not in seen:
                seen.add(page)
                if libc.write(writer, page, 4096) == 4096:
                    yield os.read(reader, 4096)

def found():
    count, rest = 0, b""
    for page in pages():
        text = rest + page
        at = text.find(HEAD)
        while at >= 0:
            count += text[at + len(HEAD):at + len(HEAD) + len(TAIL)] == TAIL
            at = text.find(HEAD, at + 1)
        rest = page[-64:]
    return count

def solve(*given):
    return found() > 0
"""
NEEDLE = "needle:" + "0123456789abcdef"[::-1]


def test_nothing_of_a_test_is_ever_in_the_memory_of_the_program(
    backend: BubblewrapBackend,
) -> None:
    limits = Limits(cpu_seconds=20.0, memory_bytes=512 << 20)
    told = Job(Language.PYTHON, SCAN, Mode.CALL, "solve", (json.dumps([NEEDLE]),), limits)
    assert [run.output for run in backend.run(told).runs] == ["true"], "the search finds nothing"
    tests = (
        f"assert candidate() is None, '{NEEDLE}'",
        f"x = '{NEEDLE}'\nassert candidate() is False",
        f"assert candidate([1]) == False  # {NEEDLE}",
    )
    job = Job(
        Language.PYTHON,
        SCAN,
        Mode.ASSERT,
        "solve",
        tuple(json.dumps(test) for test in tests),
        limits,
        setup=f"expected = '{NEEDLE}'",
    )
    outcome = backend.run(job)
    assert [run.output for run in outcome.runs] == ["false", "true", "true"]
    assert NEEDLE in outcome.runs[0].detail


def test_filling_the_shared_folder_does_not_make_a_test_look_broken(
    backend: BubblewrapBackend,
) -> None:
    source = at_load(
        "try:\n    while True: open('x', 'ab').write(bytes(1 << 20))\nexcept OSError: pass"
    )
    outcome = outcome_of(backend, source, f"open('y', 'w').write('x' * 9999)\n{TEST}")
    assert outcome.harness_error is None
    assert [run.output for run in outcome.runs] == ["false"]


def test_the_frames_of_the_program_hold_no_pipe_of_the_verdict(
    backend: BubblewrapBackend,
) -> None:
    source = (
        "import os, sys\ndef solve():\n    open_fds = []\n    for fd in range(4096):\n"
        "        try: os.fstat(fd); open_fds.append(fd)\n        except OSError: pass\n"
        "    return open_fds"
    )
    outcome = outcome_of(backend, source, "assert candidate() == [0, 1, 2, 60, 61]")
    assert outcome.runs[0].output == "true"


def test_without_isolation_tests_by_statements_run_too() -> None:
    right = "def solve(a, b):\n    return a + b[0]"
    forks = "import os, time\ndef solve(a, b):\n    os.fork() or time.sleep(100)\n    return 5"
    for source, expected in ((right, "true"), (forks, "false")):
        outcome = outcome_of(UnsafeBackend(), source)
        assert outcome.harness_error is None
        assert [run.output for run in outcome.runs] == [expected] * 2
        assert "NOT ISOLATED" in outcome.warning


def test_limits_are_those_of_calls(backend: BubblewrapBackend) -> None:
    for source, ending in (
        ("def solve(x):\n    while True: pass", Ending.TIMEOUT),
        ("import time\ndef solve(x):\n    time.sleep(100)", Ending.TIMEOUT),
        ("while True: pass\ndef solve(x): pass", Ending.TIMEOUT),
        ("def solve(x):\n    return sum(10**9 for _ in iter(int, 1))", Ending.TIMEOUT),
        ("def solve(x):\n    return bytearray(4 << 30)", Ending.MEMORY_LIMIT),
        ("x = bytearray(4 << 30)\ndef solve(x): pass", Ending.MEMORY_LIMIT),
        ("def solve(x):\n    return 'x' * (2 << 20)", Ending.OUTPUT_LIMIT),
        ("def solve(x):\n    print('x' * (2 << 20))", Ending.OUTPUT_LIMIT),
        ("def solve(x):\n    raise ValueError('x' * (2 << 20))", Ending.OUTPUT_LIMIT),
    ):
        outcome = outcome_of(backend, source, "assert solve(1)", "assert solve(1)", limits=SHORT)
        assert outcome.harness_error is None
        assert [run.ending for run in outcome.runs] == [ending, Ending.NOT_RUN], source
