"""Reduction: what mutations add is taken away again, in small steps that keep the surface.

Each step makes the text shorter and leaves everything else as it was written: numbers keep their
digits and what remains keeps its order.  Only numbers and coefficients are cancelled, never a
variable, whose value may be 0.
Source: syntactic-robustness paper, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codequake.errors import InternalError
from codequake.formula.assumptions import Assumption, excludes_zero, nonzero
from codequake.formula.cancellation import (
    common_addend,
    common_factor,
    opposite_factors,
    opposite_terms,
)
from codequake.formula.equivalence import Equivalence, Verdict, equivalent
from codequake.formula.nodes import MAX_DEPTH, Node, Op, is_constant_leaf, is_minus_one, is_number
from codequake.formula.printer import format_formula, size_of

__all__ = ["Reduction", "ReductionStep", "negated", "reduce_formula"]


@dataclass(frozen=True, slots=True)
class ReductionStep:
    """One step: what was done, and the formula after it."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduced formula with its chain of steps.

    ``assumptions``: those given and those that cancelling a coefficient added.  ``equivalence``
    is the independent check of the result; ``None`` when nothing was reduced.
    """

    formula: Node
    steps: tuple[ReductionStep, ...]
    assumptions: tuple[Assumption, ...]
    equivalence: Equivalence | None


@dataclass(frozen=True, slots=True)
class _Edit:
    """A smaller formula, the rule that gave it, and the leaf that must not be 0 for it."""

    rule: str
    result: Node
    divided_by: Node | None = None


def reduce_formula(
    formula: Node, assumptions: tuple[Assumption, ...] = (), *, strict: bool = False
) -> Reduction:
    """Return the formula with all that cancels taken away, to a fix-point.

    The result is never larger than the formula, equivalent to it under ``assumptions`` of the
    reduction, and reducing it again changes nothing.  With ``strict`` a coefficient is cancelled
    from a product or from both sides only when an assumption keeps it from 0; without, that
    becomes an assumption.  A reduction that the independent check cannot confirm is not made.
    """
    known = {node for one in assumptions if (node := excludes_zero(one)) is not None}

    def may_divide_by(leaf: Node) -> bool:
        return leaf.op is Op.NUMBER or not strict or leaf in known

    current, steps = formula, []
    assumed = dict.fromkeys(assumptions)
    while (edit := _first_edit(current, may_divide_by)) is not None:
        current = edit.result
        steps.append(ReductionStep(edit.rule, format_formula(current)))
        leaf = edit.divided_by
        if leaf is not None and leaf.op is Op.COEFFICIENT and leaf not in known:
            assumed.setdefault(nonzero(leaf))
    if not steps:
        return Reduction(formula, (), assumptions, None)
    return _checked(formula, Reduction(current, tuple(steps), tuple(assumed), None), assumptions)


def _checked(formula: Node, made: Reduction, given: tuple[Assumption, ...]) -> Reduction:
    answer = equivalent(formula, made.formula, made.assumptions)
    if answer.verdict is Verdict.DIFFERENT:
        raise InternalError(
            f"reduction made {format_formula(made.formula)!r} of {format_formula(formula)!r}, "
            "and the two differ"
        )
    if answer.verdict is Verdict.UNKNOWN or answer.conditions:
        return Reduction(formula, (), given, None)
    return Reduction(made.formula, made.steps, made.assumptions, answer)


def _first_edit(formula: Node, may_divide_by: Callable[[Node], bool]) -> _Edit | None:
    """Return the first edit that makes the text shorter.

    What both sides share comes first, then zeros and ones, since an edit inside one side can
    hide what both share: ``E-b=b-b`` is ``E=b``, not ``E-b=0``.
    """
    size = size_of(formula)
    for edits in (_shared_edits, _dropping_edits, _other_edits):
        for edit in edits(formula):
            if size_of(edit.result) < size and (
                edit.divided_by is None or may_divide_by(edit.divided_by)
            ):
                return edit
    return None


def _shared_edits(formula: Node) -> Iterator[_Edit]:
    for result in common_addend(formula):
        yield _Edit("subtract_from_sides", result)
    for leaf, result in common_factor(formula):
        yield _Edit("divide_sides", result, leaf)


def _dropping_edits(formula: Node) -> Iterator[_Edit]:
    return _everywhere(formula, lambda node: _local(node, _DROPPING))


def _other_edits(formula: Node) -> Iterator[_Edit]:
    return _everywhere(formula, _other_edits_here)


def _other_edits_here(node: Node) -> Iterator[_Edit]:
    yield from _local(node, _OTHER)
    for result in opposite_terms(node):
        yield _Edit("cancel_terms", result)
    if node.op is Op.DIVIDE and is_number(node.kids[0], 0) and is_constant_leaf(node.kids[1]):
        yield _Edit("drop_product_of_zero", *node.kids)
    for leaf, result in opposite_factors(node):
        yield _Edit("cancel_factors", result, leaf)


def _local(
    node: Node, rules: tuple[tuple[str, Callable[[Node], Node | None]], ...]
) -> Iterator[_Edit]:
    for rule, change in rules:
        result = change(node)
        if result is not None:
            yield _Edit(rule, result)


def _everywhere(node: Node, edits: Callable[[Node], Iterator[_Edit]]) -> Iterator[_Edit]:
    """Yield the edits at every node as edits of the whole, innermost and leftmost first."""
    if node.op is not Op.DERIVATIVE:
        for index, kid in enumerate(node.kids):
            for edit in _everywhere(kid, edits):
                kids = (*node.kids[:index], edit.result, *node.kids[index + 1 :])
                yield _Edit(edit.rule, Node(node.op, kids, node.text), edit.divided_by)
    yield from edits(node)


def _drop_zero(node: Node) -> Node | None:
    if node.op in (Op.ADD, Op.SUBTRACT):
        left, right = node.kids
        if is_number(right, 0):
            return left
        if is_number(left, 0):
            return right if node.op is Op.ADD else negated(right)
    if node.op is Op.NEGATE and is_number(node.kids[0], 0):
        return node.kids[0]
    return None


def _drop_one(node: Node) -> Node | None:
    if node.op in (Op.MULTIPLY, Op.DIVIDE, Op.POWER) and is_number(node.kids[1], 1):
        return node.kids[0]
    if node.op is Op.MULTIPLY and is_number(node.kids[0], 1):
        return node.kids[1]
    return None


def _drop_product_of_zero(node: Node) -> Node | None:
    # Only constants are dropped beside a 0: a variable part may be undefined somewhere.
    if node.op is Op.MULTIPLY:
        left, right = node.kids
        if is_number(left, 0) and (is_constant_leaf(right) or is_number(right, 0)):
            return left
        if is_number(right, 0) and is_constant_leaf(left):
            return right
    return None


def _join_minus(node: Node) -> Node | None:
    """Turn ``E+(-F)`` into ``E-F``, ``E-(-F)`` into ``E+F``, ``-E+F`` into ``F-E``."""
    if node.op in (Op.ADD, Op.SUBTRACT):
        left, right = node.kids
        positive = _without_minus(right)
        if positive is not None:
            return Node(Op.SUBTRACT if node.op is Op.ADD else Op.ADD, (left, positive))
        positive = _without_minus(left)
        if positive is not None and node.op is Op.ADD:
            return Node(Op.SUBTRACT, (right, positive))
    if node.op is Op.NEGATE:
        return _without_minus(node.kids[0])
    return None


def _without_minus(node: Node) -> Node | None:
    """Return ``-node`` when the node is written with a minus or with a factor ``-1``."""
    if node.op is Op.NEGATE:
        return node.kids[0]
    if node.op is Op.MULTIPLY:
        left, right = node.kids
        if is_minus_one(left):
            return right
        if is_minus_one(right):
            return left
    if node.op in (Op.MULTIPLY, Op.DIVIDE):
        inner = _without_minus(node.kids[0])
        if inner is not None:
            return Node(node.op, (inner, node.kids[1]))
        inner = _without_minus(node.kids[1])
        if inner is not None:
            return Node(node.op, (node.kids[0], inner))
    return None


def _drop_minus_one(node: Node) -> Node | None:
    """Turn ``(-1)*E`` and ``E*(-1)`` into ``-E``."""
    if node.op is Op.MULTIPLY and (is_minus_one(node.kids[0]) or is_minus_one(node.kids[1])):
        return negated(node.kids[1] if is_minus_one(node.kids[0]) else node.kids[0])
    return None


def _ungroup(node: Node) -> Node | None:
    """Turn ``E+(F-G)`` into ``E+F-G`` and ``E*(F/G)`` into ``E*F/G``."""
    if sum(kid.depth for kid in node.kids) >= MAX_DEPTH:
        return None  # joined side by side the two could be nested too deeply
    if node.op is Op.ADD and node.kids[1].op in (Op.ADD, Op.SUBTRACT):
        return _joined(Op.ADD, *node.kids)
    if node.op is Op.MULTIPLY and node.kids[1].op in (Op.MULTIPLY, Op.DIVIDE):
        return _joined(Op.MULTIPLY, *node.kids)
    return None


def _joined(op: Op, left: Node, right: Node) -> Node:
    inner = (Op.ADD, Op.SUBTRACT) if op is Op.ADD else (Op.MULTIPLY, Op.DIVIDE)
    if right.op not in inner:
        return Node(op, (left, right))
    return Node(right.op, (_joined(op, left, right.kids[0]), right.kids[1]))


def negated(node: Node) -> Node:
    """Return ``-node`` with few brackets: the first factor of a product takes the minus."""
    if node.op is Op.NEGATE:
        return node.kids[0]
    if node.op in (Op.MULTIPLY, Op.DIVIDE):
        return Node(node.op, (negated(node.kids[0]), node.kids[1]))
    return Node(Op.NEGATE, (node,))


_DROPPING = (
    ("drop_zero", _drop_zero),
    ("drop_one", _drop_one),
)
_OTHER = (
    ("drop_product_of_zero", _drop_product_of_zero),
    ("join_minus", _join_minus),
    ("drop_minus_one", _drop_minus_one),
    ("ungroup", _ungroup),
)
