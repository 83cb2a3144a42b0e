"""Exact distances between formulas, proved by meeting in the middle.

A ball around the original, one step wide, is met by a search backwards from the mutant with the
inverse of every rule.  Inverses delete, so there are few of them, and a search that finds no path
of fewer steps is a proof that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

from codequake.errors import InternalError
from codequake.formula.bounds import ConstantCount
from codequake.formula.moves import Mode, Moves
from codequake.formula.names import Names
from codequake.formula.nodes import Node, constants_of
from codequake.formula.printer import size_of
from codequake.formula.rules import kind_of

__all__ = ["Ball", "Distance", "ball_of", "distance", "distance_in", "usual_radius"]

MAX_VISITED = 200_000
"""Predecessors that one search may visit before it answers "not proved"."""

# Formulas of the usual size are far below; a large one has thousands of neighbours of its size.
_MAX_SYMBOLS_VISITED = 6_000_000
_LARGEST_WITH_BALL = 300


@dataclass(frozen=True, slots=True)
class Distance:
    """An answer about a distance.

    ``value``: steps of the shortest chain from the first formula to the second, ``None`` when no
    chain of at most ``limit`` steps was found.  ``proved``: nothing was left out of the search,
    so that no shorter chain (or no chain within the limit) exists.
    """

    value: int | None
    proved: bool
    limit: int


@dataclass(frozen=True, slots=True)
class Ball:
    """All formulas within ``radius`` steps of ``centre`` that use no constant outside ``pool``.

    ``steps`` maps each to its distance.  ``moves`` says which moves count as one step, and
    ``counts`` what a search need not look at.
    """

    centre: Node
    pool: frozenset[Node]
    radius: int
    steps: dict[Node, int]
    moves: Moves
    counts: ConstantCount


def ball_of(
    centre: Node, pool: tuple[Node, ...], radius: int = 1, moves: Moves | None = None
) -> Ball:
    """Return the ball around a formula; ``radius`` is 0, 1 or 2 (it grows a hundredfold a step)."""
    moves = Moves(kind_of(centre)) if moves is None else moves
    steps = {centre: 0}
    shell = [centre]
    for step in range(1, radius + 1):
        grown = []
        for formula in shell:
            for move in moves.neighbours(formula, pool):
                if move.result not in steps:
                    steps[move.result] = step
                    grown.append(move.result)
        shell = grown
    return Ball(centre, frozenset(pool), radius, steps, moves, ConstantCount(centre, pool))


def usual_radius(centre: Node) -> int:
    """Return the radius of the ball that pays: 1, but 0 around a very large formula."""
    return 1 if size_of(centre) <= _LARGEST_WITH_BALL else 0


def distance(
    start: Node,
    goal: Node,
    max_d: int = 5,
    *,
    mode: Mode = Mode.RELATION,
    free: tuple[str, ...] = (),
    names: Names | None = None,
) -> Distance:
    """Return the number of steps of the shortest chain of rules from ``start`` to ``goal``.

    Chains have a direction: from an original to its mutant.  Every constant may take the place
    of ``I`` (in paper mode only 2); since no rule loses a symbol, only those that stand in
    ``goal`` can matter.  For ``free`` and
    ``names`` see ``neighbours``.
    """
    moves = Moves(kind_of(start, names), mode, free)
    radius = min(usual_radius(start), max(max_d, 0))
    ball = ball_of(start, constants_of(goal), radius, moves)
    return distance_in(ball, goal, max_d)


def distance_in(ball: Ball, goal: Node, max_d: int) -> Distance:
    """Return the distance of ``goal`` from the centre of a ball.

    Raises ``InternalError`` when the ball was made without a constant of ``goal``: then it says
    nothing about it.
    """
    if ball.radius and not ball.pool.issuperset(constants_of(goal)):
        raise InternalError("the ball was made without a constant of the goal")
    bound = ball.counts.at_least(goal)
    if bound is None or bound > max_d:
        return Distance(None, True, max_d)
    limit = min(MAX_VISITED, _MAX_SYMBOLS_VISITED // size_of(goal))
    shell = [goal]
    seen = {goal}
    for step in range(max(max_d, 0) + 1):
        # The first shell that touches the ball does so at its rim or holds the centre itself,
        # since every earlier point of a shortest path lies further out.
        near = min((ball.steps[one] for one in shell if one in ball.steps), default=None)
        if near is not None:
            total = step + near
            return Distance(total if total <= max_d else None, True, max_d)
        if step + ball.radius >= max_d:
            break
        shell = _one_back(shell, seen, ball, max_d - step - 1, limit)
        if len(seen) > limit:
            return Distance(None, False, max_d)
    return Distance(None, True, max_d)


def _one_back(shell: list[Node], seen: set[Node], ball: Ball, left: int, limit: int) -> list[Node]:
    """Return the new predecessors of formulas from which the centre may be ``left`` steps away.

    They are not complete once more than ``limit`` formulas were seen.
    """
    grown = []
    for formula in shell:
        if len(seen) > limit:
            break
        for earlier in ball.moves.back(formula):
            if earlier not in seen:
                seen.add(earlier)
                if left <= ball.radius:  # it is looked up in the ball and needs no bound
                    grown.append(earlier)
                    continue
                bound = ball.counts.at_least(earlier)
                if bound is not None and bound <= left:
                    grown.append(earlier)
    return grown
