"""Pairs that cancel: opposite terms of a sum, opposite factors of a product, shared by two sides.

A term is cancelled by putting 0 in its place and dropping the 0, a factor by putting 1 in its
place, so that nothing else of the text moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codequake.formula.nodes import ONE, ZERO, Node, Op, is_constant_leaf, is_number, number_value

__all__ = [
    "common_addend",
    "common_factor",
    "opposite_factors",
    "opposite_terms",
    "without_ones",
    "without_zeros",
]

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A term or factor: its place below a node, and +1 or -1 for added, divided and so on."""

    path: Path
    sign: int
    node: Node


def _terms(node: Node, path: Path = (), sign: int = 1) -> Iterator[_Part]:
    """Yield the terms of a sum, through nested sums and signs."""
    if node.op in (Op.ADD, Op.SUBTRACT):
        yield from _terms(node.kids[0], (*path, 0), sign)
        yield from _terms(node.kids[1], (*path, 1), sign if node.op is Op.ADD else -sign)
    elif node.op is Op.NEGATE:
        yield from _terms(node.kids[0], (*path, 0), -sign)
    elif node.op is Op.PAREN:
        yield from _terms(node.kids[0], (*path, 0), sign)
    else:
        yield _Part(path, sign, node)


def _factors(node: Node, path: Path = (), sign: int = 1) -> Iterator[_Part]:
    """Yield the factors of a product (sign 1) and its divisors (sign -1)."""
    if node.op in (Op.MULTIPLY, Op.DIVIDE):
        yield from _factors(node.kids[0], (*path, 0), sign)
        yield from _factors(node.kids[1], (*path, 1), sign if node.op is Op.MULTIPLY else -sign)
    elif node.op in (Op.NEGATE, Op.PAREN):
        yield from _factors(node.kids[0], (*path, 0), sign)
    else:
        yield _Part(path, sign, node)


def _constants(parts: Iterator[_Part]) -> list[_Part]:
    return [part for part in parts if is_constant_leaf(part.node)]


def _same(one: Node, two: Node) -> bool:
    """Say whether two leaves have one value: ``2`` and ``2.0`` have."""
    if one.op is Op.NUMBER and two.op is Op.NUMBER:
        return number_value(one) == number_value(two)
    return one == two


def _pairs(
    parts: list[_Part], others: list[_Part] | None, product: int
) -> Iterator[tuple[_Part, _Part]]:
    """Yield pairs of equal leaves whose signs multiply to ``product``, first ones first."""
    for index, one in enumerate(parts):
        for two in parts[index + 1 :] if others is None else others:
            if one.sign * two.sign == product and _same(one.node, two.node):
                yield one, two


def opposite_terms(node: Node) -> Iterator[Node]:
    """Yield the sum without one pair ``+I`` and ``-I``, for each such pair."""
    if node.op in (Op.ADD, Op.SUBTRACT):
        for one, two in _pairs(_constants(_terms(node)), None, -1):
            yield without_zeros(_put(_put(node, one.path, ZERO), two.path, ZERO))


def opposite_factors(node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield ``I`` and the product without one pair ``*I`` and ``/I``, for each such pair."""
    if node.op in (Op.MULTIPLY, Op.DIVIDE):
        for one, two in _pairs(_constants(_factors(node)), None, -1):
            yield one.node, without_ones(_put(_put(node, one.path, ONE), two.path, ONE))


def common_addend(node: Node) -> Iterator[Node]:
    """Yield the equation without one ``I`` that both sides add or both subtract."""
    if node.op is Op.EQUATION:
        left, right = node.kids
        for one, two in _pairs(_constants(_terms(left)), _constants(_terms(right)), 1):
            sides = (
                without_zeros(_put(left, one.path, ZERO)),
                without_zeros(_put(right, two.path, ZERO)),
            )
            yield Node(Op.EQUATION, sides)


def common_factor(node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield ``I`` and the equation whose terms all lost a factor, or all a divisor, ``I``.

    A side that is 0 has every factor.
    """
    if node.op is not Op.EQUATION:
        return
    terms = [
        _Part((side, *part.path), part.sign, part.node)
        for side, kid in enumerate(node.kids)
        for part in _terms(kid)
        if not is_number(part.node, 0)
    ]
    if not terms:
        return
    for first in _constants(_factors(terms[0].node)):
        result = node
        for term in terms:
            shared = [
                part
                for part in _constants(_factors(term.node))
                if part.sign == first.sign and _same(part.node, first.node)
            ]
            if not shared:
                break
            reduced = without_ones(_put(term.node, shared[0].path, ONE))
            result = _put(result, term.path, reduced)
        else:
            yield first.node, result


def _put(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    index = path[0]
    kid = _put(node.kids[index], path[1:], new)
    return Node(node.op, (*node.kids[:index], kid, *node.kids[index + 1 :]), node.text)


def without_zeros(node: Node) -> Node:
    """Return a sum without the terms that are 0; what else it holds stays as it is."""
    if node.op in (Op.NEGATE, Op.PAREN):
        inner = without_zeros(node.kids[0])
        return inner if is_number(inner, 0) else Node(node.op, (inner,))
    if node.op not in (Op.ADD, Op.SUBTRACT):
        return node
    left, right = (without_zeros(kid) for kid in node.kids)
    if is_number(right, 0):
        return left
    if is_number(left, 0):
        return right if node.op is Op.ADD else Node(Op.NEGATE, (right,))
    return Node(node.op, (left, right))


def without_ones(node: Node) -> Node:
    """Return a product without the factors and divisors that are 1."""
    if node.op in (Op.NEGATE, Op.PAREN):
        return Node(node.op, (without_ones(node.kids[0]),))
    if node.op not in (Op.MULTIPLY, Op.DIVIDE):
        return node
    left, right = (without_ones(kid) for kid in node.kids)
    if is_number(right, 1):
        return left
    if is_number(left, 1) and node.op is Op.MULTIPLY:
        return right
    return Node(node.op, (left, right))
