"""Applications of rules to whole formulas: neighbours, predecessors, and places to draw from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from codequake.formula.applying import RuleIndex, applies, backward, forward
from codequake.formula.names import Names
from codequake.formula.nodes import Node, Op, constants_of, is_expression, open_kids
from codequake.formula.printer import size_of
from codequake.formula.renaming import rename, renamings
from codequake.formula.rules import RENAMING, Kind, Rule, kind_of, rules_for

__all__ = [
    "TWO",
    "Mode",
    "Move",
    "Moves",
    "Path",
    "Place",
    "Places",
    "back",
    "default_pool",
    "move_of",
    "neighbours",
    "put",
    "with_kid",
]

TWO = Node(Op.NUMBER, (), "2")
_MEMO_SYMBOLS = 1_000_000

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
    free: tuple[str, ...] = (),
    names: Names | None = None,
) -> tuple[Move, ...]:
    """Return every application of every rule to the formula, in a fixed order.

    ``pool`` holds what may take the place of ``I``; by default the constants of the formula and
    the number 2 (in paper mode it is always 2).  ``free`` are the names that variables may be
    renamed from and to; without them none is.  ``names`` are the declared ones, needed where the
    names of a contract are all that shows that it is one.  Two moves may lead to one formula;
    none leads back to the formula itself.
    """
    moves = Moves(kind_of(formula, names), mode, free)
    return moves.neighbours(formula, default_pool(formula) if pool is None else pool)


def back(
    formula: Node,
    *,
    mode: Mode = Mode.RELATION,
    free: tuple[str, ...] = (),
    names: Names | None = None,
) -> tuple[Node, ...]:
    """Return every formula that one application of one rule turns into this one.

    Exactly the inverse of ``neighbours`` over all constants: ``G`` stands in ``back(H)`` if and
    only if ``H`` is a neighbour of ``G`` for some pool.
    """
    return Moves(kind_of(formula, names), mode, free).back(formula)


_INDEX = {kind: RuleIndex.of(rules_for(kind)) for kind in Kind}


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves among formulas of one kind in one mode, with what was looked up before.

    The memory is bounded: it is emptied when it holds too much.
    """

    kind: Kind
    mode: Mode = Mode.RELATION
    free: tuple[str, ...] = ()
    _back: dict[tuple[Node, bool], tuple[Node, ...]] = field(default_factory=dict, repr=False)

    def neighbours(self, formula: Node, pool: tuple[Node, ...]) -> tuple[Move, ...]:
        """Return the moves of a formula; see the function of this name."""
        if self.mode is Mode.PAPER:
            return tuple(move_of(formula, place) for place in self._first_places(formula))
        moves = _moves_in(formula, _INDEX[self.kind], pool, {})
        return (*moves, *_renamed(formula, self.free))

    def places(self, formula: Node) -> dict[str, list[Places]]:
        """Return the places of each mutation type that applies, without making the moves."""
        found: dict[str, list[Places]] = {}
        if self.mode is Mode.PAPER:
            for place in self._first_places(formula):
                one = Places(place.rule, [(place.path, place.node)], place.renamed)
                found[place.rule.type] = [one]
            return found
        index = _INDEX[self.kind]
        sites = _walk(formula)
        inner = [site for site in sites if is_expression(site[1])]
        for rule in index.always if inner else ():
            found[rule.type] = [Places(rule, inner)]
        special: dict[str, Places] = {}
        for site in sites:
            for rule in index.special[site[1].op]:
                if applies(rule, site[1]):
                    if rule.id not in special:
                        special[rule.id] = Places(rule, [])
                        found.setdefault(rule.type, []).append(special[rule.id])
                    special[rule.id].sites.append(site)
        for pair in renamings(formula, self.free):
            found.setdefault(RENAMING.type, []).append(Places(RENAMING, [((), formula)], pair))
        return found

    def _first_places(self, formula: Node) -> list[Place]:
        """Return the one place of every type that applies, for paper mode."""
        index = _INDEX[self.kind]
        found: dict[str, Place] = {}
        for path, node in _walk(formula):
            for rule in index.forward[node.op]:
                if rule.type not in found:
                    constant = TWO if rule.id in index.constant else None
                    if forward(rule, node, constant) is not None:
                        found[rule.type] = Place(rule, path, node, constant)
        pair = next(iter(renamings(formula, self.free)), None)
        if pair is not None:
            found[RENAMING.type] = Place(RENAMING, (), formula, None, pair)
        return list(found.values())

    def back(self, formula: Node) -> tuple[Node, ...]:
        """Return the predecessors of a formula; see the function of this name."""
        if len(self._back) * size_of(formula) > _MEMO_SYMBOLS:
            self._back.clear()
        if self.mode is Mode.PAPER:
            return tuple(dict.fromkeys(self._back_in_paper(formula)))
        earlier = [*self._back_in(formula)]
        earlier += [rename(formula, {old: new}) for old, new in renamings(formula, self.free)]
        return tuple(dict.fromkeys(earlier))

    def _back_in_paper(self, formula: Node) -> Iterator[Node]:
        """Yield the predecessors whose first place of a type is the one that led here."""
        index = _INDEX[self.kind]
        sites = _walk(formula)
        first = next((path for path, node in sites if is_expression(node)), None)
        for path, node in sites:
            for rule in index.backward[node.op]:
                always = rule.before.op is Op.VARIABLE
                before = None if always and path != first else backward(rule, node)
                constant = TWO if rule.id in index.constant else None
                if before is None or forward(rule, before, constant) is not node:
                    continue
                earlier = put(formula, path, before)
                if always or self._is_first(earlier, rule, path):
                    yield earlier
        for old, new in renamings(formula, self.free):
            earlier = rename(formula, {old: new})
            if renamings(earlier, self.free)[0] == (new, old):
                yield earlier

    def _is_first(self, formula: Node, rule: Rule, path: Path) -> bool:
        """Say whether a rule is the first of its type that applies, at this place."""
        index = _INDEX[self.kind]
        for way, node in _walk(formula):
            for other in index.special[node.op]:
                if other.type == rule.type and applies(other, node):
                    return way == path and other is rule
        return False

    def _back_in(self, node: Node, *, at: bool = True) -> tuple[Node, ...]:
        """Return the predecessors below a node and, with ``at``, at the node itself."""
        found = self._back.get((node, at))
        if found is not None:
            return found
        earlier: list[Node] = []
        if at and _is_place(node):
            for rule in _INDEX[self.kind].backward[node.op]:
                one = backward(rule, node)
                if one is not None:
                    earlier.append(one)
        for number in open_kids(node):
            below = self._back_in(node.kids[number], at=_is_value(node, number, at=at))
            earlier += [with_kid(node, number, one) for one in below]
        self._back[node, at] = tuple(earlier)
        return self._back[node, at]


def move_of(formula: Node, place: Place) -> Move:
    """Make the move of a place."""
    if place.renamed is not None:
        old, new = place.renamed
        return Move(place.rule, None, rename(formula, {old: new}), place.renamed)
    result = forward(place.rule, place.node, place.constant)
    assert result is not None
    return Move(place.rule, place.constant, put(formula, place.path, result))


def _is_place(node: Node) -> bool:
    """Say whether a rule may act at a node: at a number, or at a relation."""
    return node.op is Op.EQUATION or node.op is Op.RELATION or is_expression(node)


_SEQUENCE_KID = {Op.INDEX: 0, Op.SLICE: 0, Op.LENGTH: 0, Op.MEMBER: 1}


def _is_value(node: Node, number: int, *, at: bool) -> bool:
    """Say whether a kid stands where a number may stand.

    The ``a[i]`` of ``a[i][j]`` is a row, which looks like a number.  ``at`` says whether the node
    itself stands in such a place.
    """
    if node.op is Op.VIEW or node.op is Op.PAREN:
        return at and node.text != "multiset"
    return _SEQUENCE_KID.get(node.op) != number


def _walk(formula: Node) -> list[tuple[Path, Node]]:
    """Return the nodes in reach of rules with the ways to them, parents first, left to right."""
    found: list[tuple[Path, Node]] = []
    stack: list[tuple[Path, Node, bool]] = [((), formula, True)]
    while stack:
        path, node, at = stack.pop()
        if at and _is_place(node):
            found.append((path, node))
        stack += [
            ((*path, number), node.kids[number], _is_value(node, number, at=at))
            for number in reversed(open_kids(node))
        ]
    return found


def _moves_in(
    node: Node,
    index: RuleIndex,
    pool: tuple[Node, ...],
    memo: dict[tuple[Node, bool], tuple[Move, ...]],
    *,
    at: bool = True,
) -> tuple[Move, ...]:
    """Return the moves below a node and, with ``at``, at the node itself."""
    found = memo.get((node, at))
    if found is not None:
        return found
    moves: list[Move] = []
    for rule in index.forward[node.op] if at and _is_place(node) else ():
        for constant in pool if rule.id in index.constant else (None,):
            result = forward(rule, node, constant)
            if result is not None:
                moves.append(Move(rule, constant, result))
    for number in open_kids(node):
        below = _moves_in(node.kids[number], index, pool, memo, at=_is_value(node, number, at=at))
        moves += [
            Move(move.rule, move.constant, with_kid(node, number, move.result)) for move in below
        ]
    memo[node, at] = tuple(moves)
    return memo[node, at]


def _renamed(formula: Node, free: tuple[str, ...]) -> list[Move]:
    return [
        Move(RENAMING, None, rename(formula, {old: new}), (old, new))
        for old, new in renamings(formula, free)
    ]


def with_kid(node: Node, index: int, kid: Node) -> Node:
    """Return the node with one kid replaced."""
    return Node(node.op, (*node.kids[:index], kid, *node.kids[index + 1 :]), node.text)


def put(node: Node, path: Path, new: Node) -> Node:
    """Return the formula with the node at the end of a path replaced."""
    if not path:
        return new
    return with_kid(node, path[0], put(node.kids[path[0]], path[1:], new))
