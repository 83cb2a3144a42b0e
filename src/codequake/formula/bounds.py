"""A lower bound on distances, from counting constants: what a search need not look at.

No rule takes a constant away.  A rule adds one 0, one 1, or two copies of one constant.  Only the
rule that unrolls a power can add more: where there are such powers, a product counts as much as
the greater of its two factors, so that ``E*E`` counts as ``E``, and numbers that may be an exponent
on the way, 2 up to the greatest one, are not counted at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from codequake.formula.nodes import Node, Op, is_number, walk

__all__ = ["ConstantCount"]

_BITS = 16
_MASK = (1 << _BITS) - 1
_MEMO_LIMIT = 60_000


class ConstantCount:
    """Counts the constants of formulas that may be on a chain from ``centre``.

    ``constants`` are all that may occur.  Counts of all constants are packed into one integer, so
    that the count of a node is the sum of those of its kids.
    """

    def __init__(self, centre: Node, constants: Iterable[Node]) -> None:
        numbers = [node for node in walk(centre) if node.op in (Op.NUMBER, Op.COEFFICIENT)]
        zeros = [Node(Op.NUMBER, (), "0"), *(node for node in numbers if is_number(node, 0))]
        ones = [Node(Op.NUMBER, (), "1")]
        order = dict.fromkeys((*zeros, *ones, *numbers, *constants))
        self._zeros = len(dict.fromkeys(zeros))
        self._labels = len(order)
        self._known = {node: 1 << (_BITS * place) for place, node in enumerate(order)}
        highest = max((_unrollable(node) for node in walk(centre)), default=0)
        self._unrolls = highest > 0
        for exponent in range(2, highest + 1):
            self._known[Node(Op.NUMBER, (), str(exponent))] = 0
        self._leaves = dict(self._known)
        self._centre = self._count(centre)

    def at_least(self, formula: Node) -> int | None:
        """Return a number of steps that every chain from the centre has at least.

        ``None`` when no chain leads to the formula.
        """
        there, here = self._count(formula), self._centre
        if there == here:
            return 0
        steps = 0
        for place in range(self._labels):
            more = (there & _MASK) - (here & _MASK)
            if more < 0:
                return None
            if more:
                steps += more if place < self._zeros else (more + 1) // 2
            there >>= _BITS
            here >>= _BITS
        return steps

    def _count(self, node: Node) -> int:
        found = self._known.get(node)
        if found is None:
            if len(self._known) > _MEMO_LIMIT:
                self._known = dict(self._leaves)
            if self._unrolls and node.op is Op.MULTIPLY:
                found = self._greater(self._count(node.kids[0]), self._count(node.kids[1]))
            else:
                found = sum([self._count(kid) for kid in node.kids])
            self._known[node] = found
        return found

    def _greater(self, one: int, two: int) -> int:
        """Return the greater count of each constant."""
        if not two or one == two:
            return one
        found = 0
        for place in range(self._labels):
            shift = place * _BITS
            found |= max((one >> shift) & _MASK, (two >> shift) & _MASK) << shift
        return found


def _unrollable(node: Node) -> int:
    """Return the exponent of a power that a rule unrolls, 2 to 9, else 0."""
    if node.op is not Op.POWER or node.kids[1].op is not Op.NUMBER:
        return 0
    return int(node.kids[1].text) if node.kids[1].text in set("23456789") else 0
