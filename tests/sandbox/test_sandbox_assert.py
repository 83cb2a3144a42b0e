"""Tests by statements: what passes between the judge and the program, and how a test ends."""

from __future__ import annotations

import dataclasses
import json

import pytest

from codequake.sandbox import BubblewrapBackend, Ending, Job, Limits, Mode, Outcome, Run, material
from codequake.tasks import Language

QUICK = Limits(cpu_seconds=1.0, wall_factor=10.0, output_bytes=1 << 20, total_output_bytes=2 << 20)
SHORT = Limits(cpu_seconds=0.4, wall_factor=6.0, output_bytes=1 << 20)  # to end what waits
ECHO = "def solve(x):\n    return x\n"


def outcome_of(
    backend: BubblewrapBackend,
    source: str,
    *tests: str,
    setup: str = "",
    entry_point: str = "solve",
    limits: Limits = QUICK,
) -> Outcome:
    inputs = tuple(json.dumps(test) for test in tests)
    job = Job(Language.PYTHON, source, Mode.ASSERT, entry_point, inputs, limits, setup)
    return backend.run(job)


def runs_of(backend: BubblewrapBackend, source: str, *tests: str, setup: str = "") -> list[Run]:
    outcome = outcome_of(backend, source, *tests, setup=setup)
    assert outcome.harness_error is None
    assert outcome.entry_found is True
    assert len(outcome.runs) == len(tests)
    return list(outcome.runs)


def test_statements_pass_and_fail(backend: BubblewrapBackend) -> None:
    right, wrong, said, named = runs_of(
        backend,
        "def solve(x):\n    return x + 1",
        "assert solve(1) == 2",
        "x = 3\nassert candidate(x) == 3",
        "assert candidate(2) == 4, 'not even'",
        "assert solve(x=1) == 2 and candidate(*[5]) == 6",
    )
    assert (right.ending, right.output, right.detail) == (Ending.RETURNED, "true", "")
    assert (wrong.ending, wrong.output) == (Ending.RETURNED, "false")
    assert wrong.detail == "assert candidate(x) == 3"
    assert said.detail == "assert candidate(2) == 4, 'not even': not even"
    assert named.output == "true"
    assert [run.read_input for run in (right, wrong)] == [None, None]
    assert 0 < right.cpu_seconds < QUICK.cpu_seconds


def test_setup_runs_before_each_test(backend: BubblewrapBackend) -> None:
    setup = "import math\nseen = []\ndef check(f):\n    seen.append(f(4))\n    assert seen == [2.0]"
    source = "import math\ncalls = []\ndef solve(x):\n    calls.append(x)\n    return math.sqrt(x)"
    tests = (
        "check(candidate)",
        "check(solve)",
        "assert math.isclose(solve(2), 1.414, rel_tol=0.001)",
    )
    assert [run.output for run in runs_of(backend, source, *tests, setup=setup)] == ["true"] * 3


VALUES = [
    *["None", "True", "0", "-1", "10**50", "0.1", "-0.0", "1e300", "float('inf')", "1.0"],
    *["'a\\u20ac\\n'", "'\\ud800'", "b'\\x00\\xff'", "1 + 2j", "complex(-0.0, float('inf'))"],
    *["()", "(1, (2, []))", "[1, [2, (3,)]]", "{1: [2], 'a': (None,)}", "{(1, (2,)): {3}}"],
    *["{1.5, 'a', None}", "set()", "frozenset({frozenset({1}), 2})", "range(1, 9, 3)"],
    *["bytearray(b'ab')", "__import__('collections').deque([1, [2]], 3)"],
    "__import__('fractions').Fraction(-1, 3)",
    "__import__('decimal').Decimal('1.10')",
]
SAME = """
def alike(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return alike(list(a.items()), list(b.items()))
    if isinstance(a, (set, frozenset)):
        return a == b and sorted(map(repr, a)) == sorted(map(repr, b))
    if hasattr(a, '__iter__') and not isinstance(a, (str, bytes, bytearray)):
        return len(a) == len(b) and all(map(alike, a, b))
    return repr(a) == repr(b)
"""


def test_what_assertions_can_tell_apart_stays_apart(backend: BubblewrapBackend) -> None:
    tests = [f"value = {value}\nassert alike(candidate(value), {value})" for value in VALUES]
    tests += [f"assert alike(candidate([{value}]), [{value}])" for value in VALUES]
    runs = runs_of(backend, ECHO, "\n".join(tests), setup=SAME)
    assert (runs[0].output, runs[0].detail) == ("true", "")
    made = f"import collections\ndef solve(n):\n    return [{', '.join(VALUES)}][n]"
    tests = [f"assert alike(solve({n}), {value})" for n, value in enumerate(VALUES)]
    runs = runs_of(backend, made, "\n".join(tests), setup=SAME)
    assert (runs[0].output, runs[0].detail) == ("true", "")


@pytest.mark.parametrize(
    "statement",
    [
        "assert candidate((1, 2)) == [1, 2]",
        "assert candidate(1) is True",
        "assert type(candidate(True)) is int",
        "assert list(candidate({2: 1, 1: 2})) == [1, 2]",
        "assert candidate(float('nan')) == candidate(float('nan'))",
        "assert candidate(b'a') == 'a'",
        "assert isinstance(candidate(1), float)",
        "assert isinstance(candidate(frozenset()), set)",
    ],
)
def test_what_differs_is_not_made_equal(backend: BubblewrapBackend, statement: str) -> None:
    assert runs_of(backend, ECHO, statement)[0].output == "false"


def test_subclasses_arrive_as_their_base(backend: BubblewrapBackend) -> None:
    source = """
from collections import Counter, OrderedDict, defaultdict, namedtuple
from enum import IntEnum
class Text(str): pass
class Real(float):
    def __repr__(self): return 'seven'
Pair = namedtuple('Pair', 'a b')
Kind = IntEnum('Kind', 'one two')
def solve():
    return [Pair(1, 2), Counter('aab'), defaultdict(list, a=[1]), Text('x'), Real(7), Kind.two,
            OrderedDict(b=1, a=2)]
"""
    test = (
        "got = solve()\n"
        "assert got == [(1, 2), {'a': 2, 'b': 1}, {'a': [1]}, 'x', 7.0, 2, {'b': 1, 'a': 2}]\n"
        "assert [type(x).__name__ for x in got] == "
        "['tuple', 'dict', 'dict', 'str', 'float', 'int', 'dict']"
    )
    assert runs_of(backend, source, test)[0].output == "true"


def test_arguments_are_changed_in_place(backend: BubblewrapBackend) -> None:
    source = """
def solve(how, a, b=None):
    if how == 'list': a.append(3); a[0][0] = 9
    if how == 'swap': a.reverse()
    if how == 'dict': a['k'] = a.pop('j'); a['me'] = a
    if how == 'set': a |= {2}
    if how == 'same': a.append(1); return a is b
    if how == 'kind': a[:] = [True, 1.0]
    if how == 'raise': a.clear(); raise ValueError('gone')
    if how == 'lambda': a.append(lambda: 0)
    return a
"""
    tests = [
        "a = [[1]]; row = a[0]\nassert solve('list', a) is a\nassert a == [[9], 3] and row == [9]",
        "a = [[1], [2]]; row = a[0]\nsolve('swap', a)\nassert a == [[2], [1]] and a[1] is row",
        "a = {'j': [1], 'i': 2}\nsolve('dict', a)\n"
        "assert list(a) == ['i', 'k', 'me'] and a['me'] is a and a['k'] == [1]",
        "a = {1}\nsolve('set', a)\nassert a == {1, 2}",
        "a = []\nassert solve('same', a, b=a) is True\nassert a == [1]",
        "a = []\nassert solve('same', a, b=[]) is False",
        "a = [1, 1]\nsolve('kind', a)\nassert a[0] is True and type(a[1]) is float",
        "a = [1]\ntry: solve('raise', a)\nexcept ValueError: assert a == []",
        "from collections import OrderedDict, Counter\na = OrderedDict(j=1, i=2)\n"
        "c = Counter('aa')\nsolve('dict', a)\n"
        "assert list(a) == ['i', 'k', 'me'] and isinstance(a, OrderedDict)\n"
        "assert solve('', c) is c and c == {'a': 2}",
    ]
    runs = runs_of(backend, source, *tests, "solve('lambda', [])")
    assert [(run.output, run.detail) for run in runs[:-1]] == [("true", "")] * len(tests)
    assert runs[-1].ending is Ending.NOT_DATA


@pytest.mark.parametrize(
    ("result", "what"),
    [
        ("object()", "object"),
        ("(i for i in iter(int, 1))", "generator"),
        ("iter(int, 1)", "callable_iterator"),
        ("[1, {2: lambda: 3}]", "function"),
        ("{}.keys()", "dict_keys"),
        ("solve", "function"),
        ("{Key()}", "Key"),
        ("__import__('functools').reduce(lambda a, _: (a,), range(1000), 0)", "nested too deeply"),
    ],
)
def test_what_is_no_data_has_a_status(backend: BubblewrapBackend, result: str, what: str) -> None:
    source = f"class Key: pass\ndef solve():\n    return {result}"
    run = runs_of(backend, source, "solve()")[0]
    assert (run.ending, run.output) == (Ending.NOT_DATA, None)
    assert what in run.detail


def test_structures_that_contain_themselves_are_data(backend: BubblewrapBackend) -> None:
    source = "def solve():\n    a = [1]\n    a.append((a, {2: a}))\n    return a"
    test = "a = solve()\nassert a[1][0] is a and a[1][1][2] is a"
    deep = "def solve():\n    a = []\n    for _ in range(20000): a = [a]\n    return a"
    count = "a, n = solve(), 0\nwhile a: a, n = a[0], n + 1\nassert n == 20000"
    assert runs_of(backend, source, test)[0].output == "true"
    assert runs_of(backend, deep, count)[0].output == "true"


RAISES = "def solve(x):\n    {body}\n"


@pytest.mark.parametrize(
    ("body", "handler"),
    [
        ("raise ValueError('bad', 3)", "except ValueError as e: assert e.args == ('bad', 3)"),
        ("return [][x]", "except IndexError as e: assert 'out of range' in str(e)"),
        ("return {}[x]", "except KeyError as e: assert str(e) == '1' and e.args == (1,)"),
        ("return b'\\xff'.decode()", "except UnicodeDecodeError as e: assert e.start == 0"),
        ("open('/missing')", "except FileNotFoundError as e: assert e.errno == 2"),
        ("class Mine(KeyError): pass\n    raise Mine(1)", "except LookupError: pass"),
        ("class Mine(Exception): pass\n    raise Mine(1)", "except Exception as e: pass"),
        ("raise AssertionError('mine')", "except AssertionError as e: assert str(e) == 'mine'"),
        ("raise SystemExit(3)", "except SystemExit as e: assert e.code == 3"),
        ("raise StopIteration(4)", "except StopIteration as e: assert e.value == 4"),
        ("return solve(x)", "except RecursionError: pass"),
        ("raise TypeError(object())", "except TypeError as e: pass"),
    ],
)
def test_a_test_can_catch_what_the_program_raises(
    backend: BubblewrapBackend, body: str, handler: str
) -> None:
    test = f"try:\n    solve(1)\n{handler}\nelse:\n    assert False"
    run = runs_of(backend, RAISES.format(body=body), test)[0]
    assert (run.output, run.detail) == ("true", "")
    run = runs_of(backend, RAISES.format(body=body), "solve(1)")[0]
    assert (run.ending, run.output) == (Ending.CRASHED, None)


def test_errors_of_the_program_are_never_taken_for_those_of_the_test(
    backend: BubblewrapBackend,
) -> None:
    source = RAISES.format(body="raise AssertionError('assert solve(1) == 2')")
    unit = (
        "import unittest\nclass T(unittest.TestCase):\n    def runTest(self):\n"
        "        self.assertRaises(AssertionError, solve, 1)\n"
        "        self.assertEqual(solve.__class__.__name__, 'method')\n"
        "T().runTest()"
    )
    plain, narrow, caught, again, wrong, inside = runs_of(
        backend,
        source,
        "assert solve(1) == 2",
        "try: solve(1)\nexcept ValueError: pass",
        "try: solve(1)\nexcept AssertionError: pass",
        "try: solve(1)\nexcept AssertionError: raise",
        "try: solve(1)\nexcept AssertionError: assert 1 == 2",
        unit,
    )
    for run in (plain, narrow, again):
        assert run.ending is Ending.CRASHED
        assert run.detail == "AssertionError: assert solve(1) == 2"
    assert caught.output == "true"
    assert (wrong.output, wrong.detail) == ("false", "except AssertionError: assert 1 == 2")
    assert inside.output == "false"
    assert "self.assertEqual" in inside.detail


def test_a_wrong_answer_that_breaks_the_statement_is_wrong(backend: BubblewrapBackend) -> None:
    source = "def solve(x):\n    return None"
    for test in (
        "abs(solve(1) - 0.3) < 1",
        "len(solve(1))",
        "solve(1).x",
        "(lambda: 0)(*solve(1))",
    ):
        run = runs_of(backend, source, f"assert {test}")[0]
        assert (run.ending, run.output) == (Ending.RETURNED, "false")
        assert "Error" in run.detail
        assert test in run.detail


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("assert solve(1 == 2", "SyntaxError"),
        ("x = 1\nx.y\nassert solve(1) == 1", "AttributeError: 'int' object has no attribute 'y'"),
        ("import numpy_is_not_here\nassert solve(1)", "ModuleNotFoundError"),
        ("def f():\n    return x\n    x = 1\nassert f() == solve(1)", "UnboundLocalError"),
        ("assert solve(lambda: 0)", "the test passes a value of the type function"),
        (
            "assert solve(1) == 1 and solve([object()])",
            "the test passes a value of the type object",
        ),
        ("while True: pass", "the test used up its time"),
        ("raise SystemExit(0)", "SystemExit"),
    ],
)
def test_a_broken_test_is_no_verdict(
    backend: BubblewrapBackend, monkeypatch: pytest.MonkeyPatch, test: str, why: str
) -> None:
    monkeypatch.setattr(material, "_JUDGE_CPU_SECONDS", 0.0)
    outcome = outcome_of(backend, ECHO, "assert solve(1) == 1", test, limits=SHORT)
    assert outcome.harness_error is not None
    assert outcome.harness_error.startswith("the test's own code fails: ")
    assert why in outcome.harness_error
    assert outcome.runs == ()


@pytest.mark.parametrize("setup", ["import nothing_here", "(", "1/0", "import os; os._exit(0)"])
def test_a_broken_setup_is_no_verdict(backend: BubblewrapBackend, setup: str) -> None:
    outcome = outcome_of(backend, "import os\nos._exit(1)", "assert solve(1)", setup=setup)
    assert outcome.harness_error is not None
    assert outcome.harness_error.startswith("the test's own code fails: ")


def test_what_a_test_does_with_answers_counts_against_them(
    backend: BubblewrapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(material, "_JUDGE_CPU_SECONDS", 0.0)
    loop = "while solve(1): pass"
    grow = "x = [solve(1)]\nwhile True: x = x + x"
    # A fast machine asks for more than 1 MiB of answers before the time is up.
    roomy = dataclasses.replace(SHORT, output_bytes=Limits().output_bytes)
    outcome = outcome_of(backend, ECHO, loop, limits=roomy)
    assert outcome.runs[0].ending is Ending.TIMEOUT
    outcome = outcome_of(backend, ECHO, "solve(1)\nwhile True: pass", limits=SHORT)
    assert outcome.runs[0].ending is Ending.TIMEOUT
    assert outcome.runs[0].detail == "the test used up its time"
    monkeypatch.undo()  # filling the memory takes time on a busy machine
    outcome = outcome_of(backend, ECHO, grow, "assert solve(1) == 1")
    assert [run.ending for run in outcome.runs] == [Ending.MEMORY_LIMIT, Ending.NOT_RUN]


def test_the_entry_point_is_found_where_it_is(backend: BubblewrapBackend) -> None:
    for source in (
        "class Solution:\n    n = 0\n"
        "    def solve(self, x):\n        self.n += x\n        return self.n",
        "class Any:\n    def __init__(self): self.n = 0\n"
        "    def solve(self, x):\n        self.n += x\n        return self.n",
    ):
        runs = runs_of(backend, source, "assert solve(x=1) == 1\nassert candidate(2) == 3")
        assert runs[0].output == "true"
    for source in ("def other(x): return x", "solve = 3", "class A: solve = 1"):
        outcome = outcome_of(backend, source, "assert solve(1) == 1", "assert True")
        assert (outcome.harness_error, outcome.entry_found, outcome.runs) == (None, False, ())


def test_helpers_of_the_program_serve_tests_that_name_them(backend: BubblewrapBackend) -> None:
    source = (
        "def helper(x):\n    return x + 1\n"
        "def sum(x):\n    return -1\ndef mine(x):\n    return -1\n"
        "def solve(x):\n    return helper(x) * 2"
    )
    helped, own, builtin = runs_of(
        backend,
        source,
        "assert solve(1) == helper(1) * 2",
        "def mine(x): return 5\nassert mine(1) == 5 and solve(0) == 2",
        "assert sum([1, 2]) == 3 == solve(0) + 1",
    )
    assert [run.output for run in (helped, own, builtin)] == ["true"] * 3
    run = runs_of(backend, ECHO, "assert helper(1) == solve(2)")[0]
    assert run.ending is Ending.CRASHED
    assert "'helper'" in run.detail
    assert "neither the test nor the program defines" in run.detail


def test_tests_that_draw_inputs_draw_the_same_ones(backend: BubblewrapBackend) -> None:
    draw = "from random import random\nx = [random() for _ in range(9)]\nassert solve(x) == {}"
    first, second = runs_of(backend, ECHO, draw, draw)
    assert first.output == second.output == "false"
    source = "def solve(x):\n    raise ValueError(x)"
    details = [run.detail for run in runs_of(backend, source, draw, draw)]
    assert details[0] == details[1]
    assert len(details[0]) > 40


def test_names_and_state_last_for_one_test(backend: BubblewrapBackend) -> None:
    source = (
        "n = []\ndef solve(x):\n    n.append(x)\n    open('left', 'a').write('x')\n"
        "    return len(n)"
    )
    tests = (
        "y = 1\nassert solve(1) == 1 and solve(1) == 2",
        "assert solve(1) == 1 and 'y' not in globals()",
        "import os\nassert solve(1) == 1 and os.listdir() == ['left']",
    )
    assert [run.output for run in runs_of(backend, source, *tests)] == ["true"] * 3


def test_a_program_that_does_not_load_is_not_tested(backend: BubblewrapBackend) -> None:
    outcome = outcome_of(backend, "def solve(x:\n", "assert solve(1)")
    assert (outcome.build.ok, outcome.runs) == (False, ())
    for source, detail in (
        ("raise ValueError('no')\ndef solve(x): pass", "ValueError: no"),
        ("def solve(x): pass\nraise SystemExit", "SystemExit: the program ended"),
        ("import os\nos._exit(0)", "gave no result: ended with exit code 0"),
        ("import os\nos.kill(os.getpid(), 9)", "gave no result: killed by SIGKILL"),
    ):
        run = runs_of(backend, source, "assert True")[0]
        assert run.ending is Ending.CRASHED
        assert run.detail.startswith(detail)
