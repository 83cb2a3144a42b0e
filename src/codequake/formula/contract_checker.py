"""Contract formulas are compared by their values in all states of a small scope.

No state that tells two formulas apart is a proof for the scope only; most mistakes in contracts
show in small states, or near the numbers that a formula names, and both are looked at.  Two
formulas also differ where one has a value and the other has none: a guard that stands behind what
it guards is such a mistake.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from codequake.formula.assumptions import Assumption
from codequake.formula.contract_states import (
    LARGEST_VALUE,
    Symbols,
    all_states,
    drawn_states,
    reaching_states,
    scope_of,
    symbols_of,
)
from codequake.formula.contract_values import (
    BOUND_VALUES,
    Reader,
    State,
    UnsupportedError,
    ValueMissingError,
    compile_contract,
)
from codequake.formula.nodes import CONTRACT_OPS, Node, Op, walk
from codequake.formula.printer import format_formula
from codequake.formula.verdicts import Certificate, Equivalence, Verdict
from codequake.formula.witness import Witness

__all__ = ["ContractChecker", "is_contract"]

_MOST_STATES = 20_000
_MOST_QUANTIFIED = 3_000
_DRAWN_STATES = 500
_REACHING_STATES = 500
_REACHING_QUANTIFIED = 60
# How far from 0 quantified names go, by how many stand inside of each other: the body of a
# quantifier is read for each combination.
_REACH = {0: 10**400, 1: 100, 2: 12}
_LEAST_REACH = 5
_FAR = (-(10**9), -(10**6), -(10**3), 10**3, 10**6, 10**9)
_ENGINE = "codequake-formula 2"
_NO_VALUE = object()
_COMPUTED = frozenset(
    {Op.PAREN, Op.NEGATE, Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER, Op.INTEGER_DIVIDE}
)


def is_contract(formula: Node) -> bool:
    """Say whether a formula has what only contracts have."""
    return any(node.op in CONTRACT_OPS for node in walk(formula))


@dataclass(frozen=True, slots=True)
class _States:
    """The states of some names in which all assumptions hold, and the first formula's values."""

    symbols: Symbols
    states: tuple[State, ...]
    values: tuple[object, ...]
    scope: str
    bound: tuple[int, ...]


class ContractChecker:
    """Says of many contract formulas whether they have the same values as the first one."""

    def __init__(
        self,
        first: Node,
        assumptions: tuple[Assumption, ...],
        salt: str,
        integers: frozenset[str] | None = None,
    ) -> None:
        self._integers = integers
        self._first = first
        self._given = assumptions
        self._salt = salt
        self._kept: dict[tuple[object, ...], _States] = {}

    def check(self, second: Node, assumptions: tuple[Assumption, ...]) -> Equivalence:
        """Compare two contract formulas where all assumptions hold."""
        given = tuple(dict.fromkeys((*self._given, *assumptions)))
        try:
            known = self._states(second, given)
            reader = compile_contract(second, bound=known.bound)
        except UnsupportedError as error:
            reason = f"{format_formula(error.node)} has no value in a contract"
            return Equivalence(Verdict.UNKNOWN, _certificate("none", 0), None, (), reason)
        defined, held, unsettled = 0, False, False
        for state, one in zip(known.states, known.values, strict=True):
            two = _value(reader, state)
            if one is _NO_VALUE and two is _NO_VALUE:
                continue
            if one is _NO_VALUE or two is _NO_VALUE or one != two:
                if not self._is_settled(second, state, (one, two)):
                    unsettled = True
                    continue
                witness = _witness(state, one, two)
                certificate = _certificate(known.scope, defined)
                return Equivalence(Verdict.DIFFERENT, certificate, witness, ())
            defined += 1
            held = held or one is not False
        certificate = _certificate(known.scope, defined)
        reason = _doubt(defined, held, unsettled)
        verdict = Verdict.UNKNOWN if reason else Verdict.EQUIVALENT
        return Equivalence(verdict, certificate, None, (), reason)

    def _is_settled(self, second: Node, state: State, found: tuple[object, object]) -> bool:
        """Say whether a difference stays when quantified names go much further.

        ``exists i :: i > n`` holds for each ``n``, and seems not to where ``i`` stops at ``n``.
        """
        depth = max(_nesting(self._first), _nesting(second))
        if not depth:
            return True
        far = 2 * _REACH.get(depth, _LEAST_REACH)
        bound = (*range(-far, far + 1), *_FAR)
        both = (compile_contract(one, bound=bound) for one in (self._first, second))
        return tuple(_value(reader, state) for reader in both) == found

    def _states(self, second: Node, given: tuple[Assumption, ...]) -> _States:
        sides = [side for one in given for side in (one.left, one.right)]
        formulas = (self._first, second, *sides)
        symbols = symbols_of(formulas, self._integers)
        depth = max(_nesting(self._first), _nesting(second))
        numbers = _numbers(formulas, _REACH.get(depth, _LEAST_REACH))
        key = symbols, given, depth, numbers
        if key not in self._kept:
            self._kept[key] = self._new_states(symbols, given, depth, numbers)
        return self._kept[key]

    def _new_states(
        self,
        symbols: Symbols,
        given: tuple[Assumption, ...],
        depth: int,
        numbers: tuple[Fraction, ...],
    ) -> _States:
        scope = scope_of(symbols, _MOST_QUANTIFIED if depth else _MOST_STATES)
        bound = BOUND_VALUES
        if depth and numbers:
            far = int(numbers[-1]) + 2
            bound = tuple(range(min(-far, bound[0]), max(far, bound[-1]) + 1))
        more = 0
        if numbers:
            more = _REACHING_QUANTIFIED if depth else _REACHING_STATES
        conditions = [compile_contract(_condition(one)) for one in given]
        states = tuple(
            state
            for state in (
                *all_states(symbols, scope),
                *drawn_states(symbols, _DRAWN_STATES, self._salt),
                *reaching_states(symbols, numbers, more, self._salt),
            )
            if all(_value(condition, state) is True for condition in conditions)
        )
        reader = compile_contract(self._first, bound=bound)
        values = tuple(_value(reader, state) for state in states)
        text = f"lengths up to {scope.length}, values -{scope.value} to {scope.value}"
        if more:
            text += f", and {more} near {', '.join(map(str, numbers))}"
        return _States(symbols, states, values, text, bound)


def _doubt(defined: int, held: bool, unsettled: bool) -> str:
    """Return why states that show no difference are not enough, or nothing."""
    if not defined:
        return "invalid formula: in no small state do both have a value"
    if unsettled:
        return "the formulas differ only where quantified names stop too early"
    return "" if held else "in no small state does either formula hold"


def _nesting(node: Node) -> int:
    """Return how many quantified names stand inside of each other at most."""
    inner = max(map(_nesting, node.kids), default=0)
    return inner + len(node.kids) - 1 if node.op is Op.QUANTIFIER else inner


def _numbers(formulas: tuple[Node, ...], most: int) -> tuple[Fraction, ...]:
    """Return the constants of formulas that the small states miss, up to ``most`` in size."""
    found: set[Fraction] = set()
    for formula in formulas:
        _closed(formula, found)
    sizes = {abs(one) for one in found}
    return tuple(sorted(x for x in sizes if x <= most and (x > LARGEST_VALUE or 4 % x.denominator)))


def _closed(node: Node, found: set[Fraction]) -> bool:
    """Add the values of the largest parts without names; say whether the whole is such a part."""
    inner = [(kid, _closed(kid, found)) for kid in node.kids]
    if node.op is Op.NUMBER:
        return True
    if inner and node.op in _COMPUTED and all(closed for _, closed in inner):
        return True
    for kid, closed in inner:
        if closed:
            value = _value(compile_contract(kid), {})
            if isinstance(value, int | Fraction):
                found.add(Fraction(value))
    return False


def _condition(one: Assumption) -> Node:
    return Node(Op.RELATION, (one.left, one.right), one.relation.value)


def _value(reader: Reader, state: State) -> object:
    try:
        return reader(state)
    except ValueMissingError:
        return _NO_VALUE


def _certificate(scope: str, states: int) -> Certificate:
    method = f"exhaustive evaluation of small states ({scope}), and of {_DRAWN_STATES} drawn ones"
    return Certificate(method, 0, 0, 0, 0, states, 0, (_ENGINE,))


def _witness(state: State, one: object, two: object) -> Witness:
    point = tuple(sorted((_name(name), _shown(value)) for name, value in state.items()))
    first, second = ("has no value" if x is _NO_VALUE else f"is {_shown(x)}" for x in (one, two))
    return Witness(point, (), f"the first {first}, the second {second}")


def _name(name: str) -> str:
    return f"old({name.removeprefix('old ')})" if name.startswith("old ") else name


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
