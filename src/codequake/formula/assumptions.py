"""Conditions on names, such as ``a != 0``, under which a mutation is exact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from codequake.formula.faults import FormulaError
from codequake.formula.names import PAPER_NAMES, Names
from codequake.formula.nodes import ZERO, Node, Op, is_number
from codequake.formula.parser import parse
from codequake.formula.printer import format_formula

__all__ = [
    "Assumption",
    "Relation",
    "excludes_zero",
    "format_assumption",
    "nonzero",
    "parse_assumption",
]


class Relation(StrEnum):
    """The relation between the two sides of an assumption."""

    NOT_EQUAL = "!="
    GREATER = ">"
    LESS = "<"
    AT_LEAST = ">="
    AT_MOST = "<="


@dataclass(frozen=True, slots=True)
class Assumption:
    """``left relation right``; both sides are expressions."""

    left: Node
    relation: Relation
    right: Node


_RELATION = re.compile(r"!=|>=|<=|>|<")


def parse_assumption(text: str, names: Names = PAPER_NAMES) -> Assumption:
    """Return the assumption that a text such as ``a != 0`` or ``b^2 >= 4*a*c`` states.

    Raises ``FormulaError`` for anything but two expressions around one relation.
    """
    found = _RELATION.findall(text)
    if len(found) != 1:
        raise FormulaError(
            f"assumption {text[:60]!r} has {len(found)} relations; allowed: one of != > < >= <="
        )
    left, right = (parse(side, names) for side in text.split(found[0]))
    if Op.EQUATION in (left.op, right.op):
        raise FormulaError(f"assumption {text[:60]!r} has '='; allowed: one of != > < >= <=")
    return Assumption(left, Relation(found[0]), right)


def format_assumption(assumption: Assumption) -> str:
    """Return the text of an assumption, with blanks around the relation."""
    left, right = format_formula(assumption.left), format_formula(assumption.right)
    return f"{left} {assumption.relation.value} {right}"


def nonzero(node: Node) -> Assumption:
    """Return the assumption that an expression is not 0."""
    return Assumption(node, Relation.NOT_EQUAL, ZERO)


def excludes_zero(assumption: Assumption) -> Node | None:
    """Return the expression that an assumption keeps away from 0, if it is of that form."""
    left, right = assumption.left, assumption.right
    match assumption.relation:
        case Relation.NOT_EQUAL | Relation.GREATER | Relation.LESS:
            strict = True
        case Relation.AT_LEAST | Relation.AT_MOST:
            strict = False
        case _:
            assert_never(assumption.relation)
    if strict and is_number(right, 0):
        return left
    if strict and is_number(left, 0):
        return right
    return None
