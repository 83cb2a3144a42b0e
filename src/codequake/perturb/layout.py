"""The prompt in its sections, so that one can change and the others stay to the letter.

A flat prompt has titles.  A prompt of code has none: there the task is the prose of its docstring,
and the code around it is no section at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from codequake.perturb.spec import NotApplicableError
from codequake.problems.code_prompts import CodePrompt, join_code_prompt, read_code_prompt
from codequake.problems.foreign_statements import keeps_own_layout
from codequake.records import Problem
from codequake.statements import SectionKind, Sentence, SpanKind, Statement

__all__ = [
    "TextSection",
    "formula_places",
    "join_sections",
    "own_structure",
    "replace_formula",
    "sentence_text",
    "split_sections",
]


@dataclass(frozen=True, slots=True)
class TextSection:
    """A section of a prompt: its title line, if it has one, and the lines below.

    In a prompt of code ``lead`` is the code before the first line, ``tail`` what stands behind the
    last one, and ``indent`` what all lines but the first have in front in the prompt.
    """

    kind: SectionKind
    title: str
    lines: tuple[str, ...]
    lead: str = ""
    indent: str = ""
    tail: str = ""


def own_structure(problem: Problem) -> Statement:
    """Return the structure of a statement that our own layout shows.

    Raises ``NotApplicableError`` where there is none, or where others laid the statement out.
    """
    if problem.structure is None or keeps_own_layout(problem):
        raise NotApplicableError("the problem has no structured statement")
    return problem.structure


def sentence_text(sentence: Sentence) -> str:
    """Return the flat text of a sentence."""
    return "".join(span.text for span in sentence.spans)


def split_sections(text: str, statement: Statement) -> tuple[TextSection, ...]:
    """Split a prompt at the title lines ``Title:`` of a statement's sections.

    A prompt of code is split into task, constraints (it has none, and may gain some) and examples.
    In any other, each title is the first such line after the title before it, and a blank line
    stands above it; an example may hold ``Input:`` again.  ``join_sections`` gives the text again.
    Raises ``NotApplicableError`` when a title line is missing or text stands before the first
    section.
    """
    code = read_code_prompt(text)
    if code is not None:
        return _code_sections(code)
    lines = text.split("\n")
    starts: list[int] = []
    for section in statement.sections:
        after = starts[-1] + 1 if starts else 0
        place = _title_line(lines, section.title, after)
        if place is None:
            raise NotApplicableError(f"the line '{section.title}:' is missing or out of order")
        starts.append(place)
    if not starts or starts[0] != 0:
        raise NotApplicableError("text stands before the first section")
    ends = [*starts[1:], len(lines)]
    return tuple(
        TextSection(
            section.kind,
            section.title,
            tuple(lines[start + bool(section.title) : end]),
        )
        for section, start, end in zip(statement.sections, starts, ends, strict=True)
    )


def _code_sections(code: CodePrompt) -> tuple[TextSection, ...]:
    return (
        TextSection(SectionKind.TASK, "", code.task, lead=code.lead, indent=code.indent),
        TextSection(SectionKind.CONSTRAINTS, "", (), indent=code.indent),
        TextSection(SectionKind.EXAMPLES, "", code.examples, indent=code.indent, tail=code.tail),
    )


def _title_line(lines: list[str], title: str, after: int) -> int | None:
    """Return the number of a title's line; a section without a title is the first of the text."""
    if not title:
        return 0 if after == 0 else None
    for at in range(after, len(lines)):
        if lines[at].rstrip() == f"{title}:" and (at == 0 or not lines[at - 1].strip()):
            return at
    return None


def join_sections(sections: tuple[TextSection, ...]) -> str:
    """Return the text of sections."""
    if sections and sections[0].lead:
        first, last = sections[0], sections[-1]
        groups = [section.lines for section in sections]
        return join_code_prompt(first.lead, first.indent, groups, last.tail)
    lines: list[str] = []
    for section in sections:
        if section.title:
            lines.append(f"{section.title}:")
        lines += section.lines
    return "\n".join(lines)


def formula_places(problem: Problem) -> tuple[tuple[int, int], ...]:
    """Return start and end of each formula in the flat statement, in the order of the text.

    With a structured statement these are its formula spans; without one the formula's text must
    stand exactly once.  Raises ``NotApplicableError`` when there is none or they are not found.
    """
    if problem.formula is None:
        raise NotApplicableError("the problem has no formula")
    text, formula = problem.statement, problem.formula.text
    if problem.structure is None:
        if text.count(formula) != 1:
            raise NotApplicableError(
                f"the formula stands {text.count(formula)} times in a statement without structure"
            )
        start = text.index(formula)
        return ((start, start + len(formula)),)
    places = []
    at = 0
    for section in problem.structure.sections:
        for sentence in section.sentences:
            found = text.find(sentence_text(sentence), at)
            if found < 0:
                raise NotApplicableError("the statement is not that of the structure")
            at = found
            for span in sentence.spans:
                if span.kind is SpanKind.FORMULA:
                    places.append((at, at + len(span.text)))
                at += len(span.text)
    if not places:
        raise NotApplicableError("the statement marks no formula")
    if any(text[start:end] != formula for start, end in places):
        raise NotApplicableError("a marked formula is not the problem's formula")
    return tuple(places)


def replace_formula(problem: Problem, new: str) -> str:
    """Return the flat statement with the formula replaced wherever it is marked."""
    text = problem.statement
    for start, end in reversed(formula_places(problem)):
        text = text[:start] + new + text[end:]
    return text
