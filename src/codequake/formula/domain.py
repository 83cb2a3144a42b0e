"""What must hold for a formula to have a value: its divisors, logarithms, roots and powers.

A demand is known by values modulo two primes, so that ``a != 0`` is one demand however it is
written: ``2*a != 0`` and ``-a+b-b != 0`` are the same.  A product is not 0 where no factor is, so
a demand on a product is one on each factor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, assert_never

from codequake.formula.assumptions import Assumption, Relation
from codequake.formula.exact import exact_value
from codequake.formula.field import Element
from codequake.formula.nodes import ZERO, Node, Op, is_number

__all__ = ["Demands", "Key", "Keys", "Kind", "Values"]


class Kind(StrEnum):
    """What is demanded of an expression."""

    NONZERO = "nonzero"
    POSITIVE = "positive"
    NOT_NEGATIVE = "not_negative"


Key = tuple[Kind, int, int]
"""A demand: its kind, and two numbers that are the same for equal expressions."""

Keys = frozenset[Key]

Values = tuple[Element, Element, Element, Element, Any, Any]
"""Values of one expression: a point and the scaled point modulo two primes, then two balls."""

NOTHING: Keys = frozenset()
_LARGEST_PRODUCT = 3
_MOST_FACTORS = 12
_TRANSPARENT = (Op.PAREN, Op.NEGATE)
# Functions that are 0 exactly where their argument is.
_AS_ZERO = ("sqrt", "abs")


class Demands:
    """The demands met so far; ``values`` gives the values of an expression.

    ``power`` gives the integer that an exponent always is, so that ``x^(2*a/a)`` demands no more
    of ``x`` than ``x^2`` does.
    """

    def __init__(
        self, values: Callable[[Node], Values], power: Callable[[Node], int | None]
    ) -> None:
        self._values = values
        self._power = power
        self._nodes: dict[Key, Node] = {}
        self.spellings: dict[str, str] = {}

    def of_power(self, base: Node, exponent: Node) -> Keys:
        """Return what a power demands of its base."""
        power = self._power(exponent)
        if power is not None:
            return self.nonzero(base) if power <= 0 else NOTHING
        number = exact_value(exponent)
        if number is not None and number.denominator == 1:
            return self.nonzero(base) if number <= 0 else NOTHING
        if number is not None and number > 0:
            return self.not_negative(base)
        return self.positive(base)

    def nonzero(self, node: Node) -> Keys:
        """Return the demands that keep an expression from 0, one for each factor that may be 0."""
        if node.op in _TRANSPARENT or (node.op is Op.CALL and node.text in _AS_ZERO):
            return self.nonzero(node.kids[0])
        if node.op is Op.MULTIPLY:
            return self.nonzero(node.kids[0]) | self.nonzero(node.kids[1])
        if node.op is Op.DIVIDE:
            # The divisor is demanded where the quotient is computed.
            return self.nonzero(node.kids[0])
        if node.op is Op.POWER:
            return self._nonzero_power(node)
        if node.op is Op.CALL and node.text == "exp":
            return NOTHING
        return self._key(Kind.NONZERO, node)

    def positive(self, node: Node) -> Keys:
        """Return the demands that keep an expression above 0."""
        if node.op is Op.PAREN or self._root(node):
            return self.positive(node.kids[0])
        if node.op is Op.CALL and node.text == "exp":
            return NOTHING
        if self._even(node) or (node.op is Op.CALL and node.text == "abs"):
            return self.nonzero(node.kids[0])
        return self._key(Kind.POSITIVE, node)

    def not_negative(self, node: Node) -> Keys:
        """Return the demands that keep an expression from below 0."""
        if node.op is Op.PAREN:
            return self.not_negative(node.kids[0])
        if self._even(node) or (node.op is Op.CALL and node.text in (*_AS_ZERO, "exp")):
            return NOTHING
        return self._key(Kind.NOT_NEGATIVE, node)

    def given(self, assumptions: Iterable[Assumption]) -> Keys:
        """Return the demands that assumptions meet."""
        found: set[Key] = set()
        for one in assumptions:
            low, high = one.left, one.right
            if one.relation in (Relation.GREATER, Relation.AT_LEAST):
                low, high = high, low
            match one.relation:
                case Relation.NOT_EQUAL:
                    found |= self.nonzero(_difference(low, high))
                case Relation.LESS | Relation.GREATER:
                    found |= self.positive(_difference(high, low))
                case Relation.AT_MOST | Relation.AT_LEAST:
                    found |= self.not_negative(_difference(high, low))
                case _:
                    assert_never(one.relation)
            found |= self._by_bound(low, high, strict=one.relation in ("<", ">"))
        return self.closed(frozenset(found))

    def _by_bound(self, low: Node, high: Node, *, strict: bool) -> Keys:
        """Return what follows of the sign where one side of ``low < high`` is a number."""
        floor, ceiling = exact_value(low), exact_value(high)
        if floor is not None and (floor > 0 or (floor == 0 and strict)):
            return self.positive(high)
        if ceiling is not None and (ceiling < 0 or (ceiling == 0 and strict)):
            return self.positive(Node(Op.NEGATE, (low,)))
        return NOTHING

    def closed(self, keys: Keys) -> Keys:
        """Return demands with all that follow from each: what is above 0 is not 0."""
        found = set(keys)
        for kind, one, two in keys:
            if kind is Kind.POSITIVE:
                node = self._nodes[kind, one, two]
                self._nodes.setdefault((Kind.NOT_NEGATIVE, one, two), node)
                found.add((Kind.NOT_NEGATIVE, one, two))
                found |= self.nonzero(node)
        return frozenset(found)

    def missing(self, keys: Keys, known: Keys) -> list[Key]:
        """Return the demands that do not follow from those known, smallest expression first."""
        left = keys - known
        if not left:
            return []
        order = sorted(left, key=lambda key: (self._nodes[key].depth, key))
        return [key for key in order if not self.follows(key, known, left)]

    def follows(self, key: Key, known: Keys, beside: Keys = NOTHING) -> bool:
        """Say whether a demand follows from those known.

        ``beside`` are demands that may stand with it in a product that is known not to be 0.
        """
        kind, node = key[0], self._nodes[key]
        match kind:
            case Kind.POSITIVE:
                return self.is_positive(node, known)
            case Kind.NOT_NEGATIVE:
                return self.is_not_negative(node, known)
            case Kind.NONZERO:
                return self._is_product(key, known) or self._is_factor(key, known, beside)
            case _:
                assert_never(kind)

    def is_positive(self, node: Node, known: Keys) -> bool:
        """Say whether it follows from the known demands that an expression is above 0."""
        if node.op is Op.PAREN:
            return self.is_positive(node.kids[0], known)
        if self.positive(node) <= known:
            return True
        if node.op in (Op.MULTIPLY, Op.DIVIDE):
            opposite = [Node(Op.NEGATE, (kid,)) for kid in node.kids]
            return all(self.is_positive(kid, known) for kid in node.kids) or all(
                self.is_positive(kid, known) for kid in opposite
            )
        if node.op is Op.ADD:
            return any(self.is_positive(kid, known) for kid in node.kids) and all(
                self.is_not_negative(kid, known) for kid in node.kids
            )
        return node.op is Op.POWER and self.is_positive(node.kids[0], known)

    def is_not_negative(self, node: Node, known: Keys) -> bool:
        """Say whether it follows from the known demands that an expression is not below 0."""
        if node.op is Op.PAREN:
            return self.is_not_negative(node.kids[0], known)
        if self.not_negative(node) <= known or self.is_positive(node, known):
            return True
        return node.op in (Op.ADD, Op.MULTIPLY) and all(
            self.is_not_negative(kid, known) for kid in node.kids
        )

    def assumption(self, key: Key) -> Assumption:
        """Return a demand as an assumption such as ``a != 0``."""
        node = self._spelled(self._nodes[key])
        while node.op is Op.PAREN or (node.op is Op.NEGATE and key[0] is Kind.NONZERO):
            node = node.kids[0]
        match key[0]:
            case Kind.NONZERO:
                relation = Relation.NOT_EQUAL
            case Kind.POSITIVE:
                relation = Relation.GREATER
            case Kind.NOT_NEGATIVE:
                relation = Relation.AT_LEAST
            case _:
                assert_never(key[0])
        return Assumption(node, relation, ZERO)

    def _spelled(self, node: Node) -> Node:
        """Return an expression with bound names as they were written."""
        if node.op is Op.BOUND:
            return Node(Op.BOUND, (), self.spellings.get(node.text, node.text))
        return Node(node.op, tuple(self._spelled(kid) for kid in node.kids), node.text)

    def node(self, key: Key) -> Node:
        """Return the expression of a demand."""
        return self._nodes[key]

    def _is_product(self, key: Key, known: Keys) -> bool:
        """Say whether an expression is a product of known ones, up to a number."""
        return self._has_product(key, [one for one in known if one[0] is Kind.NONZERO], None)

    def _is_factor(self, key: Key, known: Keys, beside: Keys) -> bool:
        """Say whether a known product has the expression as a factor, up to a number."""
        factors = [one for one in (known | beside) if one[0] is Kind.NONZERO]
        return any(self._has_product(one, factors, key) for one in known if one[0] is Kind.NONZERO)

    def _has_product(self, key: Key, factors: list[Key], wanted: Key | None) -> bool:
        """Say whether 2 or 3 factors, ``wanted`` among them, have an expression as product."""
        if len(factors) > _MOST_FACTORS:
            return False
        here, _, there, _, _, _ = self._values(self._nodes[key])
        for count in range(2, _LARGEST_PRODUCT + 1):
            for chosen in itertools.combinations_with_replacement(factors, count):
                if wanted is not None and wanted not in chosen:
                    continue
                first, second = here * 0 + 1, there * 0 + 1
                for _, one, two in chosen:
                    first, second = first * one, second * two
                if first == key[1] and second == key[2]:
                    return True
        return False

    def _key(self, kind: Kind, node: Node) -> Keys:
        here, scaled, there, scaled_there, ball, _ = self._values(node)
        constant = here == scaled and there == scaled_there
        if constant and _met(kind, ball):
            return NOTHING
        if kind is Kind.NONZERO and here and there and not constant:
            key: Key = (kind, int(scaled / here), int(scaled_there / there))
        else:
            key = (kind, int(here), int(there))
        self._nodes.setdefault(key, node)
        return frozenset((key,))

    def _nonzero_power(self, node: Node) -> Keys:
        base, exponent = node.kids
        power = self._power(exponent)
        if power is not None:
            # The power 0 is 1, and a negative one demands this of its base by itself.
            return self.nonzero(base) if power > 0 else NOTHING
        number = exact_value(exponent)
        return self.nonzero(base) if number is not None and number > 0 else NOTHING

    def _even(self, node: Node) -> bool:
        if node.op is not Op.POWER:
            return False
        power = self._power(node.kids[1])
        return power is not None and power > 0 and power % 2 == 0

    def _root(self, node: Node) -> bool:
        return node.op is Op.CALL and node.text == "sqrt"


def _difference(left: Node, right: Node) -> Node:
    if is_number(right, 0):
        return left
    return Node(Op.NEGATE, (right,)) if is_number(left, 0) else Node(Op.SUBTRACT, (left, right))


def _met(kind: Kind, ball: Any) -> bool:
    """Say whether the ball of a constant proves that it meets the demand."""
    match kind:
        case Kind.NONZERO:
            return bool(ball > 0 or ball < 0)
        case Kind.POSITIVE:
            return bool(ball > 0)
        case Kind.NOT_NEGATIVE:
            return bool(ball >= 0)
        case _:
            assert_never(kind)
