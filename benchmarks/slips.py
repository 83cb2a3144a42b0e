"""School formulas, random mistakes in formulas, and SymPy's view of them, for figures and tests."""

from __future__ import annotations

import random

import sympy

from codequake.formula import Node, Op, parse

__all__ = ["SCHOOL", "slip", "to_sympy"]

SCHOOL = (
    "a*x+b=0",
    "a*x^2+b*x+c=0",
    "9.8*a*b/d^2",
    "sin(a*x)+b=c",
    "ln(x)*a=b",
    "y'(x)=a*y(x)+b",
    "a*x^3+b*x^2+c*x+d=0",
    "(a+b)/(c-d)",
    "a*e^(b*x)",
    "(a-b)^2+(c-d)^2",
    "a^b-c=0",
    "tan(x)/a-b/c=0",
)


def slip(formula: Node, rng: random.Random) -> Node:
    """Return another formula: one random operator, leaf or sign of this one is changed."""
    while True:
        changed = _slip(formula, rng)
        if changed is not formula:
            return changed


def _slip(formula: Node, rng: random.Random) -> Node:
    kids = list(formula.kids)
    if kids and formula.op is not Op.DERIVATIVE and rng.random() < 0.75:
        index = rng.randrange(len(kids))
        kids[index] = _slip(kids[index], rng)
        return Node(formula.op, tuple(kids), formula.text)
    if formula.op in (Op.EQUATION, Op.DERIVATIVE):
        return formula
    if len(kids) == 2:
        return Node(rng.choice((Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE)), tuple(kids))
    if not kids:
        return parse(rng.choice(("a", "b", "c", "x", "0", "1", "2")))
    return Node(Op.NEGATE, (formula,))


def to_sympy(node: Node, *, real: bool | None = None) -> sympy.Expr:
    """Return SymPy's expression, of an equation the left side minus the right one.

    ``real`` is what SymPy is told of every name.
    """
    kids = [to_sympy(kid, real=real) for kid in node.kids]
    match node.op:
        case Op.NUMBER:
            return sympy.Rational(node.text)
        case Op.COEFFICIENT | Op.VARIABLE:
            return sympy.Symbol(node.text, real=real)
        case Op.NEGATE:
            return -kids[0]
        case Op.PAREN:
            return kids[0]
        case Op.ADD:
            return kids[0] + kids[1]
        case Op.SUBTRACT | Op.EQUATION:
            return kids[0] - kids[1]
        case Op.MULTIPLY:
            return kids[0] * kids[1]
        case Op.DIVIDE:
            return kids[0] / kids[1]
        case Op.POWER:
            return kids[0] ** kids[1]
        case Op.CALL if node.text in ("sin", "cos", "tan"):
            return getattr(sympy, node.text)(kids[0])
        case Op.CALL if node.text == "ln":
            return sympy.log(kids[0])
        case _:
            return sympy.Function(f"{node.text}_{node.op.value}")(kids[0])
