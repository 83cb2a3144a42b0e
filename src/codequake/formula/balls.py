"""Values of formulas as balls: intervals that are proved to hold the true value.

Two formulas whose balls at one point do not meet are different, and the point proves it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, assert_never

from codequake.formula.exact import exact_value
from codequake.formula.nodes import UNARY_FUNCTIONS, Node, Op

__all__ = ["PRECISION", "Ball", "BallWorld"]

PRECISION = 128
"""Bits of the balls."""

Ball = Any
"""A ball of python-flint, which ships no types."""


class BallWorld:
    """Ball arithmetic with one meaning of every function that has none: a random cubic."""

    def __init__(self, rng: random.Random) -> None:
        import flint

        self._flint = flint
        self._rng = rng
        self._cubics: dict[str, tuple[int, ...]] = {}

    @property
    def version(self) -> str:
        """Return the version of the library that computes the balls."""
        return str(self._flint.__version__)

    def ball(self, value: Fraction, radius: Fraction = Fraction(0)) -> Ball:
        """Return the ball around a rational."""
        exact = self._exact(value)
        return (
            exact
            if not radius
            else exact.union(self._exact(value + radius)).union(self._exact(value - radius))
        )

    def cubic(self, name: str) -> tuple[int, ...]:
        """Return the coefficients that a function without a meaning has here, lowest first."""
        if name not in self._cubics:
            drawn = tuple(self._rng.choice((-3, -2, -1, 1, 2, 3)) for _ in range(4))
            self._cubics[name] = drawn
        return self._cubics[name]

    def cubics(self) -> dict[str, tuple[int, ...]]:
        """Return the meanings that were drawn so far."""
        return dict(self._cubics)

    def value(self, node: Node, point: Mapping[str, Ball]) -> Ball | None:
        """Return the ball of a formula's value; an equation's is the difference of its sides.

        ``None`` where it is not proved to be defined, so that a division by 0 or a logarithm of a
        negative number never passes for a value.
        """
        with self._flint.ctx.workprec(PRECISION):
            return self._value(node, point)

    def _exact(self, value: Fraction) -> Ball:
        with self._flint.ctx.workprec(PRECISION):
            return self._flint.arb(self._flint.fmpq(value.numerator, value.denominator))

    def _value(self, node: Node, point: Mapping[str, Ball]) -> Ball | None:
        match node.op:
            case Op.NUMBER:
                return self._exact(Fraction(node.text))
            case Op.COEFFICIENT | Op.VARIABLE:
                return point[node.text]
            case Op.CONSTANT:
                arb = self._flint.arb
                return arb.pi() if node.text == "pi" else arb.const_e()
            case Op.PAREN:
                return self._value(node.kids[0], point)
            case Op.NEGATE:
                inner = self._value(node.kids[0], point)
                return None if inner is None else -inner
            case Op.CALL | Op.DERIVATIVE:
                inner = self._value(node.kids[0], point)
                return None if inner is None else _finite(self._applied(node, inner))
            case Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.DIVIDE | Op.POWER | Op.EQUATION:
                left, right = (self._value(kid, point) for kid in node.kids)
                if left is None or right is None:
                    return None
                return _finite(self._combine(node, left, right))
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

    def _combine(self, node: Node, left: Ball, right: Ball) -> Ball | None:
        if node.op is Op.ADD:
            return left + right
        if node.op is Op.SUBTRACT or node.op is Op.EQUATION:
            return left - right
        if node.op is Op.MULTIPLY:
            return left * right
        if node.op is Op.DIVIDE:
            return None if right.contains(0) else left / right
        exponent = exact_value(node.kids[1])
        if exponent is not None and exponent.denominator == 1:
            if exponent <= 0 and left.contains(0):
                return None
            return left ** self._flint.fmpz(int(exponent))
        return left**right if left > 0 else None

    def _applied(self, node: Node, argument: Ball) -> Ball | None:
        if node.op is Op.DERIVATIVE or node.text not in UNARY_FUNCTIONS:
            _, c1, c2, c3 = c = self.cubic(node.text)
            if node.op is Op.DERIVATIVE:
                return c1 + argument * (2 * c2 + 3 * c3 * argument)
            return c[0] + argument * (c1 + argument * (c2 + argument * c3))
        if node.text in ("ln", "log"):
            if not argument > 0:
                return None
            natural = argument.log()
            return natural if node.text == "ln" else natural / self._flint.arb(10).log()
        if node.text == "sqrt" and not argument >= 0:
            return None
        return getattr(argument, node.text)()


def _finite(ball: Ball | None) -> Ball | None:
    # A ball that is not a number "contains" everything, 0 included.
    return ball if ball is not None and ball.is_finite() else None
