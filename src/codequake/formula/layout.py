"""Where brackets are needed: the one place that the parser and the printer both ask."""

from __future__ import annotations

from enum import IntEnum
from typing import assert_never

from codequake.formula.nodes import Node, Op

__all__ = ["Slot", "kid_slots", "needs_brackets", "strip_brackets"]


class Slot(IntEnum):
    """A place for a kid; the value is the binding strength that it needs without brackets."""

    SIDE = 0
    SUM_LEFT = 10
    SUM_RIGHT = 20
    PRODUCT_LEFT = 21
    PRODUCT_RIGHT = 30
    EXPONENT = 31
    NEGATED = 40
    BASE = 50


def _strength(op: Op) -> int:
    """Return how strongly an operator binds; atoms bind strongest."""
    match op:
        case Op.EQUATION:
            return 0
        case Op.ADD | Op.SUBTRACT:
            return 10
        case Op.MULTIPLY | Op.DIVIDE:
            return 25
        case Op.NEGATE:
            return 35
        case Op.POWER:
            return 40
        case Op.NUMBER | Op.COEFFICIENT | Op.VARIABLE | Op.CONSTANT:
            return 50
        case Op.CALL | Op.DERIVATIVE | Op.PAREN:
            return 50
        case _:
            assert_never(op)


def kid_slots(node: Node) -> tuple[Slot, ...]:
    """Return the slot of every kid of the node."""
    match node.op:
        case Op.ADD | Op.SUBTRACT:
            return (Slot.SUM_LEFT, Slot.SUM_RIGHT)
        case Op.MULTIPLY | Op.DIVIDE:
            return (Slot.PRODUCT_LEFT, Slot.PRODUCT_RIGHT)
        case Op.POWER:
            return (Slot.BASE, Slot.EXPONENT)
        case Op.NEGATE:
            return (Slot.NEGATED,)
        case Op.EQUATION:
            return (Slot.SIDE, Slot.SIDE)
        case Op.CALL | Op.DERIVATIVE | Op.PAREN:
            return (Slot.SIDE,)
        case Op.NUMBER | Op.COEFFICIENT | Op.VARIABLE | Op.CONSTANT:
            return ()
        case _:
            assert_never(node.op)


def needs_brackets(node: Node, slot: Slot, *, leading: bool) -> bool:
    """Say whether the node (no ``PAREN``) must be bracketed in the slot.

    ``leading`` says that nothing, ``=`` or an opening bracket stands before the slot: only there
    may a minus sign open an operand of a sum or a product, so ``a+(-1)*b`` but ``-1*b+a``.
    """
    if _strength(node.op) < slot:
        return True
    if node.op is not Op.NEGATE:
        return False
    match slot:
        case Slot.SUM_LEFT | Slot.PRODUCT_LEFT:
            return not leading
        case Slot.SUM_RIGHT | Slot.PRODUCT_RIGHT | Slot.NEGATED | Slot.BASE:
            return True
        case Slot.SIDE | Slot.EXPONENT:
            return False
        case _:
            assert_never(slot)


def strip_brackets(node: Node) -> tuple[Node, int]:
    """Return what stands in the outer ``PAREN`` nodes, and their number."""
    count = 0
    while node.op is Op.PAREN:
        node = node.kids[0]
        count += 1
    return node, count
