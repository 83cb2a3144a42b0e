"""The task told in another world, inside a frame: what stories and games have in common.

Only the opening section changes.  It is told in the sentences that the author wrote for that world,
or in those of the statement with the words of that world.  Protected spans stay to the letter, and
all other sections, which say exactly what is wanted, are not touched.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from codequake.canonical import canonical_json
from codequake.perturb.frames import Frames
from codequake.perturb.layout import TextSection, join_sections, sentence_text, split_sections
from codequake.perturb.spec import (
    Draft,
    NotApplicableError,
    Request,
    arguments_of,
    rng_of,
    step_of,
)
from codequake.records import JsonText, Problem, Step
from codequake.statements import Domain, Section, SectionKind, Span, SpanKind

__all__ = ["told_in_frames", "world_sentences", "worlds_of"]


def told_in_frames(problem: Problem, request: Request, frames: Frames) -> Iterator[Draft]:
    """Yield prompts without end, each in a world and a frame that are drawn.

    Raises ``NotApplicableError`` where the statement has no other world.
    """
    arguments_of(request.spec)
    worlds = worlds_of(problem)
    assert problem.structure is not None
    sections = split_sections(problem.statement, problem.structure)
    for index in itertools.count():
        rng = rng_of(problem, request, index)
        domain = rng.choice(worlds)
        story, frame = _framed(problem.structure.sections[0], domain, frames, rng)
        # The lines after the paragraph (a blank one before the next title) stay as they are.
        opening = TextSection(sections[0].kind, "", (story, *sections[0].lines[1:]))
        chosen = JsonText(canonical_json({"domain": domain.name, "frame": frame, "index": index}))
        yield Draft(
            join_sections((opening, *sections[1:])), (step_of(request), Step("tell", chosen))
        )


def worlds_of(problem: Problem) -> tuple[Domain, ...]:
    """Return the worlds that a statement can be told in.

    Raises ``NotApplicableError`` where there is none.
    """
    structure = problem.structure
    if structure is None:
        raise NotApplicableError("the problem has no structured statement")
    if not structure.domains:
        raise NotApplicableError("the statement names no other world to tell it in")
    if structure.sections[0].kind is not SectionKind.TASK:
        raise NotApplicableError("the statement does not open with the task")
    return structure.domains


def world_sentences(task: Section, domain: Domain) -> tuple[str, ...]:
    """Return the task as a world tells it.

    A world without sentences of its own puts its words into the slots of the statement; much of
    the wording is then that of the clean prompt.
    """
    for part in domain.sections:
        if part.kind is SectionKind.TASK:
            return tuple(map(sentence_text, part.sentences))
    return tuple("".join(_word(span, domain) for span in one.spans) for one in task.sentences)


def _word(span: Span, domain: Domain) -> str:
    if span.kind is not SpanKind.SLOT:
        return span.text
    text = next((pair.new for pair in domain.glossary if pair.old == span.name), span.text)
    return _capital(text) if span.text[:1].isupper() else text


def _framed(task: Section, domain: Domain, frames: Frames, rng: random.Random) -> tuple[str, str]:
    """Return the new opening paragraph and the name of the frame around it."""
    frame = rng.choice(frames.frames)
    words = {name: rng.choice(choices) for name, choices in frames.lexicon.items()}
    words |= {_capital(name): _capital(text) for name, text in words.items()}
    opening, turn, ending = (
        rng.choice(choices).format_map(words)
        for choices in (frame.openings, frame.turns, frame.endings)
    )
    *core, wanted = world_sentences(task, domain)
    sentences = [opening, turn, *core, ending, wanted]
    return " ".join(sentence for sentence in sentences if sentence), frame.name


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
