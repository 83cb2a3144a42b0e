from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codequake.sandbox import (
    BubblewrapBackend,
    Care,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    workers,
)
from codequake.tasks import Language

Survivors = Callable[..., list[str]]
Running = Callable[[], int]
LIMITS = Limits(cpu_seconds=1.0, wall_factor=10.0)
INPUTS = ("[1,2]", "[-4,4]", '["a","b"]')
RIGHT = "def add(a, b):\n    return a + b\n"


def job(source: str, inputs: tuple[str, ...] = INPUTS, limits: Limits = LIMITS) -> Job:
    return Job(Language.PYTHON, source, Mode.CALL, "add", inputs, limits)


def told(outcome: Outcome) -> tuple[object, ...]:
    """What must not depend on the care that a program was run with."""
    runs = [(run.ending, run.output, run.detail) for run in outcome.runs]
    return outcome.harness_error, outcome.build, outcome.entry_found, runs


PROGRAMS = {
    "right": RIGHT,
    "wrong": "def add(a, b):\n    return a\n",
    "error on one input": "def add(a, b):\n    return a * b / b\n",
    "method": "class Solution:\n    def add(self, a, b):\n        return [a, (b,)]\n",
    "beside a class of tests": (
        "class Taker:\n    def add(self, a, b):\n        return a\n"
        "class TestTaker:\n    def add(self, a=1, b=1):\n        assert Taker().add(1, 2) == 1\n"
    ),
    "names of the prelude": "def add(a: List[int], b) -> int:\n    return gcd(3, 6)\n",
    "no data": "def add(a, b):\n    return (x for x in ())\n",
    "special numbers": "def add(a, b):\n    return [float('nan'), float('-inf'), -0.0, 1e300]\n",
    "sets and tables": "def add(a, b):\n    return {1: {2, 3}, 'k': {'$x': b'b'}}\n",
    "own kind of list": "class L(list):\n    pass\ndef add(a, b):\n    return [L([1])]\n",
    "letters": "def add(a, b):\n    return '\\ud800\\n\\0\\u2028é'\n",
    "letters in an error": (
        "def add(a, b):\n    if a == 1:\n        return '\\ud800'\n"
        "    raise ValueError('\\ud800')\n"
    ),
    "nested deeply": (
        "def add(a, b):\n    row = []\n    for _ in range(500):\n        row = [row]\n"
        "    return row\n"
    ),
    "long integer": "def add(a, b):\n    return 10**5000\n",
    "not there": "def sub(a, b):\n    return a - b\n",
    "hidden behind another": "def outer():\n    def add(a, b):\n        return a + b\n",
    "no program": "def add(a, b:\n    return a\n",
    "null character": "x = '\0'\n",
    "error while loading": "def add(a, b):\n    return a + b\n1 / 0\n",
    "prints": "def add(a, b):\n    print('x' * 1000)\n    return 3\n",
    "arguments changed": "def add(a, b):\n    c = [a]\n    c.append(b)\n    return c\n",
    "wrong arity": "def add(a):\n    return a\n",
    "exit": "def add(a, b):\n    raise SystemExit\n",
    "exit by name": "import sys\ndef add(a, b):\n    sys.exit(0)\n",
    "scratch file": (
        "def add(a, b):\n    open('/tmp/x', 'w').write('1')\n    return open('/tmp/x').read()\n"
    ),
    "counts its calls": "n = 0\ndef add(a, b):\n    global n\n    n += 1\n    return n\n",
    "endless": "def add(a, b):\n    while True:\n        pass\n",
    "too much memory": "def add(a, b):\n    return len([0] * 10**9)\n",
    "prints without end": "def add(a, b):\n    while True:\n        print('x' * 4096)\n",
    "deep": "def add(a, b):\n    return add(a, b)\n",
}


@pytest.mark.parametrize("care", [Care.TOGETHER, Care.APART, Care.FORKED])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_settled_outcome_is_that_of_a_program_alone(
    backend: BubblewrapBackend, name: str, care: Care
) -> None:
    limits = Limits(cpu_seconds=0.5, wall_factor=10.0, output_bytes=1 << 20)
    work = job(PROGRAMS[name], limits=limits)
    (found,) = backend.run_all([work], care)
    backend.kill_all()
    if found.settled and found.care is not Care.ALONE:
        assert told(found) == told(backend.run(work))
    else:
        assert found.settled is (found.care is Care.ALONE)
    assert found.care is not Care.ALONE


def test_what_each_care_settles(backend: BubblewrapBackend) -> None:
    def outcome(name: str, care: Care) -> Outcome:
        return backend.run_all([job(PROGRAMS[name])], care)[0]

    together, apart = outcome("wrong", Care.TOGETHER), outcome("wrong", Care.APART)
    assert (together.care, together.settled) == (Care.TOGETHER, False)
    assert (apart.care, apart.settled) == (Care.APART, True)
    assert not outcome("counts its calls", Care.APART).settled
    for name in ("deep", "endless", "too much memory", "prints without end"):
        found = outcome(name, Care.APART)
        assert found.care in (Care.APART, Care.FORKED)
        assert not found.settled
    for name in ("exit by name", "scratch file"):
        found = outcome(name, Care.TOGETHER)
        assert (found.care, found.settled) == (Care.FORKED, True)
    assert outcome("no program", Care.TOGETHER).settled
    backend.kill_all()


def test_neighbours_of_misbehaving_programs_are_served(backend: BubblewrapBackend) -> None:
    bad = [name for name in PROGRAMS if name not in ("right", "error while loading")]
    sources = [text for name in bad for text in (PROGRAMS[name], RIGHT + f"# beside {name}\n")]
    for care in (Care.TOGETHER, Care.APART):
        outcomes = backend.run_all([job(source) for source in sources], care)
        for source, outcome in zip(sources, outcomes, strict=True):
            if source.startswith(RIGHT):
                assert [run.output for run in outcome.runs] == ["3", "0", '"ab"'], source
    backend.kill_all()


@pytest.mark.parametrize(
    "source",
    [
        "-" * 60_000 + "1",
        "(" * 5_000 + ")" * 5_000,
        "x = " + "[" * 90 + "]" * 90,
        "x" + ".x" * 30_000,
        "\n".join("if x:\n" + " " * depth for depth in range(1, 200)),
        "x = 9**9**9\n",
    ],
)
def test_texts_that_are_hard_to_compile_lose_nothing(
    backend: BubblewrapBackend, source: str
) -> None:
    work = [job(RIGHT), job(source), job(RIGHT + "# again\n")]
    first, hard, last = backend.run_all(work, Care.TOGETHER)
    assert [run.output for run in (*first.runs, *last.runs)] == ["3", "0", '"ab"'] * 2
    assert hard.harness_error is None
    assert all(run.ending is not Ending.RETURNED for run in hard.runs)
    backend.kill_all()


def test_a_worker_forgets_old_inputs(
    backend: BubblewrapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_KNOWN_BYTES", 100)
    sets = [tuple(f"[{number},{number + k}]" for k in range(9)) for number in range(12)]
    for turn in range(3):
        work = [job(RIGHT + f"# {turn}\n", inputs) for inputs in (*sets, *reversed(sets))]
        outcomes = backend.run_all(work, Care.APART if turn == 1 else Care.TOGETHER)
        for item, outcome in zip(work, outcomes, strict=True):
            expected = [str(sum(map(int, text[1:-1].split(",")))) for text in item.inputs]
            assert [run.output for run in outcome.runs] == expected
    backend.kill_all()


def test_other_modes_and_sizes_run_forked_and_other_languages_alone(
    backend: BubblewrapBackend,
) -> None:
    main = Job(Language.PYTHON, "print(input())", Mode.STDIN, None, ('"x\\n"',), LIMITS)
    long = job(RIGHT + "#" * 70_000)
    without = job(RIGHT, ())
    in_c = Job(Language.C, "int main(void) { return 0; }", Mode.STDIN, None, ('"x"',), LIMITS)
    cares = [item.care for item in backend.run_all([main, long, without, in_c], Care.TOGETHER)]
    assert cares == [Care.FORKED] * 3 + [Care.TOGETHER]  # C has a fast path of its own
    assert backend.run_all([main], Care.ALONE)[0].care is Care.ALONE
    backend.kill_all()


def test_several_threads_have_workers_of_their_own(
    backend: BubblewrapBackend, survivors: Survivors
) -> None:
    found: list[Outcome] = []

    def serve(number: int) -> None:
        work = [job(RIGHT + f"# {number} {turn}\n") for turn in range(20)]
        found.extend(backend.run_all(work, Care.TOGETHER))

    threads = [threading.Thread(target=serve, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {tuple(run.output for run in item.runs) for item in found} == {("3", "0", '"ab"')}
    assert len(found) == 80
    backend.kill_all()
    assert survivors() == []


def test_killing_everything_ends_a_request(
    backend: BubblewrapBackend, survivors: Survivors, running: Running
) -> None:
    found: list[Outcome] = []
    endless = [job(PROGRAMS["endless"], limits=Limits(cpu_seconds=60)) for _ in range(3)]
    thread = threading.Thread(target=lambda: found.extend(backend.run_all(endless, Care.APART)))
    thread.start()
    while thread.is_alive() and running() < 2:
        time.sleep(0.01)
    while thread.is_alive():
        backend.kill_all()
    assert [item.harness_error is not None for item in found] == [True] * 3
    assert survivors() == []


DRIVER = """
import sys
from codequake.sandbox import *
from codequake.sandbox import bubblewrap
from codequake.tasks import Language
bubblewrap.ENVIRONMENT["CODEQUAKE_TEST_MARK"] = {mark!r}
backend = BubblewrapBackend()
work = [Job(Language.PYTHON, source, Mode.CALL, "add", ("[1,2]",), Limits(cpu_seconds=60))
        for source in {sources!r}]
backend.run_all(work[:1], Care.TOGETHER)
print("ready", flush=True)
backend.run_all(work[1:], Care.TOGETHER)
"""


@pytest.mark.parametrize("busy", [True, False])
def test_killing_the_driver_ends_its_workers(
    mark: str, survivors: Survivors, running: Running, tmp_path: Path, busy: bool
) -> None:
    sources = [RIGHT, PROGRAMS["endless"]] if busy else [RIGHT]
    text = DRIVER.format(mark=mark, sources=sources)
    if not busy:
        text += "sys.stdin.read()\n"
    driver = subprocess.Popen(
        [sys.executable, "-c", text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert driver.stdout is not None
    assert driver.stdout.readline() == b"ready\n"
    end = time.monotonic() + 60
    while not running() and time.monotonic() < end:
        time.sleep(0.01)
    assert running() > 0
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    driver.stdout.close()
    assert driver.stdin is not None
    driver.stdin.close()
    assert survivors() == []
