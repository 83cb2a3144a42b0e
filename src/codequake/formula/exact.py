"""Exact rational values, where a formula has one that is not too large to hold."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from codequake.formula.nodes import Node, Op

__all__ = ["exact_value"]

_LARGEST_POWER = 64
_MOST_BITS = 4096


def exact_value(node: Node, point: Mapping[str, Fraction] | None = None) -> Fraction | None:
    """Return the exact value of an expression at a rational point.

    ``None`` where it is undefined, irrational or not known exactly: a function, a named constant,
    a name that ``point`` lacks, a power with an exponent that is no integer of size at most 64, a
    number of more than 4096 bits.  An equation's value is the difference of its sides.
    """
    match node.op:
        case Op.NUMBER:
            return Fraction(node.text)
        case Op.COEFFICIENT | Op.VARIABLE:
            return None if point is None else point.get(node.text)
        case Op.CALL:
            inner = exact_value(node.kids[0], point) if node.text == "abs" else None
            return None if inner is None else abs(inner)
        case Op.CONSTANT | Op.DERIVATIVE:
            return None
        case Op.PAREN:
            return exact_value(node.kids[0], point)
        case Op.NEGATE:
            inner = exact_value(node.kids[0], point)
            return None if inner is None else -inner
        case Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.DIVIDE | Op.POWER | Op.EQUATION:
            left, right = (exact_value(kid, point) for kid in node.kids)
            if left is None or right is None:
                return None
            return _bounded(_combine(node.op, left, right))
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
            return None
        case _:
            assert_never(node.op)


def _combine(op: Op, left: Fraction, right: Fraction) -> Fraction | None:
    if op is Op.ADD:
        return left + right
    if op is Op.SUBTRACT or op is Op.EQUATION:
        return left - right
    if op is Op.MULTIPLY:
        return left * right
    if op is Op.DIVIDE:
        return left / right if right else None
    if right.denominator != 1 or abs(right) > _LARGEST_POWER or (not left and right <= 0):
        return None
    power = left ** int(right)
    assert isinstance(power, Fraction)
    return power


def _bounded(value: Fraction | None) -> Fraction | None:
    if value is None:
        return None
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return value if bits <= _MOST_BITS else None
