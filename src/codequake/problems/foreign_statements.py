"""The sections of statements that others wrote in prose, found at their own title lines.

The statement stays as it is; the structure says which lines are the task, the examples and the
constraints, so that a rewrite of one leaves the others to the letter.  There are no slots, and no
other worlds to tell the task in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from codequake.problems.code_prompts import code_statement, marked_sentences
from codequake.records import Problem
from codequake.statements import Section, SectionKind, Sentence, Span, SpanKind, Statement

__all__ = ["assertion_statement", "keeps_own_layout", "leetcode_statement"]

_EXAMPLE = re.compile(r"^(Example(?: 1)?):[ \t]*$", re.MULTILINE)
_CONSTRAINTS = re.compile(r"^(Constraints):[ \t]*$", re.MULTILINE)


def assertion_statement(task: str, title: str, assertions: Sequence[str]) -> Statement:
    """Return the structure of a task that ends in the assertions that a program must pass."""
    return Statement(
        (
            Section(SectionKind.TASK, "", marked_sentences(task)),
            Section(SectionKind.EXAMPLES, title, tuple(_protected(assertions))),
        )
    )


def leetcode_statement(statement: str, starter_title: str | None) -> Statement | None:
    """Return the structure of a LeetCode problem: task, examples, constraints, code to start from.

    Each part but the task begins at a line of its own; ``starter_title`` is that of the code,
    without its colon, ``None`` where there is none.  Returns ``None`` where the text has no
    examples or is laid out in another way.
    """
    example = _EXAMPLE.search(statement)
    if example is None or not _after_blank(statement, example.start()):
        return None
    starts = [(example.start(), SectionKind.EXAMPLES, example[1])]
    constraints = _CONSTRAINTS.search(statement, example.end())
    if constraints is not None and _after_blank(statement, constraints.start()):
        starts.append((constraints.start(), SectionKind.CONSTRAINTS, constraints[1]))
    if starter_title is not None:
        line = re.compile(rf"^{re.escape(starter_title)}:$", re.MULTILINE)
        code = line.search(statement, starts[-1][0])
        if code is not None:
            starts.append((code.start(), SectionKind.INPUT, starter_title))
    task = " ".join(statement[: example.start()].split())
    if not task:
        return None
    sections = [Section(SectionKind.TASK, "", marked_sentences(task))]
    ends = [start for start, _, _ in starts[1:]] + [len(statement)]
    for (start, kind, title), end in zip(starts, ends, strict=True):
        lines = statement[start:end].split("\n")[1:]
        sections.append(Section(kind, title, tuple(_protected(filter(str.strip, lines)))))
    return Statement(tuple(sections))


def keeps_own_layout(problem: Problem) -> bool:
    """Tell whether a statement is one that others laid out, so that no structure renders to it.

    It is a prompt of code, or the structure is what is read from its own title lines.
    """
    text, structure = problem.statement, problem.structure
    if structure is None:
        return False
    if structure == code_statement(text):
        return True
    last = structure.sections[-1] if structure.sections else None
    starter = last.title if last is not None and last.kind is SectionKind.INPUT else None
    return structure == leetcode_statement(text, starter)


def _after_blank(text: str, at: int) -> bool:
    """Whether a blank line stands before a place that begins a line."""
    before = text[:at].split("\n")
    return len(before) > 1 and not before[-2].strip()


def _protected(lines: Iterable[str]) -> list[Sentence]:
    return [Sentence((Span(SpanKind.PROTECTED, line.rstrip()),)) for line in lines]
