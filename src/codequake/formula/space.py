"""The space that the rules span: neighbours, predecessors, and exact distances between formulas.

A distance is proved by meeting in the middle: a ball around the original, one step wide, and a
search backwards from the mutant with the inverse of every rule.  Inverses delete, so there are
few of them, and a search that finds no path of fewer steps is a proof that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from codequake.errors import InternalError
from codequake.formula.nodes import Node, Op, constants_of
from codequake.formula.rules import RULES, Rule, Scope, backward, forward, needs_constant

__all__ = [
    "Ball",
    "Distance",
    "Move",
    "back",
    "ball_of",
    "default_pool",
    "distance",
    "distance_in",
    "neighbours",
]

MAX_VISITED = 200_000
"""Predecessors that one search may visit before it answers "not proved"."""


@dataclass(frozen=True, slots=True)
class Move:
    """One application of a rule: the constant it brought in, and the formula that came out."""

    rule: Rule
    constant: Node | None
    result: Node


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


def neighbours(formula: Node, pool: tuple[Node, ...] | None = None) -> tuple[Move, ...]:
    """Return every application of every rule to the formula, in a fixed order.

    ``pool`` holds what may take the place of ``I``; by default the constants of the formula and
    the number 2.  Two moves may lead to one formula; none leads back to the formula itself.
    """
    chosen = default_pool(formula) if pool is None else pool
    rules = _rules_for(formula)
    moves = [
        Move(rule, constant, result)
        for rule in rules
        if rule.scope is Scope.EQUATION
        for constant in (chosen if needs_constant(rule) else (None,))
        if (result := forward(rule, formula, constant)) is not None
    ]
    inner = tuple(rule for rule in rules if rule.scope is not Scope.EQUATION)
    return (*moves, *_moves_in(formula, inner, chosen, {}))


def default_pool(formula: Node) -> tuple[Node, ...]:
    """Return the constants of a formula and the number 2."""
    return tuple(dict.fromkeys((*constants_of(formula), Node(Op.NUMBER, (), "2"))))


def back(formula: Node) -> tuple[Node, ...]:
    """Return every formula that one application of one rule turns into this one.

    Exactly the inverse of ``neighbours`` over all constants: ``G`` stands in ``back(H)`` if and
    only if ``H`` is a neighbour of ``G`` for some pool.
    """
    return _back(formula, {})


def _rules_for(formula: Node) -> tuple[Rule, ...]:
    equation = formula.op is Op.EQUATION
    return tuple(
        rule
        for rule in RULES
        if rule.scope is Scope.ANYWHERE or equation == (rule.scope is Scope.EQUATION)
    )


def _moves_in(
    node: Node,
    rules: tuple[Rule, ...],
    pool: tuple[Node, ...],
    memo: dict[Node, tuple[Move, ...]],
) -> tuple[Move, ...]:
    """Return the moves at the node and below; an equation is no place for these rules."""
    found = memo.get(node)
    if found is not None:
        return found
    moves: list[Move] = []
    if node.op is not Op.EQUATION:
        for rule in rules:
            for constant in pool if needs_constant(rule) else (None,):
                result = forward(rule, node, constant)
                if result is not None:
                    moves.append(Move(rule, constant, result))
    if node.op is not Op.DERIVATIVE:  # y'(x) takes a name, not an expression
        for index, kid in enumerate(node.kids):
            moves += [
                Move(move.rule, move.constant, _with_kid(node, index, move.result))
                for move in _moves_in(kid, rules, pool, memo)
            ]
    memo[node] = tuple(moves)
    return memo[node]


def _back(formula: Node, memo: dict[Node, tuple[Node, ...]]) -> tuple[Node, ...]:
    rules = _rules_for(formula)
    outer = [
        earlier
        for rule in rules
        if rule.scope is Scope.EQUATION and (earlier := backward(rule, formula)) is not None
    ]
    inner = tuple(rule for rule in rules if rule.scope is not Scope.EQUATION)
    return tuple(dict.fromkeys((*outer, *_back_in(formula, inner, memo))))


def _back_in(
    node: Node, rules: tuple[Rule, ...], memo: dict[Node, tuple[Node, ...]]
) -> tuple[Node, ...]:
    found = memo.get(node)
    if found is not None:
        return found
    earlier: list[Node] = []
    if node.op is not Op.EQUATION:
        earlier += [one for rule in rules if (one := backward(rule, node)) is not None]
    if node.op is not Op.DERIVATIVE:
        for index, kid in enumerate(node.kids):
            earlier += [_with_kid(node, index, one) for one in _back_in(kid, rules, memo)]
    memo[node] = tuple(earlier)
    return memo[node]


def _with_kid(node: Node, index: int, kid: Node) -> Node:
    return Node(node.op, (*node.kids[:index], kid, *node.kids[index + 1 :]), node.text)


@dataclass(frozen=True, slots=True)
class Ball:
    """All formulas within ``radius`` steps of ``centre`` that use no constant outside ``pool``.

    ``steps`` maps each to its distance.  It also keeps the predecessors that searches looked up.
    """

    centre: Node
    pool: frozenset[Node]
    radius: int
    steps: dict[Node, int]
    memo: dict[Node, tuple[Node, ...]] = field(default_factory=dict, repr=False)


def ball_of(centre: Node, pool: tuple[Node, ...], radius: int = 1) -> Ball:
    """Return the ball around a formula; ``radius`` is 0, 1 or 2 (it grows a hundredfold a step)."""
    steps = {centre: 0}
    shell = [centre]
    for step in range(1, radius + 1):
        grown = []
        for formula in shell:
            for move in neighbours(formula, pool):
                if move.result not in steps:
                    steps[move.result] = step
                    grown.append(move.result)
        shell = grown
    return Ball(centre, frozenset(pool), radius, steps)


def distance(start: Node, goal: Node, max_d: int = 5) -> Distance:
    """Return the number of steps of the shortest chain of rules from ``start`` to ``goal``.

    Chains have a direction: from an original to its mutant.  Every constant may take the place
    of ``I``; since no rule loses a symbol, only those that stand in ``goal`` can matter.
    """
    return distance_in(ball_of(start, constants_of(goal), min(1, max(max_d, 0))), goal, max_d)


def distance_in(ball: Ball, goal: Node, max_d: int) -> Distance:
    """Return the distance of ``goal`` from the centre of a ball.

    Raises ``InternalError`` when the ball was made without a constant of ``goal``: then it says
    nothing about it.
    """
    if ball.radius and not ball.pool.issuperset(constants_of(goal)):
        raise InternalError("the ball was made without a constant of the goal")
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
        shell = _one_back(shell, seen, ball.memo)
        if len(seen) > MAX_VISITED:
            return Distance(None, False, max_d)
    return Distance(None, True, max_d)


def _one_back(shell: list[Node], seen: set[Node], memo: dict[Node, tuple[Node, ...]]) -> list[Node]:
    grown = []
    for formula in shell:
        for earlier in _back(formula, memo):
            if earlier not in seen:
                seen.add(earlier)
                grown.append(earlier)
    return grown
