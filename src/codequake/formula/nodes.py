"""The tree of a formula: what is written, nothing evaluated, nothing added, nothing lost.

A tree stands for exactly one text.  Brackets that the text needs are implied by the tree; a
``PAREN`` node stands for one pair beyond those.  Numbers keep the digits that were written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from codequake.formula.faults import FormulaError

__all__ = [
    "MAX_DEPTH",
    "ONE",
    "UNARY_FUNCTIONS",
    "ZERO",
    "Node",
    "Op",
    "coefficients_of",
    "constants_of",
    "is_constant_leaf",
    "is_minus_one",
    "is_number",
    "names_of",
    "number_value",
    "variables_of",
    "walk",
]

MAX_DEPTH = 100
"""Levels that a tree may have; deeper ones are refused, so that no walk over it can overflow."""

UNARY_FUNCTIONS = frozenset({"sin", "cos", "tan", "log", "ln", "sqrt", "exp"})
"""Functions with a fixed meaning; ``log`` has base 10 and ``ln`` is the natural logarithm."""


class Op(StrEnum):
    """What a node is; its kids are given in the order of the text."""

    NUMBER = "number"
    COEFFICIENT = "coefficient"
    VARIABLE = "variable"
    CONSTANT = "constant"
    NEGATE = "negate"
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    POWER = "power"
    CALL = "call"
    DERIVATIVE = "derivative"
    PAREN = "paren"
    EQUATION = "equation"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node with its kids.

    ``text`` holds the digits of a ``NUMBER``, the name of a ``COEFFICIENT``, ``VARIABLE`` or
    ``CONSTANT``, the function of a ``CALL`` and of a ``DERIVATIVE`` (whose kid is the variable);
    it is empty for all others.  Equality is that of the whole tree, which is that of the printed
    text among trees over one set of names; the hash is computed once.
    """

    op: Op
    kids: tuple[Node, ...] = ()
    text: str = ""
    depth: int = field(init=False, repr=False)
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        depth = 1 + max((kid.depth for kid in self.kids), default=0)
        if depth > MAX_DEPTH:
            raise FormulaError(f"formula is nested deeper than {MAX_DEPTH} levels")
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "_hash", hash((self.op, self.text, self.kids)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Node):
            return NotImplemented
        return (
            self._hash == other._hash
            and self.op is other.op
            and self.text == other.text
            and self.kids == other.kids
        )

    def __reduce__(self) -> tuple[type[Node], tuple[Op, tuple[Node, ...], str]]:
        # Hashes of strings differ between processes, so a copy computes its own.
        return (Node, (self.op, self.kids, self.text))


ZERO = Node(Op.NUMBER, (), "0")
ONE = Node(Op.NUMBER, (), "1")


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all below it, parents first, in the order of the text."""
    stack = [node]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(reversed(item.kids))


def number_value(node: Node) -> Fraction:
    """Return the exact value of a ``NUMBER``: ``0.1`` is one tenth, not the nearest double."""
    assert node.op is Op.NUMBER
    return Fraction(node.text)


def is_number(node: Node, value: int) -> bool:
    """Say whether the node is a number literal of this value, in any spelling (``0``, ``0.0``)."""
    return node.op is Op.NUMBER and number_value(node) == value


def is_minus_one(node: Node) -> bool:
    """Say whether the node is ``-1``, in brackets or not."""
    while node.op is Op.PAREN:
        node = node.kids[0]
    return node.op is Op.NEGATE and is_number(node.kids[0], 1)


def is_constant_leaf(node: Node) -> bool:
    """Say whether the node may stand for ``I`` in a rule: a number but zero, or a coefficient."""
    return node.op is Op.COEFFICIENT or (node.op is Op.NUMBER and number_value(node) != 0)


def constants_of(node: Node) -> tuple[Node, ...]:
    """Return the distinct leaves that may stand for ``I``, in the order of the text."""
    return tuple(dict.fromkeys(item for item in walk(node) if is_constant_leaf(item)))


def coefficients_of(node: Node) -> tuple[str, ...]:
    """Return the distinct names of coefficients, in the order of the text."""
    return tuple(dict.fromkeys(item.text for item in walk(node) if item.op is Op.COEFFICIENT))


def variables_of(node: Node) -> tuple[str, ...]:
    """Return the distinct names of variables (function names not counted)."""
    return tuple(dict.fromkeys(item.text for item in walk(node) if item.op is Op.VARIABLE))


def names_of(*formulas: Node) -> tuple[str, ...]:
    """Return the distinct names of coefficients and variables of several formulas."""
    return tuple(
        dict.fromkeys(
            name
            for formula in formulas
            for name in (*coefficients_of(formula), *variables_of(formula))
        )
    )
