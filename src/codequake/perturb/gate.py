"""The gate: each variant is checked by machine, and what can be executed is executed.

It reads the text as a stranger would and knows nothing of how the draft was made.  A variant that
fails a check is kept and reported, but stands in no headline figure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

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
from codequake.perturb.restoring import restore
from codequake.perturb.spec import Draft, Freedom, NotApplicableError
from codequake.ports import Oracle
from codequake.problems.code_prompts import CodePrompt, protected_pieces, read_code_prompt
from codequake.problems.doc_examples import read_doc_examples
from codequake.problems.foreign_statements import keeps_own_layout
from codequake.records import Check, Problem
from codequake.statements import SectionKind, SpanKind, Statement

__all__ = ["check_draft"]

# A number may be an ordinal: the 40th.
_END = r"(?:(?!\w)|(?=(?:st|nd|rd|th)\b))"
_NUMBER = re.compile(rf"(?<![\w.])-?\d+(?:\.\d+)?{_END}")
_QUOTED = re.compile(r"`[^`\n]+`")


def check_draft(
    problem: Problem,
    draft: Draft,
    oracle: Oracle | None,
    *,
    freedoms: Collection[Freedom] = (),
) -> tuple[Check, ...]:
    """Return the checks of a draft, in a fixed order; ``problem`` is the one that judges it.

    What the perturbation may change by its rule, its ``freedoms``, is put back first; whether that
    can be done is a check of its own.  With an oracle the examples of the text are also run through
    the first reference program.  Raises ``MachineError`` when the oracle cannot run.
    """
    text, restored = restore(problem, _own_name(problem, draft), freedoms)
    ordered = Freedom.WORDING not in freedoms
    return (*restored, *_checks(problem, draft, text, oracle, ordered=ordered))


def _checks(
    problem: Problem, draft: Draft, text: str, oracle: Oracle | None, *, ordered: bool
) -> tuple[Check, ...]:
    if draft.formula is not None and draft.distance:
        checks = list(_formula_checks(problem, draft))
    else:
        checks = list(_wording_checks(problem, text, ordered=ordered))
    return (*checks, *_example_checks(problem, text, oracle))


def _own_name(problem: Problem, draft: Draft) -> str:
    """Return the text with the problem's own entry point where the draft asks for another."""
    if not draft.entry_point or draft.entry_point == problem.entry_point:
        return draft.text
    return re.sub(rf"\b{re.escape(draft.entry_point)}\b", str(problem.entry_point), draft.text)


def _wording_checks(problem: Problem, text: str, *, ordered: bool) -> list[Check]:
    """Compare numbers, quoted names, signature and sections with the clean prompt."""
    clean = problem.statement
    checks = [_numbers(clean, text), _names(problem, clean, text, counted=ordered)]
    if problem.structure is None:
        return checks
    code = read_code_prompt(clean)
    pieces = _pieces(problem.structure) if code is None else protected_pieces(code.task)
    protected = _protected(pieces, text) if ordered else _kept(pieces, text)
    return [*checks, protected, _sections(problem, text)]


def _numbers(clean: str, text: str) -> Check:
    before, after = (Counter(_NUMBER.findall(one)) for one in (clean, text))
    lost, new = before - after, after - before
    if lost or new:
        return Check("numbers", False, f"lost: {_listed(lost)}; new: {_listed(new)}")
    return Check("numbers", True, f"{before.total()} unchanged")


def _names(problem: Problem, clean: str, text: str, *, counted: bool) -> Check:
    """Every quoted piece of the clean text stands (at least as often), and no new one appears."""
    before, after = (Counter(_QUOTED.findall(one)) for one in (clean, text))
    lost = before - after if counted else Counter(before.keys() - after.keys())
    known = set(before) | {f"`{name}`" for name in (problem.entry_point, *problem.parameters)}
    new = Counter({name: count for name, count in after.items() if name not in known})
    if lost or new:
        return Check("names", False, f"lost: {_listed(lost)}; new: {_listed(new)}")
    return Check("names", True, f"{len(before)} kept")


def _listed(counts: Counter[str]) -> str:
    return ", ".join(sorted(counts)[:8]) or "none"


def _pieces(structure: Statement) -> tuple[str, ...]:
    return tuple(
        span.text
        for section in structure.sections
        for sentence in section.sentences
        for span in sentence.spans
        if span.kind in (SpanKind.PROTECTED, SpanKind.FORMULA)
    )


def _protected(pieces: Sequence[str], text: str) -> Check:
    """All protected and formula spans stand in the text in their order."""
    at = 0
    for piece in pieces:
        found = _find(piece, text, at)
        if found < 0:
            return Check("protected", False, f"{piece[:60]!r} is missing")
        at = found + len(piece)
    return Check("protected", True, f"{len(pieces)} in order")


def _kept(pieces: Sequence[str], text: str) -> Check:
    """All protected and formula spans stand in the text, in any order."""
    for piece in pieces:
        if _find(piece, text, 0) < 0:
            return Check("protected", False, f"{piece[:60]!r} is missing")
    return Check("protected", True, f"{len(pieces)} in any order")


def _find(piece: str, text: str, at: int) -> int:
    """Find a piece from a place on, as a whole word where it is one."""
    left = r"(?<!\w)" if piece[:1].isalnum() else ""
    right = r"(?!\w)" if piece[-1:].isalnum() else ""
    right = _END if piece[-1:].isdigit() else right
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
    if len(before) != len(after):
        return Check("sections", False, "the prompt is laid out in another way")
    if _around(before) != _around(after):
        return Check("sections", False, "the code around the text changed")
    for one, two in zip(before, after, strict=True):
        fault = _section_fault(problem, one, two)
        if fault is not None:
            return Check("sections", False, fault)
    return Check("sections", True, f"{len(before)} in order")


def _around(sections: tuple[TextSection, ...]) -> list[str]:
    """Return the code around the text of a prompt; blank lines and tabs in front do not count."""
    code = f"{sections[0].lead}\n{sections[-1].tail}" if sections else ""
    return [line.expandtabs(4).rstrip() for line in code.split("\n") if line.strip()]


def _section_fault(problem: Problem, before: TextSection, after: TextSection) -> str | None:
    """Return what is wrong with a section.

    Only constraints may gain lines, and only such as are known to exclude nothing: whether any
    other sentence narrows the task cannot be seen by a machine.
    """
    if before.kind is SectionKind.TASK:
        return None if any(line.strip() for line in after.lines) else "the task is empty"
    if before.kind is not SectionKind.CONSTRAINTS:
        return None if before.lines == after.lines else f"section {_named(before)!r} changed"
    rest = iter(after.lines)
    if not all(line in rest for line in before.lines):
        return f"section {_named(before)!r} lost, changed or moved a line"
    inert = {*ANY, *own_sentences(problem)}
    added = Counter(after.lines) - Counter(before.lines)
    unknown = sorted(line for line in added if line.removeprefix("- ") not in inert)
    if unknown:
        return f"section {_named(before)!r} gained a rule: {unknown[0][:80]!r}"
    return None


def _named(section: TextSection) -> str:
    return section.title or section.kind.value


def _example_checks(problem: Problem, text: str, oracle: Oracle | None) -> list[Check]:
    if problem.structure is None:
        return []
    code = read_code_prompt(problem.statement)
    if code is not None:
        return [_same_examples(code, text)]
    if keeps_own_layout(problem):
        return [_same_lines(problem, problem.structure, text)]
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
    if oracle is not None and problem.references:
        checks.append(run_examples(problem, tuple(examples), oracle))
    return checks


def _same_examples(clean: CodePrompt, text: str) -> Check:
    """The examples of a prompt of code are those of the clean one.

    They are not run: what is false in the clean prompt is no fault of a variant, and the check of
    the set tells it.
    """
    changed = read_code_prompt(text)
    before = read_doc_examples(clean.examples, clean.name).examples
    after = () if changed is None else read_doc_examples(changed.examples, clean.name).examples
    if before != after:
        return Check("examples", False, f"{len(after)} examples, not the {len(before)} of the task")
    return Check("examples", True, f"{len(before)} as in the clean prompt")


def _same_lines(problem: Problem, structure: Statement, text: str) -> Check:
    """The examples of a statement that others wrote are those of the clean prompt, line by line."""
    try:
        before, after = (
            [
                section.lines
                for section in split_sections(one, structure)
                if section.kind is SectionKind.EXAMPLES
            ]
            for one in (problem.statement, text)
        )
    except NotApplicableError as error:
        return Check("examples", False, str(error))
    same = before == after
    return Check("examples", same, "as in the clean prompt" if same else "a line of them changed")


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
    given = tuple(dict.fromkeys((*read.given, *assumed)))
    answer = equivalent(read.node, node, given, names=read.names)
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
