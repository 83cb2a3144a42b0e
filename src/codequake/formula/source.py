"""Formulas as source code, in double precision: what a reference program evaluates."""

from __future__ import annotations

import keyword
from typing import assert_never

from codequake.formula.faults import FormulaError
from codequake.formula.nodes import UNARY_FUNCTIONS, Node, Op, is_number

__all__ = ["to_c", "to_python"]

_C_FUNCTIONS = {"log": "log10", "ln": "log", "abs": "fabs"}
_C_CONSTANTS = {"pi": "3.14159265358979323846", "E": "2.71828182845904523536"}
_PYTHON_FUNCTIONS = {"log": "math.log10", "ln": "math.log", "abs": "abs"}
_PYTHON_CONSTANTS = {"pi": "math.pi", "E": "math.e"}
_C_TEXT = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while main printf scanf pow sin cos tan log log2 log10 sqrt exp fabs
"""
_C_WORDS = frozenset(_C_TEXT.split())
_SIGNS = {
    Op.ADD: "+",
    Op.SUBTRACT: "-",
    Op.EQUATION: "-",
    Op.MULTIPLY: "*",
    Op.DIVIDE: "/",
}


def to_c(formula: Node) -> str:
    """Return a C expression of type double; names must be declared ``double``.

    Literals are written as doubles (``1/2`` is a half), ``^2`` and ``^3`` as products, ``log`` as
    ``log10``, ``ln`` as ``log``.  An equation gives left side minus right side.  Raises
    ``FormulaError`` for a name that is a word of C and for functions without a meaning.
    """
    return _Writer(_C_FUNCTIONS, _C_CONSTANTS, _C_WORDS, "", python=False).text(formula)


def to_python(formula: Node) -> str:
    """Return a Python expression over floats; its source must ``import math``.

    An equation gives left side minus right side.  Where C gives a NaN or an infinity, Python may
    raise.  Raises ``FormulaError`` for a name that is a word of Python and for functions without
    a meaning.
    """
    words = frozenset(keyword.kwlist) | {"math", "abs"}
    return _Writer(_PYTHON_FUNCTIONS, _PYTHON_CONSTANTS, words, "math.", python=True).text(formula)


class _Writer:
    """One language's spelling; every operation is bracketed, so that no precedence matters."""

    def __init__(
        self,
        functions: dict[str, str],
        constants: dict[str, str],
        words: frozenset[str],
        prefix: str,
        *,
        python: bool,
    ) -> None:
        self._functions = functions
        self._constants = constants
        self._words = words
        self._prefix = prefix
        self._python = python

    def text(self, node: Node) -> str:
        match node.op:
            case Op.NUMBER:
                return node.text if "." in node.text else f"{node.text}.0"
            case Op.COEFFICIENT | Op.VARIABLE:
                if node.text in self._words:
                    raise FormulaError(f"name {node.text!r} is a word of the language")
                return node.text
            case Op.CONSTANT:
                return self._constants[node.text]
            case Op.NEGATE:
                return f"(-{self.text(node.kids[0])})"
            case Op.PAREN:
                return self.text(node.kids[0])
            case Op.CALL | Op.DERIVATIVE | Op.SECOND_DERIVATIVE:
                return self._call(node)
            case Op.LOGARITHM:
                return self._logarithm(node)
            case Op.POWER:
                return self._power(node)
            case Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.DIVIDE | Op.EQUATION:
                left, right = (self.text(kid) for kid in node.kids)
                return f"({left} {_SIGNS[node.op]} {right})"
            case (
                Op.BOUND
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
                raise FormulaError(f"a formula with {node.op.value!r} has no source here")
            case _:
                assert_never(node.op)

    def _call(self, node: Node) -> str:
        if node.op is not Op.CALL or node.text not in UNARY_FUNCTIONS:
            raise FormulaError(f"function {node.text!r} has no fixed meaning, so no source")
        name = self._functions.get(node.text, f"{self._prefix}{node.text}")
        return f"{name}({self.text(node.kids[0])})"

    def _logarithm(self, node: Node) -> str:
        base, argument = (self.text(kid) for kid in node.kids)
        if is_number(node.kids[0], 2):
            return f"{self._prefix}log2({argument})"
        if is_number(node.kids[0], 10):
            return f"{self._prefix}log10({argument})"
        natural = self._functions["ln"]
        return f"({natural}({argument}) / {natural}({base}))"

    def _power(self, node: Node) -> str:
        base, exponent = node.kids
        # A product is what people write, and exact where pow need not be.
        if exponent.op is Op.NUMBER and exponent.text in ("2", "3") and not base.kids:
            written = self.text(base)
            return f"({' * '.join([written] * int(exponent.text))})"
        return f"{self._prefix}pow({self.text(base)}, {self.text(exponent)})"
