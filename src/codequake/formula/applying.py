"""A rule at one place, forwards and backwards; walking the tree is somebody else's work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codequake.formula.nodes import Node, Op, is_constant_leaf, is_expression, is_number
from codequake.formula.rules import RULES, Rule, Scope, needs_constant

__all__ = ["TURNED", "RuleIndex", "applies", "backward", "forward"]


def forward(rule: Rule, node: Node, constant: Node | None) -> Node | None:
    """Apply a rule at a node, or return ``None`` where it does not apply.

    ``constant`` takes the place of ``I``; it is given exactly for rules that need one.
    """
    bound = _bind(rule, rule.before, node)
    if bound is None:
        return None
    if constant is not None:
        if not _may_scale(rule, node, constant):
            return None
        bound["I"] = constant
    return _made(rule, _fill(rule.after, bound), node)


def applies(rule: Rule, node: Node) -> bool:
    """Say whether a rule can be applied at a node, with some constant."""
    return _bind(rule, rule.before, node) is not None


def backward(rule: Rule, node: Node) -> Node | None:
    """Return what the rule made ``node`` from, when applied at this place, or ``None``."""
    bound = _bind(rule, rule.after, node)
    if bound is None or ("I" in bound and not _may_scale(rule, node, bound["I"])):
        return None
    return _made(rule, _fill(rule.before, bound), node)


def _bind(rule: Rule, side: Node, node: Node) -> dict[str, Node] | None:
    bound: dict[str, Node] = {}
    if side.op is Op.EQUATION:
        # A relation is matched by its two sides, which must be numbers and no sequences.
        if len(node.kids) != 2 or not all(map(is_expression, node.kids)):
            return None
        for inner, kid in zip(side.kids, node.kids, strict=True):
            if not _match(inner, kid, bound):
                return None
    elif not _match(side, node, bound):
        return None
    if rule.distinct and bound["E"] is bound["F"]:
        return None
    return None if rule.not_zero and is_number(bound["F"], 0) else bound


def _may_scale(rule: Rule, node: Node, constant: Node) -> bool:
    """Say whether a constant may multiply the sides: those of an inequality only if positive."""
    needs_number = rule.numbers or (rule.nonzero and node.op is Op.RELATION)
    return not needs_number or constant.op is Op.NUMBER


def _made(rule: Rule, made: Node, node: Node) -> Node:
    """Return what a rule made of a node; a relation stays what it is or is turned round."""
    if node.op is not Op.RELATION or rule.scope is not Scope.EQUATION:
        return made
    return Node(Op.RELATION, made.kids, TURNED[node.text] if rule.flips else node.text)


TURNED = {"!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _match(pattern: Node, node: Node, bound: dict[str, Node]) -> bool:
    op = pattern.op
    if op is Op.VARIABLE or op is Op.COEFFICIENT:
        if op is Op.COEFFICIENT and not is_constant_leaf(node):
            return False
        return bound.setdefault(pattern.text, node) is node
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
            {
                op: tuple(
                    rule
                    for rule in chosen
                    if rule.before.op is not Op.VARIABLE and _fits(rule.before, op)
                )
                for op in Op
            },
            {op: tuple(rule for rule in chosen if _fits(rule.after, op)) for op in Op},
            frozenset(rule.id for rule in RULES if needs_constant(rule)),
        )


def _fits(pattern: Node, op: Op) -> bool:
    """Say whether a side may stand at an operator; only an equation's fits a relation."""
    if op is Op.EQUATION or op is Op.RELATION:
        return pattern.op is Op.EQUATION
    return pattern.op is op or pattern.op is Op.VARIABLE
