"""Where brackets are needed: the one place that the parser and the printer both ask."""

from __future__ import annotations

from enum import IntEnum

from codequake.formula.nodes import Node, Op

__all__ = ["Slot", "kid_slots", "needs_brackets", "opens_leading", "strip_brackets"]


class Slot(IntEnum):
    """A place for a kid; the value is the binding strength that it needs without brackets.

    ``WHOLE`` is a place that something encloses: the root, brackets, an argument, what stands
    behind ``::``, between ``if``, ``then`` and after ``else``.
    """

    WHOLE = -100
    IFF_LEFT = -80
    IFF_RIGHT = -75
    IMPLIES_RIGHT = -70
    IMPLIES_LEFT = -65
    AND_LEFT = -60
    OR_LEFT = -59
    CONDITION_RIGHT = -50
    SIDE = 0
    SUM_LEFT = 10
    SUM_RIGHT = 20
    PRODUCT_LEFT = 21
    PRODUCT_RIGHT = 30
    EXPONENT = 31
    NEGATED = 40
    BASE = 50
    INDEXED = 60


_STRENGTHS = {
    Op.QUANTIFIER: -90,
    Op.CONDITIONAL: -90,
    Op.IFF: -80,
    Op.IMPLIES: -70,
    Op.AND: -60,
    Op.OR: -60,
    Op.EQUATION: -40,
    Op.RELATION: -40,
    Op.CHAIN: -40,
    Op.MEMBER: -40,
    Op.ADD: 10,
    Op.SUBTRACT: 10,
    Op.MULTIPLY: 25,
    Op.DIVIDE: 25,
    Op.INTEGER_DIVIDE: 25,
    Op.MODULO: 25,
    Op.NEGATE: 35,
    Op.NOT: 35,
    Op.POWER: 40,
    Op.SEQUENCE: 60,
    Op.INDEX: 60,
    Op.SLICE: 60,
    Op.VIEW: 60,
}
_ATOM = 50


_SLOTS: dict[Op, tuple[Slot, ...]] = {
    Op.ADD: (Slot.SUM_LEFT, Slot.SUM_RIGHT),
    Op.SUBTRACT: (Slot.SUM_LEFT, Slot.SUM_RIGHT),
    Op.MULTIPLY: (Slot.PRODUCT_LEFT, Slot.PRODUCT_RIGHT),
    Op.DIVIDE: (Slot.PRODUCT_LEFT, Slot.PRODUCT_RIGHT),
    Op.INTEGER_DIVIDE: (Slot.PRODUCT_LEFT, Slot.PRODUCT_RIGHT),
    Op.MODULO: (Slot.PRODUCT_LEFT, Slot.PRODUCT_RIGHT),
    Op.POWER: (Slot.BASE, Slot.EXPONENT),
    Op.NEGATE: (Slot.NEGATED,),
    Op.NOT: (Slot.NEGATED,),
    Op.AND: (Slot.AND_LEFT, Slot.CONDITION_RIGHT),
    Op.OR: (Slot.OR_LEFT, Slot.CONDITION_RIGHT),
    Op.IMPLIES: (Slot.IMPLIES_LEFT, Slot.IMPLIES_RIGHT),
    Op.IFF: (Slot.IFF_LEFT, Slot.IFF_RIGHT),
}
_CONNECTIVES = frozenset({Op.AND, Op.OR, Op.IMPLIES, Op.IFF})
_RELATIONS = frozenset({Op.EQUATION, Op.RELATION, Op.CHAIN, Op.MEMBER})


def kid_slots(op: Op, text: str, count: int) -> tuple[Slot, ...]:
    """Return the slot of every kid of a node with this text and so many kids."""
    fixed = _SLOTS.get(op)
    if fixed is not None:
        return fixed
    if op in _RELATIONS:
        return (Slot.SIDE,) * count
    if op is Op.INDEX or op is Op.SLICE or (op is Op.LENGTH and text != "bars"):
        return (Slot.INDEXED, *(Slot.WHOLE,) * (count - 1))
    return (Slot.WHOLE,) * count


def opens_leading(op: Op, index: int, *, leading: bool) -> bool:
    """Say whether a kid is leading: whether no operand and no minus stands before it.

    ``leading`` says that of the node itself.  A relation, a connective, a comma and an opening
    bracket are neither operand nor minus.
    """
    if op in _SLOTS and op not in _CONNECTIVES:
        return leading and index == 0 and op is not Op.NEGATE and op is not Op.NOT
    return True


def needs_brackets(node: Node, slot: Slot, *, leading: bool, latex: bool = False) -> bool:
    """Say whether the node (no ``PAREN``) must be bracketed in the slot.

    In LaTeX nothing closes the body of a sum sign, so that it binds more weakly.  Only where
    nothing stands before it (see ``opens_leading``) may a minus sign open an operand of a sum or
    a product, so ``a+(-1)*b`` but ``-1*b+a``.
    """
    if latex and node.op is Op.AGGREGATE:
        return slot > Slot.SUM_RIGHT
    if _STRENGTHS.get(node.op, _ATOM) < slot:
        return True
    if slot is Slot.AND_LEFT or slot is Slot.OR_LEFT:
        # The two connectives bind alike and are never mixed without brackets.
        return node.op is (Op.OR if slot is Slot.AND_LEFT else Op.AND)
    if node.op is not Op.NEGATE:
        return False
    if slot is Slot.SUM_LEFT or slot is Slot.PRODUCT_LEFT:
        return not leading
    return slot in (Slot.SUM_RIGHT, Slot.PRODUCT_RIGHT)


def strip_brackets(node: Node) -> tuple[Node, int]:
    """Return what stands in the outer ``PAREN`` nodes, and their number."""
    count = 0
    while node.op is Op.PAREN:
        node = node.kids[0]
        count += 1
    return node, count
