"""Mutants of a formula at an exact distance, each with its chain of steps and its certificate."""

from __future__ import annotations

import random
from dataclasses import dataclass

from codequake.errors import InternalError, UsageError
from codequake.formula.assumptions import Assumption, excludes_zero, nonzero
from codequake.formula.checker import Checker
from codequake.formula.equivalence import Equivalence, Verdict
from codequake.formula.moves import Mode, Move
from codequake.formula.names import Names
from codequake.formula.nodes import Node, Op
from codequake.formula.printer import Spacing, format_contract, format_formula
from codequake.formula.rules import Kind, kind_of, types_for
from codequake.formula.sampling import Chain, Walker, barred_constants
from codequake.formula.strategies import Profile, Strategy, draw_weights

__all__ = ["Mutant", "MutationStep", "Mutations", "Sampler", "mutate"]

_LARGEST_DISTANCE = 12
_TRIES_A_MUTANT = 40
# So many mutants in a row that cannot be confirmed: the formula has no value where we can look.
_HOPELESS = 15


@dataclass(frozen=True, slots=True)
class MutationStep:
    """One step of a chain: the rule, the constant it brought in, and the formula after it.

    ``type`` is the mutation type of the rule; ``renamed`` holds the old and the new name where
    the step gave a variable another name.
    """

    rule: str
    constant: str | None
    text: str
    type: str
    renamed: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutant with its proof.

    ``distance`` is the number of ``steps``; ``proved`` says that no shorter chain exists.
    ``assumptions`` are what the chain rests on; ``equivalence`` is the independent check of the
    mutant against the original under exactly these assumptions, which use the names of the
    original; ``renamed`` (old, new) are the variables that have other names in the mutant.
    """

    formula: Node
    distance: int
    proved: bool
    steps: tuple[MutationStep, ...]
    assumptions: tuple[Assumption, ...]
    equivalence: Equivalence
    renamed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Mutations:
    """What was found at one distance.

    ``exhausted``: it is shown that no more mutants exist at this distance; ``unconfirmed``: how
    many were dropped because the independent check could not confirm them; ``unproved``: how
    often a search for a shorter chain was too large to finish, so that the step was not taken;
    ``inapplicable``: mutation types of the strategy that do not apply to the original.
    """

    formula: Node
    mutants: tuple[Mutant, ...]
    exhausted: bool
    unconfirmed: int
    unproved: int = 0
    inapplicable: tuple[str, ...] = ()


def mutate(
    formula: Node,
    distance: int,
    count: int,
    rng: random.Random,
    *,
    assumptions: tuple[Assumption, ...] = (),
    strict: bool = False,
    mode: Mode = Mode.RELATION,
    strategy: Strategy = Strategy.UNIFORM,
    profile: Profile | None = None,
    free: tuple[str, ...] = (),
    names: Names | None = None,
) -> Mutations:
    """Return up to ``count`` different mutants at exactly ``distance`` steps (0 to 12).

    See ``Sampler``, which is cheaper for several distances of one formula.
    """
    sampler = Sampler(
        formula,
        assumptions=assumptions,
        strict=strict,
        mode=mode,
        strategy=strategy,
        profile=profile,
        free=free,
        names=names,
    )
    return sampler.sample(distance, count, rng)


class Sampler:
    """Draws mutants of one formula.

    A walk draws a mutation type by the weights of ``strategy`` among those that apply, then a
    place and a constant evenly, and keeps a step only if it leads further away by one; so the
    draw is even over types a step, not over formulas.  ``Strategy.NAIVE`` keeps every step, and
    its mutants are marked as not proved; one may even be the original again.  Constants are those
    of the formula and the number 2; in paper mode always 2.

    ``assumptions`` are what is given about the original; with ``strict`` a coefficient is only
    multiplied or divided by if one of them keeps it from 0, without it the mutant carries a new
    assumption.  ``free`` are the names that variables may be renamed to and from (see
    ``free_names``); without them none is renamed.  For ``names`` see ``neighbours``.
    """

    def __init__(
        self,
        formula: Node,
        *,
        assumptions: tuple[Assumption, ...] = (),
        strict: bool = False,
        mode: Mode = Mode.RELATION,
        strategy: Strategy = Strategy.UNIFORM,
        profile: Profile | None = None,
        free: tuple[str, ...] = (),
        names: Names | None = None,
    ) -> None:
        kind = kind_of(formula, names)
        self._formula = formula
        self._kind = kind
        self._given = assumptions
        self._checker = Checker(formula, assumptions, names=names)
        self._proved = strategy is not Strategy.NAIVE
        kept = {node for one in assumptions if (node := excludes_zero(one)) is not None}
        self._walker = Walker(
            formula,
            draw_weights(strategy, types_for(kind), profile),
            mode=mode,
            free=free,
            barred=barred_constants(formula, frozenset(kept)) if strict else frozenset(),
            assured=self._proved,
            kind=kind,
        )

    def sample(self, distance: int, count: int, rng: random.Random) -> Mutations:
        """Return up to ``count`` different mutants at exactly ``distance`` steps (0 to 12).

        Fewer come back when no more exist.  Distance 0 gives the formula itself.  The same
        generator gives the same mutants, whatever was sampled before, and asking for more keeps
        the first ones.  Raises ``UsageError`` for a distance or count out of range, and
        ``FormulaError`` when mutants would be nested too deeply.
        """
        if not 0 <= distance <= _LARGEST_DISTANCE:
            raise UsageError(f"distance is {distance}; allowed: 0 to {_LARGEST_DISTANCE}")
        if count < 0:
            raise UsageError(f"count is {count}; allowed: 0 or more")
        unproved = self._walker.unproved
        found: dict[Node, Mutant | None] = {}
        more, exhausted = self._by_walks(distance, count, rng, found)
        if count and not more and not exhausted:
            exhausted = self._by_enumeration(distance, count, rng, found)
        kept = _kept(found)
        return Mutations(
            self._formula,
            kept[:count],
            exhausted,
            len(found) - len(kept),
            self._walker.unproved - unproved,
            self._walker.inapplicable(),
        )

    def _by_walks(
        self, distance: int, count: int, rng: random.Random, found: dict[Node, Mutant | None]
    ) -> tuple[bool, bool]:
        """Walk until there is one mutant more than asked for; say if so, and if none is left."""
        missed = kept = 0
        while kept <= count and count and missed < _TRIES_A_MUTANT * min(count + 1, 25):
            chain = self._walker.walk(distance, rng)
            if chain is None or chain.formula in found:
                missed += 1
            elif self._add(chain, found):
                kept += 1
            else:
                missed += 1
            if distance == 0:
                return False, bool(kept)
            if (missed >= _TRIES_A_MUTANT and not found) or (not kept and len(found) >= _HOPELESS):
                break
        return kept > count, False

    def _by_enumeration(
        self, distance: int, count: int, rng: random.Random, found: dict[Node, Mutant | None]
    ) -> bool:
        """Add what the walks missed, in random order; say whether nothing is left.

        A formula none of whose mutants can be confirmed is not searched further.
        """
        if len(found) >= _HOPELESS and not _kept(found):
            return False
        chains = self._walker.all_chains(distance)
        if chains is None:
            return False
        rest = [chain for chain in chains if chain.formula not in found]
        rng.shuffle(rest)
        for chain in rest:
            self._add(chain, found)
            if len(_kept(found)) > count:
                return False
        return True

    def _add(self, chain: Chain, found: dict[Node, Mutant | None]) -> bool:
        """Check a mutant and keep it, or remember that it could not be confirmed."""
        added = _added_assumptions(chain.moves)
        renamed = _names_after(chain.moves)
        answer = self._checker.check(chain.formula, added, renamed=dict(renamed) or None)
        if answer.verdict is Verdict.DIFFERENT:
            raise InternalError(
                f"the rules made {format_formula(chain.formula)!r} of "
                f"{format_formula(self._formula)!r}, and the two differ"
            )
        confirmed = answer.verdict is Verdict.EQUIVALENT and not answer.conditions
        found[chain.formula] = None
        if confirmed:
            steps = tuple(_step_of(move, self._kind) for move in chain.moves)
            assumed = tuple(dict.fromkeys((*self._given, *added)))
            found[chain.formula] = Mutant(
                chain.formula, len(steps), self._proved, steps, assumed, answer, renamed
            )
        return confirmed


def _kept(found: dict[Node, Mutant | None]) -> tuple[Mutant, ...]:
    return tuple(mutant for mutant in found.values() if mutant is not None)


def _added_assumptions(moves: tuple[Move, ...]) -> tuple[Assumption, ...]:
    divided = (move.constant for move in moves if move.rule.nonzero)
    names = [one for one in divided if one is not None and one.op is Op.COEFFICIENT]
    return tuple(nonzero(one) for one in dict.fromkeys(names))


def _names_after(moves: tuple[Move, ...]) -> tuple[tuple[str, str], ...]:
    """Return the names of the original that have another name at the end of a chain."""
    now: dict[str, str] = {}
    for move in moves:
        if move.renamed is not None:
            old, new = move.renamed
            first = next((name for name, current in now.items() if current == old), old)
            now[first] = new
    return tuple((old, new) for old, new in now.items() if old != new)


def _step_of(move: Move, kind: Kind) -> MutationStep:
    constant = None if move.constant is None else format_formula(move.constant)
    if kind is Kind.CONTRACT:
        text = format_contract(move.result, Spacing.TIGHT)
    else:
        text = format_formula(move.result)
    return MutationStep(move.rule.id, constant, text, move.rule.type, move.renamed)
