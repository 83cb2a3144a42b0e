"""A story around the task, made from its structure: who acts, on what, and what is wanted.

Only the opening section changes.  Its slots take the words of another world, its protected spans
stay to the letter, and all other sections, which say exactly what is wanted, are not touched.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from codequake.canonical import canonical_json
from codequake.perturb.layout import TextSection, join_sections, split_sections
from codequake.perturb.spec import (
    Draft,
    NotApplicableError,
    Request,
    arguments_of,
    perturbation,
    rng_of,
    step_of,
)
from codequake.perturb.stories import GRAMMARS, PEOPLE, REQUESTS, TIMES
from codequake.records import JsonText, Problem, Step, TaskKind
from codequake.statements import Domain, Section, SectionKind, Sentence, SlotKind, Span, SpanKind

__all__ = ["storytelling"]

_NEEDED = (SlotKind.ACTOR, SlotKind.OBJECT, SlotKind.GOAL)
_GIVEN = ("Given ", "Handed ", "Presented with ", "Starting from ")
_MUST = (" must ", " has to ", " needs to ", " is asked to ", " is expected to ")


@perturbation("storytelling", task=TaskKind.KEPT)
def storytelling(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield stories without end, each in a world and a kind of story that are drawn."""
    arguments_of(request.spec)
    structure = problem.structure
    if structure is None:
        raise NotApplicableError("the problem has no structured statement")
    if not structure.domains:
        raise NotApplicableError("the statement names no other world to tell it in")
    task = structure.sections[0]
    if task.kind is not SectionKind.TASK:
        raise NotApplicableError("the statement does not open with the task")
    kinds = {span.slot for sentence in task.sentences for span in sentence.spans}
    missing = [kind.value for kind in _NEEDED if kind not in kinds]
    if missing:
        raise NotApplicableError(f"the task has no slot for {' and '.join(missing)}")
    sections = split_sections(problem.statement, structure)
    for index in itertools.count():
        rng = rng_of(problem, request, index)
        domain = rng.choice(structure.domains)
        story, grammar = _story(task, domain, rng)
        # The lines after the paragraph (a blank one before the next title) stay as they are.
        opening = TextSection(task.kind, task.title, (story, *sections[0].lines[1:]))
        chosen = JsonText(canonical_json({"domain": domain.name, "index": index, "story": grammar}))
        yield Draft(
            join_sections((opening, *sections[1:])),
            (step_of(request), Step("tell", chosen)),
        )


def _story(task: Section, domain: Domain, rng: random.Random) -> tuple[str, str]:
    """Return the new opening paragraph and the name of the grammar that told it."""
    words = _words(task, domain)
    grammar = rng.choice(GRAMMARS)
    words |= {"person": rng.choice(PEOPLE), "time": rng.choice(TIMES)}
    words |= {f"{name[0].upper()}{name[1:]}": _capital(text) for name, text in words.items()}
    opening, turn, ending = (
        rng.choice(choices).format_map(words)
        for choices in (grammar.openings, grammar.turns, grammar.endings)
    )
    plea = rng.choice(REQUESTS).format_map(words)
    given, must = rng.choice(_GIVEN), rng.choice(_MUST)
    core = [_retold(sentence, domain, given, must) for sentence in task.sentences]
    if plea:
        core[-1] = plea + core[-1][0].lower() + core[-1][1:]
    sentences = [opening, turn, *core[:-1], ending, core[-1]]
    return " ".join(sentence for sentence in sentences if sentence), grammar.name


def _words(task: Section, domain: Domain) -> dict[str, str]:
    """Return the words of the world for the first actor, object and goal of the task."""
    found: dict[str, str] = {}
    for sentence in task.sentences:
        for span in sentence.spans:
            if span.slot in _NEEDED and span.slot.value not in found:
                found[span.slot.value] = _word(span, domain)
    return found


def _word(span: Span, domain: Domain) -> str:
    return next((pair.new for pair in domain.glossary if pair.old == span.name), span.text)


def _retold(sentence: Sentence, domain: Domain, given: str, must: str) -> str:
    """Return a sentence of the task in the words of the world, its protected spans unchanged."""
    pieces = []
    acted = False
    for index, span in enumerate(sentence.spans):
        text = span.text
        if span.kind is SpanKind.SLOT:
            text = _word(span, domain)
            text = _capital(text) if span.text[:1].isupper() else text
            acted = span.slot is SlotKind.ACTOR and text != span.text
        elif span.kind is SpanKind.TEXT:
            if index == 0 and text == "Given ":
                text = given
            elif acted and text == " must ":
                text = must
            acted = False
        pieces.append(text)
    return "".join(pieces)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
