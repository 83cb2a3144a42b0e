"""A problem drawn anew: other examples, other bounds, or other constants of the task.

Examples and bounds keep the oracle, since the references do not know them.  Constants of the task
stand in the references, so the new problem has an oracle of its own, which must differ from the
old one on enough tests to tell who read the new text.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence

from codequake.canonical import parse_json
from codequake.errors import CheckFailedError
from codequake.ports import Oracle
from codequake.problems.building import DISCRIMINATING, choose_tests
from codequake.problems.constants import constant_spans, fill_template, replace_constants
from codequake.problems.drawing import fresh_inputs, ordinary_tests, valid_inputs
from codequake.problems.judging import Agree, Judge
from codequake.problems.rejecting import reject_mistakes
from codequake.problems.rendering import render_statement, show_arguments
from codequake.problems.sections import example_lines, examples_title
from codequake.records import (
    Change,
    ChangeKind,
    Constant,
    ConstantRole,
    Interface,
    JsonText,
    Problem,
    Reference,
    Test,
)
from codequake.seeding import generator_for, seed_for
from codequake.statements import Section, SectionKind, Sentence, Span, SpanKind, Statement

__all__ = ["can_redraw", "redraw"]

_LONGEST = 160
"""Characters of an example that was drawn: longer ones are hard to read."""
_DRAWN = 60


def can_redraw(problem: Problem, kind: ChangeKind) -> str | None:
    """Return why a problem cannot be drawn anew in this way, or ``None`` when it can.

    Negations are written by authors and never drawn.
    """
    if problem.structure is None or problem.generator is None or not problem.references:
        return "it has no structured statement, no generator or no reference"
    match kind:
        case ChangeKind.EXAMPLES:
            return None
        case ChangeKind.BOUNDS:
            role = ConstantRole.BOUND
        case ChangeKind.CONSTANTS:
            role = ConstantRole.TASK
        case ChangeKind.HARD_NEGATION | ChangeKind.SOFT_NEGATION:
            return "a negation is written by an author"
    if all(item.role is not role for item in problem.constants):
        return f"it has no {role} constant"
    return None


def redraw(
    problem: Problem, kind: ChangeKind, oracle: Oracle, *, agree: Agree, seed: int
) -> Problem:
    """Return the problem with new examples, bounds or constants of the task.

    Every value that can change does, to one that its author allows.  Examples whose input or
    output changes lose their explanation.  Large inputs are left out: they tell programs by their
    speed, which no other words change.  The id is that of the problem, ``~`` and the kind.

    The hidden tests reject the wrong and the relaxed programs, each wrong one by a test of its own;
    those that no drawn input shows to be wrong in the new problem are left out.

    Raises ``CheckFailedError`` where ``can_redraw`` gives a reason, or where there are too few
    inputs (of changed constants: too few that tell the new task from the old).
    """
    reason = can_redraw(problem, kind)
    if reason is not None:
        raise CheckFailedError(f"problem {problem.problem_id!r} cannot be drawn anew: {reason}")
    rng = generator_for(seed, problem.problem_id, "redraw", kind)
    constants = _drawn(problem, kind, rng)
    assert problem.structure is not None
    new = dataclasses.replace(
        _with_constants(problem, constants),
        problem_id=f"{problem.problem_id}~{kind}",
        change=Change(kind, problem.problem_id),
        large=None,
    )
    own = seed_for(seed, "redraw", kind)
    new = _with_examples(problem, new, oracle, own, rng)
    old = [test.input for test in ordinary_tests(problem) if not test.visible]
    tests = choose_tests(
        new,
        old,
        oracle,
        count=len(old),
        original=problem if kind is ChangeKind.CONSTANTS else None,
        seed=own,
    )
    visible = tuple(test for test in new.tests if test.visible)
    if kind is ChangeKind.CONSTANTS or [test.input for test in tests] != old:
        judge = Judge(new, oracle, agree)
        kept = _told(new, problem, tests, oracle)
        new, tests = reject_mistakes(judge, tests, kept, seed_for(own, "mistakes"))
    return dataclasses.replace(new, tests=(*visible, *tests))


def _told(
    new: Problem, problem: Problem, tests: Sequence[Test], oracle: Oracle
) -> tuple[bool, ...]:
    """Say which tests must stay, since they tell the new task from the old: just enough of them."""
    assert new.change is not None
    if new.change.kind is not ChangeKind.CONSTANTS:
        return (False,) * len(tests)
    inputs = [test.input for test in tests]
    answers = oracle.answers(problem, problem.references[0], inputs)
    told = [one.output != test.expected for one, test in zip(answers, tests, strict=True)]
    return tuple(one and sum(told[:at]) < DISCRIMINATING for at, one in enumerate(told))


def _drawn(problem: Problem, kind: ChangeKind, rng: random.Random) -> tuple[Constant, ...]:
    role = {ChangeKind.BOUNDS: ConstantRole.BOUND, ChangeKind.CONSTANTS: ConstantRole.TASK}
    return tuple(
        _other(item, rng) if item.role is role.get(kind) else item for item in problem.constants
    )


def _other(constant: Constant, rng: random.Random) -> Constant:
    """Return the constant with another of its values; the one that it had stays allowed."""
    value = rng.choice(constant.others)
    others = tuple(one for one in (constant.value, *constant.others) if one != value)
    return dataclasses.replace(constant, value=value, others=others)


def _with_constants(problem: Problem, constants: tuple[Constant, ...]) -> Problem:
    def program(one: Reference) -> Reference:
        return dataclasses.replace(one, code=replace_constants(one.code, constants))

    def source(code: str | None) -> str | None:
        return None if code is None else replace_constants(code, constants)

    assert problem.structure is not None
    shown = {name: span.text for name, span in constant_spans(constants).items()}

    def filled(sections: tuple[Section, ...]) -> tuple[Section, ...]:
        return tuple(
            dataclasses.replace(
                section, sentences=tuple(_filled(line, shown) for line in section.sentences)
            )
            for section in sections
        )

    structure = dataclasses.replace(
        problem.structure,
        sections=filled(problem.structure.sections),
        domains=tuple(
            dataclasses.replace(domain, sections=filled(domain.sections), explanations=())
            for domain in problem.structure.domains
        ),
    )
    return dataclasses.replace(
        problem,
        structure=structure,
        statement=render_statement(structure),
        references=tuple(map(program, problem.references)),
        wrong=tuple(map(program, problem.wrong)),
        relaxed=tuple(map(program, problem.relaxed)),
        generator=source(problem.generator),
        validator=source(problem.validator),
        large=source(problem.large),
        checker=source(problem.checker),
        constants=constants,
    )


def _filled(sentence: Sentence, shown: dict[str, str]) -> Sentence:
    return Sentence(
        tuple(
            span
            if span.template is None
            else dataclasses.replace(span, text=fill_template(span.template, shown))
            for span in sentence.spans
        )
    )


def _with_examples(
    problem: Problem, new: Problem, oracle: Oracle, seed: int, rng: random.Random
) -> Problem:
    """Give the new problem as many examples as the old one has, each answered by its reference."""
    assert new.change is not None
    assert new.structure is not None
    shown = [test.input for test in problem.tests if test.visible]
    kept: Sequence[JsonText] = ()
    if new.change.kind is not ChangeKind.EXAMPLES:
        kept = valid_inputs(new, shown, oracle)
    missing = len(shown) - len(kept)
    if missing:
        kept = (*kept, *_short(problem, new, oracle, seed, rng, missing))
    tests = []
    for item, answer in zip(kept, oracle.answers(new, new.references[0], kept), strict=True):
        if answer.output is None:
            raise CheckFailedError(
                f"problem {new.problem_id!r}: the reference gives no output for {item[:200]}: "
                f"{answer.problem}"
            )
        tests.append(Test(item, answer.output, visible=True))
    section = _examples(problem, new, tests)
    sections = tuple(
        section if one.kind is SectionKind.EXAMPLES else one for one in new.structure.sections
    )
    structure: Statement = dataclasses.replace(new.structure, sections=sections)
    return dataclasses.replace(
        new, structure=structure, statement=render_statement(structure), tests=tuple(tests)
    )


def _short(
    problem: Problem,
    new: Problem,
    oracle: Oracle,
    seed: int,
    rng: random.Random,
    count: int,
) -> tuple[JsonText, ...]:
    """Draw inputs that are readable, none of them an example of the old problem."""
    old = {test.input for test in problem.tests if test.visible}
    drawn = valid_inputs(new, fresh_inputs(new, oracle, seed, _DRAWN), oracle)
    good = [
        item
        for item in dict.fromkeys(drawn)
        if item not in old and 4 < len(_text(new, item)) <= _LONGEST
    ]
    # The smallest inputs say little about a task.
    good = good[len(good) // 4 :]
    if len(good) < count:
        raise CheckFailedError(
            f"problem {problem.problem_id!r}: the generator gives {len(good)} inputs that are "
            f"short enough to be examples; allowed: {count} or more"
        )
    return tuple(rng.sample(good, count))


def _text(problem: Problem, item: JsonText) -> str:
    value = parse_json(item)
    match problem.interface:
        case Interface.FUNCTION:
            return show_arguments(problem.parameters, value)
        case Interface.STDIN:
            return str(value)


def _examples(problem: Problem, new: Problem, tests: Sequence[Test]) -> Section:
    """Return the section of examples; what was said of one that did not change is kept."""
    told = _explanations(new, [test.input for test in problem.tests if test.visible])
    old = {test.input: test.expected for test in problem.tests if test.visible}
    task = all(
        one == two
        for one, two in zip(problem.constants, new.constants, strict=True)
        if one.role is ConstantRole.TASK
    )
    lines: list[Sentence] = []
    for number, test in enumerate(tests, start=1):
        if len(tests) > 1:
            lines.append(Sentence((Span(SpanKind.TEXT, f"Example {number}:"),)))
        lines += example_lines(
            new.parameters, new.interface, parse_json(test.input), parse_json(test.expected)
        )
        same = task and old.get(test.input) == test.expected
        if same and test.input in told:
            lines.append(told[test.input])
    return Section(SectionKind.EXAMPLES, examples_title(len(tests)), tuple(lines))


def _explanations(problem: Problem, visible: Sequence[JsonText]) -> dict[JsonText, Sentence]:
    """Return the explanation of each of the visible inputs that has one."""
    assert problem.structure is not None
    found: dict[JsonText, Sentence] = {}
    number = -1
    for section in problem.structure.sections:
        for line in section.sentences if section.kind is SectionKind.EXAMPLES else ():
            start = line.spans[0].text
            number += start.startswith("Input:")
            if start.startswith("Explanation: "):
                found[visible[number]] = line
    return found
