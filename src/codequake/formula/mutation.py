"""Mutants of a formula at an exact distance, each with its chain of steps and its certificate."""

from __future__ import annotations

import random
from dataclasses import dataclass

from codequake.errors import InternalError, UsageError
from codequake.formula.assumptions import Assumption, excludes_zero, nonzero
from codequake.formula.equivalence import Equivalence, Verdict, equivalent
from codequake.formula.nodes import ONE, Node, Op, constants_of
from codequake.formula.printer import format_formula
from codequake.formula.space import (
    Ball,
    Move,
    ball_of,
    default_pool,
    distance_in,
    neighbours,
)

__all__ = ["Mutant", "MutationStep", "Mutations", "mutate"]

_LARGEST_DISTANCE = 12
_ENUMERABLE = 2
_TRIES_A_MUTANT = 40
# So many mutants in a row that cannot be confirmed: the formula has no value where we can look.
_HOPELESS = 15


@dataclass(frozen=True, slots=True)
class MutationStep:
    """One step of a chain: the rule, the constant it brought in, and the formula after it."""

    rule: str
    constant: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutant with its proof.

    ``distance`` is the number of ``steps``; ``proved`` says that no shorter chain exists.
    ``assumptions`` are what the chain rests on; ``equivalence`` is the independent check of the
    mutant against the original under exactly these assumptions.
    """

    formula: Node
    distance: int
    proved: bool
    steps: tuple[MutationStep, ...]
    assumptions: tuple[Assumption, ...]
    equivalence: Equivalence


@dataclass(frozen=True, slots=True)
class Mutations:
    """What ``mutate`` found.

    ``exhausted``: there are no more mutants at this distance; ``unconfirmed``: how many were
    dropped because the independent check could not confirm them.
    """

    formula: Node
    mutants: tuple[Mutant, ...]
    exhausted: bool
    unconfirmed: int


@dataclass(frozen=True, slots=True)
class _Chain:
    """A walk so far: every prefix of it is a shortest chain."""

    formula: Node
    moves: tuple[Move, ...]


def mutate(
    formula: Node,
    distance: int,
    count: int,
    rng: random.Random,
    *,
    assumptions: tuple[Assumption, ...] = (),
    strict: bool = False,
) -> Mutations:
    """Return up to ``count`` different mutants at exactly ``distance`` steps (0 to 12).

    A walk draws a rule evenly among those that apply, then a place and a constant, and keeps a
    step only if it leads further away by one; so the draw is even over rules, not over formulas.
    Constants are those of the formula and the number 2.  ``assumptions`` are what is given about
    the original; with ``strict`` a coefficient is only multiplied or divided by if one of them
    keeps it from 0, without it the mutant carries a new assumption.  Fewer mutants come back when
    no more exist.  Distance 0 gives the formula itself.

    Raises ``UsageError`` for a distance or count out of range, and ``FormulaError`` when mutants
    would be nested too deeply.
    """
    if not 0 <= distance <= _LARGEST_DISTANCE:
        raise UsageError(f"distance is {distance}; allowed: 0 to {_LARGEST_DISTANCE}")
    if count < 0:
        raise UsageError(f"count is {count}; allowed: 0 or more")
    search = _Search(formula, assumptions, rng, strict=strict)
    return search.run(distance, count)


class _Search:
    """The state of one call: the ball around the original and the mutants found so far."""

    def __init__(
        self,
        formula: Node,
        assumptions: tuple[Assumption, ...],
        rng: random.Random,
        *,
        strict: bool,
    ) -> None:
        self._formula = formula
        self._given = assumptions
        self._rng = rng
        self._pool = default_pool(formula)
        free = {node.text for one in assumptions if (node := excludes_zero(one)) is not None}
        self._barred = {
            node
            for node in self._pool
            if strict and node.op is Op.COEFFICIENT and node.text not in free
        }
        # 1 can stand for I in another chain to the same formula, so the proof must know it.
        proof_pool = dict.fromkeys((*self._pool, *constants_of(formula), ONE))
        self._ball: Ball = ball_of(formula, tuple(proof_pool), 1)
        self._found: dict[Node, Mutant | None] = {}
        self._moves: dict[Node, list[list[Move]]] = {}

    def run(self, distance: int, count: int) -> Mutations:
        exhausted = self._sample(distance, count)
        kept = self._kept()
        if kept and not exhausted and len(kept) < count and distance <= _ENUMERABLE:
            exhausted = self._enumerate(distance, count)
            kept = self._kept()
        return Mutations(self._formula, kept, exhausted, len(self._found) - len(kept))

    def _kept(self) -> tuple[Mutant, ...]:
        return tuple(mutant for mutant in self._found.values() if mutant is not None)

    def _sample(self, distance: int, count: int) -> bool:
        """Walk until there are enough mutants; return whether the space is exhausted."""
        missed = 0
        while len(self._kept()) < count and missed < _TRIES_A_MUTANT * (count + 1):
            chain = self._walk(distance)
            if chain is not None and chain.formula not in self._found:
                missed += not self._add(chain)
            else:
                missed += 1
            if distance == 0 or (missed >= _TRIES_A_MUTANT and not self._found):
                break
            if not self._kept() and len(self._found) >= _HOPELESS:
                break
        return distance == 0 and bool(self._found)

    def _walk(self, distance: int) -> _Chain | None:
        chain = _Chain(self._formula, ())
        for step in range(1, distance + 1):
            grouped = self._grouped(chain.formula)
            for _ in range(_TRIES_A_MUTANT):
                if not grouped:
                    return None
                move = self._rng.choice(self._rng.choice(grouped))
                if self._is_at(move.result, step):
                    chain = _Chain(move.result, (*chain.moves, move))
                    break
            else:
                return None
        return chain

    def _is_at(self, formula: Node, distance: int) -> bool:
        answer = distance_in(self._ball, formula, distance)
        return answer.proved and answer.value == distance

    def _grouped(self, formula: Node) -> list[list[Move]]:
        """Return the allowed moves of a formula, one list a rule."""
        if formula not in self._moves:
            groups: dict[str, list[Move]] = {}
            for move in neighbours(formula, self._pool):
                if not (move.rule.nonzero and move.constant in self._barred):
                    groups.setdefault(move.rule.id, []).append(move)
            self._moves[formula] = list(groups.values())
        return self._moves[formula]

    def _enumerate(self, distance: int, count: int) -> bool:
        """Go through all chains of this length in random order; return whether none is left."""
        chains = [_Chain(self._formula, ())]
        for step in range(1, distance + 1):
            grown: dict[Node, _Chain] = {}
            for chain in chains:
                for move in (move for group in self._grouped(chain.formula) for move in group):
                    if move.result not in grown and self._is_at(move.result, step):
                        grown[move.result] = _Chain(move.result, (*chain.moves, move))
            chains = list(grown.values())
        self._rng.shuffle(chains)
        for chain in chains:
            if len(self._kept()) >= count:
                return all(one.formula in self._found for one in chains)
            if chain.formula not in self._found:
                self._add(chain)
        return True

    def _add(self, chain: _Chain) -> bool:
        """Check a mutant and keep it, or remember that it could not be confirmed."""
        added = tuple(
            dict.fromkeys(
                nonzero(move.constant)
                for move in chain.moves
                if move.rule.nonzero
                and move.constant is not None
                and move.constant.op is Op.COEFFICIENT
            )
        )
        assumed = tuple(dict.fromkeys((*self._given, *added)))
        answer = equivalent(self._formula, chain.formula, assumed)
        if answer.verdict is Verdict.DIFFERENT:
            raise InternalError(
                f"the rules made {format_formula(chain.formula)!r} of "
                f"{format_formula(self._formula)!r}, and the two differ"
            )
        confirmed = answer.verdict is Verdict.EQUIVALENT and not answer.conditions
        steps = tuple(
            MutationStep(
                move.rule.id,
                None if move.constant is None else format_formula(move.constant),
                format_formula(move.result),
            )
            for move in chain.moves
        )
        self._found[chain.formula] = (
            Mutant(chain.formula, len(steps), True, steps, assumed, answer) if confirmed else None
        )
        return confirmed
