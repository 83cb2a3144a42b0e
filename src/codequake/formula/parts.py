"""A sum as its terms, a product as its factors: where each stands, with which sign or power.

Replacing parts keeps the rest of the tree as it was written: what is taken out leaves its place
to its neighbour, and nothing else moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from codequake.formula.nodes import (
    MAX_DEPTH,
    ONE,
    ZERO,
    Node,
    Op,
    is_number,
    number_value,
)

__all__ = [
    "Factor",
    "Key",
    "Path",
    "Replaced",
    "Term",
    "factors_of",
    "is_literal",
    "join_sum",
    "negated",
    "rebuilt_product",
    "rebuilt_sum",
    "term_key",
    "terms_of",
    "without_minus",
]

Path = tuple[int, ...]
Key = int | Fraction | Node


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a sum: its place, its sign (+1 or -1) and what stands there without a minus.

    ``minus`` says that the minus is written in the term itself, as in ``-2*x``.
    """

    path: Path
    sign: int
    node: Node
    minus: bool


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor: its place, its base, and its power, which is negative for a divisor."""

    path: Path
    base: Node
    power: int


def terms_of(node: Node, path: Path = (), sign: int = 1) -> list[Term]:
    """Return the terms of a sum, through nested sums and signs; literal zeros are left out."""
    found: list[Term] = []
    _collect_terms(node, path, sign, found)
    return found


def _collect_terms(node: Node, path: Path, sign: int, found: list[Term]) -> None:
    op = node.op
    if op is Op.ADD or op is Op.SUBTRACT:
        _collect_terms(node.kids[0], (*path, 0), sign, found)
        _collect_terms(node.kids[1], (*path, 1), sign if op is Op.ADD else -sign, found)
    elif op is Op.NEGATE:
        _collect_terms(node.kids[0], (*path, 0), -sign, found)
    elif op is Op.PAREN and node.kids[0].op is Op.NEGATE:
        _collect_terms(node.kids[0], (*path, 0), sign, found)
    elif op is Op.MULTIPLY or op is Op.DIVIDE:
        positive = without_minus(node)
        if positive is None:
            found.append(Term(path, sign, node, minus=False))
        else:
            found.append(Term(path, -sign, positive, minus=True))
    elif op is not Op.NUMBER or not is_literal(node, 0):
        found.append(Term(path, sign, node, minus=False))


def factors_of(node: Node) -> list[Factor]:
    """Return the factors of a product, through nested products, quotients and signs.

    ``a^3`` is one factor with power 3; literal ones are left out.
    """
    found: list[Factor] = []
    _collect_factors(node, (), 1, found)
    return found


def _collect_factors(node: Node, path: Path, sign: int, found: list[Factor]) -> None:
    op = node.op
    if op is Op.MULTIPLY or op is Op.DIVIDE:
        _collect_factors(node.kids[0], (*path, 0), sign, found)
        _collect_factors(node.kids[1], (*path, 1), sign if op is Op.MULTIPLY else -sign, found)
    elif op is Op.NEGATE or (op is Op.PAREN and node.kids[0].op is Op.NEGATE):
        _collect_factors(node.kids[0], (*path, 0), sign, found)
    elif op is Op.POWER and (power := _literal_power(node.kids[1])):
        found.append(Factor(path, node.kids[0], sign * power))
    elif op is not Op.NUMBER or not is_literal(node, 1):
        found.append(Factor(path, node, sign))


def _literal_power(node: Node) -> int:
    """Return the power that a literal 2 to 99 stands for, else 0."""
    if node.op is Op.NUMBER and node.text.isdigit() and len(node.text) < 3:
        return int(node.text) if int(node.text) > 1 else 0
    return 0


def is_literal(node: Node, value: int) -> bool:
    """Say what ``is_number`` says, without making a fraction of every number that is asked."""
    if node.op is not Op.NUMBER:
        return False
    text = node.text
    return int(text) == value if text.isdigit() else is_number(node, value)


def term_key(node: Node) -> Key | None:
    """Return what equal constants have in common, ``None`` for what is no constant.

    ``2`` and ``2.0`` are the same; 0 is no constant, since nothing may be divided by it.
    """
    if node.op is Op.COEFFICIENT:
        return node
    if node.op is not Op.NUMBER:
        return None
    return (int(node.text) if node.text.isdigit() else number_value(node)) or None


def without_minus(node: Node) -> Node | None:
    """Return the opposite of a term that is written with a minus in front, else ``None``."""
    if node.op is Op.NEGATE:
        return node.kids[0]
    if node.op is Op.PAREN:
        return without_minus(node.kids[0])
    if node.op is Op.MULTIPLY or node.op is Op.DIVIDE:
        inner = without_minus(node.kids[0])
        if inner is not None:
            return Node(node.op, (inner, node.kids[1]))
    return None


def negated(node: Node) -> Node:
    """Return ``-node`` with few brackets: the first factor takes the minus, ``F-E`` loses it."""
    if node.op is Op.NEGATE:
        return node.kids[0]
    if node.op is Op.SUBTRACT:
        return Node(Op.SUBTRACT, (node.kids[1], node.kids[0]))
    if node.op is Op.MULTIPLY or node.op is Op.DIVIDE:
        return Node(node.op, (negated(node.kids[0]), node.kids[1]))
    return Node(Op.NEGATE, (node,))


def join_sum(terms: list[tuple[int, Node]]) -> Node:
    """Return the sum of signed terms in their order, but with a positive one first if there is.

    No terms give 0.
    """
    if not terms:
        return ZERO
    first = next((number for number, (sign, _) in enumerate(terms) if sign > 0), 0)
    sign, node = terms[first]
    total = node if sign > 0 else negated(node)
    for number, (sign, node) in enumerate(terms):
        if number != first:
            total = Node(Op.ADD if sign > 0 else Op.SUBTRACT, (total, node))
    return total


Replaced = Mapping[Path, Node | None]


def rebuilt_sum(node: Node, replaced: Replaced, path: Path = ()) -> Node | None:
    """Return a sum without the zeros and the terms at the places that map to ``None``.

    ``None`` when nothing is left.  ``E+(-F)`` becomes ``E-F``, ``-E+F`` becomes ``F-E``, and
    ``E+(F-G)`` becomes ``E+F-G``.
    """
    op = node.op
    if op is Op.ADD or op is Op.SUBTRACT:
        left = rebuilt_sum(node.kids[0], replaced, (*path, 0))
        right = rebuilt_sum(node.kids[1], replaced, (*path, 1))
        if right is None:
            return left
        if left is None:
            return right if op is Op.ADD else _minus(right)
        if left is node.kids[0] and right is node.kids[1] and not _shortens(op, left, right):
            return node
        return _joined_terms(op, left, right)
    if op is Op.NEGATE:
        inner = rebuilt_sum(node.kids[0], replaced, (*path, 0))
        if inner is None:
            return None
        positive = without_minus(inner)
        return _minus(inner) if positive is None else positive
    if op is Op.PAREN and node.kids[0].op is Op.NEGATE:
        return rebuilt_sum(node.kids[0], replaced, (*path, 0))
    if path in replaced:
        return replaced[path]
    return None if op is Op.NUMBER and is_literal(node, 0) else node


def _minus(node: Node) -> Node:
    """Return the opposite of a sum without brackets: ``-a-b`` for ``a+b``."""
    if node.op in _SUMS:
        return join_sum([(-term.sign, term.node) for term in terms_of(node)])
    return negated(node)


_SIGNED = frozenset({Op.NEGATE, Op.PAREN, Op.MULTIPLY, Op.DIVIDE})
_SUMS = frozenset({Op.ADD, Op.SUBTRACT})
_PRODUCTS = frozenset({Op.MULTIPLY, Op.DIVIDE})


def _shortens(op: Op, left: Node, right: Node) -> bool:
    """Say whether joining may change anything; a quick answer that is right when it says no."""
    return right.op in _SIGNED or (op is Op.ADD and (left.op in _SIGNED or right.op in _SUMS))


def _joined_terms(op: Op, left: Node, right: Node) -> Node:
    positive = without_minus(right) if right.op in _SIGNED else None
    if positive is not None:
        return Node(Op.SUBTRACT if op is Op.ADD else Op.ADD, (left, positive))
    if op is Op.ADD and left.op in _SIGNED:
        positive = without_minus(left)
        if positive is not None:
            return Node(Op.SUBTRACT, (right, positive))
    if op is Op.ADD and right.op in _SUMS and left.depth + right.depth < MAX_DEPTH:
        return _ungrouped(Op.ADD, left, right, _SUMS)
    return Node(op, (left, right))


def _ungrouped(op: Op, left: Node, right: Node, inner: frozenset[Op]) -> Node:
    if right.op not in inner:
        return Node(op, (left, right))
    return Node(right.op, (_ungrouped(op, left, right.kids[0], inner), right.kids[1]))


def rebuilt_product(node: Node, replaced: Replaced) -> Node:
    """Return a product without its ones and the factors at the places that map to ``None``.

    Signs go to the front: ``a*(-b)`` becomes ``-a*b``.  ``E*(F/G)`` becomes ``E*F/G``.
    """
    sign, made = _product(node, replaced, ())
    if made is None:
        return ONE if sign > 0 else Node(Op.NEGATE, (ONE,))
    return made if sign > 0 else negated(made)


def _product(node: Node, replaced: Replaced, path: Path) -> tuple[int, Node | None]:
    op = node.op
    if op is Op.MULTIPLY or op is Op.DIVIDE:
        one, left = _product(node.kids[0], replaced, (*path, 0))
        two, right = _product(node.kids[1], replaced, (*path, 1))
        sign = one * two
        if right is None:
            return sign, left
        if left is None:
            return sign, right if op is Op.MULTIPLY else Node(Op.DIVIDE, (ONE, right))
        group = op is Op.MULTIPLY and right.op in _PRODUCTS
        if group and left.depth + right.depth < MAX_DEPTH:
            return sign, _ungrouped(Op.MULTIPLY, left, right, _PRODUCTS)
        return sign, Node(op, (left, right))
    if op is Op.PAREN and node.kids[0].op is Op.NEGATE:
        return _product(node.kids[0], replaced, (*path, 0))
    if op is Op.NEGATE:
        sign, inner = _product(node.kids[0], replaced, (*path, 0))
        return -sign, inner
    if path in replaced:
        return 1, replaced[path]
    return 1, None if op is Op.NUMBER and is_literal(node, 1) else node
