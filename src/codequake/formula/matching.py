"""A rule at one place, forwards and backwards; walking the tree is somebody else's work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codequake.formula.nodes import Node, Op, is_constant_leaf, is_number
from codequake.formula.rules import RULES, Rule, Scope, needs_constant

__all__ = ["RuleIndex", "applies", "backward", "forward"]


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


def applies(rule: Rule, node: Node) -> bool:
    """Say whether a rule can be applied at a node."""
    bound: dict[str, Node] = {}
    return _match(rule.before, node, bound) and _allowed(rule, bound)


def backward(rule: Rule, node: Node) -> Node | None:
    """Return what the rule made ``node`` from, when applied at this place, or ``None``."""
    bound: dict[str, Node] = {}
    if not _match(rule.after, node, bound) or not _allowed(rule, bound):
        return None
    return _fill(rule.before, bound)


def _allowed(rule: Rule, bound: dict[str, Node]) -> bool:
    if rule.distinct and bound["E"] == bound["F"]:
        return False
    return not (rule.not_zero and is_number(bound["F"], 0))


def _match(pattern: Node, node: Node, bound: dict[str, Node]) -> bool:
    op = pattern.op
    if op is Op.VARIABLE or op is Op.COEFFICIENT:
        if op is Op.COEFFICIENT and not is_constant_leaf(node):
            return False
        return bound.setdefault(pattern.text, node) == node
    if op is not node.op or pattern.text != node.text:
        return False
    for inner, kid in zip(pattern.kids, node.kids, strict=True):
        if not _match(inner, kid, bound):
            return False
    return True


def _fill(pattern: Node, bound: dict[str, Node]) -> Node:
    if pattern.op is Op.VARIABLE or pattern.op is Op.COEFFICIENT:
        return bound[pattern.text]
    if not pattern.kids:
        return pattern
    return Node(pattern.op, tuple(_fill(kid, bound) for kid in pattern.kids), pattern.text)


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """The rules that can match a node, by its operator: one table a direction.

    A rule stands under the operator of its side; a side that is a hole stands under all.  The
    rules whose left side is a hole are ``always``, the others ``special``.
    """

    forward: dict[Op, tuple[Rule, ...]]
    always: tuple[Rule, ...]
    special: dict[Op, tuple[Rule, ...]]
    backward: dict[Op, tuple[Rule, ...]]
    constant: frozenset[str]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleIndex:
        """Index rules; the rule for names is no rule for a place and is left out."""
        chosen = [rule for rule in rules if rule.scope is not Scope.NAMES]
        return cls(
            {op: tuple(rule for rule in chosen if _fits(rule.before, op)) for op in Op},
            tuple(rule for rule in chosen if rule.before.op is Op.VARIABLE),
            {op: tuple(rule for rule in chosen if rule.before.op is op) for op in Op},
            {op: tuple(rule for rule in chosen if _fits(rule.after, op)) for op in Op},
            frozenset(rule.id for rule in RULES if needs_constant(rule)),
        )


def _fits(pattern: Node, op: Op) -> bool:
    if op is Op.EQUATION:
        return pattern.op is Op.EQUATION
    return pattern.op is op or pattern.op is Op.VARIABLE
