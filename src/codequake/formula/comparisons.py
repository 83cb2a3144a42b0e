"""Statements as comparisons: a difference is 0, not 0, below 0 or not above 0."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum

from codequake.formula.nodes import Node, Op

__all__ = ["Comparison", "Sign", "comparisons_of"]


class Sign(StrEnum):
    """What a comparison says of its difference."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    AT_MOST = "<="


@dataclass(frozen=True, slots=True)
class Comparison:
    """``difference sign 0``; the difference is an ``EQUATION`` node: left side minus right side."""

    sign: Sign
    difference: Node


def comparisons_of(formula: Node) -> tuple[Comparison, ...] | None:
    """Return the comparisons that must all hold, each once; ``None`` for an expression."""
    while formula.op is Op.PAREN:
        formula = formula.kids[0]
    if formula.op is Op.EQUATION:
        return (Comparison(Sign.EQUAL, formula),)
    if formula.op not in (Op.RELATION, Op.CHAIN):
        return None
    relations = zip(formula.text.split(), itertools.pairwise(formula.kids), strict=True)
    return tuple(dict.fromkeys(_comparison(relation, *sides) for relation, sides in relations))


def _comparison(relation: str, left: Node, right: Node) -> Comparison:
    if relation in (">", ">="):
        left, right = right, left
    sign = {">": Sign.LESS, ">=": Sign.AT_MOST, "==": Sign.EQUAL}.get(relation)
    return Comparison(Sign(relation) if sign is None else sign, Node(Op.EQUATION, (left, right)))
