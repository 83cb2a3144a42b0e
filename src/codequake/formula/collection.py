"""The bundled formulas: 52 well-known ones, with the counts of the paper's Table 4.

Those that the paper prints, ``a*x+b=0`` and ``9.8*a*b/d^2``, are taken from it; all others are our
own choice of facts that textbooks share.  Categories stand for the rows of the table: ``topics``
for its MaTT prompts, ``competition`` for MATH, ``contract`` for Clover.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from typing import Any

from codequake.formula.names import Names, declare
from codequake.formula.nodes import Node
from codequake.formula.parser import parse
from codequake.formula.sorts import Sort, sort_of

__all__ = ["BundledFormula", "Category", "Kind", "Purpose", "Symbol", "formula_set"]


class Category(StrEnum):
    """What is asked about the formula, a row of Table 4."""

    SOLVE = "solve"
    EVALUATE = "evaluate"
    DIFFERENTIAL = "differential"
    TOPICS = "topics"
    COMPETITION = "competition"
    CONTRACT = "contract"


class Kind(StrEnum):
    """An expression has a number as its value; all else counts as an equation, as in the paper."""

    EXPRESSION = "expression"
    EQUATION = "equation"


class Purpose(StrEnum):
    """Whether code can take the formula as it is, or must first be derived from it."""

    REASONING = "reasoning"
    TRANSLATION = "translation"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name with its role (a field of ``Names``) and what it stands for."""

    name: str
    role: str
    meaning: str


@dataclass(frozen=True, slots=True)
class BundledFormula:
    """A formula with what is known about it.

    ``assumptions`` are conditions on its symbols, in the grammar of the formula, under which the
    task has an answer.
    """

    formula_id: str
    category: Category
    purpose: Purpose
    text: str
    symbols: tuple[Symbol, ...]
    assumptions: tuple[str, ...]
    names: Names
    node: Node

    @property
    def kind(self) -> Kind:
        """Say whether the formula is an expression or an equation."""
        truth = sort_of(self.node, self.names) is Sort.TRUTH
        return Kind.EQUATION if truth else Kind.EXPRESSION


def formula_set() -> tuple[BundledFormula, ...]:
    """Return the 52 formulas in a fixed order: by category, as in Table 4."""
    text = resources.files("codequake.formula").joinpath("formulas-52.jsonl").read_text("utf-8")
    return tuple(_bundled(json.loads(line)) for line in text.splitlines())


def _bundled(row: dict[str, Any]) -> BundledFormula:
    symbols = tuple(Symbol(**one) for one in row["symbols"])
    names = Names(frozenset(), frozenset())
    for symbol in symbols:
        names = declare(names, symbol.role, (symbol.name,))
    return BundledFormula(
        row["formula_id"],
        Category(row["category"]),
        Purpose(row["prompt_class"]),
        row["text"],
        symbols,
        tuple(row["assumptions"]),
        names,
        parse(row["text"], names),
    )
