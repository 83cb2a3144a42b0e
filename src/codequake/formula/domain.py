"""What must hold for a formula to have a value: its divisors, logarithms, roots and powers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import assert_never

from codequake.formula.assumptions import Assumption, Relation, excludes_zero, nonzero
from codequake.formula.exact import exact_value
from codequake.formula.nodes import ZERO, Node, Op, walk

__all__ = [
    "Demand",
    "Kind",
    "as_assumption",
    "demands_of",
    "is_rational",
    "keeps_from_zero",
    "with_factors",
]


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
    return tuple(demand for demand in found if not _met(demand, integer_of))


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


def _met(demand: Demand, integer_of: Callable[[Node], int | None]) -> bool:
    """Say whether the demand always holds, because its expression is a known number."""
    value = exact_value(demand.node)
    if value is None and is_rational(demand.node, integer_of):
        constant = integer_of(demand.node)
        value = None if constant is None else Fraction(constant)
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


def is_rational(node: Node, integer_of: Callable[[Node], int | None]) -> bool:
    """Say whether the value is a rational function of the names, so that a field knows it."""
    return not any(
        item.op in (Op.CALL, Op.DERIVATIVE, Op.CONSTANT)
        or (item.op is Op.POWER and integer_of(item.kids[1]) is None)
        for item in walk(node)
    )


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


def with_factors(assumptions: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
    """Return the assumptions and what they say of factors: ``b/c != 0`` says ``b != 0`` too."""
    found = list(assumptions)
    stack = [node for one in assumptions if (node := excludes_zero(one)) is not None]
    while stack:
        node = stack.pop()
        found.append(nonzero(node))
        if node.op in (Op.MULTIPLY, Op.DIVIDE, Op.NEGATE, Op.PAREN):
            stack += node.kids
    return tuple(dict.fromkeys(found))


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
        case (
            Op.BOUND
            | Op.LOGARITHM
            | Op.SECOND_DERIVATIVE
            | Op.AGGREGATE
            | Op.RELATION
            | Op.CHAIN
            | Op.BOOLEAN
            | Op.SEQUENCE
            | Op.INTEGER_DIVIDE
            | Op.MODULO
            | Op.INDEX
            | Op.SLICE
            | Op.LENGTH
            | Op.VIEW
            | Op.CONDITIONAL
            | Op.MEMBER
            | Op.NOT
            | Op.AND
            | Op.OR
            | Op.IMPLIES
            | Op.IFF
            | Op.QUANTIFIER
        ):
            return False
        case _:
            assert_never(node.op)
