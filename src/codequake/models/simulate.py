"""Simulated coders: replies with real programs, right or wrong as a behaviour file plants them.

Every problem has one difficulty in [0, 1), shared by all variants, samples and simulated coders of
a seed.  A reply holds a right program exactly when the difficulty is below the accuracy that the
behaviour gives to the variant (common random numbers), so a fall between two families is known in
advance, problem by problem.  A share of the replies, ``noise``, draws anew instead, as a model
does at a temperature above 0.  Nothing depends on the order of requests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import assert_never

from codequake.errors import DataError
from codequake.grading.readers import reader_of
from codequake.models.behaviour import Behaviour, accuracy_on
from codequake.models.mutants import mutants
from codequake.records import Language, Message, Problem, Reference, Variant
from codequake.seeding import generator_for

__all__ = ["Shape", "SimContext", "SimReply", "Simulator", "difficulty", "solves"]

_FAMILY_ORDER = ("clean", "repeat")


@dataclass(frozen=True, slots=True)
class SimContext:
    """What a simulated coder knows: problems with their programs, variants by their text.

    ``behaviour`` is used where the name of the model does not choose one.
    """

    problems: tuple[Problem, ...]
    variants: tuple[Variant, ...]
    behaviour: Behaviour | None = None


class Shape(StrEnum):
    """The kinds of replies that a simulated coder gives."""

    PROGRAM = "program"
    TRUNCATED = "truncated"
    PROSE = "prose"
    WRONG_LANGUAGE = "wrong_language"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class SimReply:
    """A reply; ``right`` says whether it holds a program that is meant to be right."""

    text: str
    shape: Shape
    right: bool


def difficulty(seed: int, problem_id: str) -> float:
    """Return the difficulty of a problem for every simulated coder of a seed, in [0, 1)."""
    return generator_for(seed, "sim", "difficulty", problem_id).random()


def solves(behaviour: Behaviour, seed: int, variant: Variant) -> bool:
    """Whether a reply to the variant is right when neither noise nor another shape comes in."""
    return difficulty(seed, variant.problem_id) < accuracy_on(behaviour, variant)


class Simulator:
    """Answers like a coder of the given behaviour."""

    def __init__(self, context: SimContext, behaviour: Behaviour, seed: int) -> None:
        self._behaviour = behaviour
        self._seed = seed
        self._problems = {problem.problem_id: problem for problem in context.problems}
        self._by_text: dict[str, Variant] = {}
        for variant in sorted(context.variants, key=_rank):
            self._by_text.setdefault(variant.text, variant)
        # Longest first: the first text that is contained is the longest match.
        self._longest_first = sorted(self._by_text, key=lambda text: (-len(text), text))
        self._recognised: dict[str, Variant] = {}

    def answer(self, messages: Sequence[Message], sample: int, *, greedy: bool) -> SimReply:
        """Answer the last user message.

        ``greedy`` stands for temperature 0: no noise, and all samples are the same.  Raises
        ``DataError`` when the message holds the text of no known variant.
        """
        asked = next((part.content for part in reversed(messages) if part.role == "user"), "")
        variant = self._recognise(asked)
        problem = self._problem(variant.problem_id)
        draw = 0 if greedy else sample
        rng = generator_for(
            self._seed, "sim", self._behaviour.name, problem.problem_id, variant.text, draw
        )
        shape = self._shape(rng)
        right = solves(self._behaviour, self._seed, variant)
        noisy = rng.random() < self._behaviour.noise
        drawn = rng.random() < accuracy_on(self._behaviour, variant)
        if noisy and not greedy:
            right = drawn
        right = right and shape is Shape.PROGRAM
        return SimReply(self._write(variant, problem, shape, right, rng), shape, right)

    def _recognise(self, asked: str) -> Variant:
        if asked in self._by_text:
            return self._by_text[asked]
        if asked not in self._recognised:
            found = next((text for text in self._longest_first if text and text in asked), None)
            if found is None:
                raise DataError(
                    f"the simulated coder knows no variant whose text stands in {asked[:60]!r}; "
                    "give it the problems and variants of the study"
                )
            self._recognised[asked] = self._by_text[found]
        return self._recognised[asked]

    def _problem(self, problem_id: str) -> Problem:
        if problem_id not in self._problems:
            raise DataError(f"the simulated coder was not given the problem {problem_id!r}")
        return self._problems[problem_id]

    def _shape(self, rng: Random) -> Shape:
        mark = rng.random()
        for shape, chance in (
            (Shape.TRUNCATED, self._behaviour.truncated),
            (Shape.PROSE, self._behaviour.prose),
            (Shape.WRONG_LANGUAGE, self._behaviour.wrong_language),
            (Shape.REFUSED, self._behaviour.refused),
        ):
            if mark < chance:
                return shape
            mark -= chance
        return Shape.PROGRAM

    def _write(
        self, variant: Variant, problem: Problem, shape: Shape, right: bool, rng: Random
    ) -> str:
        judge = self._problems.get(variant.oracle_id, problem)
        right_program = _renamed(_right(judge), judge.entry_point, variant.entry_point)
        match shape:
            case Shape.PROGRAM if right:
                return _fenced(right_program, judge.language, rng)
            case Shape.PROGRAM:
                wrong = _wrong(judge, problem, rng)
                return _fenced(
                    _renamed(wrong, judge.entry_point, variant.entry_point), judge.language, rng
                )
            case Shape.TRUNCATED:
                reply = _fenced(right_program, judge.language, rng)
                opening = reply.index("\n", reply.index("```")) + 1
                return reply[: opening + max(1, len(right_program) // 2)]
            case Shape.PROSE:
                return rng.choice(_PROSE)
            case Shape.WRONG_LANGUAGE:
                return _fenced(*_foreign(judge.language), rng)
            case Shape.REFUSED:
                return "I cannot help with this request."
            case _:
                assert_never(shape)


def _rank(variant: Variant) -> tuple[int, str]:
    """Equal texts get equal replies, so one variant stands for all: clean first, then by id."""
    family = variant.family
    order = _FAMILY_ORDER.index(family) if family in _FAMILY_ORDER else len(_FAMILY_ORDER)
    return order, variant.variant_id


def _of_language(programs: Sequence[Reference], language: Language) -> list[str]:
    return [program.code for program in programs if program.language is language]


def _right(problem: Problem) -> str:
    programs = _of_language(problem.references, problem.language)
    if not programs:
        raise DataError(
            f"problem {problem.problem_id!r} has no reference in {problem.language.value}, "
            "which a simulated coder needs"
        )
    return programs[0]


def _wrong(judge: Problem, problem: Problem, rng: Random) -> str:
    """Choose a known mistake, else a mutant of the reference."""
    known = _of_language(judge.wrong, judge.language)
    if judge is not problem:
        # In a changed task the most plausible mistake is to solve the task as it was.
        known += [
            _renamed(code, problem.entry_point, judge.entry_point)
            for code in _of_language(problem.references, judge.language)[:1]
        ]
    return rng.choice(known or mutants(_right(judge), judge.language))


def _renamed(code: str, old: str | None, new: str | None) -> str:
    if old is None or new is None or old == new:
        return code
    return re.sub(rf"\b{re.escape(old)}\b", new, code)


_OPENINGS = ("", "Here is the program:\n\n", "Sure.\n\n")
_PROSE = (
    "First read the input, then go through it once and keep the best value seen so far.",
    "The idea is to sort the values and to compare neighbours. I hope this helps.",
    "This can be solved with a loop. Handle the empty input on its own, and print the result.",
)


def _fenced(code: str, language: Language, rng: Random) -> str:
    return f"{rng.choice(_OPENINGS)}```{language.value}\n{code.rstrip()}\n```\n"


def _foreign(language: Language) -> tuple[str, Language]:
    """Return a whole program in the language that was not asked for."""
    if language is Language.PYTHON:
        return reader_of(Language.C).constant, Language.C
    code = "import sys\n\nvalues = [float(word) for word in sys.stdin.read().split()]\n"
    return code + "print(sum(values))", Language.PYTHON
