"""Problems that are tested by statements, and problems with a checker of their own."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import pytest
from tests.grading.grading_samples import ADD, IN_C, LIMITS, MAIN, completion

from codequake.canonical import canonical_json
from codequake.errors import MachineError, UsageError
from codequake.grading import GradeItem, Grader, SandboxOracle, grade_items, verdict_key
from codequake.grading.checking import accepted_outputs
from codequake.grading.grader import job_for, judge
from codequake.ports import Answer
from codequake.records import (
    Failure,
    Interface,
    JsonText,
    Language,
    Problem,
    Reference,
    Status,
    Test,
    TestStatus,
)
from codequake.sandbox import BubblewrapBackend, Build, Ending, Mode, Outcome, Run

P, W, N = TestStatus.PASSED, TestStatus.WRONG_ANSWER, TestStatus.NOT_RUN
STATEMENTS = ("assert add(1, 2) == 3", "assert candidate(5, -5) == ZERO", "check(candidate)")
BY_STATEMENTS = dataclasses.replace(
    ADD,
    tests=tuple(
        Test(JsonText(canonical_json(text)), JsonText("null"), visible=index == 0)
        for index, text in enumerate(STATEMENTS)
    ),
    assertions="ZERO = 0\ndef check(f):\n    assert f(2, 2) == 4, 'two and two'\n",
)


def graded(grader: Grader, problem: Problem, code: str) -> tuple[Status, list[TestStatus], str]:
    verdict = grader.grade(problem, completion(f"```python\n{code}\n```"), None)
    return verdict.status, [test.status for test in verdict.tests], verdict.message


@pytest.mark.parametrize(
    ("code", "status", "tests", "message"),
    [
        ("def add(a, b):\n    return a + b", Status.PASSED, [P, P, P], ""),
        (
            "class Solution:\n    def add(self, a, b):\n        return a + b",
            Status.PASSED,
            [P, P, P],
            "",
        ),
        (
            "def add(a, b):\n    return abs(a) + abs(b)",
            Status.WRONG_ANSWER,
            [P, W, P],
            "test 2: assert candidate(5, -5) == ZERO",
        ),
        (
            "def add(a, b):\n    return a + b - (a == b)",
            Status.WRONG_ANSWER,
            [P, P, W],
            "test 3: assert f(2, 2) == 4, 'two and two': two and two",
        ),
        (
            "def add(a, b):\n    pass",
            Status.WRONG_ANSWER,
            [W, W, W],
            "test 1: assert add(1, 2) == 3",
        ),
        (
            "def add(a, b):\n    return object()",
            Status.WRONG_ANSWER,
            [W, W, W],
            "test 1: the result is or holds a value of the type object, which is not plain data",
        ),
        (
            "def add(a, b):\n    return 3 // (a - 5) * 0 + a + b",
            Status.RUNTIME_ERROR,
            [P, TestStatus.RUNTIME_ERROR, P],
            "test 2: ZeroDivisionError: integer division or modulo by zero",
        ),
        (
            "def add(a, b):\n    while a == 5: pass\n    return a + b",
            Status.TIMEOUT,
            [P, TestStatus.TIMEOUT, N],
            "test 2: used up its time",
        ),
        (
            "def plus(a, b):\n    return a + b",
            Status.MISSING_ENTRY_POINT,
            [N, N, N],
            "the program does not define the name",
        ),
        (
            "def add(a, b):\n    raise AssertionError('assert add(1, 2) == 3')",
            Status.RUNTIME_ERROR,
            [TestStatus.RUNTIME_ERROR] * 3,
            "test 1: AssertionError: assert add(1, 2) == 3",
        ),
    ],
)
def test_statements_give_verdicts(
    grader: Grader,
    survivors: Callable[[], list[str]],
    code: str,
    status: Status,
    tests: list[TestStatus],
    message: str,
) -> None:
    assert graded(grader, BY_STATEMENTS, code) == (status, tests, message)
    assert len(survivors(1)) <= 1  # process 1, which waits for more


def test_the_first_failed_statement_is_shown(grader: Grader) -> None:
    wrong = completion("```python\ndef add(a, b):\n    return 3\n```")
    failure = grader.grade(BY_STATEMENTS, wrong, None).failure
    text = JsonText(json.dumps(STATEMENTS[1]))
    assert failure == Failure(1, text, JsonText("null"), JsonText("false"))


def test_a_broken_statement_counts_against_nobody(grader: Grader) -> None:
    broken = dataclasses.replace(BY_STATEMENTS, assertions="ZERO = nothing\n")
    status, tests, message = graded(grader, broken, "def add(a, b):\n    return a + b")
    assert (status, tests) == (Status.HARNESS_ERROR, [N, N, N])
    assert message.startswith("the test's own code fails: NameError: name 'nothing'")


def test_the_job_of_a_problem_with_statements() -> None:
    job = job_for(BY_STATEMENTS, "x", "renamed", LIMITS)
    assert (job.mode, job.entry_point, job.setup) == (
        Mode.ASSERT,
        "renamed",
        BY_STATEMENTS.assertions,
    )
    assert [json.loads(text) for text in job.inputs] == list(STATEMENTS)
    assert job_for(ADD, "x", None, LIMITS).setup == ""
    with pytest.raises(UsageError, match="has assertions, which call a function"):
        job_for(dataclasses.replace(MAIN, assertions=""), "x", None, LIMITS)
    with pytest.raises(UsageError, match="asks for a C function"):
        job_for(
            dataclasses.replace(IN_C, interface=Interface.FUNCTION, assertions=""), "x", "f", LIMITS
        )


def test_statements_never_count_as_input_that_was_ignored() -> None:
    runs = tuple(Run(Ending.RETURNED, "false", "assert x", 0.0, False) for _ in STATEMENTS)
    outcome = Outcome(Build(ok=True, why=""), True, runs, 0.0, 0, "")
    assert judge(BY_STATEMENTS, outcome).status is Status.WRONG_ANSWER


def test_only_the_word_true_passes() -> None:
    for output in ("1", '"true"', "[]", "null", " true"):
        runs = tuple(Run(Ending.RETURNED, output, "", 0.0, None) for _ in STATEMENTS)
        outcome = Outcome(Build(ok=True, why=""), True, runs, 0.0, 0, "")
        assert judge(BY_STATEMENTS, outcome).status is Status.WRONG_ANSWER


ROOT = dataclasses.replace(
    ADD,
    entry_point="root",
    tests=tuple(
        Test(JsonText(f"[{n}]"), JsonText(f"{r}"), visible=False) for n, r in ((4, 2), (9, 3))
    ),
    checker="def accepts(arguments, output, expected):\n"
    "    return isinstance(output, int) and output * output == arguments[0] and expected > 0\n",
)


@pytest.mark.parametrize(
    ("code", "status", "tests"),
    [
        ("def root(n):\n    return int(n ** 0.5)", Status.PASSED, [P, P]),
        ("def root(n):\n    return -int(n ** 0.5)", Status.PASSED, [P, P]),
        ("def root(n):\n    return -2", Status.WRONG_ANSWER, [P, W]),
        ("def root(n):\n    return str(n)", Status.WRONG_ANSWER, [W, W]),
        (
            "def root(n):\n    return 1 // (n - 4) - 3",
            Status.RUNTIME_ERROR,
            [TestStatus.RUNTIME_ERROR, P],
        ),
        ("def root(n):\n    return object()", Status.WRONG_ANSWER, [W, W]),
        ("def rot(n):\n    return n", Status.MISSING_ENTRY_POINT, [N, N]),
    ],
)
def test_a_checker_takes_every_right_output(
    grader: Grader, code: str, status: Status, tests: list[TestStatus]
) -> None:
    assert graded(grader, ROOT, code)[:2] == (status, tests)


def test_a_checker_of_a_main_program_gets_the_texts(grader: Grader) -> None:
    checker = (
        "def accepts(arguments, output, expected):\n"
        "    return sum(map(int, arguments.split())) == int(output) == int(expected)\n"
    )
    problem = dataclasses.replace(MAIN, checker=checker)
    right = "print(sum(map(int, input().split())))"
    assert graded(grader, problem, right)[:2] == (Status.PASSED, [P, P])
    assert graded(grader, problem, right + "\n#")[0] is Status.PASSED
    wrong = "print(3 + 0 * int(input().split()[0]))"
    assert graded(grader, problem, wrong)[:2] == (Status.WRONG_ANSWER, [P, W])


@pytest.mark.parametrize(
    ("checker", "why"),
    [
        ("def accepts(:", "it does not compile: SyntaxError"),
        ("def accept(*args): return True", "it does not define accepts("),
        ("def accepts(*args): return 1", "on test 1: it returned 1; allowed: True or False"),
        ("def accepts(*args): return None", "on test 1: it returned null"),
        ("def accepts(a, o, e): return 1 / (e - 3) == 9", "on test 1: ZeroDivisionError"),
        ("def accepts(*args):\n    while True: pass", "on test 1: used up its time"),
        ("import os\nos._exit(0)\ndef accepts(*args): pass", "on test 1: gave no result"),
    ],
)
def test_a_checker_that_fails_counts_against_nobody(grader: Grader, checker: str, why: str) -> None:
    problem = dataclasses.replace(ADD, checker=checker)
    status, tests, message = graded(grader, problem, "def add(a, b):\n    return a + b")
    assert (status, tests) == (Status.HARNESS_ERROR, [N, N, N])
    assert message.startswith("the checker of problem 'tests/add' fails")
    assert why in message


@pytest.mark.parametrize(
    "output",
    [
        "",
        "1], [2",
        "NaN",
        '{"$float":"x"}',
        '{"$float":1}',
        '{"$bytes":"xyz"}',
        '{"$bytes":5}',
        '{"$set":5}',
        '{"$set":[{"a":1}]}',
        '{"$set":[[{"$dict":[]}]]}',
        '{"$dict":[[1]]}',
        '{"$dict":[[{"a":1},2]]}',
        "[" * 5000,
    ],
)
def test_what_no_program_gives_in_good_faith_is_wrong(
    backend: BubblewrapBackend, output: str
) -> None:
    problem = dataclasses.replace(ADD, checker="def accepts(*args): return True")
    runs = tuple(Run(Ending.RETURNED, text, "", 0.0, None) for text in ("1", output, "1"))
    outcome = Outcome(Build(ok=True, why=""), True, runs, 0.0, 0, "")
    checked = accepted_outputs(backend, problem, outcome, LIMITS)
    assert (checked.accepted, checked.failure) == ((True, False, True), None)


@pytest.mark.parametrize(
    "result", ["{frozenset({1}), 2}", "{(1, 2): {3.5}}", "b'a'", "float('nan')", "10 ** 5000"]
)
def test_a_checker_sees_every_kind_of_data(grader: Grader, result: str) -> None:
    problem = dataclasses.replace(
        ADD, checker=f"def accepts(a, o, e): return o == {result} or o != o"
    )
    assert graded(grader, problem, f"def add(a, b):\n    return {result}")[0] is Status.PASSED


def test_a_batch_asks_the_checker_and_shares_its_verdicts(grader: Grader) -> None:
    code = completion("```python\ndef root(n):\n    return -int(n ** 0.5)\n```")
    strict = dataclasses.replace(ROOT, checker=None)
    items = [GradeItem(problem, code, None) for problem in (ROOT, strict, BY_STATEMENTS, ROOT)]
    results = list(grade_items(grader, items, workers=2))
    assert [verdict.status for verdict, _ in results] == [
        *[Status.PASSED, Status.WRONG_ANSWER, Status.MISSING_ENTRY_POINT, Status.PASSED]
    ]
    assert [row.kind for _, row in results] == ["grade", "grade", "grade", "grade_shared"]


def test_verdicts_depend_on_assertions_and_checker() -> None:
    problems = [
        ADD,
        dataclasses.replace(ADD, assertions=""),
        dataclasses.replace(ADD, assertions="x = 1"),
        dataclasses.replace(ADD, checker=""),
        dataclasses.replace(ADD, checker="x = 1"),
    ]
    assert len({verdict_key(problem, "code", None, "g") for problem in problems}) == 5


def test_oracle_says_which_statements_hold(backend: BubblewrapBackend) -> None:
    oracle = SandboxOracle(backend, LIMITS)
    right = Reference("r", Language.PYTHON, "def add(a, b):\n    return a + b\n")
    texts = ("assert add(1, 2) == 3", "assert add(1, 2) == 4", "assert add(1, 2", "nothing()")
    inputs = [JsonText(json.dumps(text)) for text in texts]
    held, failed, cut, unknown = oracle.answers(BY_STATEMENTS, right, inputs)
    assert held == Answer(JsonText("true"), None)
    for answer, why in (
        (failed, "assert add(1, 2) == 4"),
        (cut, "it cannot be run: the test's own code fails: SyntaxError"),
        (unknown, "NameError: name 'nothing' is not defined"),
    ):
        assert answer.output is None
        assert why in (answer.problem or "")
    other = Reference("r", Language.PYTHON, "x = 1")
    assert oracle.answers(BY_STATEMENTS, other, inputs[:1])[0].problem == "does not define add"
    broken = BubblewrapBackend()  # a fresh one, which has nobody waiting for work
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(broken, "_program", "/usr/bin/false")
        with pytest.raises(MachineError, match="the sandbox failed: "):
            SandboxOracle(broken, LIMITS).answers(BY_STATEMENTS, right, inputs)
