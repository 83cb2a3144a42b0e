"""A copy of process 1 says what a sandbox of its own says, or that its word does not count."""

from __future__ import annotations

import json
import os
import select
import socket
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.sandbox.test_sandbox_copies import LIMITS, forked, told

from codequake.sandbox import BubblewrapBackend, Ending, Job, Mode
from codequake.sandbox.pool import kill_group, start_server
from codequake.sandbox.quiet import ends_quietly
from codequake.tasks import Language


@pytest.fixture(scope="module")
def backend() -> Iterator[BubblewrapBackend]:
    made = BubblewrapBackend()
    yield made
    made.kill_all()


LATE = "'__' + str('del') + '__'"  # not to be read in the code
# What acts at the end of the interpreter, reached by ways that no name in the program tells.
NOT_QUIET = {
    "names of a class": f"class A:\n    locals()[{LATE}] = lambda self: print('late')\na = A()",
    "attribute of a stream": "import sys\nsys.stdout.flush = lambda: None\nprint('lost')",
    "its flush fails": "import sys\ndef fail(): raise ValueError\nsys.stdout.flush = fail",
    "attribute of a buffer": "import sys\nsys.stdout.buffer.close = lambda: print(1)\nprint(2)",
    "no stream": "import sys\nprint(1)\ndel sys.stdout",
    "no stream for errors": "import sys\nprint(1)\ndel sys.stderr, sys.stdin",
    "no attributes": "import sys\ndel sys.stdout.mode\nprint(1)",
    "the other stream": "import sys\nsys.stderr.flush = lambda: print('late')\nprint(1)",
    "copied attribute": "import functools\ndef late(self): print('late')\nclass H:\n"
    "    def __getattr__(self, name): return late\nclass A: pass\n"
    f"functools.update_wrapper(A, H(), assigned=({LATE},), updated=())\na = A()",
    "module of a module": "import random\nf = random._os.fdopen(1, 'w')\nf.write('late')",
    "pattern": "match print:\n    case object(__self__=b): pass\nmatch b:\n"
    "    case object(open=o): pass\nf = o('/dev/stdout', 'w')\nf.write('late')",
    "names of a function": "import random\nf = random.seed.__func__.__globals__['_' + 'os']\n"
    "g = f.fdopen(1, 'w')\ng.write('late')",
}
# What tells a copy from a sandbox of its own.
PLACE = {
    "depth": "import sys\nframe, count = sys._getframe(), 0\n"
    "while frame: frame, count = frame.f_back, count + 1\nprint(count)",
    "limit of depth": "def f(n):\n    try: return f(n + 1)\n    except RecursionError: return n\n"
    "print(f(0))",
    "collection": "import gc\nprint(gc.collect())",
    "time of collection": "class A:\n    def __del__(self): print(end='d')\nfor i in range(900):\n"
    "    a = A()\n    a.a = a\n    if i % 100 == 0: print(i)",
    "own module": "import sys\nopen('heapq.py', 'w').write('own = 1')\nsys.path.insert(0, '.')\n"
    "import heapq\nprint(hasattr(heapq, 'own'))",
    "numbers": "import decimal, numbers\n"
    "print(isinstance(decimal.Decimal(1), numbers.Number), 'abc')",
    "comparison": "from decimal import Decimal\nfrom fractions import Fraction\n"
    "print(Fraction(1, 2) == Decimal('0.5'), 'abcdefghijklmnopqrstuvwxyz')",
}  # fmt: skip


def outcomes(backend: BubblewrapBackend, source: str) -> tuple[object, object, bool]:
    job = Job(Language.PYTHON, source, Mode.STDIN, None, (json.dumps("text\n"),), LIMITS)
    (copy,) = forked(backend, job)
    return told(copy), told(backend.run(job)), copy.settled


@pytest.mark.parametrize("name", NOT_QUIET)
def test_what_acts_at_the_end_acts_in_a_copy(backend: BubblewrapBackend, name: str) -> None:
    copy, alone, _ = outcomes(backend, NOT_QUIET[name])
    assert copy == alone


@pytest.mark.parametrize("name", PLACE)
def test_what_can_tell_a_copy_is_not_settled(backend: BubblewrapBackend, name: str) -> None:
    copy, alone, settled = outcomes(backend, PLACE[name])
    assert copy != alone, "the program cannot tell any more: let it be settled"
    assert not settled


@pytest.mark.parametrize(
    "source",
    [
        "names = ('close', 'sep', 'key')\nprint(sorted(names, key=len))",
        "import math\nclass A:\n    def __init__(self, x): self._x = x\nprint(A(math.pi)._x)",
    ],
)
def test_usual_programs_still_leave_at_once(source: str) -> None:
    assert ends_quietly(compile(source, "solution.py", "exec"))


def test_only_what_a_program_prints_counts_against_its_limit(backend: BubblewrapBackend) -> None:
    limits = replace(LIMITS, output_bytes=5000, total_output_bytes=8000)
    source = "print('x' * 3999)"
    job = Job(Language.PYTHON, source, Mode.STDIN, None, ('""',) * 3, limits)
    (copy,) = forked(backend, job)
    endings = [run.ending for run in backend.run(job).runs]
    assert endings == [run.ending for run in copy.runs]
    assert endings == [Ending.RETURNED, Ending.RETURNED, Ending.OUTPUT_LIMIT]


@pytest.mark.parametrize("wait", [n / 10_000 for n in range(30)])
def test_a_sandbox_that_is_killed_while_it_starts_is_gone(
    backend: BubblewrapBackend, wait: float
) -> None:
    """Each wait meets another step of its start, on a machine that is as fast as most."""
    ours, theirs = socket.socketpair()
    null = os.open("/dev/null", os.O_RDWR)
    launch = backend._served(backend._fork_command, backend._filter)
    process = start_server(launch, stdin=null, stdout=theirs.fileno(), stderr=null)
    theirs.close()
    os.close(null)
    time.sleep(wait)
    kill_group(process)
    process.wait()
    with ours:
        assert select.select([ours], [], [], 30.0)[0], "somebody still holds the other end"
