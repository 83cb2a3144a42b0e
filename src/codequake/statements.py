"""A problem statement in its parts: sections, sentences, typed slots and protected spans."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "Domain",
    "Pair",
    "Section",
    "SectionKind",
    "Sentence",
    "SlotKind",
    "Span",
    "SpanKind",
    "Statement",
]


class SectionKind(StrEnum):
    """The parts of a statement; rewrites keep their order and their kind."""

    TASK = "task"
    INPUT = "input"
    OUTPUT = "output"
    EXAMPLES = "examples"
    CONSTRAINTS = "constraints"


class SpanKind(StrEnum):
    """What a piece of a sentence is."""

    TEXT = "text"
    SLOT = "slot"
    PROTECTED = "protected"
    FORMULA = "formula"


class SlotKind(StrEnum):
    """The role of a typed slot: what a rewrite may put into other words."""

    ACTOR = "actor"
    OBJECT = "object"
    QUANTITY = "quantity"
    ACTION = "action"
    GOAL = "goal"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence.

    ``text`` is what the flat statement shows.  ``slot`` and ``name`` are given for ``SLOT`` spans
    only: spans with one name are replaced together.  ``PROTECTED`` spans (numbers, identifiers,
    examples, the signature) must stand unchanged in every variant of a kept task.  ``template`` is
    the text with ``{NAME}`` for each constant of the problem that stands in it.
    """

    kind: SpanKind
    text: str
    slot: SlotKind | None = None
    name: str | None = None
    template: str | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, or one line of a list, in its pieces."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a statement; ``title`` is empty for the opening section."""

    kind: SectionKind
    title: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One entry of a table of replacements."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Domain:
    """Another world to tell the problem in.

    ``glossary`` maps slot names to the words of that world, ``renames`` maps identifiers.
    ``sections`` hold what that world says in sentences of its own: the task, and sections whose
    words belong to the first world.  Numbers, names and the signature stand in them as in the
    statement.  ``explanations`` are those of the examples, in their order.
    """

    name: str
    glossary: tuple[Pair, ...]
    renames: tuple[Pair, ...]
    sections: tuple[Section, ...] = ()
    explanations: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in its parts: the raw material of perturbations without a model."""

    sections: tuple[Section, ...]
    domains: tuple[Domain, ...] = ()
