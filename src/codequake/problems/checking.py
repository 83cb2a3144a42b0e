"""The check of a set: everything that its problems claim, shown by running their programs.

Execution and comparison come in as arguments, so that this package needs neither the sandbox nor
the grader.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from codequake.canonical import canonical_json, parse_json
from codequake.errors import CheckFailedError, DataError, UserError
from codequake.ports import Answer, Oracle
from codequake.problems.building import fresh_inputs
from codequake.problems.declarations import formula_findings
from codequake.problems.foreign import Origin
from codequake.problems.likeness import outline
from codequake.problems.python_prompts import shown_results
from codequake.problems.rendering import input_stands_in, show_value, shown_output
from codequake.problems.shape import refuse_malformed
from codequake.problems.structure import structure_findings
from codequake.records import Comparison, Interface, JsonText, Problem, Test
from codequake.seeding import seed_for

__all__ = ["FORMULA_INPUTS", "Agree", "Finding", "Report", "check_problems"]

Agree = Callable[[JsonText, JsonText, Comparison, Interface], bool]
"""Whether an output (second) agrees with the expected one (first)."""

FORMULA_INPUTS = 10_000
"""Inputs on which the references of a formula prompt agree before it is admitted."""

_HIDDEN = 20
_NO_REFERENCE = "there is no reference program to run"
_OWN_OUTPUTS = (
    "the expected outputs are those of the reference program, so running it shows only that it "
    "answers, and the same each time"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim of a problem that does not hold: which check found it, and one sentence."""

    check: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the check found in a problem; nothing means that all its claims hold.

    ``unchecked`` says what could not be shown and why; empty when all was.  ``executed`` is false
    when there was no program to run, so that nothing was shown.
    ``place`` is ``file:line`` of the problem, where it comes from a file.
    """

    problem_id: str
    findings: tuple[Finding, ...]
    unchecked: str = ""
    executed: bool = True
    place: str = ""


def check_problems(
    problems: Sequence[Problem],
    oracle: Oracle,
    *,
    agree: Agree,
    seed: int = 0,
    fresh: int = 20,
    formula_inputs: int = FORMULA_INPUTS,
    hidden: int = _HIDDEN,
    origin: Origin = Origin.AUTHORED,
) -> Iterator[Report]:
    """Yield one report a problem, in their order.

    Of problems of other projects (``origin``) and of those that are tested by statements, shown is
    that every reference passes every test and that hidden tests reject the wrong programs; where
    the reference gave the expected outputs, also that they are those that the prompt shows.

    Of all others, shown by execution: every reference passes every test (the visible ones are the
    examples of the statement, whose shown outputs are compared too), all references agree on
    ``fresh`` inputs drawn anew (those of a formula prompt on ``formula_inputs``, edge cases mixed
    in), and every wrong program answers something and is rejected by a hidden test.  Shown from the
    text: visible inputs stand in the statement and hidden ones do not, there are at least
    ``hidden`` hidden tests, the structured statement renders to the flat one, slots, glossaries and
    renames fit, a formula prompt keeps its own declarations, no id stands twice and no two
    references are one program.  Raises ``MachineError`` when the oracle cannot run.
    """
    twins = _twins(problems)
    ids = Counter(problem.problem_id for problem in problems)
    for problem in problems:
        try:
            refuse_malformed(problem)
        except DataError as error:
            # Nothing can be run or read until the record is right.
            yield Report(problem.problem_id, (Finding("structure", str(error)),))
            continue
        repeated = tuple(_repeated(problem, ids[problem.problem_id]))
        if problem.assertions is not None or problem.environment or origin is not Origin.AUTHORED:
            found = tuple(_tests_only(problem, origin, oracle, agree))
            yield Report(
                problem.problem_id,
                (*repeated, *found),
                _unchecked(problem, origin),
                executed=bool(problem.references) and not problem.environment,
            )
            continue
        findings = [
            *repeated,
            *(Finding("structure", text) for text in structure_findings(problem, hidden)),
            *(Finding("formula", text) for text in _formula(problem, agree)),
            *(Finding("references", text) for text in twins.get(problem.problem_id, ())),
            *_examples(problem, agree),
            *_references(problem, oracle, agree),
            *_fresh(
                problem, oracle, agree, seed, fresh if problem.formula is None else formula_inputs
            ),
            *_wrong(problem, oracle, agree),
        ]
        yield Report(problem.problem_id, tuple(findings))


def _tests_only(
    problem: Problem, origin: Origin, oracle: Oracle, agree: Agree
) -> Iterator[Finding]:
    """Show what a problem claims that follows no rules of ours; nothing where it cannot be run."""
    if problem.environment:
        return
    if origin is Origin.ANSWERED:
        yield from _shown_results(problem, agree)
    yield from _passing(problem, oracle, agree)
    yield from _wrong(problem, oracle, agree)


def _shown_results(problem: Problem, agree: Agree) -> Iterator[Finding]:
    """Hold the results that the prompt shows against those that the reference gave."""
    shown = shown_results(problem.statement, problem.entry_point or "")
    for number, test in enumerate(problem.tests, start=1):
        result = shown.get(test.input)
        if result is not None and not agree(
            JsonText(result), test.expected, problem.comparison, problem.interface
        ):
            yield Finding(
                "examples",
                f"the prompt shows {_short(result)} for the input {_short(test.input)} of test "
                f"{number}, and the reference gives {_short(test.expected)}",
            )


def _unchecked(problem: Problem, origin: Origin) -> str:
    """Say what the tests of a problem that follows no rules of ours cannot show."""
    if problem.environment:
        return f"it needs {problem.environment}, which the sandbox does not have"
    if not problem.references:
        return _NO_REFERENCE
    return _OWN_OUTPUTS if origin is Origin.ANSWERED else ""


def _repeated(problem: Problem, count: int) -> Iterator[Finding]:
    if count > 1:
        yield Finding("structure", f"the id stands {count} times")


def _examples(problem: Problem, agree: Agree) -> Iterator[Finding]:
    """Hold the outputs that the statement shows against those of the visible tests."""
    for number, test in enumerate(problem.tests, start=1):
        if not test.visible or not input_stands_in(problem, test.input, problem.statement):
            continue
        shown = shown_output(problem, test.input, problem.statement) or ""
        match problem.interface:
            case Interface.FUNCTION:
                right = shown == show_value(parse_json(test.expected))
            case Interface.STDIN:
                output = JsonText(canonical_json(shown + "\n"))
                right = agree(test.expected, output, problem.comparison, problem.interface)
        if not right:
            yield Finding(
                "examples",
                f"the statement shows the output {_short(shown)} for visible test {number}, "
                f"which expects {_short(test.expected)}",
            )


def _formula(problem: Problem, agree: Agree) -> Iterator[str]:
    def agrees(expected: JsonText, got: JsonText) -> bool:
        return agree(expected, got, problem.comparison, problem.interface)

    return formula_findings(problem, agrees)


def _twins(problems: Sequence[Problem]) -> dict[str, list[str]]:
    """Return problem id -> a sentence for each reference that is also another one."""
    owners: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for problem in problems:
        for item in problem.references:
            owners[item.language, outline(item)].append((problem.problem_id, item.name))
    found: dict[str, list[str]] = defaultdict(list)
    for same in owners.values():
        for problem_id, name in same[1:]:
            other = " / ".join(same[0])
            found[problem_id].append(
                f"reference {name!r} is the same program as {other}, names and numbers aside"
            )
    return found


def _references(problem: Problem, oracle: Oracle, agree: Agree) -> Iterator[Finding]:
    if len(problem.references) < 2:
        yield Finding("references", "there is no second reference to confirm the first")
    yield from _passing(problem, oracle, agree)


def _passing(problem: Problem, oracle: Oracle, agree: Agree) -> Iterator[Finding]:
    """Run every reference on every test; the first that fails is told."""
    inputs = [test.input for test in problem.tests]
    for reference in problem.references:
        answers = oracle.answers(problem, reference, inputs)
        for number, (test, answer) in enumerate(zip(problem.tests, answers, strict=True), start=1):
            what = "example" if test.visible else "hidden test"
            lead = f"reference {reference.name!r} fails {what} {number}, input {_short(test.input)}"
            if answer.output is None:
                yield Finding("tests", f"{lead}: {answer.problem}")
                break
            if not _is_right(problem, test, answer, agree):
                yield Finding(
                    "tests",
                    f"{lead}: expected {_short(test.expected)}, got {_short(answer.output)}",
                )
                break


def _fresh(
    problem: Problem, oracle: Oracle, agree: Agree, seed: int, count: int
) -> Iterator[Finding]:
    """Compare the references with the first one on inputs that no author has seen."""
    try:
        inputs = fresh_inputs(problem, oracle, seed_for(seed, "check", problem.problem_id), count)
    except (CheckFailedError, UserError) as error:
        yield Finding("generator", str(error))
        return
    if len(problem.references) < 2:
        return
    if not inputs:
        yield Finding("generator", "there is neither a generator nor a formula to draw inputs from")
        return
    first, *others = problem.references
    wanted = oracle.answers(problem, first, inputs)
    for item, want in zip(inputs, wanted, strict=True):
        if want.output is None:
            lead = f"on the fresh input {_short(item)} reference {first.name!r} fails"
            yield Finding("generator", f"{lead}: {want.problem}")
            return
    for other in others:
        differing = []
        for item, want, got in zip(
            inputs, wanted, oracle.answers(problem, other, inputs), strict=True
        ):
            assert want.output is not None
            if got.output is None or not agree(
                want.output, got.output, problem.comparison, problem.interface
            ):
                differing.append((item, want.output, got))
        if differing:
            yield Finding("generator", _disagreement(first.name, other.name, differing, count))


def _disagreement(
    first: str, other: str, differing: list[tuple[JsonText, JsonText, Answer]], count: int
) -> str:
    item, want, got = differing[0]
    lead = f"on the fresh input {_short(item)} reference"
    rest = f"; they differ on {len(differing)} of {count}" if len(differing) > 1 else ""
    if got.output is None:
        return f"{lead} {other!r} fails: {got.problem}{rest}"
    return f"{lead} {first!r} gives {_short(want)} and {other!r} {_short(got.output)}{rest}"


def _wrong(problem: Problem, oracle: Oracle, agree: Agree) -> Iterator[Finding]:
    """Show that the hidden tests alone reject every plausible mistake."""
    tests = [test for test in problem.tests if not test.visible]
    for program in problem.wrong if tests else ():
        answers = oracle.answers(problem, program, [test.input for test in tests])
        silent = problem.assertions is None and all(answer.output is None for answer in answers)
        if silent:
            yield Finding(
                "wrong",
                f"wrong program {program.name!r} never answers, so it is no plausible mistake: "
                f"{answers[0].problem}",
            )
        elif all(
            _is_right(problem, test, answer, agree)
            for test, answer in zip(tests, answers, strict=True)
        ):
            yield Finding("wrong", f"no hidden test rejects the wrong program {program.name!r}")


def _is_right(problem: Problem, test: Test, answer: Answer, agree: Agree) -> bool:
    if answer.output is None or problem.assertions is not None:
        return answer.output == "true"
    return agree(test.expected, answer.output, problem.comparison, problem.interface)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
