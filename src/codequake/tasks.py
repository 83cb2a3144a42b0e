"""The parts of a problem: language, tests, references, comparison and the formula slot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

__all__ = [
    "Change",
    "ChangeKind",
    "ChangeNature",
    "Comparison",
    "Constant",
    "ConstantRole",
    "Difficulty",
    "FormulaKind",
    "FormulaSlot",
    "Interface",
    "JsonText",
    "Language",
    "OutputOrder",
    "PromptClass",
    "Reference",
    "Symbol",
    "Test",
]

JsonText = NewType("JsonText", str)
"""Canonical JSON text of one value."""


class Language(StrEnum):
    """The language that a program must be written in."""

    PYTHON = "python"
    C = "c"
    CPP = "cpp"


class Interface(StrEnum):
    """How a program is called: a named function, or a main program on standard input."""

    FUNCTION = "function"
    STDIN = "stdin"


class Difficulty(StrEnum):
    """The difficulty that the problem's author gave it."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Test:
    """One input and the output that a right program gives.

    For functions ``input`` is the JSON list of arguments and ``expected`` the JSON result; for
    programs on standard input both are JSON strings.  ``visible`` says that the input stands in
    the clean prompt.
    """

    __test__ = False  # not a test case for pytest

    input: JsonText
    expected: JsonText
    visible: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """A program that solves the problem; the first of a problem is its oracle.

    One that is ``slow`` may run out of time or memory on the largest tests; it is never wrong.
    """

    name: str
    language: Language
    code: str
    slow: bool = False


class ConstantRole(StrEnum):
    """What depends on a constant: the answers (``task``), or only which inputs there are."""

    TASK = "task"
    BOUND = "bound"


@dataclass(frozen=True, slots=True)
class Constant:
    """A value in the text of a problem that can be drawn anew.

    ``name`` stands in the templates of the statement's spans, and programs that use it begin with
    a line ``NAME = value``.  ``value`` and ``others``, what it may be instead, are JSON numbers or
    strings.  A bound never stands in a reference: redrawing it keeps the oracle.
    """

    name: str
    role: ConstantRole
    value: JsonText
    others: tuple[JsonText, ...]


class ChangeKind(StrEnum):
    """How a problem was made from another one.

    The first two were written by its author and have an oracle of their own, as has one whose
    task constants were drawn anew; other examples and other bounds keep the oracle.
    """

    HARD_NEGATION = "hard_negation"
    SOFT_NEGATION = "soft_negation"
    CONSTANTS = "constants"
    BOUNDS = "bounds"
    EXAMPLES = "examples"


class ChangeNature(StrEnum):
    """What a negation turns round.

    Hard: maximum against minimum (``objective``), what counts against what does not
    (``inclusion``), or the steps (``procedure``).  Soft: strict against not strict
    (``strictness``), or a condition against its opposite (``complement``).
    """

    OBJECTIVE = "objective"
    INCLUSION = "inclusion"
    PROCEDURE = "procedure"
    STRICTNESS = "strictness"
    COMPLEMENT = "complement"


@dataclass(frozen=True, slots=True)
class Change:
    """What a changed problem was made from, and how; only negations have a ``nature``."""

    kind: ChangeKind
    original_id: str
    nature: ChangeNature | None = None


class OutputOrder(StrEnum):
    """Whether the items of an output have an order."""

    ORDERED = "ordered"
    UNORDERED = "unordered"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an output is compared with the expected one.

    ``digits``: decimal digits that the task asks to print; ``None`` for exact values.  A number
    is right when it differs by at most ``max(10**-digits, relative * magnitude)``, where the
    magnitude is the larger of the two.
    """

    digits: int | None = None
    relative: float = 1e-9
    order: OutputOrder = OutputOrder.ORDERED


class FormulaKind(StrEnum):
    """Whether a formula is an expression (a value) or an equation (a truth value)."""

    EXPRESSION = "expression"
    EQUATION = "equation"


class PromptClass(StrEnum):
    """Translation: the program evaluates the formula as it stands.  Reasoning: anything else."""

    REASONING = "reasoning"
    TRANSLATION = "translation"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name in a formula.

    ``low`` and ``high`` bound the values that tests draw (inclusive); both are ``None`` for the
    unknown that a program has to find.  Inputs are read in the order of the symbols.
    """

    name: str
    meaning: str
    low: float | None
    high: float | None
    integer: bool = False


@dataclass(frozen=True, slots=True)
class FormulaSlot:
    """The formula of a prompt and what its symbols mean.

    ``assumptions`` are relations such as ``a != 0`` that every test input satisfies.  ``results``
    are expressions of the symbols that a program reads, one for each number that it prints; a
    translation prompt has none, since its formula is what is printed.  ``edges`` are inputs that
    its author declares to be edge cases.
    """

    text: str
    kind: FormulaKind
    prompt_class: PromptClass
    symbols: tuple[Symbol, ...]
    assumptions: tuple[str, ...]
    results: tuple[str, ...] = ()
    edges: tuple[JsonText, ...] = ()
