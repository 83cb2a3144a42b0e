"""The mutation rules, as data: two sides, a side condition and what the rule keeps.

Read ``E`` and ``F`` as any expression, ``I`` as a number but zero or a coefficient.  A rule never
loses a symbol, so that every formula has finitely many predecessors; that is checked when a rule
is made, and the proof of a distance rests on it.
Source: syntactic-robustness paper, Table 1 (which prints a part of the rules).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codequake.errors import InternalError
from codequake.formula.names import Names
from codequake.formula.nodes import Node, Op, is_constant_leaf, walk
from codequake.formula.parser import parse

__all__ = ["RULES", "Keeps", "Rule", "Scope", "backward", "forward", "needs_constant"]


class Scope(StrEnum):
    """Where a rule applies.

    ``ANYWHERE``: at every expression of every formula; ``EXPRESSION``: at every expression of a
    formula without ``=``; ``EQUATION``: at the root of an equation.
    """

    ANYWHERE = "anywhere"
    EXPRESSION = "expression"
    EQUATION = "equation"


class Keeps(StrEnum):
    """What a rule keeps.

    ``VALUE``: the value wherever both sides are defined; ``SOLUTIONS``: the values of the sides
    change together, so that the equation holds at the same points.
    """

    VALUE = "value"
    SOLUTIONS = "solutions"


@dataclass(frozen=True, slots=True)
class Rule:
    """A mutation.

    ``nonzero``: a coefficient that takes the place of ``I`` must not be 0, and the mutant carries
    that as an assumption.  ``distinct``: ``E`` and ``F`` must differ, else nothing changes.
    Raises ``InternalError`` for a rule that loses an expression or has names besides E, F, I.
    """

    id: str
    before: Node
    after: Node
    scope: Scope
    keeps: Keeps
    nonzero: bool = False
    distinct: bool = False

    def __post_init__(self) -> None:
        names = {node.text for node in _holes(self.before)}
        if not names <= {node.text for node in _holes(self.after)}:
            raise InternalError(f"rule {self.id!r} loses an expression of its left side")
        if (self.before.op is Op.EQUATION) != (self.scope is Scope.EQUATION):
            raise InternalError(f"rule {self.id!r} has sides that do not fit its scope")


def _holes(pattern: Node) -> list[Node]:
    return [node for node in walk(pattern) if node.op in (Op.VARIABLE, Op.COEFFICIENT)]


_PATTERN_NAMES = Names(frozenset({"I"}), frozenset({"E", "F"}))


def _rule(
    rule_id: str,
    sides: str,
    scope: Scope,
    *,
    nonzero: bool = False,
    distinct: bool = False,
) -> Rule:
    before, after = (parse(side, _PATTERN_NAMES) for side in sides.split("->"))
    keeps = Keeps.SOLUTIONS if scope is Scope.EQUATION else Keeps.VALUE
    return Rule(rule_id, before, after, scope, keeps, nonzero, distinct)


RULES: tuple[Rule, ...] = (
    _rule("add_zero", "E -> E+0", Scope.ANYWHERE),
    _rule("times_one", "E -> E*1", Scope.ANYWHERE),
    _rule("commute_sum", "E+F -> F+E", Scope.ANYWHERE, distinct=True),
    _rule("commute_product", "E*F -> F*E", Scope.ANYWHERE, distinct=True),
    _rule("minus_as_plus", "E-F -> E+(-1)*F", Scope.ANYWHERE),
    _rule("add_and_subtract", "E -> E+I-I", Scope.EXPRESSION),
    _rule("multiply_and_divide", "E -> E*I/I", Scope.EXPRESSION, nonzero=True),
    _rule("both_add", "E=F -> E+I=F+I", Scope.EQUATION),
    _rule("both_subtract", "E=F -> E-I=F-I", Scope.EQUATION),
    _rule("both_multiply", "E=F -> E*I=F*I", Scope.EQUATION, nonzero=True),
    _rule("both_divide", "E=F -> E/I=F/I", Scope.EQUATION, nonzero=True),
    _rule("swap_sides", "E=F -> F=E", Scope.EQUATION, distinct=True),
)


def needs_constant(rule: Rule) -> bool:
    """Say whether the rule brings in an ``I`` of free choice."""
    return any(node.op is Op.COEFFICIENT for node in _holes(rule.after))


def forward(rule: Rule, node: Node, constant: Node | None) -> Node | None:
    """Apply a rule at a node, or return ``None`` where it does not apply.

    ``constant`` takes the place of ``I``; it is given exactly for rules that need one.
    """
    bound: dict[str, Node] = {}
    if not _match(rule.before, node, bound) or not _allowed(rule, bound):
        return None
    if constant is not None:
        bound["I"] = constant
    return _fill(rule.after, bound)


def backward(rule: Rule, node: Node) -> Node | None:
    """Return what the rule made ``node`` from, when applied at this place, or ``None``."""
    bound: dict[str, Node] = {}
    if not _match(rule.after, node, bound) or not _allowed(rule, bound):
        return None
    return _fill(rule.before, bound)


def _allowed(rule: Rule, bound: dict[str, Node]) -> bool:
    return not rule.distinct or bound["E"] != bound["F"]


def _match(pattern: Node, node: Node, bound: dict[str, Node]) -> bool:
    if pattern.op is Op.VARIABLE or pattern.op is Op.COEFFICIENT:
        if pattern.op is Op.COEFFICIENT and not is_constant_leaf(node):
            return False
        return bound.setdefault(pattern.text, node) == node
    if pattern.op is not node.op or pattern.text != node.text:
        return False
    return all(
        _match(inner, kid, bound) for inner, kid in zip(pattern.kids, node.kids, strict=True)
    )


def _fill(pattern: Node, bound: dict[str, Node]) -> Node:
    if pattern.op is Op.VARIABLE or pattern.op is Op.COEFFICIENT:
        return bound[pattern.text]
    if not pattern.kids:
        return pattern
    return Node(pattern.op, tuple(_fill(kid, bound) for kid in pattern.kids), pattern.text)
