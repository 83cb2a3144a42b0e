"""What the programs of a problem must do, shown by running them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codequake.errors import CheckFailedError, DataError, UserError
from codequake.ports import Answer
from codequake.problems.drawing import fresh_inputs, ordinary_tests, valid_inputs
from codequake.problems.findings import Finding, Rules, shortened
from codequake.problems.judging import Judge
from codequake.problems.likeness import shared_functions
from codequake.problems.pairing import paired
from codequake.records import JsonText, Problem, Reference, Test
from codequake.seeding import seed_for

__all__ = [
    "discriminating",
    "fresh_findings",
    "passing_findings",
    "reference_findings",
    "validity_findings",
    "wrong_findings",
]


def reference_findings(judge: Judge, rules: Rules) -> Iterator[Finding]:
    """Every reference passes every test, and no two are built of the same functions."""
    references = judge.problem.references
    if len(references) < 2:
        yield Finding("references", "there is no second reference to confirm the first")
    elif references[0].slow:
        yield Finding("references", "the first reference is slow; allowed: only the others")
    for other in references[1:]:
        for name in shared_functions(references[0], other):
            yield Finding(
                "references",
                f"references {references[0].name!r} and {other.name!r} share the function {name!r}",
            )
    yield from passing_findings(judge, rules)


def passing_findings(judge: Judge, rules: Rules) -> Iterator[Finding]:
    """Run every reference on every test; the first that fails is told.

    One that is slow may use up time or memory on some, after as many right answers as there must
    be hidden tests; and it must do so on one, or it is not slow.  That takes its time, so in a
    changed version a slow one is not asked about the large inputs.
    """
    for reference in judge.problem.references:
        spared = reference.slow and judge.problem.change is not None
        tests = ordinary_tests(judge.problem) if spared else judge.problem.tests
        answers = judge.answers(reference, [test.input for test in tests])
        right = judge.right(tests, answers)
        fault = None
        for number, (test, answer) in enumerate(zip(tests, answers, strict=True), start=1):
            if right[number - 1] or (reference.slow and answer.exhausted):
                continue
            fault = _failure(reference, number, test, answer)
            yield Finding("tests", fault)
            break
        if fault is None and reference.slow and not spared:
            yield from _slow(judge.problem, reference, right, answers, rules)


def _failure(reference: Reference, number: int, test: Test, answer: Answer) -> str:
    what = "example" if test.visible else "hidden test"
    lead = f"reference {reference.name!r} fails {what} {number}, input {shortened(test.input)}"
    if answer.output is None:
        return f"{lead}: {answer.problem}"
    return f"{lead}: expected {shortened(test.expected)}, got {shortened(answer.output)}"


def _slow(
    problem: Problem,
    reference: Reference,
    right: Sequence[bool],
    answers: Sequence[Answer],
    rules: Rules,
) -> Iterator[Finding]:
    hidden = [good for good, test in zip(right, problem.tests, strict=True) if not test.visible]
    if sum(hidden) < rules.hidden:
        yield Finding(
            "tests",
            f"reference {reference.name!r} confirms {sum(hidden)} hidden tests before it runs out "
            f"of time or memory; allowed: {rules.hidden} or more",
        )
    if not any(answer.exhausted for answer in answers):
        yield Finding(
            "tests", f"reference {reference.name!r} is called slow, and answers every test in time"
        )


def fresh_findings(judge: Judge, seed: int, count: int) -> Iterator[Finding]:
    """Compare the references with the first one on inputs that no author has seen."""
    problem = judge.problem
    try:
        own = seed_for(seed, "check", problem.problem_id)
        inputs = fresh_inputs(problem, judge.oracle, own, count)
        valid = set(valid_inputs(problem, inputs, judge.oracle))
    except (CheckFailedError, UserError) as error:
        yield Finding("generator", str(error))
        return
    for item in inputs:
        if item not in valid:
            lead = f"the generator gives {shortened(item)}, which the validator refuses"
            yield Finding("generator", lead)
            return
    if len(problem.references) < 2:
        return
    if not inputs:
        yield Finding("generator", "there is neither a generator nor a formula to draw inputs from")
        return
    first, *others = problem.references
    wanted = judge.answers(first, inputs)
    tests = []
    for item, want in zip(inputs, wanted, strict=True):
        if want.output is None:
            lead = f"on the fresh input {shortened(item)} reference {first.name!r} fails"
            yield Finding("generator", f"{lead}: {want.problem}")
            return
        tests.append(Test(item, want.output, visible=False))
    for other in others:
        answers = judge.answers(other, inputs)
        right = judge.right(tests, answers)
        differing = [
            (test, answer)
            for test, answer, good in zip(tests, answers, right, strict=True)
            if not good and not (other.slow and answer.exhausted)
        ]
        if differing:
            yield Finding("generator", _disagreement(first.name, other.name, differing, count))


def _disagreement(first: str, other: str, differing: list[tuple[Test, Answer]], count: int) -> str:
    test, got = differing[0]
    lead = f"on the fresh input {shortened(test.input)} reference"
    rest = f"; they differ on {len(differing)} of {count}" if len(differing) > 1 else ""
    if got.output is None:
        return f"{lead} {other!r} fails: {got.problem}{rest}"
    want = shortened(test.expected)
    return f"{lead} {first!r} gives {want} and {other!r} {shortened(got.output)}{rest}"


def wrong_findings(judge: Judge, rules: Rules) -> Iterator[Finding]:
    """Show that the hidden tests alone reject every plausible mistake and simpler task.

    Each mistake is rejected by a test of its own where the rules ask for it.  Being too slow for
    the large inputs does not count.
    """
    tests = [test for test in ordinary_tests(judge.problem) if not test.visible]
    rejecting: list[set[int]] = []
    for program in (*judge.problem.wrong, *judge.problem.relaxed) if tests else ():
        answers = judge.answers(program, [test.input for test in tests])
        right = judge.right(tests, answers)
        if judge.problem.assertions is None and all(answer.output is None for answer in answers):
            yield Finding(
                "wrong",
                f"wrong program {program.name!r} never answers, so it is no plausible mistake: "
                f"{answers[0].problem}",
            )
        elif all(right):
            yield Finding("wrong", f"no hidden test rejects the wrong program {program.name!r}")
        if program in judge.problem.wrong:
            rejecting.append({number for number, good in enumerate(right) if not good})
    if rules.own_test_each and all(rejecting) and len(paired(rejecting)) < len(rejecting):
        yield Finding(
            "wrong", "there is no hidden test for each wrong program that rejects it: two share one"
        )


def validity_findings(judge: Judge) -> Iterator[Finding]:
    """Show that every test keeps the constraints."""
    inputs = [test.input for test in judge.problem.tests]
    try:
        valid = set(valid_inputs(judge.problem, inputs, judge.oracle))
    except DataError as error:
        yield Finding("validator", str(error))
        return
    for number, item in enumerate(inputs, start=1):
        if item not in valid:
            yield Finding("validator", f"the input of test {number} is refused: {shortened(item)}")


def discriminating(judge: Judge, original: Problem, inputs: Sequence[JsonText]) -> int:
    """Return how many inputs have another answer by the original's reference."""
    tests = [test for test in judge.problem.tests if test.input in set(inputs)]
    answers = judge.oracle.answers(original, original.references[0], [test.input for test in tests])
    return len(tests) - sum(judge.right(tests, answers))
