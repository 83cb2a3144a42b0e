"""Whether a relation or a contract holds for given values of its names."""

from __future__ import annotations

import itertools
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from codequake.formula.evaluation import MOST_TERMS, evaluate
from codequake.formula.faults import FormulaError
from codequake.formula.names import Names
from codequake.formula.nodes import Node, Op

__all__ = ["MOST_BITS", "MOST_STEPS", "SMALL_INTEGERS", "State", "holds", "parse_point"]

SMALL_INTEGERS = range(-8, 9)
"""What a quantifier runs over unless it is told."""

MOST_STEPS = 200_000
"""Terms of sums and cases of quantifiers that one question may take together."""

MOST_BITS = 100_000
"""Bits that an exact number may have."""

State = Mapping[str, Any]
"""Values of names: numbers, truth values, and sequences as tuples (of tuples for a matrix)."""


def holds(
    formula: Node,
    state: State,
    *,
    before: State | None = None,
    integers: Iterable[int] = SMALL_INTEGERS,
) -> bool | None:
    """Say whether a relation, a chain or a contract holds; ``None`` where it is undefined.

    Integers and fractions are computed exactly, ``0.1+0.2=0.3`` holds; functions and floats in
    double precision.  ``&&``, ``||``, ``==>`` and ``if`` do not look at a part that cannot
    matter.  Integers are divided so that the remainder is never negative.  ``before`` is what
    ``old`` speaks of (the same state unless given); quantifiers run over ``integers``, which must
    hold every value that matters, such as all indices.  Raises ``FormulaError`` for a formula
    that is neither true nor false, for a name without a value, for a number of more than
    ``MOST_BITS`` bits and for more than ``MOST_STEPS`` terms and cases.
    """
    run = tuple(integers)
    if len(run) > MOST_TERMS:
        raise FormulaError(f"integers has {len(run)} members; allowed: at most {MOST_TERMS}")
    try:
        value = _Reader(dict(state), dict(state if before is None else before), run).value(formula)
    except (ArithmeticError, IndexError, ValueError) as fault:
        if isinstance(fault, FormulaError):
            raise
        return None
    except TypeError as fault:
        # The grammar cannot tell a row of a matrix from an element; the state can.
        raise FormulaError("a row of a matrix is used as a number, or a number as one") from fault
    if not isinstance(value, bool):
        raise FormulaError("formula is neither true nor false; it has a value")
    return value


_GIVEN = re.compile(r"\s*([A-Za-z0-9_]+)\s*=\s*(\[[^\[\]]*\]|[^,\[\]]+?)\s*(?:,|\Z)")
_NUMBER = re.compile(r"-?[0-9]{1,60}(?:/[0-9]{1,60}|(?:\.[0-9]{1,60})?(?:[eE][-+]?[0-9]{1,2})?)\Z")


def parse_point(texts: Iterable[str], names: Names) -> dict[str, Any]:
    """Return the values of names that texts such as ``a=1,b=2/3`` and ``s=[1,2]`` give.

    Numbers are exact; those of integers and in sequences must be integers.  Raises
    ``FormulaError`` for a name that is not declared or given twice, and for any other value.
    """
    point: dict[str, Any] = {}
    for text in texts:
        at = 0
        while at < len(text):
            match = _GIVEN.match(text, at)
            if match is None:
                raise FormulaError(f"value {text[at : at + 60]!r} is not understood; write a=1,b=2")
            name, value = match.groups()
            if name in point:
                raise FormulaError(f"name {name[:40]!r} has two values")
            point[name] = _given(name, value, names)
            at = match.end()
    return point


def _given(name: str, value: str, names: Names) -> Any:
    if name in names.truths:
        if value not in ("true", "false"):
            raise FormulaError(f"{name} is {value[:40]!r}; allowed: true, false")
        return value == "true"
    if name in names.sequences:
        if not value.startswith("["):
            raise FormulaError(f"{name} is {value[:40]!r}; allowed: integers, as in [1,2]")
        items = [one.strip() for one in value[1:-1].split(",")] if value[1:-1].strip() else []
        return tuple(_number(name, one, integer=True) for one in items)
    if name not in names.coefficients | names.variables:
        raise FormulaError(f"name {name[:40]!r} is given a value and is not declared")
    return _number(name, value, integer=name in names.integers)


def _number(name: str, text: str, *, integer: bool) -> int | Fraction:
    if not _NUMBER.match(text) or re.search(r"/0+\Z", text):
        raise FormulaError(f"{name} is {text[:40]!r}; allowed: a number, as in -1, 0.5 or 2/3")
    value = Fraction(text)
    if integer and value.denominator != 1:
        raise FormulaError(f"{name} is {text[:40]!r}; allowed: an integer")
    return int(value) if integer else value


@dataclass(frozen=True, slots=True)
class _Bag:
    """A sequence without its order."""

    items: frozenset[tuple[Any, int]]

    def __contains__(self, item: object) -> bool:
        return any(item == one for one, _ in self.items)


_TOO_LARGE = f"a number of more than {MOST_BITS} bits comes up; it is not computed exactly"


def _bits(value: Any) -> int:
    if isinstance(value, int | Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length())
    return 0


def _bounded(value: Any) -> Any:
    if _bits(value) > MOST_BITS:
        raise FormulaError(_TOO_LARGE)
    return value


_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class _Reader:
    """Computes values; an undefined one is an error of Python, caught once at the top."""

    def __init__(self, state: dict[str, Any], before: dict[str, Any], run: tuple[int, ...]) -> None:
        self._state = state
        self._before = before
        self._run = run
        self._steps = 0

    def value(self, node: Node) -> Any:
        return _bounded(_READERS[node.op](self, node))

    def step(self) -> None:
        """Count a term of a sum or a case of a quantifier."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise FormulaError(f"formula takes more than {MOST_STEPS} terms or cases here")

    def name(self, node: Node) -> Any:
        if node.text in ("true", "false"):
            return node.text == "true"
        if node.text not in self._state:
            raise FormulaError(f"name {node.text!r} has no value")
        return self._state[node.text]

    def number(self, node: Node) -> Any:
        value = Fraction(node.text)
        return int(value) if value.denominator == 1 else value

    def kids(self, node: Node) -> list[Any]:
        return [self.value(kid) for kid in node.kids]

    def double(self, node: Node) -> float:
        """Apply a function to a value computed here: it may hold what only a contract has."""
        inner = Node(node.op, (*node.kids[:-1], Node(Op.COEFFICIENT, (), "argument")), node.text)
        values = {**self._numbers(), "argument": float(self.value(node.kids[-1]))}
        found = evaluate(inner, values)
        if found is None:
            raise ArithmeticError("undefined")
        return found

    def _numbers(self) -> dict[str, float]:
        return {
            name: float(value)
            for name, value in self._state.items()
            if isinstance(value, int | float | Fraction)
        }

    def aggregate(self, node: Node) -> Any:
        name, low, high, body = node.kids
        first, last = self.value(low), self.value(high)
        if first != int(first) or last != int(last):
            raise ValueError("a bound is no integer")
        total: Any = 0 if node.text == "sum" else 1
        for index in range(int(first), int(last) + 1):
            self.step()
            self._state[name.text] = index
            term = self.value(body)
            total = _bounded(total + term if node.text == "sum" else total * term)
        self._state.pop(name.text, None)
        return total

    def power(self, node: Node) -> Any:
        base, exponent = self.kids(node)
        if exponent == int(exponent) and abs(exponent) <= 64:
            if base == 0 and exponent <= 0:
                raise ZeroDivisionError("0^0")
            if _bits(base) * abs(exponent) > MOST_BITS:
                raise FormulaError(_TOO_LARGE)
            return (
                Fraction(base) ** int(exponent) if isinstance(base, int) else base ** int(exponent)
            )
        found = evaluate(
            Node(Op.POWER, (Node(Op.COEFFICIENT, (), "u"), Node(Op.COEFFICIENT, (), "v"))),
            {"u": float(base), "v": float(exponent)},
        )
        if found is None:
            raise ArithmeticError("undefined")
        return found

    def divide(self, node: Node) -> Any:
        left, right = self.kids(node)
        exact = isinstance(left, int) and isinstance(right, int)
        return Fraction(left, right) if exact else left / right

    def integer_divide(self, node: Node) -> int:
        left, right = self.kids(node)
        remainder = left % abs(right)
        return int((left - remainder) // right)

    def modulo(self, node: Node) -> int:
        left, right = self.kids(node)
        return int(left % abs(right))

    def chain(self, node: Node) -> bool:
        values = self.kids(node)
        signs = node.text.split() or ["="]
        return all(
            _RELATIONS[sign](one, two)
            for sign, (one, two) in zip(signs, itertools.pairwise(values), strict=True)
        )

    def index(self, node: Node) -> Any:
        value, *places = self.kids(node)
        for place in places:
            if place < 0:
                raise IndexError("index below 0")
            value = value[place]
        return value

    def slice(self, node: Node) -> tuple[Any, ...]:
        items, *bounds = self.kids(node)
        low, high = 0, len(items)
        if node.text in ("from", "between"):
            low = bounds[0]
        if node.text in ("to", "between"):
            high = bounds[-1]
        if not 0 <= low <= high <= len(items):
            raise IndexError("slice out of range")
        return tuple(items[low:high])

    def length(self, node: Node) -> int:
        value = self.value(node.kids[0])
        return len(value[0]) if node.text == "Length1" else len(value)

    def view(self, node: Node) -> Any:
        if node.text == "multiset":
            return _Bag(frozenset(Counter(self.value(node.kids[0])).items()))
        # Names that a quantifier binds keep their value inside of old.
        now, self._state = self._state, {**self._state, **self._before}
        value = self.value(node.kids[0])
        self._state = now
        return value

    def member(self, node: Node) -> bool:
        element, items = self.kids(node)
        return (element in items) == (node.text == "in")

    def choice(self, node: Node) -> Any:
        return self.value(node.kids[1 if self.value(node.kids[0]) else 2])

    def quantifier(self, node: Node) -> bool:
        names = [kid.text for kid in node.kids[:-1]]
        outcomes = []
        for values in itertools.product(self._run, repeat=len(names)):
            self.step()
            self._state.update(zip(names, values, strict=True))
            outcomes.append(self.value(node.kids[-1]))
        for name in names:
            self._state.pop(name, None)
        return all(outcomes) if node.text == "forall" else any(outcomes)


def _of_two(combine: Callable[[Any, Any], Any]) -> Callable[[_Reader, Node], Any]:
    return lambda reader, node: combine(*reader.kids(node))


_READERS: dict[Op, Callable[[_Reader, Node], Any]] = {
    Op.NUMBER: _Reader.number,
    Op.COEFFICIENT: _Reader.name,
    Op.VARIABLE: _Reader.name,
    Op.BOUND: _Reader.name,
    Op.BOOLEAN: _Reader.name,
    Op.SEQUENCE: _Reader.name,
    Op.CONSTANT: lambda reader, node: evaluate(node, {}),
    Op.NEGATE: lambda reader, node: -reader.value(node.kids[0]),
    Op.PAREN: lambda reader, node: reader.value(node.kids[0]),
    Op.ADD: _of_two(operator.add),
    Op.SUBTRACT: _of_two(operator.sub),
    Op.MULTIPLY: _of_two(operator.mul),
    Op.DIVIDE: _Reader.divide,
    Op.POWER: _Reader.power,
    Op.CALL: _Reader.double,
    Op.DERIVATIVE: _Reader.double,
    Op.SECOND_DERIVATIVE: _Reader.double,
    Op.LOGARITHM: _Reader.double,
    Op.AGGREGATE: _Reader.aggregate,
    Op.EQUATION: _Reader.chain,
    Op.RELATION: _Reader.chain,
    Op.CHAIN: _Reader.chain,
    Op.INTEGER_DIVIDE: _Reader.integer_divide,
    Op.MODULO: _Reader.modulo,
    Op.INDEX: _Reader.index,
    Op.SLICE: _Reader.slice,
    Op.LENGTH: _Reader.length,
    Op.VIEW: _Reader.view,
    Op.CONDITIONAL: _Reader.choice,
    Op.MEMBER: _Reader.member,
    Op.NOT: lambda reader, node: not reader.value(node.kids[0]),
    Op.AND: lambda reader, node: reader.value(node.kids[0]) and reader.value(node.kids[1]),
    Op.OR: lambda reader, node: reader.value(node.kids[0]) or reader.value(node.kids[1]),
    Op.IMPLIES: lambda reader, node: not reader.value(node.kids[0]) or reader.value(node.kids[1]),
    Op.IFF: _of_two(operator.eq),
    Op.QUANTIFIER: _Reader.quantifier,
}
