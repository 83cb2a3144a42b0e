"""The value of a formula at a point, in double precision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import assert_never

from codequake.formula.faults import FormulaError
from codequake.formula.nodes import Node, Op

__all__ = ["evaluate"]

_FUNCTIONS = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": math.log10,
    "ln": math.log,
    "sqrt": math.sqrt,
    "exp": math.exp,
}


def evaluate(formula: Node, values: Mapping[str, float]) -> float | None:
    """Return the value at a point; an equation's is the left side minus the right side.

    ``log`` has base 10, ``ln`` is natural.  ``None`` where the value is undefined or too large
    for a double: a division by 0, a logarithm of what is not positive, a root or a broken power
    of a negative number, ``0^0``.  Raises ``FormulaError`` for a name without a value and for a
    function without a meaning, such as ``y(x)``.
    """
    try:
        value = _value(formula, values)
    except FormulaError:
        raise
    except (ArithmeticError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _value(node: Node, values: Mapping[str, float]) -> float:
    match node.op:
        case Op.NUMBER:
            return float(node.text)
        case Op.COEFFICIENT | Op.VARIABLE:
            if node.text not in values:
                raise FormulaError(f"name {node.text!r} has no value")
            return float(values[node.text])
        case Op.CONSTANT:
            return math.pi if node.text == "pi" else math.e
        case Op.NEGATE:
            return -_value(node.kids[0], values)
        case Op.PAREN:
            return _value(node.kids[0], values)
        case Op.CALL | Op.DERIVATIVE:
            if node.op is Op.DERIVATIVE or node.text not in _FUNCTIONS:
                raise FormulaError(f"function {node.text!r} has no fixed meaning, so no value")
            return _FUNCTIONS[node.text](_value(node.kids[0], values))
        case Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.DIVIDE | Op.POWER | Op.EQUATION:
            left, right = (_value(kid, values) for kid in node.kids)
            return _combine(node.op, left, right)
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
            raise FormulaError(f"a formula with {node.op.value!r} has no value here")
        case _:
            assert_never(node.op)


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
