"""Plain evaluation of formulas as problem files write them.

It knows numbers, one-letter names, ``+ - * / ^``, parentheses, ``sin``, ``cos``, ``tan``, ``log``
(base 10), ``ln``, ``sqrt`` and the relations ``= != < <= > >=``.  It shares no code with the
formula engine on purpose: the references and samples of a problem are checked against it.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import re
from collections.abc import Callable, Mapping

from codequake.errors import DataError

__all__ = ["Relation", "evaluate", "names_in", "parse_expression", "parse_relation"]

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": math.log10,
    "ln": math.log,
    "sqrt": math.sqrt,
}
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_RELATION = re.compile(r"(!=|<=|>=|=|<|>)")
# Everything that a formula is written with: what is not in here never reaches the parser.
_LETTERS = re.compile(r"[A-Za-z0-9_.+\-*/^() ]+")


class Relation:
    """Two expressions and how they stand to each other, such as ``a != 0`` or ``a*x+b=0``."""

    def __init__(self, left: str, sign: str, right: str) -> None:
        self.left = left
        self.sign = sign
        self.right = right

    def holds(self, values: Mapping[str, float]) -> bool:
        """Tell whether the relation holds; equality allows a relative error of 1e-9.

        Raises ``ArithmeticError`` and ``ValueError`` where a side has no value.
        """
        left, right = evaluate(self.left, values), evaluate(self.right, values)
        match self.sign:
            case "=":
                return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
            case "!=":
                return left != right
            case "<":
                return left < right
            case "<=":
                return left <= right
            case ">":
                return left > right
            case _:
                return left >= right


def parse_relation(text: str) -> Relation:
    """Split a relation.  Raises ``DataError`` when there is not exactly one sign in it."""
    parts = _RELATION.split(text)
    if len(parts) != 3 or not parts[0].strip() or not parts[2].strip():
        raise DataError(f"{text!r} is not a relation; allowed: two expressions and one of = != < >")
    return Relation(parts[0].strip(), parts[1], parts[2].strip())


@functools.lru_cache(maxsize=1024)
def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of an expression, to be read and never changed.

    Raises ``DataError`` for what is not an expression.
    """
    if not _LETTERS.fullmatch(text) or "**" in text or "//" in text:
        raise DataError(f"{text!r} is not an expression")
    try:
        return ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"{text!r} is not an expression") from error


def names_in(text: str) -> frozenset[str]:
    """Return the names of a formula or a relation, functions left out.  Raises ``DataError``."""
    sides = _RELATION.split(text)[::2]
    found = {
        node.id
        for side in sides
        for node in ast.walk(parse_expression(side))
        if isinstance(node, ast.Name)
    }
    return frozenset(found - set(_FUNCTIONS))


def evaluate(text: str, values: Mapping[str, float]) -> float:
    """Return the value of an expression, in double precision.

    Raises ``DataError`` for what is not an expression or names no value, ``ArithmeticError`` or
    ``ValueError`` where there is no finite value.
    """
    result = _value(parse_expression(text), values, text)
    if not math.isfinite(result):
        raise OverflowError(f"{text} has no finite value")
    return result


def _value(node: ast.expr, values: Mapping[str, float], text: str) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name) if name in values:
            return float(values[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values, text)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, values, text), _value(right, values, text))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(argument, values, text))
        case ast.Name(id=name):
            raise DataError(f"{text!r} uses {name!r}, which has no value")
        case _:
            raise DataError(f"{text!r} holds {ast.unparse(node)!r}, which formulas do not have")
