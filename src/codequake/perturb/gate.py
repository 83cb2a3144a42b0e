"""The gate: each variant is checked by machine, and what can be executed is executed.

It reads the text as a stranger would and knows nothing of how the draft was made.  A variant that
fails a check is kept and reported, but stands in no headline figure.
"""

from __future__ import annotations

import re
from collections import Counter

from codequake.errors import DataError
from codequake.formula import (
    FormulaError,
    Verdict,
    distance,
    equivalent,
    format_formula,
    parse,
    parse_assumption,
)
from codequake.perturb.examples import check_examples, read_examples, run_examples
from codequake.perturb.formula import read_formula
from codequake.perturb.inert import ANY, own_sentences
from codequake.perturb.layout import TextSection, replace_formula, split_sections
from codequake.perturb.spec import Draft, NotApplicableError
from codequake.ports import Oracle
from codequake.records import Check, Problem
from codequake.statements import SectionKind, SpanKind, Statement

__all__ = ["check_draft"]

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")
_QUOTED = re.compile(r"`[^`\n]+`")


def check_draft(problem: Problem, draft: Draft, oracle: Oracle | None) -> tuple[Check, ...]:
    """Return the checks of a draft of a kept task, in a fixed order.

    With an oracle the examples of the text are also run through the first reference program.
    Raises ``MachineError`` when the oracle cannot run.
    """
    if draft.formula is not None and draft.distance:
        checks = list(_formula_checks(problem, draft))
    else:
        checks = list(_wording_checks(problem, draft.text))
    return (*checks, *_example_checks(problem, draft.text, oracle))


def _wording_checks(problem: Problem, text: str) -> list[Check]:
    """Compare numbers, quoted names, signature and sections with the clean prompt."""
    clean = problem.statement
    checks = [_numbers(clean, text), _names(problem, clean, text)]
    if problem.structure is not None:
        checks += [_protected(problem.structure, text), _sections(problem, text)]
    return checks


def _numbers(clean: str, text: str) -> Check:
    before, after = (Counter(_NUMBER.findall(one)) for one in (clean, text))
    lost, new = before - after, after - before
    if lost or new:
        return Check("numbers", False, f"lost: {_listed(lost)}; new: {_listed(new)}")
    return Check("numbers", True, f"{before.total()} unchanged")


def _names(problem: Problem, clean: str, text: str) -> Check:
    """Every quoted piece of the clean text stands at least as often, and no new one appears."""
    before, after = (Counter(_QUOTED.findall(one)) for one in (clean, text))
    lost = before - after
    known = set(before) | {f"`{name}`" for name in (problem.entry_point, *problem.parameters)}
    new = Counter({name: count for name, count in after.items() if name not in known})
    if lost or new:
        return Check("names", False, f"lost: {_listed(lost)}; new: {_listed(new)}")
    return Check("names", True, f"{len(before)} kept")


def _listed(counts: Counter[str]) -> str:
    return ", ".join(sorted(counts)[:8]) or "none"


def _protected(structure: Statement, text: str) -> Check:
    """All protected and formula spans stand in the text in their order."""
    at = 0
    count = 0
    for section in structure.sections:
        for sentence in section.sentences:
            for span in sentence.spans:
                if span.kind in (SpanKind.PROTECTED, SpanKind.FORMULA):
                    found = _find(span.text, text, at)
                    if found < 0:
                        return Check("protected", False, f"{span.text[:60]!r} is missing")
                    at = found + len(span.text)
                    count += 1
    return Check("protected", True, f"{count} in order")


def _find(piece: str, text: str, at: int) -> int:
    """Find a piece from a place on, as a whole word where it is one."""
    left = r"(?<!\w)" if piece[:1].isalnum() else ""
    right = r"(?!\w)" if piece[-1:].isalnum() else ""
    match = re.compile(f"{left}{re.escape(piece)}{right}").search(text, at)
    return -1 if match is None else match.start()


def _sections(problem: Problem, text: str) -> Check:
    """All sections stand in order; outside the task no line is lost, changed or moved."""
    assert problem.structure is not None
    try:
        before = split_sections(problem.statement, problem.structure)
        after = split_sections(text, problem.structure)
    except NotApplicableError as error:
        return Check("sections", False, str(error))
    for one, two in zip(before, after, strict=True):
        fault = _section_fault(problem, one, two)
        if fault is not None:
            return Check("sections", False, fault)
    return Check("sections", True, f"{len(before)} in order")


def _section_fault(problem: Problem, before: TextSection, after: TextSection) -> str | None:
    """Return what is wrong with a section.

    Only constraints may gain lines, and only such as are known to exclude nothing: whether any
    other sentence narrows the task cannot be seen by a machine.
    """
    if before.kind is SectionKind.TASK:
        return None if any(line.strip() for line in after.lines) else "the task is empty"
    if before.kind is not SectionKind.CONSTRAINTS:
        return None if before.lines == after.lines else f"section {before.title!r} changed"
    rest = iter(after.lines)
    if not all(line in rest for line in before.lines):
        return f"section {before.title!r} lost, changed or moved a line"
    inert = {*ANY, *own_sentences(problem)}
    added = Counter(after.lines) - Counter(before.lines)
    unknown = sorted(line for line in added if line.removeprefix("- ") not in inert)
    if unknown:
        return f"section {before.title!r} gained a rule: {unknown[0][:80]!r}"
    return None


def _example_checks(problem: Problem, text: str, oracle: Oracle | None) -> list[Check]:
    if problem.structure is None:
        return []
    try:
        sections = split_sections(text, problem.structure)
        examples = [
            example
            for section in sections
            if section.kind is SectionKind.EXAMPLES
            for example in read_examples(problem, section.lines)
        ]
    except (DataError, NotApplicableError) as error:
        return [Check("examples", False, str(error))]
    checks = [check_examples(problem, tuple(examples))]
    if oracle is not None:
        checks.append(run_examples(problem, tuple(examples), oracle))
    return checks


def _formula_checks(problem: Problem, draft: Draft) -> list[Check]:
    """Check that only the formula changed, and that it means the same at its distance."""
    assert problem.formula is not None
    assert draft.formula is not None
    only = replace_formula(problem, draft.formula) == draft.text
    detail = "the rest is the clean prompt" if only else "more than the formula changed"
    checks = [Check("formula_only", only, detail)]
    read = read_formula(problem.formula)
    try:
        node = parse(draft.formula, read.names)
        assumed = tuple(parse_assumption(text, read.names) for text in draft.assumptions)
    except FormulaError as error:
        return [*checks, Check("formula_parses", False, str(error).splitlines()[0])]
    answer = equivalent(read.node, node, tuple(dict.fromkeys((*read.given, *assumed))))
    certificate = answer.certificate
    passed = answer.verdict is Verdict.EQUIVALENT and not answer.conditions
    detail = (
        f"{answer.verdict.value} by {certificate.method}: {certificate.field_points} points modulo "
        f"{certificate.prime}, {certificate.ball_points} points of {certificate.bits} bits; "
        f"{', '.join(certificate.versions)}"
    )
    if answer.conditions:
        detail += f"; only where {' and '.join(answer.conditions)}"
    if answer.witness is not None:
        detail += f"; {answer.witness.detail} at {dict(answer.witness.point)}"
    checks.append(Check("equivalent", passed, detail))
    if draft.base is None and draft.distance is not None:
        checks.append(_distance_check(problem, draft))
    return checks


def _distance_check(problem: Problem, draft: Draft) -> Check:
    assert problem.formula is not None
    assert draft.formula is not None
    assert draft.distance is not None
    read = read_formula(problem.formula)
    found = distance(read.node, parse(draft.formula, read.names), draft.distance)
    passed = found.value == draft.distance and (found.proved or not draft.distance_proved)
    shown = "none within the limit" if found.value is None else str(found.value)
    proof = "proved" if found.proved else "not proved"
    return Check("distance", passed, f"{shown}, {proof}, from {format_formula(read.node)}")
