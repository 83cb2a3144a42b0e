"""The check of a set: everything that its problems claim, shown by running their programs.

Execution and comparison come in as arguments, so that this package needs neither the sandbox nor
the grader.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from codequake.canonical import canonical_json, parse_json
from codequake.errors import CheckFailedError, DataError, UserError
from codequake.ports import Oracle, Pool
from codequake.problems.building import DISCRIMINATING
from codequake.problems.contrast import has_new_oracle
from codequake.problems.declarations import formula_findings
from codequake.problems.executing import (
    discriminating,
    fresh_findings,
    passing_findings,
    reference_findings,
    validity_findings,
    wrong_findings,
)
from codequake.problems.findings import RULES, Finding, Report, Rules, shortened
from codequake.problems.foreign import Origin
from codequake.problems.judging import Agree, Judge
from codequake.problems.likeness import outline
from codequake.problems.python_prompts import shown_results
from codequake.problems.redrawing import can_redraw, redraw
from codequake.problems.rendering import input_stands_in, show_value, shown_output
from codequake.problems.shape import refuse_malformed
from codequake.problems.structure import structure_findings
from codequake.records import ChangeKind, Interface, JsonText, Problem

__all__ = ["FORMULA_INPUTS", "check_problems"]

FORMULA_INPUTS = 10_000
"""Inputs on which the references of a formula prompt agree before it is admitted."""

_REDRAWN = (ChangeKind.EXAMPLES, ChangeKind.BOUNDS, ChangeKind.CONSTANTS)
_NO_REFERENCE = "there is no reference program to run"
_OWN_OUTPUTS = (
    "the expected outputs are those of the reference program, so running it shows only that it "
    "answers, and the same each time"
)


def check_problems(
    problems: Sequence[Problem],
    oracle: Oracle,
    *,
    agree: Agree,
    seed: int = 0,
    fresh: int = 20,
    formula_inputs: int = FORMULA_INPUTS,
    rules: Rules | None = None,
    origin: Origin = Origin.AUTHORED,
    changed: Sequence[Problem] = (),
    quick: Oracle | None = None,
    pool: Pool | None = None,
) -> Iterator[Report]:
    """Return one report a problem, in their order; its changed versions are in the same report.

    Of problems of other projects (``origin``) and of those that are tested by statements, shown is
    that every reference passes every test and that hidden tests reject the wrong programs; where
    the reference gave the expected outputs, also that they are those that the prompt shows.

    Of all others, shown by execution: every reference passes every test (the visible ones are the
    examples of the statement, whose shown outputs are compared too), all references agree on
    ``fresh`` inputs drawn anew (those of a formula prompt on ``formula_inputs``, edge cases mixed
    in), every input is one that the validator accepts, and every wrong or relaxed program answers
    something and is rejected by a hidden test.  Shown from the text: visible inputs stand in the
    statement and hidden ones do not, there are enough hidden tests, the structured statement
    renders to the flat one, slots, glossaries, renames and constants fit, a formula prompt keeps
    its own declarations, no id stands twice and no two references are one program.

    ``changed`` are versions that have a ``change``: all of the above is shown of them too, and that
    at least 10 hidden tests tell them from their original.  The same is shown of every problem of a
    set with ``validated`` rules when its examples, bounds and constants are drawn anew for the
    seed.  ``rules`` are those that the set of each problem promises, unless they are given.

    ``quick`` is an oracle that may be less careful: where it finds anything, ``oracle`` is asked
    again, and what that one finds is told.  ``pool`` checks several problems at once.  Raises
    ``MachineError`` when an oracle cannot run.
    """
    twins = _twins((*problems, *changed))
    ids = Counter(problem.problem_id for problem in problems)
    versions: dict[str, list[Problem]] = defaultdict(list)
    for problem in changed:
        assert problem.change is not None
        versions[problem.change.original_id].append(problem)
    check = _Check(oracle, quick or oracle, agree, seed, fresh, formula_inputs, twins)

    def report(problem: Problem) -> Report:
        repeated = tuple(_repeated(problem, ids[problem.problem_id]))
        try:
            refuse_malformed(problem)
        except DataError as error:
            # Nothing can be run or read until the record is right.
            return Report(problem.problem_id, (Finding("structure", str(error)),))
        if problem.assertions is not None or problem.environment or origin is not Origin.AUTHORED:
            return _published(problem, origin, repeated, oracle, agree)
        promised = rules or RULES.get(problem.problem_id.partition("/")[0], Rules())
        return check.all(problem, versions[problem.problem_id], promised, repeated)

    return map(report, problems) if pool is None else pool.map(report, problems)


def _published(
    problem: Problem,
    origin: Origin,
    repeated: tuple[Finding, ...],
    oracle: Oracle,
    agree: Agree,
) -> Report:
    return Report(
        problem.problem_id,
        (*repeated, *_tests_only(problem, origin, oracle, agree)),
        _unchecked(problem, origin),
        executed=bool(problem.references) and not problem.environment,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Check:
    oracle: Oracle
    quick: Oracle
    agree: Agree
    seed: int
    fresh: int
    formula_inputs: int
    twins: Mapping[str, Sequence[str]]

    def all(
        self,
        problem: Problem,
        versions: Sequence[Problem],
        rules: Rules,
        repeated: tuple[Finding, ...],
    ) -> Report:
        """Return what is wrong with a problem and with all that was or can be made of it."""
        findings = [*repeated, *self.sure(problem, rules)]
        also = list(versions)
        if rules.validated and not findings:
            also += self.redrawn(problem, findings)
        for version in also:
            findings += self.version(version, problem, rules)
        ids = tuple(version.problem_id for version in also)
        notes = tuple(note for version in also for note in _left_out(version, problem))
        return Report(problem.problem_id, tuple(findings), also=ids, notes=notes)

    def sure(self, problem: Problem, rules: Rules) -> list[Finding]:
        """Return what is wrong with a problem of ours, or with a version of it."""
        found = list(self.one(problem, rules, self.quick))
        if found and self.quick is not self.oracle:
            return list(self.one(problem, rules, self.oracle))
        return found

    def one(self, problem: Problem, rules: Rules, oracle: Oracle) -> Iterator[Finding]:
        """Yield what is wrong with a problem by the word of one oracle."""
        judge = Judge(problem, oracle, self.agree)
        yield from (Finding("structure", text) for text in structure_findings(problem, rules))
        yield from (Finding("formula", text) for text in _formula(problem, self.agree))
        twins = self.twins.get(problem.problem_id, ())
        yield from (Finding("references", text) for text in twins)
        yield from _examples(problem, self.agree)
        fresh = self.fresh if problem.formula is None else self.formula_inputs
        try:
            yield from validity_findings(judge)
            yield from reference_findings(judge, rules)
            yield from fresh_findings(judge, self.seed, fresh)
            yield from wrong_findings(judge, rules)
        except DataError as error:
            yield Finding("checker", str(error))

    def redrawn(self, problem: Problem, findings: list[Finding]) -> Iterator[Problem]:
        """Yield the problem drawn anew in each way that it can be."""
        for kind in _REDRAWN:
            if can_redraw(problem, kind) is None:
                try:
                    yield redraw(problem, kind, self.quick, agree=self.agree, seed=self.seed)
                except (CheckFailedError, UserError) as error:
                    findings.append(Finding("redraw", str(error)))

    def version(self, version: Problem, original: Problem, rules: Rules) -> Iterator[Finding]:
        """Yield what is wrong with a changed version; each sentence names it."""
        assert version.change is not None
        found = self.sure(version, rules)
        hidden = [test.input for test in version.tests if not test.visible]
        broken = any(item.check in ("structure", "tests") for item in found)
        able = version.references and original.references
        if able and not broken and has_new_oracle(version.change.kind):
            judge = Judge(version, self.quick, self.agree)
            try:
                count = discriminating(judge, original, hidden)
            except DataError as error:
                found.append(Finding("checker", str(error)))
                count = DISCRIMINATING
            if count < DISCRIMINATING:
                found.append(
                    Finding(
                        "change",
                        f"{count} hidden tests tell it from the original; allowed: "
                        f"{DISCRIMINATING} or more",
                    )
                )
        for item in found:
            yield Finding(item.check, f"{version.problem_id}: {item.message}")


def _left_out(version: Problem, original: Problem) -> Iterator[str]:
    """Name the wrong and relaxed programs that a redrawn problem is without."""
    if version.change is None or version.change.kind not in _REDRAWN:
        return
    kept = {program.name for program in (*version.wrong, *version.relaxed)}
    for program in (*original.wrong, *original.relaxed):
        if program.name not in kept:
            yield (
                f"{version.problem_id}: no drawn input shows {program.name!r} to be wrong, so it "
                "is left out there"
            )


def _tests_only(
    problem: Problem, origin: Origin, oracle: Oracle, agree: Agree
) -> Iterator[Finding]:
    """Show what a problem claims that follows no rules of ours; nothing where it cannot be run."""
    if problem.environment:
        return
    if origin is Origin.ANSWERED:
        yield from _shown_results(problem, agree)
    judge = Judge(problem, oracle, agree)
    try:
        yield from passing_findings(judge, Rules())
        yield from wrong_findings(judge, Rules())
    except DataError as error:
        yield Finding("checker", str(error))


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
                f"the prompt shows {shortened(result)} for the input {shortened(test.input)} of "
                f"test {number}, and the reference gives {shortened(test.expected)}",
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
                f"the statement shows the output {shortened(shown)} for visible test {number}, "
                f"which expects {shortened(test.expected)}",
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
