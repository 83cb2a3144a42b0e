"""Contract formulas are compared by their values in all states of a small scope.

No state that tells two formulas apart is a proof for the scope only; most mistakes in contracts
show in small states.  Two formulas also differ where one has a value and the other has none: a
guard that stands behind what it guards is such a mistake.
"""

from __future__ import annotations

from dataclasses import dataclass

from codequake.formula.assumptions import Assumption
from codequake.formula.contract_states import (
    Symbols,
    all_states,
    drawn_states,
    scope_of,
    symbols_of,
)
from codequake.formula.contract_values import (
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
_ENGINE = "codequake-formula 2"
_NO_VALUE = object()


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
        self._kept: dict[tuple[Symbols, tuple[Assumption, ...], int], _States] = {}

    def check(self, second: Node, assumptions: tuple[Assumption, ...]) -> Equivalence:
        """Compare two contract formulas where all assumptions hold."""
        given = tuple(dict.fromkeys((*self._given, *assumptions)))
        try:
            known = self._states(second, given)
            reader = compile_contract(second)
        except UnsupportedError as error:
            reason = f"{format_formula(error.node)} has no value in a contract"
            return Equivalence(Verdict.UNKNOWN, _certificate("none", 0), None, (), reason)
        defined = 0
        for state, one in zip(known.states, known.values, strict=True):
            two = _value(reader, state)
            if one is _NO_VALUE and two is _NO_VALUE:
                continue
            if one is _NO_VALUE or two is _NO_VALUE or one != two:
                witness = _witness(state, one, two)
                certificate = _certificate(known.scope, defined)
                return Equivalence(Verdict.DIFFERENT, certificate, witness, ())
            defined += 1
        certificate = _certificate(known.scope, defined)
        if defined or self._first is second:
            return Equivalence(Verdict.EQUIVALENT, certificate, None, ())
        reason = "invalid formula: in no small state do both have a value"
        return Equivalence(Verdict.UNKNOWN, certificate, None, (), reason)

    def _states(self, second: Node, given: tuple[Assumption, ...]) -> _States:
        sides = (side for one in given for side in (one.left, one.right))
        symbols = symbols_of((self._first, second, *sides), self._integers)
        most = _MOST_QUANTIFIED if _is_quantified(self._first, second) else _MOST_STATES
        key = symbols, given, most
        if key not in self._kept:
            self._kept[key] = self._new_states(symbols, given, most)
        return self._kept[key]

    def _new_states(self, symbols: Symbols, given: tuple[Assumption, ...], most: int) -> _States:
        scope = scope_of(symbols, most)
        conditions = [compile_contract(_condition(one)) for one in given]
        states = tuple(
            state
            for state in (
                *all_states(symbols, scope),
                *drawn_states(symbols, _DRAWN_STATES, self._salt),
            )
            if all(_value(condition, state) is True for condition in conditions)
        )
        reader = compile_contract(self._first)
        text = f"lengths up to {scope.length}, values -{scope.value} to {scope.value}"
        return _States(symbols, states, tuple(_value(reader, state) for state in states), text)


def _is_quantified(*formulas: Node) -> bool:
    return any(node.op is Op.QUANTIFIER for one in formulas for node in walk(one))


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
