"""What cancels: opposite terms of a sum, opposite factors of a product, what two sides share.

Only numbers and coefficients cancel, never a variable, whose value may be 0.  Every function
returns an edit or ``None``; whether the edit makes the formula shorter is the caller's question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codequake.formula.applying import TURNED
from codequake.formula.nodes import ZERO, Node, Op
from codequake.formula.parts import (
    Factor,
    Key,
    Path,
    Term,
    factors_of,
    is_literal,
    join_sum,
    negated,
    rebuilt_product,
    rebuilt_sum,
    term_key,
    terms_of,
)

__all__ = [
    "Edit",
    "MayDivide",
    "all_to_the_left",
    "cancelled_factors",
    "cancelled_terms",
    "joined_powers",
    "shared_by_sides",
    "split_over_sides",
    "zero_product",
]

MayDivide = Callable[[Node], bool]
"""Says whether a number or a coefficient may be divided by."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change at one place: the rule, what stands there then, and what must not be 0 for it."""

    rule: str
    result: Node
    divided_by: tuple[Node, ...] = ()


def cancelled_terms(node: Node) -> Edit | None:
    """Return the sum without its pairs ``+I`` and ``-I``."""
    open_terms: dict[Key, list[Term]] = {}
    gone: dict[Path, Node | None] = {}
    rules = []
    for term in terms_of(node):
        key = term_key(term.node)
        if key is None:
            continue
        others = open_terms.setdefault(key, [])
        if others and others[-1].sign != term.sign:
            gone[others.pop().path] = gone[term.path] = None
            rules.append("cancel_added" if term.sign < 0 else "cancel_subtracted")
        else:
            others.append(term)
    if not gone:
        return None
    return Edit("+".join(dict.fromkeys(rules)), rebuilt_sum(node, gone) or ZERO)


def zero_product(factors: list[Factor], may_divide: MayDivide) -> Edit | None:
    """Return 0 for a product of 0 and constants, ``0*2`` or ``0/a``, given its factors.

    Where a variable stands beside the 0 nothing is done: it may be undefined somewhere.
    """
    zero = next((f.base for f in factors if f.power > 0 and is_literal(f.base, 0)), None)
    if zero is None:
        return None
    others = [factor for factor in factors if factor.base is not zero]
    divisors = tuple(factor.base for factor in others if factor.power < 0)
    if any(term_key(factor.base) is None for factor in others):
        return None
    if not all(may_divide(leaf) for leaf in divisors):
        return None
    return Edit("drop_product_of_zero", zero, divisors)


def cancelled_factors(node: Node, factors: list[Factor], may_divide: MayDivide) -> Edit | None:
    """Return the product without the powers of a constant that multiply and divide it."""
    over: dict[Key, list[Factor]] = {}
    under: dict[Key, list[Factor]] = {}
    for factor in factors:
        key = term_key(factor.base)
        if key is not None and may_divide(factor.base):
            (over if factor.power > 0 else under).setdefault(key, []).append(factor)
    changed: dict[Path, Node | None] = {}
    leaves = []
    for key, multiplying in over.items():
        times = min(_total(multiplying), _total(under.get(key, [])))
        if times:
            _take(multiplying, times, changed)
            _take(under[key], times, changed)
            leaves.append(multiplying[0].base)
    if not changed:
        return None
    return Edit("cancel_factors", rebuilt_product(node, changed), tuple(leaves))


def _total(factors: list[Factor]) -> int:
    return sum(abs(factor.power) for factor in factors)


def _take(factors: list[Factor], times: int, changed: dict[Path, Node | None]) -> None:
    """Lower the powers of equal factors by ``times`` in all, the lowest ones first."""
    for factor in sorted(factors, key=lambda one: abs(one.power)):
        power = abs(factor.power)
        taken = min(power, times)
        times -= taken
        if taken:
            left = power - taken
            changed[factor.path] = _power(factor.base, left) if left else None


def _power(base: Node, power: int) -> Node:
    return base if power == 1 else Node(Op.POWER, (base, Node(Op.NUMBER, (), str(power))))


def joined_powers(node: Node, factors: list[Factor]) -> Edit | None:
    """Return the product with equal factors written as a power: ``E*E`` as ``E^2``.

    Factors are equal when they differ in the order of sums and products only; divisors likewise.
    """
    groups: dict[tuple[str, bool], list[Factor]] = {}
    # A single sum has nothing to be equal to, and its key is the expensive one.
    several = sum(bool(factor.base.kids) for factor in factors) > 1
    for factor in factors:
        if factor.base.op is not Op.NUMBER and (several or not factor.base.kids):
            key = (_unordered(factor.base), factor.power > 0)
            groups.setdefault(key, []).append(factor)
    changed: dict[Path, Node | None] = {}
    for equal in groups.values():
        if len(equal) > 1:
            changed[equal[0].path] = _power(equal[0].base, _total(equal))
            changed |= dict.fromkeys((factor.path for factor in equal[1:]), None)
    return Edit("join_powers", rebuilt_product(node, changed)) if changed else None


def _unordered(node: Node) -> str:
    """Return a text that is the same for trees that differ in the order of operands only."""
    if not node.kids:
        return node.text
    if node.op is Op.ADD or node.op is Op.SUBTRACT:
        kids = sorted(f"{term.sign:+}{_unordered(term.node)}" for term in terms_of(node))
        return f"sum({','.join(kids)})"
    kids = [_unordered(kid) for kid in node.kids]
    if node.op is Op.MULTIPLY:
        kids.sort()
    return f"{node.op.value} {node.text}({','.join(kids)})"


def all_to_the_left(node: Node) -> Edit | None:
    """Return ``E-F=0`` for ``E=F``, unless ``F`` is 0."""
    left, right = node.kids
    if is_literal(right, 0):
        return None
    return Edit("shift_left", Node(node.op, (Node(Op.SUBTRACT, (left, right)), ZERO), node.text))


def shared_by_sides(node: Node, may_divide: MayDivide) -> Edit | None:
    """Return a relation without what both sides share: a minus, an addend, a factor or divisor.

    A side that is 0 has every factor.
    """
    sides = (terms_of(node.kids[0]), terms_of(node.kids[1]))
    terms = (*sides[0], *sides[1])
    if not terms:
        return None
    if all(term.sign < 0 for term in terms):
        return Edit("join_minus", _turned(node, sides))
    return _without_addends(node, sides) or _without_factors(node, sides, may_divide)


def _without_addends(node: Node, sides: tuple[list[Term], list[Term]]) -> Edit | None:
    waiting: dict[tuple[Key, int], list[Path]] = {}
    for term in sides[1]:
        key = term_key(term.node)
        if key is not None:
            waiting.setdefault((key, term.sign), []).append(term.path)
    gone: tuple[dict[Path, Node | None], dict[Path, Node | None]] = ({}, {})
    for term in sides[0]:
        key = term_key(term.node)
        if key is not None and waiting.get((key, term.sign)):
            gone[0][term.path] = None
            gone[1][waiting[key, term.sign].pop(0)] = None
    if not gone[0]:
        return None
    left = [[term for term in sides[side] if term.path not in gone[side]] for side in (0, 1)]
    if all(term.sign < 0 for term in (*left[0], *left[1])):
        # Two steps at once, since a minus alone in front may need brackets: 2-E=2 is E=0.
        return Edit("subtract_from_sides+join_minus", _turned(node, left))
    kids = tuple(rebuilt_sum(node.kids[side], gone[side]) or ZERO for side in (0, 1))
    return Edit("subtract_from_sides", Node(node.op, kids, node.text))


def _turned(node: Node, sides: Sequence[list[Term]]) -> Node:
    """Return the relation of the opposites of two sums of terms."""
    kids = tuple(join_sum([(-term.sign, term.node) for term in side]) for side in sides)
    return Node(node.op, kids, TURNED.get(node.text, ""))


def _without_factors(
    node: Node, sides: tuple[list[Term], list[Term]], may_divide: MayDivide
) -> Edit | None:
    """Divide all terms by the constants, and multiply them by the divisors, that all have."""
    places = [(side, term) for side in (0, 1) for term in sides[side]]
    split = [_constant_factors(term.node) for _, term in places]
    changed: list[dict[Path, Node | None]] = [{} for _ in places]
    leaves = []
    for shared in split[0]:
        if not all(shared in factors for factors in split):
            continue
        base = split[0][shared][0].base
        if not may_divide(base) or (_is_inequality(node) and base.op is not Op.NUMBER):
            continue
        times = min(_total(factors[shared]) for factors in split)
        for factors, replaced in zip(split, changed, strict=True):
            _take(factors[shared], times, replaced)
        leaves.append(base)
    if not leaves:
        return None
    new: tuple[dict[Path, Node | None], dict[Path, Node | None]] = ({}, {})
    for (side, term), replaced in zip(places, changed, strict=True):
        made = rebuilt_product(term.node, replaced)
        new[side][term.path] = negated(made) if term.minus else made
    kids = tuple(rebuilt_sum(node.kids[side], new[side]) or ZERO for side in (0, 1))
    return Edit("divide_sides", Node(node.op, kids, node.text), tuple(leaves))


def _constant_factors(node: Node) -> dict[tuple[Key, bool], list[Factor]]:
    """Return the factors and the divisors (``False``) that are constants, equal ones together."""
    found: dict[tuple[Key, bool], list[Factor]] = {}
    for factor in factors_of(node):
        key = term_key(factor.base)
        if key is not None:
            found.setdefault((key, factor.power > 0), []).append(factor)
    return found


def _is_inequality(node: Node) -> bool:
    return node.op is Op.RELATION and node.text != "!="


def split_over_sides(node: Node) -> Edit | None:
    """Return the relation with its positive terms on the left and its negative ones on the right.

    Nothing is moved when one side would be left empty: a leading minus is no gain.  Then a side
    of negative terms only gives its minus to the other side.
    """
    left, right = (terms_of(kid) for kid in node.kids)
    over = [(1, term.node) for term in left if term.sign > 0]
    over += [(1, term.node) for term in right if term.sign < 0]
    under = [(1, term.node) for term in right if term.sign > 0]
    under += [(1, term.node) for term in left if term.sign < 0]
    if not over or not under:
        if not any(side and all(term.sign < 0 for term in side) for side in (left, right)):
            return None
        return Edit("join_minus", _turned(node, (left, right)))
    return Edit("split_sides", Node(node.op, (join_sum(over), join_sum(under)), node.text))
