"""Values of formulas as balls: intervals that are proved to hold the true value.

Two formulas whose balls at one point do not meet are different, and the point proves it.
A value that is not proved to exist is the ball that is not a number.  It passes through all
arithmetic, is equal to nothing and is never finite, so that no division by 0 and no logarithm of
a negative number passes for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from codequake.formula.field import drawn_integer
from codequake.formula.nodes import Node, Op
from codequake.formula.program import Program, Step, compile_formula

__all__ = ["PRECISION", "Ball", "BallWorld"]

PRECISION = 128
"""Bits of the balls."""

_LARGEST_EXPONENT = 2**20
_MOST_TERMS = 64
_MOST_TERMS_IN_ALL = 500
_MOST_PROGRAMS = 5_000
_CUBIC = (-3, -2, -1, 1, 2, 3)

Ball = Any
"""A ball of python-flint, which ships no types."""


class BallWorld:
    """Ball arithmetic with one meaning of every function that has none: a cubic, by its salt."""

    def __init__(self, salt: str = "") -> None:
        import flint

        self._flint = flint
        self._salt = salt
        self._cubics: dict[str, tuple[int, ...]] = {}
        self._constants: dict[str, Ball] = {}
        self._programs: dict[Node, Program] = {}
        self._terms = 0
        self.nan = flint.arb("nan")
        self._functions: dict[str, Callable[[Ball], Ball]] = {
            "sin": lambda ball: ball.sin(),
            "cos": lambda ball: ball.cos(),
            "tan": lambda ball: ball.tan(),
            "sqrt": lambda ball: ball.sqrt(),
            "ln": lambda ball: ball.log(),
            "log": lambda ball: ball.log() / flint.arb.const_log10(),
            "exp": self._exp,
            "abs": abs,
        }

    @property
    def version(self) -> str:
        """Return the version of the library that computes the balls."""
        return str(self._flint.__version__)

    def precision(self) -> Any:
        """Return the context in which all balls must be computed."""
        return self._flint.ctx.workprec(PRECISION)

    def ball(self, value: Fraction, radius: Fraction = Fraction(0)) -> Ball:
        """Return the ball around a rational."""
        with self.precision():
            exact = self.number(value)
            if not radius:
                return exact
            return self.number(value + radius).union(self.number(value - radius))

    def number(self, value: Fraction) -> Ball:
        """Return the smallest ball that holds a rational."""
        return self._flint.arb(self._flint.fmpq(value.numerator, value.denominator))

    def constant(self, name: str) -> Ball:
        """Return the ball of a named number."""
        if name not in self._constants:
            arb = self._flint.arb
            self._constants[name] = arb.pi() if name == "pi" else arb.const_e()
        return self._constants[name]

    def cubic(self, name: str) -> tuple[int, ...]:
        """Return the coefficients that a function without a meaning has here, lowest first."""
        if name not in self._cubics:
            bits = drawn_integer("cubic", self._salt, name)
            self._cubics[name] = tuple(_CUBIC[(bits >> 8 * place) % 6] for place in range(4))
        return self._cubics[name]

    def cubics(self) -> dict[str, tuple[int, ...]]:
        """Return the meanings that were drawn so far."""
        return dict(self._cubics)

    def value(self, node: Node, point: Mapping[str, Ball]) -> Ball:
        """Return the ball of a formula's value; an equation's is the difference of its sides.

        Not a number where the value is not proved to exist.  A power has a value for a base above
        0, for base 0 where the exponent is a positive number, and for any base but 0 (0 too, where
        it is positive) where the exponent is an integer written in numbers.
        """
        program = self._programs.get(node)
        if program is None:
            if len(self._programs) >= _MOST_PROGRAMS:
                self._programs.clear()
            program = self._programs[node] = compile_formula(node)
        self._terms = 0
        with self.precision():
            return self.run(program, point)

    def run(self, program: Program, point: Mapping[str, Ball]) -> Ball:
        """Return the value of a compiled formula; the precision must have been set."""
        values: list[Ball] = []
        for step in program.steps:
            values.append(self._step(step, values, point))
        last = values[-1]
        return last if last.is_finite() else self.nan

    def _step(self, step: Step, values: list[Ball], point: Mapping[str, Ball]) -> Ball:
        op, left = step.op, step.left
        if op is Op.MULTIPLY:
            return values[left] * values[step.right]
        if op is Op.ADD:
            return values[left] + values[step.right]
        if op is Op.SUBTRACT or op is Op.EQUATION:
            return values[left] - values[step.right]
        if op is Op.DIVIDE:
            return values[left] / values[step.right]
        if op is Op.POWER:
            return self.power(values[left], values[step.right], step.number)
        if left < 0:
            return self._leaf(step, point)
        if op is Op.NEGATE:
            return -values[left]
        if op is Op.LOGARITHM:
            return values[step.right].log() / values[left].log()
        if op is Op.AGGREGATE:
            return self._aggregate(step, (values[left], values[step.right]), point)
        return self.applied(op, step.text, values[left])

    def _leaf(self, step: Step, point: Mapping[str, Ball]) -> Ball:
        if step.op is Op.NUMBER:
            assert step.number is not None
            return self.number(step.number)
        if step.op is Op.CONSTANT:
            return self.constant(step.text)
        if step.op is Op.BOUND:
            return point.get(f"#{step.text}", self.nan)
        return point[step.text]

    def power(self, base: Ball, exponent: Ball, number: Fraction | None) -> Ball:
        """Return a power; ``number`` is the exponent where it is written in numbers."""
        if number is not None and number.denominator == 1:
            if number <= 0 and base.contains(0):
                return self.nan
            return base ** self._flint.fmpz(number.numerator)
        if number is not None and number > 0 and base.is_zero():
            return base
        if not base > 0 or not abs(exponent) < _LARGEST_EXPONENT:
            return self.nan
        return base**exponent

    def applied(self, op: Op, name: str, argument: Ball) -> Ball:
        """Return the value of a ``CALL`` of a function or of one of its derivatives."""
        function = self._functions.get(name)
        if function is not None and op is Op.CALL:
            return function(argument)
        c0, c1, c2, c3 = self.cubic(name)
        if op is Op.DERIVATIVE:
            return c1 + argument * (2 * c2 + 3 * c3 * argument)
        if op is Op.SECOND_DERIVATIVE:
            return 2 * c2 + 6 * c3 * argument
        assert op is Op.CALL, f"{op} has no value"
        return c0 + argument * (c1 + argument * (c2 + argument * c3))

    def _aggregate(self, step: Step, ends: tuple[Ball, Ball], point: Mapping[str, Ball]) -> Ball:
        """Return a sum or a product over few integers; no value for ends that are no integers."""
        low, high = ends
        body = step.inner
        assert body is not None
        first, last = low.unique_fmpz(), high.unique_fmpz()
        if first is None or last is None or last - first >= _MOST_TERMS:
            return self.nan
        self._terms += max(0, int(last - first))
        if self._terms > _MOST_TERMS_IN_ALL:
            return self.nan
        value = self._flint.arb(step.text == "product")
        for number in range(int(first), int(last) + 1):
            term = self.run(body, {**point, f"#{step.binds}": self._flint.arb(number)})
            value = value * term if step.text == "product" else value + term
            if not value.is_finite():
                return self.nan
        return value

    def _exp(self, argument: Ball) -> Ball:
        # Beyond this the value of a tower would fill the memory.
        return argument.exp() if abs(argument) < _LARGEST_EXPONENT else self.nan
