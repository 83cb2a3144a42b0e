"""The value of a formula at a point, in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from codequake.formula.faults import FormulaError
from codequake.formula.nodes import Node, Op

__all__ = ["MOST_TERMS", "evaluate"]

MOST_TERMS = 100_000
"""Terms that the sums and products of one formula may have together when it is evaluated."""

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": math.log10,
    "ln": math.log,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "abs": abs,
}


def evaluate(formula: Node, values: Mapping[str, float]) -> float | None:
    """Return the value at a point; an equation's is the left side minus the right side.

    ``log`` has base 10, ``ln`` is natural; an empty sum is 0 and an empty product 1.  ``None``
    where the value is undefined or too large for a double: a division by 0, a logarithm of what
    is not positive or to a base that is not positive or 1, a root or a broken power of a negative
    number, ``0^0``, a sum with a bound that is no integer.  Raises ``FormulaError`` for a name
    without a value, for a function without a meaning, such as ``y(x)``, for more than
    ``MOST_TERMS`` terms, and for conditions, which are true or false (see ``holds``).
    """
    try:
        value = _Point(values).value(formula)
    except FormulaError:
        raise
    except (ArithmeticError, ValueError):
        return None
    return value if math.isfinite(value) else None


class _Point:
    """The values of names, those that sums bind among them."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = values
        self._bound: dict[str, float] = {}
        self._terms = 0

    def value(self, node: Node) -> float:
        if not node.kids:
            return self._leaf(node)
        match node.op:
            case Op.NEGATE:
                return -self.value(node.kids[0])
            case Op.PAREN:
                return self.value(node.kids[0])
            case Op.CALL | Op.DERIVATIVE | Op.SECOND_DERIVATIVE:
                if node.op is not Op.CALL or node.text not in _FUNCTIONS:
                    raise FormulaError(f"function {node.text!r} has no fixed meaning, so no value")
                return _FUNCTIONS[node.text](self.value(node.kids[0]))
            case Op.LOGARITHM:
                return _logarithm(self.value(node.kids[1]), self.value(node.kids[0]))
            case Op.AGGREGATE:
                return self._aggregate(node)
            case Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.DIVIDE | Op.POWER | Op.EQUATION:
                left, right = (self.value(kid) for kid in node.kids)
                return _combine(node.op, left, right)
            case _:
                raise FormulaError("a condition or a part of a contract has no number as its value")

    def _leaf(self, node: Node) -> float:
        if node.op is Op.NUMBER:
            return float(node.text)
        if node.op is Op.CONSTANT:
            return math.pi if node.text == "pi" else math.e
        values = self._bound if node.op is Op.BOUND else self._values
        if node.op not in (Op.BOUND, Op.COEFFICIENT, Op.VARIABLE) or node.text not in values:
            raise FormulaError(f"name {node.text!r} has no value")
        return float(values[node.text])

    def _aggregate(self, node: Node) -> float:
        name, low, high, body = node.kids
        first, last = self.value(low), self.value(high)
        if not (first.is_integer() and last.is_integer()):
            raise ValueError("a bound is no integer")
        total: float = 0.0 if node.text == "sum" else 1.0
        combine: Callable[[float, float], float] = (
            float.__add__ if node.text == "sum" else float.__mul__
        )
        for index in range(int(first), int(last) + 1):
            self._terms += 1
            if self._terms > MOST_TERMS:
                raise FormulaError(f"formula has more than {MOST_TERMS} terms at this point")
            self._bound[name.text] = float(index)
            total = combine(total, self.value(body))
        return total


def _logarithm(argument: float, base: float) -> float:
    if base == 2:
        return math.log2(argument)
    if base == 10:
        return math.log10(argument)
    if argument <= 0:
        raise ValueError("logarithm of what is not positive")
    return math.log(argument) / math.log(base)


def _combine(op: Op, left: float, right: float) -> float:
    if op is Op.ADD:
        return left + right
    if op is Op.SUBTRACT or op is Op.EQUATION:
        return left - right
    if op is Op.MULTIPLY:
        return left * right
    if op is Op.DIVIDE:
        return left / right
    if left == 0 and right == 0:
        raise ZeroDivisionError("0^0")
    return math.pow(left, right)
