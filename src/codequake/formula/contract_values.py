"""Values of contract formulas in one small state: integers, truth values, sequences.

Conditions are read from the left: ``P && Q`` needs no value of ``Q`` where ``P`` is false, and so
for ``||``, ``==>`` and ``if``.  An index outside of a sequence and a division by 0 have no value.
Division rounds so that the remainder is never below 0 (``-7/2`` is -4, ``-7%2`` is 1), as in the
language that the contracts are written in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from codequake.formula.nodes import Node, Op

__all__ = [
    "BOUND_VALUES",
    "Reader",
    "State",
    "UnsupportedError",
    "ValueMissingError",
    "compile_contract",
]

State = dict[str, Any]
"""Values of names; of a sequence as it was before the call under ``old`` and its name."""

Reader = Callable[[State], Any]
"""A compiled formula: a state to a value, or ``ValueMissingError``."""

BOUND_VALUES = tuple(range(-3, 6))
"""What a quantified name takes: every small value and every index, with one beyond."""

_MOST_TERMS = 64
_LARGEST_POWER = 64


class ValueMissingError(Exception):
    """A formula has no value in a state."""


class UnsupportedError(Exception):
    """A formula has a node that has no value over integers; ``node`` is which."""

    def __init__(self, node: Node) -> None:
        self.node = node
        super().__init__(f"{node.op} has no value in a contract")


def compile_contract(
    node: Node, *, old: bool = False, bound: tuple[int, ...] = BOUND_VALUES
) -> Reader:
    """Return the reader of a contract formula; ``old`` reads sequences as before the call.

    ``bound``: the integers that a quantified name takes.
    Raises ``UnsupportedError`` for what has no value over the integers, such as ``sin(x)``.
    """
    kids = tuple(node.kids)
    if node.op is Op.VIEW:
        return _view(node, old, bound)
    if node.op is Op.QUANTIFIER or node.op is Op.AGGREGATE:
        return _binder(node, old, bound)
    inner = tuple(compile_contract(kid, old=old, bound=bound) for kid in kids)
    leaf = _leaf(node, old)
    if leaf is not None:
        return leaf
    for maker in (_lazy, _compared, _arithmetic, _sequence):
        made = maker(node, inner)
        if made is not None:
            return made
    raise UnsupportedError(node)


def _leaf(node: Node, old: bool) -> Reader | None:
    text = node.text
    match node.op:
        case Op.NUMBER:
            number = Fraction(text)
            value = number.numerator if number.denominator == 1 else number
            return lambda state: value
        case Op.BOOLEAN if text in ("true", "false"):
            truth = text == "true"
            return lambda state: truth
        case Op.COEFFICIENT | Op.VARIABLE | Op.BOUND | Op.BOOLEAN:
            return lambda state: state[text]
        case Op.SEQUENCE:
            name = f"old {text}" if old else text
            return lambda state: state[name]
        case _:
            return None


def _view(node: Node, old: bool, bound: tuple[int, ...]) -> Reader:
    if node.text == "old":
        return compile_contract(node.kids[0], old=True, bound=bound)
    inner = compile_contract(node.kids[0], old=old, bound=bound)
    return lambda state: Counter(inner(state))


def _binder(node: Node, old: bool, bound: tuple[int, ...]) -> Reader:
    body = compile_contract(node.kids[-1], old=old, bound=bound)
    if node.op is Op.AGGREGATE:
        low, high = (compile_contract(kid, old=old, bound=bound) for kid in node.kids[1:3])
        return _total(node.kids[0].text, low, high, body, product=node.text == "product")
    names = [kid.text for kid in node.kids[:-1]]
    every = node.text == "forall"

    def quantified(state: State, left: int = 0) -> bool:
        if left == len(names):
            return bool(body(state))
        # No value for one number is none for the whole, so all are looked at.
        found = [quantified({**state, names[left]: value}, left + 1) for value in bound]
        return all(found) if every else any(found)

    return quantified


def _total(name: str, low: Reader, high: Reader, body: Reader, *, product: bool) -> Reader:
    def total(state: State) -> Any:
        first, last = low(state), high(state)
        if last - first > _MOST_TERMS or first != int(first):
            raise ValueMissingError
        value: Any = int(product)
        for number in range(int(first), int(last) + 1):
            term = body({**state, name: number})
            value = value * term if product else value + term
        return value

    return total


def _lazy(node: Node, kids: tuple[Reader, ...]) -> Reader | None:
    """Return the reader of a condition that may not need all of its parts."""
    match node.op:
        case Op.PAREN:
            return kids[0]
        case Op.NOT:
            return lambda state: not kids[0](state)
        case Op.AND:
            return lambda state: kids[0](state) and kids[1](state)
        case Op.OR:
            return lambda state: kids[0](state) or kids[1](state)
        case Op.IMPLIES:
            return lambda state: not kids[0](state) or kids[1](state)
        case Op.CONDITIONAL:
            return lambda state: kids[1](state) if kids[0](state) else kids[2](state)
        case _:
            return None


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda one, two: one < two,
    "<=": lambda one, two: one <= two,
    ">": lambda one, two: one > two,
    ">=": lambda one, two: one >= two,
    "=": lambda one, two: one == two,
    "==": lambda one, two: one == two,
    "!=": lambda one, two: one != two,
}


def _compared(node: Node, kids: tuple[Reader, ...]) -> Reader | None:
    match node.op:
        case Op.EQUATION | Op.IFF:
            return lambda state: kids[0](state) == kids[1](state)
        case Op.RELATION | Op.CHAIN:
            relations = [_COMPARE[word] for word in node.text.split()]
            return _chain(relations, kids)
        case Op.MEMBER:
            inside = node.text == "in"
            return lambda state: (kids[0](state) in kids[1](state)) is inside
        case _:
            return None


def _chain(relations: list[Callable[[Any, Any], bool]], kids: tuple[Reader, ...]) -> Reader:
    def holds(state: State) -> bool:
        left = kids[0](state)
        for relation, kid in zip(relations, kids[1:], strict=True):
            # A chain is a conjunction, so a later side may have no value once it has failed.
            right = kid(state)
            if not relation(left, right):
                return False
            left = right
        return True

    return holds


def _arithmetic(node: Node, kids: tuple[Reader, ...]) -> Reader | None:
    match node.op:
        case Op.NEGATE:
            return lambda state: -kids[0](state)
        case Op.ADD:
            return lambda state: kids[0](state) + kids[1](state)
        case Op.SUBTRACT:
            return lambda state: kids[0](state) - kids[1](state)
        case Op.MULTIPLY:
            return lambda state: kids[0](state) * kids[1](state)
        case Op.DIVIDE:
            return _divided(kids, lambda one, two: Fraction(one) / two)
        case Op.INTEGER_DIVIDE:
            return _divided(kids, lambda one, two: (one - one % abs(two)) // two)
        case Op.MODULO:
            return _divided(kids, lambda one, two: one % abs(two))
        case Op.POWER:
            return lambda state: _power(kids[0](state), kids[1](state))
        case Op.CALL if node.text == "abs":
            return lambda state: abs(kids[0](state))
        case _:
            return None


def _divided(kids: tuple[Reader, ...], divide: Callable[[Any, Any], Any]) -> Reader:
    def divided(state: State) -> Any:
        above, below = kids[0](state), kids[1](state)
        if not below:
            raise ValueMissingError
        return divide(above, below)

    return divided


def _power(base: Any, exponent: Any) -> Any:
    whole = exponent == int(exponent) and abs(exponent) <= _LARGEST_POWER
    if not whole or (not base and exponent <= 0):
        raise ValueMissingError
    return Fraction(base) ** int(exponent)


def _sequence(node: Node, kids: tuple[Reader, ...]) -> Reader | None:
    match node.op:
        case Op.INDEX:
            return _indexed(kids)
        case Op.SLICE:
            return _sliced(node.text, kids)
        case Op.LENGTH if node.text == "Length1":
            return lambda state: len(kids[0](state)[0]) if kids[0](state) else 0
        case Op.LENGTH:
            return lambda state: len(kids[0](state))
        case _:
            return None


def _indexed(kids: tuple[Reader, ...]) -> Reader:
    def indexed(state: State) -> Any:
        value = kids[0](state)
        for kid in kids[1:]:
            place = kid(state)
            if isinstance(value, Counter):
                value = value[place]
                continue
            if place != int(place) or not 0 <= place < len(value):
                raise ValueMissingError
            value = value[int(place)]
        return value

    return indexed


def _sliced(text: str, kids: tuple[Reader, ...]) -> Reader:
    def sliced(state: State) -> Any:
        value = kids[0](state)
        ends = [kid(state) for kid in kids[1:]]
        low = ends[0] if text in ("from", "between") else 0
        high = ends[-1] if text in ("to", "between") else len(value)
        if not 0 <= low <= high <= len(value) or not _whole(ends):
            raise ValueMissingError
        return value[int(low) : int(high)]

    return sliced


def _whole(values: Iterable[Any]) -> bool:
    return all(value == int(value) for value in values)
