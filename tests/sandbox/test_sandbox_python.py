"""What Python programs can rely on: calls, main programs, endings, plain data."""

from __future__ import annotations

import json

import pytest

from codequake.sandbox import BubblewrapBackend, Ending, Job, Limits, Mode, Outcome, Run
from codequake.tasks import Language

QUICK = Limits(cpu_seconds=1.0, wall_factor=10.0, output_bytes=1 << 20, total_output_bytes=2 << 20)


def call(
    backend: BubblewrapBackend, source: str, *inputs: str, entry_point: str = "solve"
) -> Outcome:
    job = Job(Language.PYTHON, source, Mode.CALL, entry_point, inputs or ("[1]",), QUICK)
    outcome = backend.run(job)
    assert outcome.harness_error is None
    return outcome


def main(backend: BubblewrapBackend, source: str, *texts: str) -> tuple[Run, ...]:
    inputs = tuple(json.dumps(text) for text in texts or ("",))
    outcome = backend.run(Job(Language.PYTHON, source, Mode.STDIN, None, inputs, QUICK))
    assert outcome.harness_error is None
    assert outcome.build.ok, outcome.build.why
    return outcome.runs


def test_function_is_called_once_for_each_input(backend: BubblewrapBackend) -> None:
    outcome = call(backend, "def solve(a, b):\n    return a + b", "[1,2]", '["x","y"]')
    assert outcome.build.ok
    assert outcome.entry_found is True
    assert [run.output for run in outcome.runs] == ["3", '"xy"']
    assert [run.read_input for run in outcome.runs] == [None, None]
    assert outcome.cpu_seconds is not None
    assert outcome.cpu_seconds > 0
    assert outcome.peak_bytes is not None
    assert outcome.peak_bytes > 1 << 20


@pytest.mark.parametrize(
    "source",
    [
        "class Solution:\n    def solve(self, x):\n        return x + 1",
        "class Anything:\n    def solve(self, x):\n        return x + 1",
        "class Solution:\n    @staticmethod\n    def solve(x):\n        return x + 1",
        "# class Solution\ndef solve(x):\n    return x + 1",
        "class Other:\n    def run(self):\n        pass\n\nsolve = lambda x: x + 1",
        "if True:\n    def solve(x):\n        return x + 1",
    ],
)
def test_entry_point_is_found_where_it_is(backend: BubblewrapBackend, source: str) -> None:
    assert call(backend, source).runs[0].output == "2"


def test_missing_entry_point_is_not_a_crash(backend: BubblewrapBackend) -> None:
    two = "class A:\n    def solve(self, x): return 1\nclass B:\n    def solve(self, x): return 2"
    for source in ("def resolve(x): return x", two, "solve = 3"):
        outcome = call(backend, source)
        assert outcome.entry_found is False
        assert outcome.runs == ()


def test_main_guard_does_not_run_when_called(backend: BubblewrapBackend) -> None:
    source = "def solve(x):\n    return x\nif __name__ == '__main__':\n    print(input())"
    assert call(backend, source).runs[0].output == "1"


@pytest.mark.parametrize(
    ("expression", "output"),
    [
        ("(1, [2, (3,)])", "[1,[2,[3]]]"),
        ("{'b': 1, 'a': None}", '{"a":null,"b":1}'),
        ("{2: 'x', 1: 'y'}", '{"$dict":[[1,"y"],[2,"x"]]}'),
        ("{'$float': 1}", '{"$dict":[["$float",1]]}'),
        ("{3, 1, 2}", '{"$set":[1,2,3]}'),
        ("frozenset('ba')", '{"$set":["a","b"]}'),
        ("float('nan')", '{"$float":"nan"}'),
        ("-float('inf')", '{"$float":"-inf"}'),
        ("-0.0", "-0.0"),
        ("b'\\x00\\xff'", '{"$bytes":"00ff"}'),
        ("True", "true"),
        ("'\\ud800\\x00'", None),
        ("__import__('collections').Counter('aab')", '{"a":2,"b":1}'),
        ("__import__('collections').namedtuple('P', 'x y')(1, 2)", "[1,2]"),
        ("10 ** 5000", "1" + "0" * 5000),
    ],
)
def test_results_come_back_as_plain_data(
    backend: BubblewrapBackend, expression: str, output: str | None
) -> None:
    run = call(backend, f"def solve(x):\n    return {expression}").runs[0]
    assert run.ending is Ending.RETURNED
    if output is not None:
        assert run.output == output
    else:
        assert run.output is not None
        assert run.output.startswith('"')


@pytest.mark.parametrize(
    "expression",
    [
        "object()",
        "iter([1])",
        "(lambda: 1)",
        "(lambda l: (l.append(l), l)[1])([])",
        "type('Same', (), {'__eq__': lambda s, o: True})()",
        "type('Liar', (), {'__class__': property(lambda s: list)})()",
        "3 + 4j",
    ],
)
def test_what_is_not_data_is_no_crash(backend: BubblewrapBackend, expression: str) -> None:
    run = call(backend, f"def solve(x):\n    return {expression}").runs[0]
    assert run.ending is Ending.NOT_DATA
    assert run.output is None


def test_subclasses_give_what_they_hold_not_what_they_claim(backend: BubblewrapBackend) -> None:
    source = (
        "class N(int):\n    def __eq__(self, o): return True\n    def __repr__(self): return '99'\n"
        "    def __int__(self): return 99\n    def __index__(self): return 99\n"
        "class L(list):\n    def __iter__(self): return iter([7])\n"
        "    def __len__(self): return 9\n"
        "class S(str):\n    def __str__(self): return 'lie'\n"
        "def solve(x):\n    return [N(1), L([1, 2]), S('true')]"
    )
    assert call(backend, source).runs[0].output == '[1,[1,2],"true"]'


@pytest.mark.parametrize(
    ("body", "ending", "detail"),
    [
        ("1 / 0", Ending.CRASHED, "ZeroDivisionError: division by zero"),
        ("__import__('sys').exit(0)", Ending.CRASHED, "SystemExit"),
        ("__import__('os')._exit(0)", Ending.CRASHED, "gave no result: ended with exit code 0"),
        ("__import__('os').abort()", Ending.CRASHED, "gave no result: killed by SIGABRT"),
        ("__import__('os').kill(1, 9); __import__('os').kill(0, 9)", Ending.CRASHED, "SIGKILL"),
        ("[0] * 10**11", Ending.MEMORY_LIMIT, ""),
        ("while True: pass", Ending.TIMEOUT, ""),
        ("print('x' * 3000000)", Ending.OUTPUT_LIMIT, ""),
        ("return 'x' * 3000000", Ending.OUTPUT_LIMIT, ""),
        ("raise type('E', (Exception,), {'__str__': lambda s: 1 / 0})()", Ending.CRASHED, "E"),
    ],
)
def test_endings_of_calls(
    backend: BubblewrapBackend, body: str, ending: Ending, detail: str
) -> None:
    outcome = call(
        backend, f"def solve(x):\n    if x == 1:\n        {body}\n    return x", "[1]", "[2]"
    )
    assert outcome.runs[0].ending is ending
    assert detail in outcome.runs[0].detail
    limits = (Ending.TIMEOUT, Ending.MEMORY_LIMIT, Ending.OUTPUT_LIMIT)
    rest = Ending.NOT_RUN if ending in limits else Ending.RETURNED
    assert outcome.runs[1].ending is rest


def test_bare_except_does_not_outlive_its_time(backend: BubblewrapBackend) -> None:
    source = (
        "import signal\ndef solve(x):\n    signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
        "    while True:\n        try:\n            while True: pass\n        except: pass"
    )
    assert call(backend, source).runs[0].ending is Ending.TIMEOUT


def test_sleepers_end_at_the_wall(backend: BubblewrapBackend) -> None:
    limits = Limits(cpu_seconds=0.1, wall_factor=3.0)
    source = "import time\ndef solve(x):\n    time.sleep(60)"
    run = backend.run(Job(Language.PYTHON, source, Mode.CALL, "solve", ("[1]",), limits)).runs[0]
    assert run.ending is Ending.TIMEOUT
    assert run.cpu_seconds < 0.1


@pytest.mark.parametrize("source", ["def solve(x) return x", "x = (" * 300, "a\0b", "é = '\ud800'"])
def test_programs_that_do_not_compile(backend: BubblewrapBackend, source: str) -> None:
    outcome = call(backend, source)
    assert not outcome.build.ok
    assert outcome.build.why
    assert outcome.runs == ()


def test_deep_recursion_works(backend: BubblewrapBackend) -> None:
    plain = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\ndef solve(x): return f(x)"
    cached = f"from functools import lru_cache\n@lru_cache(None)\n{plain}"
    assert call(backend, plain, "[100000]").runs[0].output == "100000"
    assert call(backend, cached, "[50000]").runs[0].output == "50000"
    assert call(backend, plain, "[-1]").runs[0].ending is not Ending.RETURNED


def test_replaced_builtins_do_not_reach_the_runner(backend: BubblewrapBackend) -> None:
    source = (
        "import builtins, json, os, io\n"
        "for name in ('len', 'isinstance', 'sorted', 'type', 'str', 'callable', 'open', 'exec'):\n"
        "    setattr(builtins, name, None)\n"
        "json.dumps = json.loads = os.write = None\n"
        "def solve(x):\n    return [x, {'k': (1,)}]"
    )
    assert call(backend, source).runs[0].output == '[1,{"k":[1]}]'


def test_state_does_not_pass_from_one_input_to_the_next(backend: BubblewrapBackend) -> None:
    source = (
        "import os\ncount = 0\ndef solve(x):\n    global count\n    count += 1\n"
        "    found = os.listdir('/tmp') + os.listdir('/dev/shm')\n"
        "    os.makedirs('/tmp/a/b'); open('/tmp/a/b/left', 'w').close()\n"
        "    open('/dev/shm/left', 'w').close()\n    return [count, found]"
    )
    runs = call(backend, source, "[1]", "[1]").runs
    assert [run.output for run in runs] == ["[1,[]]", "[1,[]]"]


READERS = [
    "print(input())",
    "import sys; print(sys.stdin.readline(), end='')",
    "import sys; print(sys.stdin.read().split('\\n')[0])",
    "import sys\nfor line in sys.stdin:\n    print(line, end='')\n    break",
    "import sys; print(sys.stdin.buffer.readline().decode(), end='')",
    "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().split(b'\\n')[0])",
    "print(open(0).readline(), end='')",
    "print(open('/dev/stdin').readline(), end='')",
    "import os; os.write(1, os.read(0, 100).split(b'\\n')[0])",
    "import fileinput; print(next(iter(fileinput.input())), end='')",
    "import sys; sys.stdin.readline; print(next(sys.stdin), end='')",
    "import mmap; print(mmap.mmap(0, 0, prot=mmap.PROT_READ).readline().decode(), end='')",
    "import sys; open('/dev/stdout', 'w').write(sys.stdin.readline())",
    "n = 0\ndef f():\n    global n\n    n += 1\nf(); print(input())",
    """import sys, threading
sys.setrecursionlimit(10**6)
threading.stack_size(2**26)
t = threading.Thread(target=lambda: print(input()))
t.start()
t.join()""",
    "import threading\nthreading.Thread(target=lambda: print(input())).start()",
    "import atexit; atexit.register(lambda: print(input()))",
    "import asyncio\nasync def m(): print(input())\nasyncio.run(m())",
    "print(input()); exit()",
    "import sys; print(input()); sys.exit(0)",
    """import multiprocessing as m
if __name__ == '__main__':
    with m.Pool(2) as p: print(p.map(str, [input()])[0])""",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: str\nprint(P(input()).x)",
]


@pytest.mark.parametrize("source", READERS)
def test_every_way_of_reading_and_writing_works(backend: BubblewrapBackend, source: str) -> None:
    (run,) = main(backend, source, "first 1\nsecond\n")
    assert (run.ending, run.detail) == (Ending.RETURNED, "")
    assert json.loads(run.output or "").strip() == "first 1"
    assert run.read_input is True


def test_second_line_is_not_the_first_again(backend: BubblewrapBackend) -> None:
    source = "import sys\nr = sys.stdin.buffer.readline\nprint(r().decode().strip(), r().decode())"
    assert json.loads(main(backend, source, "a\nb\n")[0].output or "").split() == ["a", "b"]


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        ("print(3)\nraise ValueError('no')", "ValueError: no"),
        ("print(3)\nimport sys; sys.exit(1)", "ended with exit code 1"),
        ("print(3)\nimport sys; sys.exit('bad')", "bad"),
        ("print(3)\nimport os; os.kill(os.getpid(), 11)", "killed by SIGSEGV"),
        ("input(); input()", "EOFError"),
    ],
)
def test_output_counts_only_with_exit_code_0(
    backend: BubblewrapBackend, source: str, detail: str
) -> None:
    (run,) = main(backend, source, "3\n")
    assert run.ending is Ending.CRASHED
    assert detail in run.detail
    assert run.output is None


def test_unread_input_is_seen(backend: BubblewrapBackend) -> None:
    runs = main(backend, "print(1)", "3\n", "")
    assert [run.read_input for run in runs] == [False, False]


def test_large_input_and_output(backend: BubblewrapBackend) -> None:
    text = "x" * 900_000
    assert json.loads(main(backend, "print(input(), end='')", text)[0].output or "") == text


def test_output_that_is_no_text_is_still_reported(backend: BubblewrapBackend) -> None:
    (run,) = main(backend, "import sys; sys.stdout.buffer.write(b'a\\x00\\xffb')")
    assert json.loads(run.output or "") == "a\0\ufffdb"


def test_environment_is_fixed(backend: BubblewrapBackend) -> None:
    source = (
        "import os, sys, time\n"
        "print(hash('x'), os.environ['LC_ALL'], time.tzname[0], sys.flags.hash_randomization,"
        " '' in sys.path, sys.stdout.encoding, os.getcwd())"
    )
    first, second = main(backend, source, "", "")
    assert first.output == second.output
    assert json.loads(first.output or "").split()[1:] == [
        "C.UTF-8",
        "UTC",
        "0",
        "False",
        "utf-8",
        "/tmp",
    ]
    assert main(backend, source)[0].output == first.output
