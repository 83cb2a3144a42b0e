"""Whether an input of a formula prompt decides between right and wrong programs fairly.

Near a singularity, or where digits cancel, two right programs that compute in double precision
print different numbers.  Such an input judges rounding, not programs.  It is found by ball
arithmetic (python-flint), where a ball is an interval that is proved to hold the true value.  For
an input ``p`` and the expressions ``E`` that a program has to compute:

1. *Away from singularities.*  Every number of ``p`` is widened by the factor ``1 +- 1e-3`` (0 stays
   0).  On this box no divisor, no cosine under a tangent and no base of a negative power may reach
   0, every argument of a logarithm, a root or a power that is no integer stays positive, every
   assumption with ``!=``, ``<`` or ``>`` holds everywhere, and no node of ``E`` can exceed 1e9.
2. *Well conditioned.*  With the numbers as a double holds them, and with the rounding of a double
   (53 bits) at every node, the radius of each result ``r`` is at most a tenth of what the
   comparison forgives: ``radius <= max(10**-digits, relative * |r|) / 10``.  Results without
   digits are whole numbers, or compared as if they were: their radius is at most 0.01.
3. *Decided.*  The sides of an equation whose truth is asked for are equal without any rounding, or
   differ by more than ``1e-6 * max(1, |left|, |right|)``, so that no sensible epsilon in a
   program decides otherwise.

Source of the thresholds: own measurements on the bundled prompts; see the explanation pages.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from codequake.errors import DataError
from codequake.problems.arithmetic import Relation, parse_expression, parse_relation
from codequake.records import Comparison, FormulaKind, FormulaSlot, PromptClass

__all__ = ["BOX", "LARGEST", "Judge"]

Ball = Any
"""A ball of python-flint, which ships no types."""

BOX = "0.001"
LARGEST = 1_000_000_000
_DOUBLE_BITS = 53
_LARGEST_EXPONENT = 64
_WHOLE_RADIUS = 0.01
_SHARE = 10
_EPSILON = 1e-6


class _RefusedError(Exception):
    """An input is refused; the text says why in a few words."""


class Judge:
    """Says of inputs of one formula prompt why they cannot be used; knows nothing of programs."""

    def __init__(self, formula: FormulaSlot, comparison: Comparison) -> None:
        """Raises ``DataError`` for an assumption that is no relation."""
        import flint

        self._flint: Any = flint
        self._comparison = comparison
        self._assumptions = [(text, parse_relation(text)) for text in formula.assumptions]
        self._results = _results(formula)
        truth = formula.kind is FormulaKind.EQUATION
        asks_truth = truth and formula.prompt_class is PromptClass.TRANSLATION
        relation = parse_relation(formula.text) if asks_truth else None
        given = relation is not None and _is_given(formula, (relation.left, relation.right))
        self._truth = relation if given else None
        self._functions: dict[str, Callable[[Ball], Ball]] = {
            "sin": lambda ball: ball.sin(),
            "cos": lambda ball: ball.cos(),
            "tan": self._tangent,
            "log": lambda ball: self._logarithm(ball) / self._flint.arb(10).log(),
            "ln": self._logarithm,
            "sqrt": lambda ball: self._positive(ball, "a root").sqrt(),
        }

    def refusal(self, values: Mapping[str, str]) -> str | None:
        """Return why an input cannot be used, ``None`` when it can.

        ``values`` are the numbers as they are written, by symbol.  Raises ``DataError`` for an
        expression that names something else.
        """
        with self._flint.ctx.workprec(_DOUBLE_BITS):
            exact = {name: self._flint.arb(text) for name, text in values.items()}
            wide = {name: ball * self._flint.arb(1, BOX) for name, ball in exact.items()}
            try:
                for text, relation in self._assumptions:
                    self._assumed(text, relation, exact, wide)
                for text in self._results:
                    self._value(text, wide)
                    self._conditioned(self._value(text, exact))
                if self._truth is not None:
                    self._decided(self._truth, exact)
            except _RefusedError as refused:
                return str(refused)
        return None

    def _assumed(
        self, text: str, relation: Relation, exact: Mapping[str, Ball], wide: Mapping[str, Ball]
    ) -> None:
        # What allows equality has no edge to keep away from.
        strict = relation.sign in ("!=", "<", ">")
        values = wide if strict else exact
        difference = self._value(relation.left, values) - self._value(relation.right, values)
        if not _stands(relation.sign, difference):
            raise _RefusedError(f"{text} does not hold" + (" clearly" if strict else ""))

    def _conditioned(self, result: Ball) -> None:
        digits = self._comparison.digits
        radius = float(result.rad())
        if digits is None:
            allowed = _WHOLE_RADIUS
        else:
            size = abs(float(result.mid()))
            allowed = max(10.0**-digits, self._comparison.relative * size) / _SHARE
        if radius > allowed:
            raise _RefusedError("rounding alone moves the result")

    def _decided(self, relation: Relation, exact: Mapping[str, Ball]) -> None:
        left, right = self._value(relation.left, exact), self._value(relation.right, exact)
        difference = left - right
        if difference.is_zero():
            return
        size = max(1.0, abs(float(left.mid())), abs(float(right.mid())))
        if not abs(difference) > _EPSILON * size:
            raise _RefusedError("rounding alone decides whether the formula holds")

    def _value(self, text: str, values: Mapping[str, Ball]) -> Ball:
        return self._node(parse_expression(text), values, text)

    def _node(self, node: ast.expr, values: Mapping[str, Ball], text: str) -> Ball:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                found = self._flint.arb(repr(number))
            case ast.Name(id=name) if name in values:
                found = values[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                found = -self._node(operand, values, text)
            case ast.BinOp(left=left, op=op, right=right):
                found = self._combined(
                    op, self._node(left, values, text), self._node(right, values, text), right
                )
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if (
                name in self._functions
            ):
                found = self._functions[name](self._node(argument, values, text))
            case _:
                raise DataError(f"{text!r} holds {ast.unparse(node)!r}, which has no value here")
        if not found.is_finite() or not abs(found) <= LARGEST:
            raise _RefusedError(f"a value is not below {LARGEST:g} for certain")
        return found

    def _combined(self, op: ast.operator, left: Ball, right: Ball, exponent: ast.expr) -> Ball:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / self._nonzero(right, "a divisor")
            case ast.Pow():
                whole = _whole_number(exponent)
                if whole is None:
                    return self._positive(left, "the base of a power") ** right
                if whole <= 0:
                    left = 1 / self._nonzero(left, "the base of a power")
                return self._power(left, abs(whole))
            case _:
                raise DataError(f"formulas have no operator {type(op).__name__}")

    def _power(self, base: Ball, exponent: int) -> Ball:
        """Multiply, since the library's power has no value for a ball that holds 0."""
        if exponent > _LARGEST_EXPONENT:
            raise _RefusedError(f"a power is above {_LARGEST_EXPONENT}")
        found = self._flint.arb(1)
        for _ in range(exponent):
            found = found * base
        return found

    def _nonzero(self, ball: Ball, what: str) -> Ball:
        if ball.contains(0):
            raise _RefusedError(f"{what} is close to 0")
        return ball

    def _positive(self, ball: Ball, what: str) -> Ball:
        if not ball > 0:
            raise _RefusedError(f"{what} is close to 0 or negative")
        return ball

    def _logarithm(self, ball: Ball) -> Ball:
        return self._positive(ball, "a logarithm").log()

    def _tangent(self, ball: Ball) -> Ball:
        self._nonzero(ball.cos(), "the cosine under a tangent")
        return ball.tan()


def _stands(sign: str, difference: Ball) -> bool:
    """Whether the difference of two sides is as a relation says, for all points of its ball.

    Where equality is allowed, whether it is not certain that the relation is broken.
    """
    match sign:
        case "!=":
            return not difference.contains(0)
        case "<":
            return bool(difference < 0)
        case "<=":
            return not difference > 0
        case ">":
            return bool(difference > 0)
        case ">=":
            return not difference < 0
        case _:
            return bool(difference.contains(0))


def _results(formula: FormulaSlot) -> tuple[str, ...]:
    if formula.results:
        return formula.results
    if formula.kind is FormulaKind.EXPRESSION and _is_given(formula, (formula.text,)):
        return (formula.text,)
    return ()


def _is_given(formula: FormulaSlot, texts: Iterable[str]) -> bool:
    """Whether every symbol of some expressions is read by a program."""
    unknown = {symbol.name for symbol in formula.symbols if symbol.low is None}
    names = {
        node.id
        for text in texts
        for node in ast.walk(parse_expression(text))
        if isinstance(node, ast.Name)
    }
    return not names & unknown


def _whole_number(node: ast.expr) -> int | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return -number
        case ast.Constant(value=int() as number):
            return int(number)
        case _:
            return None
