"""Applications of rules to whole formulas: neighbours, predecessors, and places to draw from."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from codequake.formula.matching import RuleIndex, applies, backward, forward
from codequake.formula.nodes import Node, Op, constants_of
from codequake.formula.renaming import rename, renamings
from codequake.formula.rules import RENAMING, Rule, Scope, rules_for

__all__ = ["Mode", "Move", "Moves", "Place", "Places", "back", "default_pool", "neighbours"]

TWO = Node(Op.NUMBER, (), "2")
_MEMO_LIMIT = 30_000

Path = tuple[int, ...]


class Mode(StrEnum):
    """How much of a mutation type is used.

    ``RELATION``: every place and every constant.  ``PAPER``: a type is a function, as in the
    paper's Definition 4.1: the first place where it applies, from the root and from the left,
    with the constant 2.
    """

    RELATION = "relation"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class Move:
    """One application of a rule: the constant it brought in, and the formula that came out.

    ``renamed`` holds the old and the new name where the rule is that for names.
    """

    rule: Rule
    constant: Node | None
    result: Node
    renamed: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A move that is not made yet: where it would act, and on what."""

    rule: Rule
    path: Path
    node: Node
    constant: Node | None = None
    renamed: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """All places of one rule: the ways from the root and the nodes there."""

    rule: Rule
    sites: list[tuple[Path, Node]]
    renamed: tuple[str, str] | None = None


def default_pool(formula: Node) -> tuple[Node, ...]:
    """Return the constants of a formula and the number 2."""
    return tuple(dict.fromkeys((*constants_of(formula), TWO)))


def neighbours(
    formula: Node,
    pool: tuple[Node, ...] | None = None,
    *,
    mode: Mode = Mode.RELATION,
    names: tuple[str, ...] = (),
) -> tuple[Move, ...]:
    """Return every application of every rule to the formula, in a fixed order.

    ``pool`` holds what may take the place of ``I``; by default the constants of the formula and
    the number 2 (in paper mode it is always 2).  ``names`` are those that may be renamed and
    renamed to; without them no variable is.  Two moves may lead to one formula; none leads back
    to the formula itself.
    """
    return Moves(mode, names).neighbours(formula, default_pool(formula) if pool is None else pool)


def back(
    formula: Node, *, mode: Mode = Mode.RELATION, names: tuple[str, ...] = ()
) -> tuple[Node, ...]:
    """Return every formula that one application of one rule turns into this one.

    Exactly the inverse of ``neighbours`` over all constants: ``G`` stands in ``back(H)`` if and
    only if ``H`` is a neighbour of ``G`` for some pool.
    """
    return Moves(mode, names).back(formula)


_INDEX = {
    kind: RuleIndex.of(rules_for(formula))
    for kind, formula in (
        (True, Node(Op.EQUATION, (TWO, TWO))),
        (False, TWO),
    )
}


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of one mode over one set of names, with what was looked up before.

    The memory is bounded: it is emptied when it holds too much.
    """

    mode: Mode = Mode.RELATION
    names: tuple[str, ...] = ()
    _back: dict[tuple[bool, Node], tuple[Node, ...]] = field(default_factory=dict, repr=False)

    def neighbours(self, formula: Node, pool: tuple[Node, ...]) -> tuple[Move, ...]:
        """Return the moves of a formula; see the function of this name."""
        if self.mode is Mode.PAPER:
            return tuple(move_of(formula, place) for place in first_places(formula, self.names))
        index = _INDEX[formula.op is Op.EQUATION]
        moves = _moves_in(formula, index, pool, {})
        return (*moves, *_renamed(formula, self.names))

    def places(self, formula: Node) -> dict[str, list[Places]]:
        """Return the places of each mutation type that applies, without making the moves."""
        found: dict[str, list[Places]] = {}
        if self.mode is Mode.PAPER:
            for place in first_places(formula, self.names):
                one = Places(place.rule, [(place.path, place.node)], place.renamed)
                found[place.rule.type] = [one]
            return found
        index = _INDEX[formula.op is Op.EQUATION]
        sites = _walk(formula)
        inner = sites[1:] if formula.op is Op.EQUATION else sites
        for rule in index.always:
            found[rule.type] = [Places(rule, inner)]
        special: dict[str, Places] = {}
        for site in sites:
            for rule in index.special[site[1].op]:
                if applies(rule, site[1]):
                    if rule.id not in special:
                        special[rule.id] = Places(rule, [])
                        found.setdefault(rule.type, []).append(special[rule.id])
                    special[rule.id].sites.append(site)
        for pair in renamings(formula, self.names):
            found.setdefault(RENAMING.type, []).append(Places(RENAMING, [((), formula)], pair))
        return found

    def back(self, formula: Node) -> tuple[Node, ...]:
        """Return the predecessors of a formula; see the function of this name."""
        if len(self._back) > _MEMO_LIMIT:
            self._back.clear()
        equation = formula.op is Op.EQUATION
        earlier = [*self._back_in(formula, equation)]
        earlier += [rename(formula, {old: new}) for old, new in renamings(formula, self.names)]
        if self.mode is Mode.PAPER:
            return tuple(
                one
                for one in dict.fromkeys(earlier)
                if any(move.result == formula for move in self.neighbours(one, ()))
            )
        return tuple(dict.fromkeys(earlier))

    def _back_in(self, node: Node, equation: bool) -> tuple[Node, ...]:
        key = (equation, node)
        found = self._back.get(key)
        if found is not None:
            return found
        earlier: list[Node] = []
        for rule in _INDEX[equation].backward[node.op]:
            one = backward(rule, node)
            if one is not None:
                earlier.append(one)
        if node.op is not Op.DERIVATIVE:
            for number, kid in enumerate(node.kids):
                for one in self._back_in(kid, equation):
                    earlier.append(with_kid(node, number, one))
        self._back[key] = tuple(earlier)
        return self._back[key]


def move_of(formula: Node, place: Place) -> Move:
    """Make the move of a place."""
    if place.renamed is not None:
        old, new = place.renamed
        return Move(place.rule, None, rename(formula, {old: new}), place.renamed)
    result = forward(place.rule, place.node, place.constant)
    assert result is not None
    return Move(place.rule, place.constant, _put(formula, place.path, result))


def first_places(formula: Node, names: tuple[str, ...]) -> list[Place]:
    """Return the one place of every type that applies, for paper mode."""
    equation = formula.op is Op.EQUATION
    index = _INDEX[equation]
    found: dict[str, Place] = {}
    for path, node in _walk(formula):
        for rule in index.forward[node.op]:
            if rule.type not in found:
                constant = TWO if rule.id in index.constant else None
                if forward(rule, node, constant) is not None:
                    found[rule.type] = Place(rule, path, node, constant)
    pair = next(iter(renamings(formula, names)), None)
    if pair is not None:
        found[RENAMING.type] = Place(RENAMING, (), formula, None, pair)
    return list(found.values())


def _walk(formula: Node) -> list[tuple[Path, Node]]:
    """Return the places where a rule may act, parents first; y'(x) takes a name, no expression."""
    found: list[tuple[Path, Node]] = []
    stack: list[tuple[Path, Node]] = [((), formula)]
    while stack:
        path, node = stack.pop()
        found.append((path, node))
        if node.op is not Op.DERIVATIVE:
            for number in range(len(node.kids) - 1, -1, -1):
                stack.append(((*path, number), node.kids[number]))
    return found


def _moves_in(
    node: Node, index: RuleIndex, pool: tuple[Node, ...], memo: dict[Node, tuple[Move, ...]]
) -> tuple[Move, ...]:
    """Return the moves at the node and below."""
    found = memo.get(node)
    if found is not None:
        return found
    moves: list[Move] = []
    for rule in index.forward[node.op]:
        for constant in pool if rule.id in index.constant else (None,):
            result = forward(rule, node, constant)
            if result is not None:
                moves.append(Move(rule, constant, result))
    if node.op is not Op.DERIVATIVE:
        for number, kid in enumerate(node.kids):
            moves += [
                Move(move.rule, move.constant, with_kid(node, number, move.result))
                for move in _moves_in(kid, index, pool, memo)
            ]
    memo[node] = tuple(moves)
    return memo[node]


def _renamed(formula: Node, names: tuple[str, ...]) -> list[Move]:
    return [
        Move(RENAMING, None, rename(formula, {old: new}), (old, new))
        for old, new in renamings(formula, names)
    ]


def with_kid(node: Node, index: int, kid: Node) -> Node:
    """Return the node with one kid replaced."""
    return Node(node.op, (*node.kids[:index], kid, *node.kids[index + 1 :]), node.text)


def _put(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    return with_kid(node, path[0], _put(node.kids[path[0]], path[1:], new))
