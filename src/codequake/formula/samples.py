"""Values of formulas at a few fixed points, each subtree computed once for all formulas.

The points are drawn once: in each of two prime fields a point and the same point with every name
multiplied by a small prime of its own, and two points of real numbers.  A mutant shares most of
its subtrees with other mutants, so that only what is new is computed.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from codequake.formula.balls import Ball, BallWorld
from codequake.formula.domain import NOTHING, Demands, Keys, Values
from codequake.formula.exact import exact_value
from codequake.formula.field import PRIME, Element, PrimeField, drawn_prime
from codequake.formula.nodes import Node, Op

__all__ = ["LARGEST_POWER", "Sampled", "Samples", "UndefinedError", "UnknownNameError"]

LARGEST_POWER = 1_000_000
"""Exponents up to this are powers in the field; others are functions without a meaning."""

_MOST_KEPT = 50_000
_MOST_TERMS = 64
_MOST_NESTED_TERMS = 6
_PRIMES = {Op.CALL: "", Op.DERIVATIVE: "'", Op.SECOND_DERIVATIVE: "''"}

Sampled = tuple[Values, int, int, Keys]
"""The values of a formula, a bound of its degree, its function calls, and its demands."""

# Looked up in every step, where an attribute of the enumeration costs as much as the arithmetic.
_MULTIPLY, _ADD, _SUBTRACT, _EQUATION = Op.MULTIPLY, Op.ADD, Op.SUBTRACT, Op.EQUATION


class UndefinedError(Exception):
    """A formula divides by what is 0 everywhere; ``node`` is where."""

    def __init__(self, node: Node) -> None:
        self.node = node
        super().__init__("undefined everywhere")


class UnknownNameError(Exception):
    """A formula has a name for which no value was drawn."""


class Samples:
    """Values of formulas over the given names; ``points`` holds two points of real numbers."""

    def __init__(
        self,
        salt: str,
        names: tuple[str, ...],
        world: BallWorld,
        points: tuple[Mapping[str, Ball], Mapping[str, Ball]],
    ) -> None:
        self.first = PrimeField(PRIME, salt)
        self.second = PrimeField(drawn_prime(salt), salt)
        self.scales = dict(zip(names, _small_primes(), strict=False))
        self._world = world
        self._points = points
        self._kept: dict[Node, Sampled] = {}
        self.demands = Demands(lambda node: self.at(node)[0], self.power)

    def at(self, node: Node) -> Sampled:
        """Return the values of a formula; an equation's is the difference of its sides.

        Raises ``UndefinedError`` where it divides by 0 everywhere and ``UnknownNameError`` for a
        name that is not among those given.  The precision of the balls must have been set.
        """
        found = self._kept.get(node)
        if found is not None:
            return found
        op = node.op
        if op is _MULTIPLY:
            kids = node.kids
            (a, b, c, d, e, f), degree, calls, keys = self.at(kids[0])
            (g, h, i, j, k, m), more, also, others = self.at(kids[1])
            values: Values = (a * g, b * h, c * i, d * j, e * k, f * m)
            made = (values, degree + more, calls + also, keys | others if others else keys)
        elif op is _ADD:
            kids = node.kids
            (a, b, c, d, e, f), degree, calls, keys = self.at(kids[0])
            (g, h, i, j, k, m), more, also, others = self.at(kids[1])
            values = (a + g, b + h, c + i, d + j, e + k, f + m)
            made = (values, degree + more, calls + also, keys | others if others else keys)
        elif op is _SUBTRACT or op is _EQUATION:
            kids = node.kids
            (a, b, c, d, e, f), degree, calls, keys = self.at(kids[0])
            (g, h, i, j, k, m), more, also, others = self.at(kids[1])
            values = (a - g, b - h, c - i, d - j, e - k, f - m)
            made = (values, degree + more, calls + also, keys | others if others else keys)
        else:
            made = self._made(node)
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[node] = made
        return made

    def power(self, node: Node) -> int | None:
        """Return the integer, of size at most a million, that an exponent has everywhere."""
        if node.op is Op.NUMBER:
            number = Fraction(node.text)
            whole = number.denominator == 1 and number <= LARGEST_POWER
            return number.numerator if whole else None
        here, scaled, there, scaled_there, _, _ = self.at(node)[0]
        if here != scaled or there != scaled_there:
            return None
        signed = self.first.signed(here)
        same = signed == self.second.signed(there)
        return signed if same and abs(signed) <= LARGEST_POWER else None

    def _made(self, node: Node) -> Sampled:
        op = node.op
        if op is Op.PAREN:
            return self.at(node.kids[0])
        if op is Op.NEGATE:
            (a, b, c, d, e, f), degree, calls, keys = self.at(node.kids[0])
            return (-a, -b, -c, -d, -e, -f), degree, calls, keys
        if op is Op.DIVIDE:
            return self._quotient(node)
        if op is Op.POWER:
            return self._power(node)
        if op is Op.AGGREGATE:
            return self._aggregate(node)
        if op is Op.LOGARITHM:
            return self._logarithm(node)
        if node.kids:
            return self._call(node)
        return self._leaf(node), int(op is not Op.NUMBER), 0, NOTHING

    def _leaf(self, node: Node) -> Values:
        if node.op is Op.NUMBER:
            value = exact_value(node)
            assert value is not None
            one, two = self.first.number(value), self.second.number(value)
            ball = self._world.number(value)
            return one, one, two, two, ball, ball
        one, two = self.first.drawn(node.text), self.second.drawn(node.text)
        if node.op is Op.CONSTANT:
            ball = self._world.constant(node.text)
            return one, one, two, two, ball, ball
        if node.op is Op.BOUND:
            moved = f"{node.text} moved"
            nan = self._world.nan
            return one, self.first.drawn(moved), two, self.second.drawn(moved), nan, nan
        scale = self.scales.get(node.text)
        if scale is None:
            raise UnknownNameError(node.text)
        low, high = self._points
        return one, one * scale, two, two * scale, low[node.text], high[node.text]

    def _quotient(self, node: Node) -> Sampled:
        above, below = node.kids
        (a, b, c, d, e, f), degree, calls, keys = self.at(above)
        (g, h, i, j, k, m), more, also, others = self.at(below)
        try:
            values: Values = (a / g, b / h, c / i, d / j, e / k, f / m)
        except ZeroDivisionError as error:
            raise UndefinedError(node) from error
        keys = keys | others | self.demands.nonzero(below)
        return values, degree + more, calls + also, keys

    def _power(self, node: Node) -> Sampled:
        base, exponent = node.kids
        values, degree, calls, keys = self.at(base)
        (g, h, i, j, k, m), more, also, others = self.at(exponent)
        power = self.power(exponent)
        a, b, c, d, e, f = values
        number = exact_value(exponent)
        low, high = self._world.power(e, k, number), self._world.power(f, m, number)
        keys = keys | others | self.demands.of_power(base, exponent)
        if power is not None:
            if power <= 0 and not (a and b and c and d):
                raise UndefinedError(node)
            raised: Values = (a**power, b**power, c**power, d**power, low, high)
            return raised, degree * max(1, abs(power)) + more, calls + also, keys
        one, two = self.first, self.second
        raised = (
            _raised(one, a, g),
            _raised(one, b, h),
            _raised(two, c, i),
            _raised(two, d, j),
            low,
            high,
        )
        return raised, degree + more + 1, calls + also + 1, keys

    def _call(self, node: Node) -> Sampled:
        argument = node.kids[0]
        (a, b, c, d, e, f), degree, calls, keys = self.at(argument)
        name = node.text + _PRIMES[node.op]
        low = self._world.applied(node.op, node.text, e)
        high = self._world.applied(node.op, node.text, f)
        one, two = self.first, self.second
        try:
            values: Values = (
                _applied(one, name, a),
                _applied(one, name, b),
                _applied(two, name, c),
                _applied(two, name, d),
                low,
                high,
            )
        except ZeroDivisionError as error:
            raise UndefinedError(node) from error
        if name in ("ln", "log"):
            keys = keys | self.demands.positive(argument)
        elif name == "sqrt":
            keys = keys | self.demands.not_negative(argument)
        elif name == "tan":
            keys = keys | self.demands.nonzero(Node(Op.CALL, node.kids, "cos"))
        return values, degree + 4, calls + 1, keys

    def _logarithm(self, node: Node) -> Sampled:
        """Sample a logarithm as what it is: the quotient of two natural ones."""
        base, argument = (Node(Op.CALL, (kid,), "ln") for kid in node.kids)
        return self.at(Node(Op.DIVIDE, (argument, base)))

    def _aggregate(self, node: Node) -> Sampled:
        """Sample a sum or a product as a function of its ends and of its body.

        The name that it binds gets a value by how deep it is bound, so that its spelling does not
        matter.
        """
        bound, low, high, body = node.kids
        first, last = self.power(low), self.power(high)
        most = _MOST_NESTED_TERMS if _bindings(body) else _MOST_TERMS
        if first is not None and last is not None and 0 <= last - first < most:
            return self._written_out(node, range(first, last + 1))
        inner = _with_bound(body, bound, Node(Op.BOUND, (), f"#{_bindings(body)}"))
        self.demands.spellings.setdefault(f"#{_bindings(body)}", bound.text)
        parts = [self.at(kid) for kid in (low, high, inner)]
        columns = list(zip(*(values for values, _, _, _ in parts), strict=True))
        one, two = self.first, self.second
        low_ball, high_ball = (self._world.value(node, point) for point in self._points)
        values: Values = (
            one.drawn(node.text, *columns[0]),
            one.drawn(node.text, *columns[1]),
            two.drawn(node.text, *columns[2]),
            two.drawn(node.text, *columns[3]),
            low_ball,
            high_ball,
        )
        degree = sum(part[1] for part in parts) + 1
        calls = sum(part[2] for part in parts) + 1
        return values, degree, calls, parts[0][3] | parts[1][3] | parts[2][3]

    def _written_out(self, node: Node, numbers: range) -> Sampled:
        """Sample a sum or a product of few terms term by term."""
        bound, body = node.kids[0], node.kids[3]
        combine = operator.mul if node.text == "product" else operator.add
        terms = [self.at(_with_bound(body, bound, _integer(number))) for number in numbers]
        values, degree, calls, keys = terms[0]
        for more in terms[1:]:
            values = tuple(map(combine, values, more[0]))
            degree, calls, keys = degree + more[1], calls + more[2], keys | more[3]
        return values, degree, calls, keys


def _integer(number: int) -> Node:
    node = Node(Op.NUMBER, (), str(abs(number)))
    return node if number >= 0 else Node(Op.NEGATE, (node,))


def _bindings(node: Node) -> int:
    """Return how many names are bound inside of each other at most."""
    inner = max(map(_bindings, node.kids), default=0)
    return inner + (node.op is Op.AGGREGATE)


def _with_bound(node: Node, old: Node, new: Node) -> Node:
    """Return the tree with one bound name in place of another, but where it is bound again."""
    if node is old:
        return new
    if not node.kids:
        return node
    kids = [_with_bound(kid, old, new) for kid in node.kids]
    if node.op is Op.AGGREGATE and node.kids[0] is old:
        kids[0], kids[3] = node.kids[0], node.kids[3]
    return Node(node.op, tuple(kids), node.text)


def _raised(field: PrimeField, base: Element, exponent: Element) -> Element:
    """Return the value of a power whose exponent is no integer that the field knows."""
    if base == field.integer(1):
        return base
    return field.drawn("^", base, exponent)


def _applied(field: PrimeField, name: str, argument: Element) -> Element:
    """Return the value of a function at an argument; raises ``ZeroDivisionError`` at a pole."""
    match name:
        case "sin":
            return field.circle(argument)[0]
        case "cos":
            return field.circle(argument)[1]
        case "tan":
            sine, cosine = field.circle(argument)
            return sine / cosine
        case "ln":
            return _logarithm(field, argument)
        case "log":
            return _logarithm(field, argument) / _logarithm(field, field.integer(10))
        case "sqrt":
            half = field.number(Fraction(1, 2))
            return _raised(field, argument, half) if argument else argument
        case "exp":
            power = field.signed(argument)
            base = field.drawn("E")
            small = abs(power) <= LARGEST_POWER
            return base**power if small else _raised(field, base, argument)
        case "abs":
            return _raised(field, argument * argument, field.number(Fraction(1, 2)))
        case _:
            return field.drawn(name, argument)


def _logarithm(field: PrimeField, argument: Element) -> Element:
    if argument == field.integer(1):
        return field.integer(0)
    return field.drawn("ln", argument)


def _small_primes() -> Iterator[Any]:
    """Yield the primes from 2 on."""
    found: list[int] = []
    for number in itertools.count(2):
        if all(number % prime for prime in found):
            found.append(number)
            yield number
