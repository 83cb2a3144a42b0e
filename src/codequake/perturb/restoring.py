"""What a perturbation changed by its rule, put back, so that all the rest is checked as always.

Each freedom has one way back, found from the text alone.  Where the text is not what the rule can
have made, it stays as it is and the check of that freedom fails.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import assert_never

from codequake.perturb.numerals import NUMERALS
from codequake.perturb.spec import Freedom
from codequake.perturb.spelling import may_slip, misspelt
from codequake.records import Check, Problem
from codequake.statements import SectionKind, Statement

__all__ = ["example_blocks", "restore", "titled_parts"]

_LABEL = re.compile(r"Example (\d+):")
_QUOTED = re.compile(r"(`[^`\n]*`)")
_BULLET = re.compile(r"^[ \t]*[*+-][ \t]+")
_WORD = re.compile(r"[A-Za-z]+")


def restore(
    problem: Problem, text: str, freedoms: Collection[Freedom]
) -> tuple[str, tuple[Check, ...]]:
    """Return the text with its freedoms taken back, and one check a freedom.

    Freedoms that a text made no use of pass: the clean prompt is left as it is.
    """
    checks = []
    for freedom in Freedom:
        if freedom not in freedoms or freedom is Freedom.WORDING:
            continue
        found = _restored(problem, text, freedom)
        if isinstance(found, str):
            checks.append(Check(freedom.value, True, "put back" if found != text else "not used"))
            text = found
        else:
            checks.append(found)
    return text, tuple(checks)


def _restored(problem: Problem, text: str, freedom: Freedom) -> str | Check:
    if problem.structure is None:
        return Check(freedom.value, False, "the problem has no structured statement")
    match freedom:
        case Freedom.EXAMPLE_ORDER:
            return _examples_in_order(problem, problem.structure, text)
        case Freedom.SECTION_ORDER:
            return _sections_in_order(problem.structure, text)
        case Freedom.LAYOUT:
            return _plain_layout(problem, problem.structure, text)
        case Freedom.SPELLING:
            return _spelt(problem, text)
        case Freedom.WORDING:
            return text
        case _:
            assert_never(freedom)


def titled_parts(structure: Statement, text: str) -> list[str] | None:
    """Return the parts of a text in the order that they stand in, without the blanks around them.

    The first is what stands before all titles.  ``None`` unless each title of the statement stands
    exactly once in a line of its own below a blank one.
    """
    wanted = Counter(f"{section.title}:" for section in structure.sections if section.title)
    parts: list[list[str]] = [[]]
    met: Counter[str] = Counter()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        below = number > 0 and not lines[number - 1].strip()
        if line.rstrip() in wanted and (below or number == 0):
            met[line.rstrip()] += 1
            parts.append([])
        parts[-1].append(line)
    if met != wanted:
        return None
    return ["\n".join(part).strip("\n") for part in parts]


def _sections_in_order(structure: Statement, text: str) -> str | Check:
    parts = titled_parts(structure, text)
    name = Freedom.SECTION_ORDER.value
    if parts is None:
        return Check(name, False, "each section title stands once")
    first, *rest = parts
    order = [f"{section.title}:" for section in structure.sections if section.title]
    rest.sort(key=lambda part: order.index(part.split("\n")[0].rstrip()))
    whole = [first, *rest] if not structure.sections[0].title else rest
    if structure.sections[0].title and first.strip():
        return Check(name, False, "text stands before the first section")
    return "\n\n".join(whole)


def example_blocks(structure: Statement, text: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return the text before the examples, each example without its label, and the text after.

    ``None`` unless there are labelled examples, numbered from 1, in a section of their own.
    """
    parts = titled_parts(structure, text)
    titles = [
        f"{section.title}:"
        for section in structure.sections
        if section.kind is SectionKind.EXAMPLES and section.title
    ]
    if parts is None or not titles:
        return None
    at = next(index for index, part in enumerate(parts) if part.split("\n")[0] == titles[0])
    title, *lines = parts[at].split("\n")
    starts = [number for number, line in enumerate(lines) if _LABEL.fullmatch(line)]
    labels = [f"Example {number}:" for number in range(1, len(starts) + 1)]
    if len(starts) < 2 or starts[0] != 0 or [lines[start] for start in starts] != labels:
        return None
    blocks = tuple(
        "\n".join(lines[start + 1 : end]).strip("\n")
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    )
    before = "\n\n".join([*parts[:at], title])
    return before, blocks, "\n\n".join(parts[at + 1 :])


def _examples_in_order(problem: Problem, structure: Statement, text: str) -> str | Check:
    name = Freedom.EXAMPLE_ORDER.value
    if text == problem.statement:
        return text
    clean, found = example_blocks(structure, problem.statement), example_blocks(structure, text)
    if clean is None or found is None:
        return Check(name, False, "there are no two examples, numbered from 1, to put in order")
    if sorted(clean[1]) != sorted(found[1]):
        return Check(name, False, "an example is not one of the clean prompt")
    if (clean[0], clean[2]) != (found[0], found[2]):
        return Check(name, False, "more than the examples changed")
    return problem.statement


def _plain_layout(problem: Problem, structure: Statement, text: str) -> str | Check:
    clean, found = (_plain(structure, one) for one in (problem.statement, text))
    if clean == found:
        return problem.statement
    pairs = zip(clean, found, strict=False)
    line = next((two for one, two in pairs if one != two), "a line more or less")
    return Check(Freedom.LAYOUT.value, False, f"more than the layout changed: {line[:80]!r}")


def _plain(structure: Statement, text: str) -> list[str]:
    """Return the lines of a text without blank ones, marks, and the spelling of small numbers.

    Examples are data and keep every character, blank lines between them too.
    """
    kinds = {section.title: section.kind for section in structure.sections if section.title}
    lines: list[str] = []
    kind, blank = SectionKind.TASK, True
    for raw in text.split("\n"):
        title = _title_of(raw.strip()) if blank else ""
        blank = not raw.strip()
        if title in kinds:
            while lines and not lines[-1]:
                del lines[-1]
            lines.append(f"{title}:")
            kind = kinds[title]
        elif kind is SectionKind.EXAMPLES:
            lines.append(raw.rstrip())
        elif not blank:
            # Names and relations between backticks stay to the letter.
            pieces = _QUOTED.split(_BULLET.sub("- ", raw.strip()))
            lines.append("".join(one if at % 2 else _loose(one) for at, one in enumerate(pieces)))
    while lines and not lines[-1]:
        del lines[-1]
    return lines


def _title_of(line: str) -> str:
    """Return the title that a line may be, without the marks of a heading."""
    bare = line.strip("*").removesuffix(":").strip("*") if line.startswith("**") else line
    return re.sub(r"^#{1,6} +", "", bare).removesuffix(":")


def _loose(text: str) -> str:
    text = re.sub(r"[ \t]+", " ", text)
    return _WORD.sub(lambda match: NUMERALS.get(match[0].lower(), match[0]), text)


def _spelt(problem: Problem, text: str) -> str | Check:
    name = Freedom.SPELLING.value
    clean, found = re.split(r"(\s+)", problem.statement), re.split(r"(\s+)", text)
    if len(clean) != len(found):
        return Check(name, False, "the number of words changed")
    changed = [(one, two) for one, two in zip(clean, found, strict=True) if one != two]
    for one, two in changed:
        if not misspelt(one, two):
            return Check(name, False, f"{two[:40]!r} is not a slip of the pen for {one[:40]!r}")
    able = sum(may_slip(word) for word in _WORD.findall(problem.statement))
    if len(changed) > max(1, able // 4):
        return Check(name, False, f"{len(changed)} of {able} words are misspelt")
    return problem.statement
