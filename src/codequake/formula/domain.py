"""What must hold for a formula to have a value: its divisors, logarithms, roots and powers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from codequake.formula.assumptions import Assumption, Relation, excludes_zero
from codequake.formula.exact import exact_value
from codequake.formula.nodes import ZERO, Node, Op, walk

__all__ = ["Demand", "Kind", "as_assumption", "demands_of", "keeps_from_zero"]


class Kind(StrEnum):
    """What is demanded of an expression."""

    NONZERO = "nonzero"
    POSITIVE = "positive"
    NOT_NEGATIVE = "not_negative"


@dataclass(frozen=True, slots=True)
class Demand:
    """One demand of a formula on one of its expressions."""

    kind: Kind
    node: Node


def demands_of(formula: Node, integer_of: Callable[[Node], int | None]) -> tuple[Demand, ...]:
    """Return the demands, without those that a number literal meets, in the order of the text.

    ``integer_of`` says which integer an exponent always is, so that ``x^(2*a/a)`` demands no
    more of ``x`` than ``x^2`` does.
    """
    found = dict.fromkeys(demand for node in walk(formula) if (demand := _demand(node, integer_of)))
    return tuple(demand for demand in found if not _met(demand))


def _demand(node: Node, integer_of: Callable[[Node], int | None]) -> Demand | None:
    if node.op is Op.DIVIDE:
        return Demand(Kind.NONZERO, node.kids[1])
    if node.op is Op.CALL and node.text in ("ln", "log"):
        return Demand(Kind.POSITIVE, node.kids[0])
    if node.op is Op.CALL and node.text == "sqrt":
        return Demand(Kind.NOT_NEGATIVE, node.kids[0])
    if node.op is Op.CALL and node.text == "tan":
        return Demand(Kind.NONZERO, Node(Op.CALL, node.kids, "cos"))
    if node.op is Op.POWER:
        exponent = integer_of(node.kids[1])
        if exponent is None:
            return Demand(Kind.POSITIVE, node.kids[0])
        return Demand(Kind.NONZERO, node.kids[0]) if exponent <= 0 else None
    return None


def _met(demand: Demand) -> bool:
    value = exact_value(demand.node)
    if value is None:
        return False
    match demand.kind:
        case Kind.NONZERO:
            return value != 0
        case Kind.POSITIVE:
            return value > 0
        case Kind.NOT_NEGATIVE:
            return value >= 0
        case _:
            assert_never(demand.kind)


def as_assumption(demand: Demand) -> Assumption:
    """Return the demand as an assumption such as ``a != 0``."""
    match demand.kind:
        case Kind.NONZERO:
            relation = Relation.NOT_EQUAL
        case Kind.POSITIVE:
            relation = Relation.GREATER
        case Kind.NOT_NEGATIVE:
            relation = Relation.AT_LEAST
        case _:
            assert_never(demand.kind)
    return Assumption(demand.node, relation, ZERO)


def keeps_from_zero(node: Node, assumptions: tuple[Assumption, ...]) -> bool:
    """Say whether assumptions about its factors keep an expression from being 0."""
    if any(excludes_zero(one) == node for one in assumptions):
        return True
    match node.op:
        case Op.NUMBER:
            return exact_value(node) != 0
        case Op.CONSTANT:
            return True
        case Op.PAREN | Op.NEGATE | Op.POWER:
            return keeps_from_zero(node.kids[0], assumptions)
        case Op.MULTIPLY | Op.DIVIDE:
            return all(keeps_from_zero(kid, assumptions) for kid in node.kids)
        case Op.COEFFICIENT | Op.VARIABLE | Op.ADD | Op.SUBTRACT | Op.CALL | Op.DERIVATIVE:
            return False
        case Op.EQUATION:
            return False
        case _:
            assert_never(node.op)
