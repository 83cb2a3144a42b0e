"""What can be said about a problem from its text alone."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from codequake.problems.constants import mentions
from codequake.problems.findings import Rules
from codequake.problems.foreign_statements import keeps_own_layout
from codequake.problems.rendering import input_stands_in, render_statement
from codequake.problems.retelling import world_faults
from codequake.records import ConstantRole, Interface, Problem
from codequake.statements import Domain, SlotKind, SpanKind, Statement

__all__ = ["structure_findings"]


def structure_findings(problem: Problem, rules: Rules) -> Iterator[str]:
    """Yield one sentence for each contradiction in the text of a well-formed problem."""
    yield from _tests(problem, rules.hidden)
    names = [item.name for item in (*problem.references, *problem.wrong, *problem.relaxed)]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"the program name {name!r} stands twice"
    if problem.structure is not None:
        yield from _structure(problem, problem.structure)
    yield from _constants(problem)
    if problem.change is None:
        yield from _promises(problem, rules)
    if rules.every_slot:
        yield from _slots(problem)


def _promises(problem: Problem, rules: Rules) -> Iterator[str]:
    """Yield what a problem lacks of what its set promises."""
    if len(problem.wrong) < rules.wrong:
        yield f"there are {len(problem.wrong)} wrong programs; allowed: {rules.wrong} or more"
    worlds = () if problem.structure is None else problem.structure.domains
    if len(worlds) < rules.domains:
        yield f"there are {len(worlds)} domains; allowed: {rules.domains} or more"
    if rules.validated and problem.validator is None:
        yield "there is no validator"
    if rules.validated and all(item.role is not ConstantRole.BOUND for item in problem.constants):
        yield "there is no bound that can be drawn anew"


def _slots(problem: Problem) -> Iterator[str]:
    sections = () if problem.structure is None else problem.structure.sections
    kinds = {span.slot for section in sections for line in section.sentences for span in line.spans}
    for kind in SlotKind:
        if kind not in kinds:
            yield f"the statement has no slot of kind {kind}"


def _constants(problem: Problem) -> Iterator[str]:
    """Yield where a constant does not stand, or stands where it must not."""
    sections = () if problem.structure is None else problem.structure.sections
    text = " ".join(
        span.template or ""
        for section in sections
        for line in section.sentences
        for span in line.spans
    )
    for item in problem.constants:
        lead = f"the {item.role} constant {item.name}"
        if f"{{{item.name}}}" not in text:
            yield f"{lead} does not stand in the statement"
        users = [program for program in problem.references if mentions(program.code, item.name)]
        match item.role:
            case ConstantRole.TASK:
                if len(users) < len(problem.references):
                    yield f"{lead} does not stand in every reference"
            case ConstantRole.BOUND:
                yield from (f"{lead} stands in the reference {one.name!r}" for one in users)
                for what in ("generator", "validator"):
                    code = getattr(problem, what)
                    if code is not None and not mentions(code, item.name):
                        yield f"{lead} does not stand in the {what}"


def _tests(problem: Problem, hidden: int) -> Iterator[str]:
    inputs = [test.input for test in problem.tests]
    for item in sorted({item for item in inputs if inputs.count(item) > 1}):
        yield f"the input {item} is tested twice"
    count = sum(not test.visible for test in problem.tests)
    if count < hidden:
        yield f"there are {count} hidden tests; allowed: {hidden} or more"
    if count == len(problem.tests):
        yield "there is no visible test"
    for number, test in enumerate(problem.tests, start=1):
        stands = input_stands_in(problem, test.input, problem.statement)
        if test.visible and not stands:
            yield f"test {number} is visible, but its input does not stand in the statement"
        if stands and not test.visible:
            yield f"test {number} is hidden, but its input stands in the statement"


def _structure(problem: Problem, statement: Statement) -> Iterator[str]:
    if render_statement(statement) != problem.statement and not keeps_own_layout(problem):
        yield "the structured statement does not render to the flat one"
    kinds = [section.kind for section in statement.sections]
    if len(set(kinds)) != len(kinds):
        yield "a section stands twice"
    spans = [
        span
        for section in statement.sections
        for sentence in section.sentences
        for span in sentence.spans
    ]
    slots = {span.name for span in spans if span.kind is SpanKind.SLOT and span.name is not None}
    formulas = [span.text for span in spans if span.kind is SpanKind.FORMULA]
    if problem.formula is not None and formulas != [problem.formula.text]:
        yield "the statement does not hold its formula exactly once"
    worlds = [domain.name for domain in statement.domains]
    if len(set(worlds)) != len(worlds):
        yield "a domain stands twice"
    for domain in statement.domains:
        yield from (f"domain {domain.name!r} {text}" for text in _domain(problem, domain, slots))
        yield from (f"domain {domain.name!r} {text}" for text in world_faults(statement, domain))


def _domain(problem: Problem, domain: Domain, slots: set[str]) -> Iterator[str]:
    glossary = [pair.old for pair in domain.glossary]
    if sorted(glossary) != sorted(slots):
        wrong = sorted(slots.symmetric_difference(glossary))
        yield f"has a glossary that does not fit the slots of the statement: {', '.join(wrong)}"
    for pair in domain.glossary:
        if re.search(r"[\d`{}]", pair.new):
            yield f"gives slot {pair.old!r} the words {pair.new!r}; allowed: no digits, no markup"
    named = () if problem.entry_point is None else (problem.entry_point, *problem.parameters)
    if sorted(pair.old for pair in domain.renames) != sorted(named):
        yield f"has renames that are not those of {', '.join(named) or 'a program without names'}"
    new = [pair.new for pair in domain.renames]
    for name in new:
        if not name.isidentifier() or keyword.iskeyword(name):
            yield f"renames to {name!r}, which is not an identifier"
        elif re.search(rf"\b{name}\b", problem.statement):
            yield f"renames to {name!r}, which stands in the statement already"
    if len(set(new)) != len(new):
        yield "renames two names to one"
    if problem.interface is Interface.FUNCTION and not domain.renames:
        yield "renames nothing"
