"""The same words in another dress: marks, blanks and numerals, slips of the pen, a clause more.

These are controls: they show how sensitive a model is to wording at all.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping

from codequake.canonical import canonical_json
from codequake.errors import UsageError
from codequake.perturb.inert import ANY, own_sentences
from codequake.perturb.layout import TextSection, join_sections, own_structure, split_sections
from codequake.perturb.numerals import NAMES
from codequake.perturb.spec import (
    Draft,
    Freedom,
    NotApplicableError,
    Request,
    arguments_of,
    perturbation,
    rng_of,
    step_of,
)
from codequake.perturb.spelling import may_slip, slip
from codequake.records import JsonText, Problem, Step, TaskKind
from codequake.statements import SectionKind, SpanKind, Statement

__all__ = ["clause_injection", "formatting", "typos"]

_PLACES = ("begin", "middle", "end")
_QUOTED = re.compile(r"(`[^`\n]*`)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"])")
_DIGITS = re.compile(r"(?<![\w.,-])\d{1,2}(?![\w.,]|-)")
_PROSE = frozenset({SectionKind.TASK, SectionKind.INPUT, SectionKind.OUTPUT})


@perturbation("formatting", task=TaskKind.KEPT, freedoms=(Freedom.LAYOUT,))
def formatting(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with other marks (``markdown``), blanks (``spacing``) or ``numerals``.

    Argument ``kind`` chooses one; without it each draft draws one.
    """
    kind = arguments_of(request.spec, kind=f"one of {', '.join(_DRESSES)}").get("kind")
    if kind is not None and kind not in _DRESSES:
        raise UsageError(
            f"argument kind of 'formatting' is {kind!r}; allowed: {', '.join(_DRESSES)}"
        )
    structure = _structure(problem)
    for index in itertools.count():
        rng = rng_of(problem, request, index)
        chosen = kind or rng.choice(sorted(_DRESSES))
        text = _DRESSES[chosen](problem.statement, structure, rng)
        step = Step("dress", JsonText(canonical_json({"index": index, "kind": chosen})))
        yield Draft(text, (step_of(request), step))


def _markdown(text: str, structure: Statement, rng: random.Random) -> str:
    """Write titles as headings or in bold, and give lists another mark."""
    title, mark = rng.choice(("## {}", "### {}", "**{}:**", "**{}**")), rng.choice("*+")
    found = []
    for section in split_sections(text, structure):
        lines = section.lines
        if section.kind is not SectionKind.EXAMPLES:
            lines = tuple(mark + line[1:] if line.startswith("- ") else line for line in lines)
        head = [title.format(section.title)] if section.title else []
        found.append("\n".join([*head, *lines]))
    return "\n".join(found)


def _spacing(text: str, structure: Statement, rng: random.Random) -> str:
    """Set sections further apart, indent lists, and leave blanks at the ends of lines."""
    gap, indent = rng.randint(1, 2), rng.choice(("  ", "    ", "\t"))
    found = []
    for section in split_sections(text, structure):
        lines = section.lines
        if section.kind is not SectionKind.EXAMPLES:
            spaced = (indent + line if line.startswith("- ") else line for line in lines)
            lines = tuple(line + "  " if line and rng.random() < 0.5 else line for line in spaced)
        head = [f"{section.title}:"] if section.title else []
        apart = [""] * gap if lines and not lines[-1].strip() else []
        found.append("\n".join([*head, *lines, *apart]))
    return "\n".join(found)


def _numerals(text: str, structure: Statement, rng: random.Random) -> str:
    """Write small numbers of the prose in words."""
    sections = []
    for section in split_sections(text, structure):
        lines = section.lines
        if section.kind in _PROSE:
            lines = tuple(_in_words(line) for line in lines)
        sections.append(TextSection(section.kind, section.title, lines))
    return join_sections(tuple(sections))


def _in_words(line: str) -> str:
    pieces = _QUOTED.split(line)
    return "".join(
        piece if at % 2 else _DIGITS.sub(lambda match: NAMES.get(match[0], match[0]), piece)
        for at, piece in enumerate(pieces)
    )


_DRESSES: Mapping[str, Callable[[str, Statement, random.Random], str]] = {
    "markdown": _markdown,
    "numerals": _numerals,
    "spacing": _spacing,
}


@perturbation("typos", task=TaskKind.KEPT, freedoms=(Freedom.SPELLING,))
def typos(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with slips of the pen in its task.

    Argument ``share`` (above 0 to 0.2, 0.1 without it) is that of the words that may slip; there
    is at least one.  Names, numbers and words that carry a rule never slip.
    """
    share = arguments_of(request.spec, share="above 0 to 0.2").get("share", 0.1)
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 < share <= 0.2:
        raise UsageError(f"argument share of 'typos' is {share!r}; allowed: above 0 to 0.2")
    structure = _structure(problem)
    task, *rest = split_sections(problem.statement, structure)
    kept = _protected_words(structure)
    pieces = re.split(r"([A-Za-z]+|`[^`\n]*`)", "\n".join(task.lines))
    able = [
        at for at, piece in enumerate(pieces) if at % 2 and may_slip(piece) and piece not in kept
    ]
    if not able:
        raise NotApplicableError("no word of the task may slip")
    for index in itertools.count():
        rng = rng_of(problem, request, index)
        chosen = rng.sample(able, max(1, round(share * len(able))))
        new = [slip(piece, rng) if at in chosen else piece for at, piece in enumerate(pieces)]
        opening = TextSection(task.kind, task.title, tuple("".join(new).split("\n")))
        told = JsonText(canonical_json({"index": index, "words": len(chosen)}))
        yield Draft(join_sections((opening, *rest)), (step_of(request), Step("slip", told)))


def _protected_words(structure: Statement) -> frozenset[str]:
    return frozenset(
        word
        for section in structure.sections
        for sentence in section.sentences
        for span in sentence.spans
        if span.kind in (SpanKind.PROTECTED, SpanKind.FORMULA)
        for word in re.findall(r"[A-Za-z]+", span.text)
    )


@perturbation("clause_injection", task=TaskKind.KEPT)
def clause_injection(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with one sentence that is true and useless in its task.

    Argument ``place`` is ``begin``, ``middle`` or ``end``; without it each draft draws one.
    """
    place = arguments_of(request.spec, place="'begin', 'middle' or 'end'").get("place")
    if place is not None and place not in _PLACES:
        raise UsageError(
            f"argument place of 'clause_injection' is {place!r}; allowed: {', '.join(_PLACES)}"
        )
    task, *rest = split_sections(problem.statement, _structure(problem))
    sentences = _SENTENCE.split(task.lines[0])
    for index in itertools.count():
        rng = rng_of(problem, request, index)
        chosen = place or rng.choice(_PLACES)
        added = rng.choice((*ANY, *own_sentences(problem)))
        at = {"begin": 0, "middle": (len(sentences) + 1) // 2, "end": len(sentences)}[chosen]
        line = " ".join([*sentences[:at], added, *sentences[at:]])
        opening = TextSection(task.kind, task.title, (line, *task.lines[1:]))
        told = JsonText(canonical_json({"index": index, "place": chosen, "sentence": added}))
        yield Draft(join_sections((opening, *rest)), (step_of(request), Step("inject", told)))


def _structure(problem: Problem) -> Statement:
    structure = own_structure(problem)
    if structure.sections[0].kind is not SectionKind.TASK:
        raise NotApplicableError("the statement does not open with the task")
    return structure
