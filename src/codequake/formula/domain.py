"""What must hold for a formula to have a value: its divisors, logarithms, roots and powers.

A demand is known by values modulo two primes, so that ``a != 0`` is one demand however it is
written: ``2*a != 0`` and ``-a+b-b != 0`` are the same.  A product is not 0 where no factor is, so
a demand on a product is one on each factor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from enum import StrEnum
from fractions import Fraction
from typing import assert_never

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

Values = tuple[Element, Element, Element, Element, object, object]
"""Values of one expression: a point and the scaled point modulo two primes, then two balls."""

NOTHING: Keys = frozenset()
_LARGEST_PRODUCT = 3
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

    def of_power(self, base: Node, exponent: Node) -> Keys:
        """Return what a power demands of its base."""
        power = self._power(exponent)
        if power is not None:
            return self.nonzero(base) if power <= 0 else NOTHING
        number = exact_value(exponent)
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
                found.add((Kind.NOT_NEGATIVE, one, two))
                found |= self.nonzero(self._nodes[kind, one, two])
        return frozenset(found)

    def missing(self, keys: Keys, known: Keys) -> list[Key]:
        """Return the demands that do not follow from those known, smallest expression first."""
        left = keys - known
        if not left:
            return []
        order = sorted(left, key=lambda key: (self._nodes[key].depth, key))
        return [key for key in order if not self._is_product(key, known)]

    def assumption(self, key: Key) -> Assumption:
        """Return a demand as an assumption such as ``a != 0``."""
        node = self._nodes[key]
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

    def node(self, key: Key) -> Node:
        """Return the expression of a demand."""
        return self._nodes[key]

    def _is_product(self, key: Key, known: Keys) -> bool:
        """Say whether an expression is a product of known ones, up to a number."""
        factors = [one for one in known if one[0] is Kind.NONZERO]
        if key[0] is not Kind.NONZERO or len(factors) > 20:
            return False
        here, _, there, _, _, _ = self._values(self._nodes[key])
        for count in range(2, _LARGEST_PRODUCT + 1):
            for chosen in itertools.combinations_with_replacement(factors, count):
                first = second = 1
                for _, one, two in chosen:
                    first, second = first * one, second * two
                if here * 0 + first == key[1] and there * 0 + second == key[2]:
                    return True
        return False

    def _key(self, kind: Kind, node: Node) -> Keys:
        here, scaled, there, scaled_there, ball, _ = self._values(node)
        constant = here == scaled and there == scaled_there
        if constant and _met(kind, ball):
            return NOTHING
        if kind is Kind.NONZERO and here and there and not constant:
            key = (kind, int(scaled / here), int(scaled_there / there))
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


def _met(kind: Kind, ball: object) -> bool:
    """Say whether the ball of a constant proves that it meets the demand."""
    nothing = Fraction(0).numerator
    match kind:
        case Kind.NONZERO:
            return bool(ball > nothing or ball < nothing)  # type: ignore[operator]
        case Kind.POSITIVE:
            return bool(ball > nothing)  # type: ignore[operator]
        case Kind.NOT_NEGATIVE:
            return bool(ball >= nothing)  # type: ignore[operator]
        case _:
            assert_never(kind)
