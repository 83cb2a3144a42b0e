"""How far passes can be trusted: planted false passes are found, and the rate is the known one."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.grading.grading_samples import ADD
from tests.running import RunCommand

from codequake.canonical import canonical_json
from codequake.grading import AuditItem, AuditReport, Grader, SandboxOracle, audit_passes
from codequake.ports import Answer
from codequake.problems import find_problem
from codequake.records import (
    Comparison,
    Interface,
    JsonText,
    Language,
    Problem,
    Reference,
    Status,
    Verdict,
)
from codequake.sandbox import ALL_MODES, Build, Care, Ending, Job, Outcome, Run

ENERGY = find_problem("formulas-20/kinetic-energy")
Program = Callable[[float, float], str]


def right(a: float, b: float) -> str:
    return f"{a * b * b / 2:.6f}"


def rarely_wrong(a: float, b: float) -> str:
    """Right on the tests of the problem, and wrong in the widest gap between them."""
    low, high = GAP
    return "0.000000" if low < b < high else right(a, b)


def crashes_late(a: float, b: float) -> str:
    low, high = GAP
    if low < b < high:
        raise ZeroDivisionError("planted")
    return right(a, b)


def one_digit_off(a: float, b: float) -> str:
    return f"{a * b * b / 2 + 0.000001:.6f}"


def five_digits_off(a: float, b: float) -> str:
    return f"{a * b * b / 2 + 0.000005:.6f}"


def wrong(a: float, b: float) -> str:
    return f"{a * b * b:.6f}"


def widest_gap() -> tuple[float, float]:
    speeds = sorted(float(json.loads(test.input).split()[1]) for test in ENERGY.tests)
    return max(itertools.pairwise(speeds), key=lambda pair: pair[1] - pair[0])


GAP = widest_gap()
PROGRAMS: dict[str, Program] = {
    item.__name__: item
    for item in (right, rarely_wrong, crashes_late, one_digit_off, five_digits_off, wrong)
}


class FakeBackend:
    """Runs the functions above under their names: what is tested is what the audit does."""

    name = "fake"
    warning = ""
    modes = ALL_MODES

    def run(self, job: Job) -> Outcome:
        if job.source == "broken":
            build = Build(ok=True, why="")
            return Outcome(build, None, (), None, None, "fake", harness_error="planted")
        runs = tuple(self._one(PROGRAMS[job.source], text) for text in job.inputs)
        return Outcome(Build(ok=True, why=""), None, runs, None, None, "fake")

    def _one(self, program: Program, text: str) -> Run:
        a, b = map(float, json.loads(text).split())
        try:
            output = canonical_json(program(a, b) + "\n")
        except ZeroDivisionError as error:
            return Run(Ending.CRASHED, None, str(error), 0.0, True)
        return Run(Ending.RETURNED, output, "", 0.0, True)

    def run_all(self, jobs: Sequence[Job], care: Care = Care.ALONE) -> tuple[Outcome, ...]:
        return tuple(map(self.run, jobs))

    def kill_all(self) -> None:
        pass


class FakeOracle:
    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        return tuple(
            Answer(
                JsonText(canonical_json(right(*map(float, json.loads(item).split())) + "\n")), None
            )
            for item in inputs
        )

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        raise AssertionError("formula prompts have no generator")


def item(
    program: str, number: int, problem: Problem = ENERGY, status: Status = Status.PASSED
) -> AuditItem:
    verdict = Verdict(
        problem.problem_id, "clean", "m", number, status, (), "", program, "fence", None, "g"
    )
    return AuditItem(problem, verdict, problem.entry_point)


def audit(items: Sequence[AuditItem], **changes: int) -> AuditReport:
    settings = {"sample": 100, "seed": 7, "workers": 2, "inputs": 1500, **changes}
    return audit_passes(Grader(FakeBackend()), FakeOracle(), items, **settings)


def test_the_planted_programs_pass_the_tests_of_their_problem() -> None:
    grader = Grader(FakeBackend())
    for name in ("right", "rarely_wrong", "crashes_late", "one_digit_off"):
        inputs = tuple(test.input for test in ENERGY.tests)
        job = Job(Language.C, name, "stdin", None, inputs)  # type: ignore[arg-type]
        assert grader.judged(ENERGY, grader.backend.run(job)).status is Status.PASSED, name


def test_a_program_that_is_wrong_elsewhere_is_found_with_its_witness() -> None:
    report = audit([item("right", 0), item("rarely_wrong", 1), item("crashes_late", 2)])
    assert (report.passes, report.sampled, report.audited) == (3, 3, 3)
    first, second = report.witnesses
    assert (first.sample, first.status, first.got) == (1, Status.WRONG_ANSWER, '"0.000000\\n"')
    assert (second.sample, second.status, second.got) == (2, Status.RUNTIME_ERROR, None)
    a, b = map(float, json.loads(first.input).split())
    assert GAP[0] < b < GAP[1]
    assert first.expected == canonical_json(right(a, b) + "\n")
    assert first.program == "rarely_wrong"


@pytest.mark.parametrize(
    ("false", "true", "low", "high"),
    [
        # Exact limits from the tables of Clopper and Pearson at 95 %.
        (0, 10, 0.0, 0.3085),
        (1, 9, 0.0025, 0.4450),
        (3, 17, 0.0321, 0.3789),
        (2, 0, 0.1581, 1.0),
    ],
)
def test_the_rate_has_its_exact_interval(false: int, true: int, low: float, high: float) -> None:
    items = [item("rarely_wrong" if i < false else "right", i) for i in range(false + true)]
    report = audit(items, inputs=600)
    assert (len(report.witnesses), report.audited) == (false, false + true)
    found = report.as_json()
    assert found["false_pass_rate"] == false / (false + true)
    assert found["low"] == pytest.approx(low, abs=5e-5)
    assert found["high"] == pytest.approx(high, abs=5e-5)
    assert found["method"] == "Clopper-Pearson exact"


def test_the_sample_depends_on_the_seed_and_not_on_the_order() -> None:
    items = [item("rarely_wrong" if i % 2 else "right", i) for i in range(30)]
    drawn = [
        tuple(
            witness.sample for witness in audit(given, sample=10, seed=seed, inputs=600).witnesses
        )
        for given, seed in ((items, 1), (items[::-1], 1), (items, 2))
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_the_tolerance_is_tried_at_a_tenth_and_ten_times() -> None:
    items = [
        item("right", 0),
        item("one_digit_off", 1),
        item("five_digits_off", 2, status=Status.WRONG_ANSWER),
        item("wrong", 3, status=Status.WRONG_ANSWER),
        item("wrong", 4, status=Status.TIMEOUT),
    ]
    found = audit(items, inputs=300).tolerance
    assert (found.passes, found.fail_at_tenth) == (2, 1)
    assert (found.wrong_answers, found.pass_at_ten) == (2, 1)
    assert (found.prompts, found.prompts_in_need) == (1, 1)
    assert audit([item("right", 0)], inputs=300).tolerance.prompts_in_need == 0


def test_what_cannot_be_audited_is_counted_and_not_in_the_rate() -> None:
    no_source = dataclasses.replace(ENERGY, problem_id="t/none", formula=None)
    no_reference = dataclasses.replace(ENERGY, problem_id="t/alone", references=())
    stated = dataclasses.replace(ADD, assertions="")
    assert ENERGY.formula is not None
    thin = dataclasses.replace(
        ENERGY,
        problem_id="t/thin",
        formula=dataclasses.replace(
            ENERGY.formula,
            symbols=tuple(
                dataclasses.replace(one, low=1.0, high=9.0, integer=True)
                for one in ENERGY.formula.symbols
            ),
        ),
    )
    given = [no_source, no_reference, stated, thin, thin, ENERGY]
    report = audit([item("right", i, problem) for i, problem in enumerate(given)])
    reasons = {one.problem_id: (one.reason, one.passes) for one in report.unaudited}
    assert reasons["t/none"] == ("it has neither a generator nor a formula to draw inputs from", 1)
    assert reasons["t/alone"] == ("it has no reference program", 1)
    assert reasons["tests/add"] == ("it is tested by statements", 1)
    assert reasons["t/thin"][1] == 2
    assert "allowed: 1500 or more" in reasons["t/thin"][0]
    assert (report.passes, report.sampled, report.audited) == (6, 3, 1)


def test_a_failing_sandbox_is_no_false_pass() -> None:
    report = audit([item("broken", 0), item("right", 1)], inputs=300)
    assert (report.sampled, report.audited, report.witnesses) == (2, 1, ())


def test_no_passes_give_no_rate() -> None:
    report = audit([item("wrong", 0, status=Status.WRONG_ANSWER)])
    assert report.as_json()["false_pass_rate"] is None
    assert report.interval is None


# -- the same with the sandbox, in both languages ----------------------------------------------

C_RIGHT = ENERGY.references[0].code
C_FALSE = C_RIGHT.replace('printf("', f'if (b > {GAP[0]} && b < {GAP[1]}) a += 1;\n    printf("')
DIGITS = find_problem("starter-12/digit-sum")
PYTHON_RIGHT = next(one.code for one in DIGITS.references if one.language is Language.PYTHON)


def test_a_function_of_python_is_audited(grader: Grader) -> None:
    given = [json.loads(test.input)[0] for test in DIGITS.tests]
    rest = next(number for number in range(37) if all(value % 37 != number for value in given))
    name = DIGITS.entry_point
    false = (
        f"{PYTHON_RIGHT}\n\ndef kept(n, f={name}):\n    return f(n) + (n % 37 == {rest})\n\n"
        f"{name} = kept\n"
    )
    passing = [item(PYTHON_RIGHT, 0, DIGITS), item(false, 1, DIGITS)]
    oracle = SandboxOracle(grader.backend)
    report = audit_passes(grader, oracle, passing, sample=5, seed=3, workers=1, inputs=300)
    assert report.audited == 2
    assert [one.sample for one in report.witnesses] == [1]
    assert json.loads(report.witnesses[0].input)[0] % 37 == rest


def test_the_command_finds_a_false_pass(run_command: RunCommand, tmp_path: Path) -> None:
    rows = [
        {"problem_id": ENERGY.problem_id, "sample": number, "completion": f"```c\n{code}```"}
        for number, code in enumerate((C_RIGHT, C_FALSE))
    ]
    given, out = tmp_path / "rows.jsonl", tmp_path / "verdicts.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = run_command(
        *("grade", given, "--problems", "formulas-20", "--out", out, "--workers", "2"),
        *("--audit", "5", "--audit-inputs", "400", "--json"),
    )
    assert done.returncode == 1
    assert "1 of 2 audited passes are wrong on fresh inputs" in done.stderr
    assert "Traceback" not in done.stderr
    shown = json.loads(done.stdout)
    assert [row["status"] for row in shown["verdicts"]] == ["passed", "passed"]
    assert shown["audit"]["false_pass_rate"] == 0.5
    kept = json.loads((tmp_path / "verdicts.audit.json").read_text("utf-8"))
    assert kept == shown["audit"]
    (witness,) = kept["witnesses"]
    assert witness["sample"] == 1
    assert witness["expected"] != witness["got"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_comparison_without_digits_has_a_tolerance_too() -> None:
    exact = dataclasses.replace(ENERGY, comparison=Comparison(), interface=Interface.STDIN)
    found = audit([item("right", 0, exact)], inputs=300).tolerance
    assert (found.passes, found.fail_at_tenth, found.prompts_in_need) == (1, 0, 0)
