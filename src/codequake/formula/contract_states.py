"""Small states of the names of contracts: all of a scope, and some drawn beyond it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from codequake.formula.contract_values import State
from codequake.formula.field import drawn_integer
from codequake.formula.nodes import Node, Op, walk

__all__ = [
    "Scope",
    "Symbols",
    "all_states",
    "count_states",
    "drawn_states",
    "reaching_states",
    "scope_of",
    "symbols_of",
]

MOST_LENGTH = 4
LARGEST_VALUE = 3
LONGEST_REACH = 40
_HALVES = (Fraction(1, 2), Fraction(-1, 2))


@dataclass(frozen=True, slots=True)
class Symbols:
    """What a state has values for.

    ``sequences``: names with their rank, 1 or 2; those in ``old`` also have a value of before the
    call, of the same length.
    """

    integers: tuple[str, ...]
    reals: tuple[str, ...]
    truths: tuple[str, ...]
    sequences: tuple[tuple[str, int], ...]
    old: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scope:
    """Lengths up to ``length`` (2 for each side of a table), values up to ``value`` in size."""

    length: int
    value: int


def symbols_of(formulas: Iterable[Node], integers: frozenset[str] | None) -> Symbols:
    """Return the free names of contract formulas, sorted.

    ``integers``: which names have integers as values, ``None`` for all.
    """
    numbers: set[str] = set()
    truths: set[str] = set()
    ranks: dict[str, int] = {}
    old: set[str] = set()
    for formula in formulas:
        numbers |= _free(formula, frozenset())
        for node in walk(formula):
            if node.op is Op.BOOLEAN and node.text not in ("true", "false"):
                truths.add(node.text)
            if node.op is Op.SEQUENCE:
                ranks.setdefault(node.text, 1)
            if node.op is Op.VIEW and node.text == "old":
                old |= {item.text for item in walk(node) if item.op is Op.SEQUENCE}
            if _is_table(node):
                inner = node.kids[0]
                while inner.kids:
                    inner = inner.kids[0]
                ranks[inner.text] = 2
    sequences = tuple(sorted(ranks.items()))
    whole = numbers if integers is None else numbers & integers
    return Symbols(
        tuple(sorted(whole)),
        tuple(sorted(numbers - whole)),
        tuple(sorted(truths)),
        sequences,
        frozenset(old),
    )


def _free(node: Node, bound: frozenset[str]) -> set[str]:
    if node.op in (Op.COEFFICIENT, Op.VARIABLE):
        return set() if node.text in bound else {node.text}
    if node.op is Op.QUANTIFIER:
        names = bound | {kid.text for kid in node.kids[:-1]}
        return _free(node.kids[-1], names)
    return set().union(*(_free(kid, bound) for kid in node.kids)) if node.kids else set()


def _is_table(node: Node) -> bool:
    """Say whether a node takes a row of a sequence, or two indices at once."""
    if node.op is Op.INDEX:
        base = node.kids[0]
        while base.op in (Op.PAREN, Op.VIEW) and base.text != "multiset":
            base = base.kids[0]
        return len(node.kids) == 3 or base.op is Op.INDEX
    if node.op is Op.LENGTH:
        return node.text in ("Length0", "Length1") or node.kids[0].op is Op.INDEX
    return False


def scope_of(symbols: Symbols, most: int) -> Scope:
    """Return the largest scope with at most ``most`` states, the smallest if none has so few."""
    scopes = [
        Scope(length, value)
        for value in range(LARGEST_VALUE, 0, -1)
        for length in range(MOST_LENGTH, 0, -1)
    ]
    # Long sequences of few values say more than short ones of many.
    scopes.sort(key=lambda scope: (scope.length + scope.value, scope.length), reverse=True)
    return next((scope for scope in scopes if count_states(symbols, scope) <= most), Scope(1, 1))


def count_states(symbols: Symbols, scope: Scope) -> int:
    """Return how many states a scope has."""
    values = 2 * scope.value + 1
    count: int = values ** len(symbols.integers) * 2 ** len(symbols.truths)
    count *= (values + len(_HALVES)) ** len(symbols.reals)
    for name, rank in symbols.sequences:
        copies = 2 if name in symbols.old else 1
        count *= sum(values ** (copies * math.prod(shape)) for shape in _shapes(rank, scope))
    return count


def all_states(symbols: Symbols, scope: Scope) -> Iterator[State]:
    """Yield every state of a scope, small ones first."""
    values = sorted(range(-scope.value, scope.value + 1), key=abs)
    choices: list[list[dict[str, Any]]] = [
        [{name: value} for value in values] for name in symbols.integers
    ]
    choices += [[{name: value} for value in (*values, *_HALVES)] for name in symbols.reals]
    choices += [[{name: False}, {name: True}] for name in symbols.truths]
    for name, rank in symbols.sequences:
        choices.append(
            [
                filled
                for shape in _shapes(rank, scope)
                for filled in _filled(name, shape, values, name in symbols.old)
            ]
        )
    for chosen in itertools.product(*choices):
        state: State = {}
        for part in chosen:
            state |= part
        yield state


def drawn_states(symbols: Symbols, count: int, salt: str) -> Iterator[State]:
    """Yield random states of the full scope: lengths up to 4, values -3 to 3."""
    width = 2 * LARGEST_VALUE + 1
    scope = Scope(MOST_LENGTH, LARGEST_VALUE)
    for number in range(count):
        state: State = {}
        for name in symbols.integers:
            drawn = drawn_integer("state", salt, number, name)
            state[name] = drawn % (width + 2) - LARGEST_VALUE
        for name in symbols.reals:
            drawn = drawn_integer("state", salt, number, name)
            state[name] = Fraction(drawn % (4 * width) - 2 * width, 4)
        for name in symbols.truths:
            state[name] = bool(drawn_integer("state", salt, number, name) % 2)
        for name, rank in symbols.sequences:
            shapes = _shapes(rank, scope)
            shape = shapes[drawn_integer("shape", salt, number, name) % len(shapes)]
            for full in (name, f"old {name}") if name in symbols.old else (name,):
                flat = [
                    drawn_integer("item", salt, number, full, place) % width - LARGEST_VALUE
                    for place in range(math.prod(shape))
                ]
                state[full] = _shaped(flat, shape)
        yield state


def reaching_states(
    symbols: Symbols, numbers: tuple[Fraction, ...], count: int, salt: str
) -> Iterator[State]:
    """Yield random states around numbers of the formulas, which lie outside of the full scope.

    ``n > 100`` and ``n > 101`` agree in every small state.  Values are small ones, the numbers,
    their neighbours, roots and opposites; so are the lengths of sequences, up to 40.
    """
    floors = [math.floor(one) for one in numbers]
    near = [x for one in floors for x in (one - 1, one, one + 1, math.isqrt(one))]
    small = range(-LARGEST_VALUE, LARGEST_VALUE + 1)
    values = sorted({*small, *near, *(-one for one in near)})
    lengths = sorted({*range(MOST_LENGTH + 1), *(x for x in near if 0 <= x <= LONGEST_REACH)})

    def drawn(*key: object) -> int:
        # Every second value is one near a number: there may be few of these among many.
        pool = near if drawn_integer("near", salt, *key) % 2 else values
        return pool[drawn_integer("reach", salt, *key) % len(pool)]

    def real(*key: object) -> Fraction:
        if drawn_integer("exact", salt, *key) % 2:
            one = numbers[drawn_integer("number", salt, *key) % len(numbers)]
            return -one if drawn_integer("sign", salt, *key) % 2 else one
        return Fraction(drawn(*key))

    for number in range(count):
        state: State = {name: drawn(number, name) for name in symbols.integers}
        state |= {name: real(number, name) for name in symbols.reals}
        for name in symbols.truths:
            state[name] = bool(drawn_integer("reach", salt, number, name) % 2)
        for name, rank in symbols.sequences:
            shapes = _shapes(rank, Scope(MOST_LENGTH, LARGEST_VALUE))
            if rank == 1:
                shapes = [(length,) for length in lengths]
            shape = shapes[drawn_integer("length", salt, number, name) % len(shapes)]
            for full in (name, f"old {name}") if name in symbols.old else (name,):
                places = range(math.prod(shape))
                state[full] = _shaped([drawn(number, full, place) for place in places], shape)
        yield state


def _shapes(rank: int, scope: Scope) -> list[tuple[int, ...]]:
    if rank == 1:
        return [(length,) for length in range(scope.length + 1)]
    side = range(min(2, scope.length) + 1)
    return [shape for shape in itertools.product(side, side) if all(shape) or not any(shape)]


def _filled(
    name: str, shape: tuple[int, ...], values: list[int], old: bool
) -> Iterator[dict[str, Any]]:
    count = math.prod(shape)
    for flat in itertools.product(values, repeat=count * (2 if old else 1)):
        found = {name: _shaped(flat[:count], shape)}
        if old:
            found[f"old {name}"] = _shaped(flat[count:], shape)
        yield found


def _shaped(flat: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    if len(shape) == 1:
        return tuple(flat)
    rows, columns = shape
    return tuple(tuple(flat[row * columns : (row + 1) * columns]) for row in range(rows))
