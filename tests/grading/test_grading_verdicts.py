from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.grading.grading_samples import ADD, IN_C, LIMITS, MAIN, completion

from codequake.errors import DataError, MachineError, UsageError
from codequake.grading import (
    GradeItem,
    Grader,
    SandboxOracle,
    grade_items,
    self_test,
    verdict_key,
)
from codequake.records import (
    Failure,
    Interface,
    JsonText,
    Language,
    Problem,
    Reference,
    Status,
    StopReason,
    TestStatus,
)
from codequake.sandbox import (
    ALL_MODES,
    Backend,
    BubblewrapBackend,
    Build,
    Care,
    Job,
    Outcome,
    UnsafeBackend,
)

RIGHT = "def add(a, b):\n    return a + b\n"
P, W, N = TestStatus.PASSED, TestStatus.WRONG_ANSWER, TestStatus.NOT_RUN


def statuses(verdict: object) -> list[TestStatus]:
    return [test.status for test in verdict.tests]  # type: ignore[attr-defined]


def test_right_program_passes(grader: Grader) -> None:
    verdict = grader.grade(ADD, completion(f"Sure:\n```python\n{RIGHT}```\nDone."), None)
    assert verdict.status is Status.PASSED
    assert statuses(verdict) == [P, P, P]
    assert [test.visible for test in verdict.tests] == [True, False, False]
    assert (verdict.program, verdict.extraction) == (RIGHT, "fence")
    assert (verdict.failure, verdict.message) == (None, "")
    assert verdict.grader == grader.version
    assert (verdict.problem_id, verdict.variant_id, verdict.model) == ("tests/add", "v", "m")


@pytest.mark.parametrize(
    ("code", "status", "tests"),
    [
        ("def add(a, b):\n    return abs(a) + abs(b)", Status.WRONG_ANSWER, [P, W, P]),
        ("def add(a, b):\n    return 6 // b - a + 1", Status.WRONG_ANSWER, [P, W, W]),
        (
            "def add(a, b):\n    while a == 5: pass\n    return a + b",
            Status.TIMEOUT,
            [P, TestStatus.TIMEOUT, N],
        ),
        (
            "def add(a, b):\n    if a == 5: raise KeyError\n    return 3",
            Status.RUNTIME_ERROR,
            [P, TestStatus.RUNTIME_ERROR, W],
        ),
        ("def add(a, b): return object()", Status.WRONG_ANSWER, [W, W, W]),
        ("def add(a, b) return a", Status.COMPILE_ERROR, [N, N, N]),
        ("def plus(a, b): return a + b", Status.MISSING_ENTRY_POINT, [N, N, N]),
    ],
)
def test_first_test_that_does_not_pass_decides(
    grader: Grader, code: str, status: Status, tests: list[TestStatus]
) -> None:
    verdict = grader.grade(ADD, completion(f"```\n{code}\n```"), None)
    assert (verdict.status, statuses(verdict)) == (status, tests)
    assert verdict.message


def test_failure_shows_input_expected_and_got(grader: Grader) -> None:
    verdict = grader.grade(ADD, completion("def add(a, b):\n    return (a, b)"), None)
    assert verdict.failure == Failure(0, JsonText("[1,2]"), JsonText("3"), JsonText("[1,2]"))
    verdict = grader.grade(ADD, completion("def add(a, b):\n    return 10 ** 9000"), None)
    assert verdict.failure is not None
    assert verdict.failure.got is not None
    assert verdict.failure.got.startswith('"1000')
    assert len(verdict.failure.got) < 5000
    verdict = grader.grade(ADD, completion("def add(a, b):\n    return 1 / 0"), None)
    assert verdict.failure is not None
    assert verdict.failure.got is None


@pytest.mark.parametrize(
    ("text", "fields", "status"),
    [
        ("", {"stop_reason": StopReason.ERROR, "error": "503"}, Status.PROVIDER_ERROR),
        (RIGHT, {"stop_reason": StopReason.REFUSED}, Status.REFUSED),
        ("I'm sorry, but I can't help with that.", {}, Status.REFUSED),
        ("", {}, Status.NO_CODE),
        ("Add the two numbers.", {}, Status.NO_CODE),
        ("```python\ndef add(a, b):\n    return (", {}, Status.TRUNCATED),
        ("```cpp\nint add(int a, int b) { return a + b; }\n```", {}, Status.WRONG_LANGUAGE),
        ("x" * (1 << 20) + "\n" + RIGHT, {}, Status.NO_CODE),
    ],
)
def test_replies_without_a_program(
    grader: Grader, text: str, fields: dict[str, object], status: Status
) -> None:
    verdict = grader.grade(ADD, completion(text, **fields), None)
    assert (verdict.status, statuses(verdict)) == (status, [N, N, N])
    assert verdict.program == ""
    assert verdict.message


def test_ignored_input_is_told_from_a_wrong_answer(grader: Grader) -> None:
    constant = completion("```python\nprint(3)\n```")
    assert grader.grade(MAIN, constant, None).status is Status.IGNORES_INPUT
    reads = completion("```python\ninput()\nprint(3)\n```")
    assert grader.grade(MAIN, reads, None).status is Status.WRONG_ANSWER
    in_c = completion('```c\n#include <stdio.h>\nint main(void) { printf("3"); }\n```')
    assert grader.grade(IN_C, in_c, None).status is Status.IGNORES_INPUT
    right_by_luck = dataclasses.replace(MAIN, tests=MAIN.tests[:1])
    assert grader.grade(right_by_luck, constant, None).status is Status.PASSED
    crash = completion("```python\nprint(3)\nassert False\n```")
    assert grader.grade(MAIN, crash, None).status is Status.RUNTIME_ERROR


def test_variant_may_ask_for_another_name(grader: Grader) -> None:
    text = completion("def total(a, b):\n    return a + b")
    assert grader.grade(ADD, text, "total").status is Status.PASSED
    assert grader.grade(ADD, text, None).status is Status.MISSING_ENTRY_POINT


def test_problems_that_cannot_be_graded_are_refused(grader: Grader) -> None:
    with pytest.raises(UsageError, match="C function"):
        grader.grade(dataclasses.replace(ADD, language=Language.C), completion("int add(){}"), None)
    with pytest.raises(UsageError, match="no entry point"):
        grader.grade(dataclasses.replace(ADD, entry_point=None), completion("import os"), None)
    empty = grader.grade(dataclasses.replace(ADD, tests=()), completion(RIGHT), None)
    assert empty.status is Status.HARNESS_ERROR


def test_version_names_what_decides(grader: Grader) -> None:
    for part in ("rules", "bwrap", "rlimits", "Python 3.", "gcc", "cpu 1 s", "512 MiB"):
        assert part in grader.version
    other = Grader(grader.backend, dataclasses.replace(LIMITS, cpu_seconds=2.0))
    assert other.version != grader.version


def test_key_changes_with_everything_that_decides() -> None:
    keys = {
        verdict_key(ADD, "p", None, "g"),
        verdict_key(ADD, "q", None, "g"),
        verdict_key(ADD, "p", "total", "g"),
        verdict_key(ADD, "p", None, "h"),
        verdict_key(MAIN, "p", None, "g"),
        verdict_key(dataclasses.replace(ADD, tests=ADD.tests[:2]), "p", None, "g"),
    }
    assert len(keys) == 6
    renamed = dataclasses.replace(ADD, problem_id="other", title="x")
    assert verdict_key(renamed, "p", None, "g") == verdict_key(ADD, "p", None, "g")
    assert verdict_key(ADD, "p", "add", "g") == verdict_key(ADD, "p", None, "g")
    assert len(verdict_key(ADD, "\ud800", None, "g")) == 64


class Counting:
    """A backend that counts its runs, and can be made to wait or to lie."""

    name = "counting"
    warning = ""
    trouble = ""
    modes = ALL_MODES

    def __init__(self, inner: Backend) -> None:
        self.inner = inner
        self.runs = 0
        self.lock = threading.Lock()

    def run(self, job: Job) -> Outcome:
        with self.lock:
            self.runs += 1
        return self.inner.run(job)

    def run_all(self, jobs: Sequence[Job], care: Care = Care.ALONE) -> tuple[Outcome, ...]:
        return tuple(self.run(job) for job in jobs)

    def kill_all(self) -> None:
        self.inner.kill_all()


def test_items_come_back_in_order_and_equal_programs_run_once(backend: BubblewrapBackend) -> None:
    counting = Counting(backend)
    texts = [RIGHT, RIGHT.replace("+", "-"), RIGHT, "no code here", RIGHT.replace("+", "*"), RIGHT]
    items = [
        GradeItem(ADD, completion(text, sample=index), None) for index, text in enumerate(texts)
    ]
    seen: list[tuple[int, int]] = []
    results = list(
        grade_items(
            Grader(counting, LIMITS), items, workers=2, progress=lambda *step: seen.append(step)
        )
    )
    verdicts = [verdict for verdict, _ in results]
    assert [verdict.sample for verdict in verdicts] == [0, 1, 2, 3, 4, 5]
    assert [verdict.status for verdict in verdicts] == [
        Status.PASSED,
        Status.WRONG_ANSWER,
        Status.PASSED,
        Status.NO_CODE,
        Status.WRONG_ANSWER,
        Status.PASSED,
    ]
    assert counting.runs == 3
    assert [measured.kind for _, measured in results] == [
        *("grade", "grade", "grade_shared", "grade", "grade", "grade_shared")
    ]
    assert results[0][1].cpu_seconds is not None
    assert results[2][1].cpu_seconds is None
    assert len({measured.key for _, measured in results}) == 6
    assert seen == [(count, 6) for count in range(1, 7)]
    alone = [Grader(backend, LIMITS).grade(ADD, item.completion, None) for item in items[:2]]
    assert [dataclasses.replace(item, grader="") for item in alone] == [
        dataclasses.replace(item, grader="") for item in verdicts[:2]
    ]


# No limit ends a program before its test has looked.
PATIENT = dataclasses.replace(LIMITS, cpu_seconds=60.0)


def test_stopping_early_kills_what_runs(
    backend: BubblewrapBackend, survivors: Callable[[], list[str]]
) -> None:
    slow = "import time\ndef add(a, b):\n    time.sleep({})\n    return a + b\n"
    items = [GradeItem(ADD, completion(RIGHT), None)]
    items += [GradeItem(ADD, completion(slow.format(200 + index)), None) for index in range(4)]
    results = grade_items(Grader(backend, PATIENT), items, workers=2)
    assert next(results)[0].status is Status.PASSED
    results.close()  # type: ignore[attr-defined]
    assert survivors() == []


def test_interrupt_while_waiting_leaves_nothing(
    backend: BubblewrapBackend, survivors: Callable[[], list[str]]
) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    slow = "import time\ndef add(a, b):\n    time.sleep(200)\n"
    items = [GradeItem(ADD, completion(text), None) for text in (RIGHT, slow)]
    with pytest.raises(KeyboardInterrupt):
        list(grade_items(Grader(backend, PATIENT), items, workers=2, progress=interrupt))
    assert survivors() == []


def test_no_items_is_a_normal_case(grader: Grader) -> None:
    assert list(grade_items(grader, [], workers=1)) == []
    with pytest.raises(UsageError, match="workers"):
        list(grade_items(grader, [], workers=0))


def test_grader_may_be_used_from_threads(grader: Grader) -> None:
    texts = [RIGHT, RIGHT.replace("+", "-")] * 3
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda text: grader.grade(ADD, completion(text), None).status, texts))
    assert found == [Status.PASSED, Status.WRONG_ANSWER] * 3


def test_self_test_passes_here(grader: Grader) -> None:
    self_test(grader)


class Lying(Counting):
    """A backend on which every program gives one output."""

    def run(self, job: Job) -> Outcome:
        outcome = self.inner.run(job)
        return dataclasses.replace(outcome, build=Build(ok=False, why="broken compiler"), runs=())


def test_self_test_stops_a_broken_grader(backend: BubblewrapBackend) -> None:
    with pytest.raises(MachineError, match="a right function came out as compile_error"):
        self_test(Grader(Lying(backend), LIMITS))


def test_harness_error_is_not_the_programs_fault() -> None:
    backend = BubblewrapBackend()  # one with no sandbox that is started already
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "_program", "/nonexistent/bwrap")
        verdict = Grader(backend, LIMITS).grade(ADD, completion(RIGHT), None)
    assert verdict.status is Status.HARNESS_ERROR
    assert "/nonexistent/bwrap" in verdict.message


def test_unsafe_backend_grades_alike_and_says_so() -> None:
    grader = Grader(UnsafeBackend(), LIMITS)
    assert grader.grade(ADD, completion(RIGHT), None).status is Status.PASSED
    assert "not isolated" in grader.version


GENERATED = dataclasses.replace(
    ADD,
    generator="def generate(rng, size):\n    return (size, rng.randint(0, 10**6))\n",
)


def test_oracle_answers_in_order(backend: BubblewrapBackend) -> None:
    oracle = SandboxOracle(backend, LIMITS)
    inputs = [JsonText("[1,2]"), JsonText('["a",1]'), JsonText("[[1],[2]]")]
    answers = oracle.answers(ADD, Reference("r", Language.PYTHON, RIGHT), inputs)
    assert [answer.output for answer in answers] == ["3", None, "[1,2]"]
    assert answers[1].problem is not None
    assert "TypeError" in answers[1].problem
    assert oracle.answers(ADD, Reference("r", Language.PYTHON, RIGHT), []) == ()
    for code, why in (("def add(", "does not compile"), ("x = 1", "does not define add")):
        (answer,) = oracle.answers(ADD, Reference("r", Language.PYTHON, code), inputs[:1])
        assert answer.output is None
        assert answer.problem is not None
        assert why in answer.problem


def test_oracle_runs_main_programs(backend: BubblewrapBackend) -> None:
    reference = Reference("r", Language.PYTHON, "print(sum(map(int, input().split())))")
    (answer,) = SandboxOracle(backend, LIMITS).answers(MAIN, reference, [JsonText('"1 2"')])
    assert answer.output == '"3\\n"'


def test_generated_inputs_depend_on_seed_and_number_alone(backend: BubblewrapBackend) -> None:
    oracle = SandboxOracle(backend, LIMITS)
    five = oracle.generate(GENERATED, 7, 5)
    assert [item.split(",")[0] for item in five] == ["[0", "[1", "[2", "[3", "[4"]
    assert oracle.generate(GENERATED, 7, 3) == five[:3]
    assert oracle.generate(GENERATED, 8, 5) != five
    assert oracle.generate(GENERATED, 7, 0) == ()


@pytest.mark.parametrize(
    "generator",
    [
        "def generate(rng, size):\n    return object()",
        "def generate(rng, size):\n    return 1 / size",
        "def generate(rng, size)",
        "x = 1",
        None,
    ],
)
def test_broken_generators_are_errors_of_the_problem(
    backend: BubblewrapBackend, generator: str | None
) -> None:
    problem: Problem = dataclasses.replace(ADD, generator=generator)
    with pytest.raises(DataError, match="tests/add"):
        SandboxOracle(backend, LIMITS).generate(problem, 1, 2)


def test_oracle_tells_a_broken_machine() -> None:
    backend = BubblewrapBackend()  # one with no sandbox that is started already
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "_program", "/usr/bin/false")
        with pytest.raises(MachineError, match="sandbox failed"):
            SandboxOracle(backend).generate(GENERATED, 1, 1)


def test_interface_decides_how_a_program_is_run(grader: Grader) -> None:
    both = completion(
        "def add(a, b):\n    return a + b\nif __name__ == '__main__':\n"
        "    print(add(*map(int, input().split())))\n"
    )
    assert ADD.interface is Interface.FUNCTION
    assert grader.grade(ADD, both, None).status is Status.PASSED
    assert grader.grade(MAIN, both, None).status is Status.PASSED
