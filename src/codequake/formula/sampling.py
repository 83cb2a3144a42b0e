"""Walks through the space of mutants, each step proved to lead further away.

Every beginning of a shortest chain is a shortest chain, so a walk that keeps a step only if the
formula is then further from the original reaches every mutant.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from codequake.formula.moves import (
    TWO,
    Mode,
    Move,
    Moves,
    Place,
    Places,
    default_pool,
    move_of,
)
from codequake.formula.nodes import ONE, Node, Op, constants_of
from codequake.formula.rules import Kind, Rule, needs_constant, rules_for
from codequake.formula.space import Ball, ball_of, distance_in, usual_radius

__all__ = ["Chain", "Walker", "barred_constants"]

_TRIES_A_STEP = 40
_MOST_ENUMERATED = 20_000


@dataclass(frozen=True, slots=True)
class Chain:
    """A walk from the original: the formula at its end and the moves that led there."""

    formula: Node
    moves: tuple[Move, ...]


class Walker:
    """Walks from one formula.

    ``weights`` are those of the mutation types; a type without one is never drawn.  ``barred``
    are constants that must not multiply or divide.  With ``assured`` every formula of a walk is
    proved to be as far away as the walk is long.
    """

    def __init__(
        self,
        formula: Node,
        weights: Mapping[str, float],
        *,
        mode: Mode,
        free: tuple[str, ...],
        barred: frozenset[Node],
        assured: bool,
        kind: Kind,
    ) -> None:
        self._formula = formula
        self._weights = weights
        self._pool = default_pool(formula)
        self._assured = assured
        pools = (TWO,) if mode is Mode.PAPER else self._pool
        self._choices: dict[str, tuple[Node | None, ...]] = {
            rule.id: tuple(one for one in pools if _may_use(rule, one, barred, formula))
            if needs_constant(rule)
            else (None,)
            for rule in rules_for(kind)
        }
        self._moves = Moves(kind, mode, free)
        # 1 can stand for I in another chain to the same formula, so the proof must know it.
        pool = tuple(dict.fromkeys((*self._pool, *constants_of(formula), ONE)))
        self._ball: Ball = ball_of(
            formula, pool, usual_radius(formula) if assured else 0, self._moves
        )
        self._first: dict[str, list[Places]] = {}
        self._first = self._places(formula)
        self._far: dict[tuple[Node, int], bool] = {}
        self.unproved = 0
        """How many steps were given up because a search was too large to prove anything."""

    def inapplicable(self) -> tuple[str, ...]:
        """Return the types with a weight that do not apply to the formula itself."""
        return tuple(name for name in self._weights if name not in self._first)

    def walk(self, distance: int, rng: random.Random) -> Chain | None:
        """Return a walk of this many steps, or ``None`` when it came to a dead end."""
        chain = Chain(self._formula, ())
        for step in range(1, distance + 1):
            places = self._places(chain.formula)
            types = list(places)
            summed = list(accumulate(self._weights[name] for name in types))
            for _ in range(_TRIES_A_STEP):
                if not types:
                    return None
                (name,) = rng.choices(types, cum_weights=summed)
                move = move_of(chain.formula, self._draw(places[name], rng))
                if self._is_at(move.result, step):
                    chain = Chain(move.result, (*chain.moves, move))
                    break
            else:
                return None
        return chain

    def _draw(self, groups: list[Places], rng: random.Random) -> Place:
        """Draw one place of a type evenly, and a constant where its rule needs one."""
        number = rng.randrange(sum(len(group.sites) for group in groups))
        for group in groups:
            if number < len(group.sites):
                break
            number -= len(group.sites)
        constants = self._constants(group.rule)
        path, node = group.sites[number]
        return Place(group.rule, path, node, rng.choice(constants), group.renamed)

    def all_chains(self, distance: int) -> tuple[Chain, ...] | None:
        """Return one chain to every formula that a walk can reach, in a fixed order.

        ``None`` when there are too many to look at, or when one could not be placed.
        """
        chains = [Chain(self._formula, ())]
        looked_at = 0
        unproved = self.unproved
        for step in range(1, distance + 1):
            grown: dict[Node, Chain] = {}
            for chain in chains:
                for move in self._all_moves(chain.formula):
                    if move.result in grown:
                        continue
                    looked_at += 1
                    if looked_at > _MOST_ENUMERATED or self.unproved > unproved:
                        return None
                    if self._is_at(move.result, step):
                        grown[move.result] = Chain(move.result, (*chain.moves, move))
            chains = list(grown.values())
        return tuple(chains)

    def _all_moves(self, formula: Node) -> Iterator[Move]:
        for groups in self._places(formula).values():
            for group in groups:
                for path, node in group.sites:
                    for constant in self._constants(group.rule):
                        place = Place(group.rule, path, node, constant, group.renamed)
                        yield move_of(formula, place)

    def _places(self, formula: Node) -> dict[str, list[Places]]:
        """Return the places that a walk may choose, of types with a weight."""
        if formula is self._formula and self._first:
            return self._first
        return {
            name: groups
            for name, groups in self._moves.places(formula).items()
            if name in self._weights and self._constants(groups[0].rule)
        }

    def _constants(self, rule: Rule) -> tuple[Node | None, ...]:
        """Return what may take the place of ``I`` in a rule: ``None`` in one without."""
        return self._choices[rule.id]

    def _is_at(self, formula: Node, step: int) -> bool:
        """Say whether no chain shorter than ``step`` leads to a formula that one of it does."""
        if not self._assured:
            return True
        key = (formula, step)
        known = self._far.get(key)
        if known is None:
            closer = distance_in(self._ball, formula, step - 1)
            self.unproved += not closer.proved
            known = closer.proved and closer.value is None
            self._far[key] = known
        return known


def _may_use(rule: Rule, constant: Node, barred: frozenset[Node], formula: Node) -> bool:
    # Only a number is known to be positive, which is what keeps an inequality as it is.
    numbers = rule.numbers or (rule.nonzero and formula.op is Op.RELATION)
    if numbers and constant.op is not Op.NUMBER:
        return False
    return not (rule.nonzero and constant in barred)


def barred_constants(formula: Node, free: frozenset[Node]) -> frozenset[Node]:
    """Return the coefficients of a formula that may be 0, by which a walk must not divide."""
    return frozenset(
        node for node in constants_of(formula) if node.op is Op.COEFFICIENT and node not in free
    )
