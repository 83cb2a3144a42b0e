"""Values of formulas in a large prime field, where equal values at random points mean equality.

Functions, and powers whose exponent is no small integer, have no meaning in a field: each is a
table of random values, drawn when an argument is first seen.  Two formulas with equal values are
then equal for every meaning of the functions.  Two different ones of degree ``n`` agree at a
random point with probability at most ``n / PRIME``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from codequake.formula.nodes import Node, Op

__all__ = ["PRIME", "FieldWorld", "field_number", "small_integer"]

PRIME = 2**61 - 1
_LARGEST_POWER = 64


def field_number(value: Fraction) -> int:
    """Return a rational as a field element (its denominator is no multiple of the prime)."""
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME


class FieldWorld:
    """One meaning of all functions and named constants, fixed for a set of points."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._tables: dict[tuple[str, tuple[int, ...]], int] = {}

    def draw(self) -> int:
        """Return a random element that is not 0."""
        return self._rng.randrange(1, PRIME)

    def value(self, node: Node, point: Mapping[str, int]) -> int | None:
        """Return the value at a point, ``None`` where a division by 0 makes it undefined."""
        match node.op:
            case Op.NUMBER:
                return field_number(Fraction(node.text))
            case Op.COEFFICIENT | Op.VARIABLE:
                return point[node.text]
            case Op.CONSTANT:
                return self._table(node.text, ())
            case Op.PAREN:
                return self.value(node.kids[0], point)
            case Op.NEGATE:
                inner = self.value(node.kids[0], point)
                return None if inner is None else -inner % PRIME
            case Op.CALL | Op.DERIVATIVE:
                inner = self.value(node.kids[0], point)
                prime = "'" if node.op is Op.DERIVATIVE else ""
                return None if inner is None else self._table(node.text + prime, (inner,))
            case Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.DIVIDE | Op.POWER | Op.EQUATION:
                left, right = (self.value(kid, point) for kid in node.kids)
                if left is None or right is None:
                    return None
                return self._combine(node.op, left, right)
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

    def _combine(self, op: Op, left: int, right: int) -> int | None:
        """Combine two values; an equation's value is the difference of its sides."""
        if op is Op.ADD:
            return (left + right) % PRIME
        if op is Op.SUBTRACT or op is Op.EQUATION:
            return (left - right) % PRIME
        if op is Op.MULTIPLY:
            return left * right % PRIME
        if op is Op.DIVIDE:
            return left * pow(right, -1, PRIME) % PRIME if right else None
        exponent = small_integer(right)
        if exponent is None:
            return self._table("^", (left, right))
        if left == 0 and exponent <= 0:
            return None
        return pow(left, exponent, PRIME)

    def _table(self, name: str, arguments: tuple[int, ...]) -> int:
        key = (name, arguments)
        if key not in self._tables:
            self._tables[key] = self.draw()
        return self._tables[key]


def small_integer(value: int) -> int | None:
    """Return the integer of size at most 64 that a field element stands for, if there is one."""
    signed = value if value <= PRIME // 2 else value - PRIME
    return signed if abs(signed) <= _LARGEST_POWER else None
