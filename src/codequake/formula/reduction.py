"""Reduction: what mutations add is taken away again, in small steps that keep the surface.

Each step makes the text shorter and leaves everything else as it was written: numbers keep their
digits and what remains keeps its order.  Only numbers and coefficients are cancelled, never a
variable, whose value may be 0.
Source: syntactic-robustness paper, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codequake.errors import InternalError
from codequake.formula.assumptions import Assumption, excludes_zero, nonzero
from codequake.formula.cancellation import (
    Edit,
    MayDivide,
    all_to_the_left,
    cancelled_factors,
    cancelled_terms,
    joined_powers,
    shared_by_sides,
    split_over_sides,
    zero_product,
)
from codequake.formula.equivalence import Equivalence, Verdict, equivalent
from codequake.formula.moves import Path, put
from codequake.formula.names import Names
from codequake.formula.nodes import ZERO, Node, Op, is_expression, open_kids, walk
from codequake.formula.parts import factors_of, is_literal, rebuilt_product, rebuilt_sum
from codequake.formula.printer import Spacing, format_contract, format_formula, size_of

__all__ = ["Form", "Reduction", "ReductionStep", "Trace", "reduce_formula", "reduced"]


class Form(StrEnum):
    """How a reduced equation stands.

    ``BEST_SPLIT``: with its terms on the sides that make it shortest.  ``ZERO``: everything on
    the left, ``... = 0``, as in the paper, which may be two symbols longer than it was.
    """

    BEST_SPLIT = "best_split"
    ZERO = "zero"


@dataclass(frozen=True, slots=True)
class ReductionStep:
    """One step: the rule (or several, joined by ``+``), and the formula after it."""

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
class Trace:
    """What a reduction did: the result, each edit with the way to its place, and the divisors."""

    result: Node
    edits: tuple[tuple[Path, Edit], ...]


def reduce_formula(
    formula: Node,
    assumptions: tuple[Assumption, ...] = (),
    *,
    strict: bool = False,
    form: Form = Form.BEST_SPLIT,
    names: Names | None = None,
) -> Reduction:
    """Return the formula with all that cancels taken away, to a fix-point.

    The result is never larger than the formula (but see ``Form.ZERO``), equivalent to it under
    ``assumptions`` of the reduction, and reducing it again changes nothing.  With ``strict`` a
    coefficient is cancelled from a product or from both sides only when an assumption keeps it
    from 0; without, that becomes an assumption.  A reduction that the independent check cannot
    confirm is not made.
    """
    trace = reduced(formula, assumptions, strict=strict, form=form)
    if not trace.edits:
        return Reduction(formula, (), assumptions, None)
    known = {node for one in assumptions if (node := excludes_zero(one)) is not None}
    assumed = dict.fromkeys(assumptions)
    steps, current = [], formula
    for path, edit in trace.edits:
        current = put(current, path, edit.result)
        steps.append(ReductionStep(edit.rule, _written(current, names)))
        for leaf in edit.divided_by:
            if leaf.op is Op.COEFFICIENT and leaf not in known:
                assumed.setdefault(nonzero(leaf))
    assert current is trace.result
    made = Reduction(trace.result, tuple(steps), tuple(assumed), None)
    return _checked(formula, made, assumptions, names)


def _written(formula: Node, names: Names | None) -> str:
    if names is not None and names.contract:
        return format_contract(formula, Spacing.TIGHT)
    return format_formula(formula)


def _checked(
    formula: Node, made: Reduction, given: tuple[Assumption, ...], names: Names | None
) -> Reduction:
    answer = equivalent(formula, made.formula, made.assumptions, names=names)
    if answer.verdict is Verdict.DIFFERENT:
        raise InternalError(
            f"reduction made {format_formula(made.formula)!r} of {format_formula(formula)!r}, "
            "and the two differ"
        )
    if answer.verdict is Verdict.UNKNOWN or answer.conditions:
        return Reduction(formula, (), given, None)
    return Reduction(made.formula, made.steps, made.assumptions, answer)


def reduced(
    formula: Node,
    assumptions: tuple[Assumption, ...] = (),
    *,
    strict: bool = False,
    form: Form = Form.BEST_SPLIT,
) -> Trace:
    """Return what ``reduce_formula`` does, without the independent check and the texts."""
    known = {node for one in assumptions if (node := excludes_zero(one)) is not None}

    def may_divide(leaf: Node) -> bool:
        return leaf.op is Op.NUMBER or not strict or leaf in known

    reducer = _Reducer(may_divide, form)
    result = reducer.run(formula)
    if result is formula or (form is Form.BEST_SPLIT and size_of(result) >= size_of(formula)):
        return Trace(formula, ())
    return Trace(result, tuple(reducer.edits))


_SUM_OPS = frozenset({Op.ADD, Op.SUBTRACT})
_PRODUCT_OPS = frozenset({Op.MULTIPLY, Op.DIVIDE})
_RELATIONS = frozenset({Op.EQUATION, Op.RELATION})


class _Reducer:
    """One pass over a tree from the leaves up; a sum or a product is seen as a whole, at its root.

    Relations go from the outside in: what both sides share comes first, since an edit inside one
    side can hide it: ``x/2=2/2`` is ``x=2``, not ``x/2=1``.
    """

    def __init__(self, may_divide: MayDivide, form: Form) -> None:
        self._may_divide = may_divide
        self._form = form
        # Ones and zeros only, or all: what is done with a node in either way is not asked again.
        self._all = True
        self._done: dict[bool, set[tuple[Node, frozenset[Op] | None]]] = {True: set(), False: set()}
        self.edits: list[tuple[Path, Edit]] = []

    def run(self, formula: Node) -> Node:
        if self._form is Form.ZERO and formula.op is Op.EQUATION:
            edit = all_to_the_left(formula)
            if edit is not None:
                formula = self._made((), edit)
        return self._reduced(formula, (), None)

    def _made(self, path: Path, edit: Edit) -> Node:
        self.edits.append((path, edit))
        return edit.result

    def _reduced(self, node: Node, path: Path, around: frozenset[Op] | None) -> Node:
        """Reduce a node; ``around`` is the kind of sum or product that it is a part of."""
        if not node.kids or (node, around) in self._done[self._all]:
            return node
        if node.op in _RELATIONS and all(map(is_expression, node.kids)):
            return self._relation(node, path)
        inside = self._inside(node, around)
        for number in open_kids(node):
            # A bracketed sum in a sum is also tidied for itself, so that pairs inside it go first.
            before = node.kids[number]
            if not before.kids:
                continue
            kid = self._reduced(before, (*path, number), inside if number == 0 else None)
            if kid is not before:
                kids = (*node.kids[:number], kid, *node.kids[number + 1 :])
                node = Node(node.op, kids, node.text)
        if inside is None or inside is not around:
            while (edit := self._edit(node)) is not None:
                node = self._made(path, edit)
        self._done[self._all].add((node, around))
        return node

    def _inside(self, node: Node, around: frozenset[Op] | None) -> frozenset[Op] | None:
        if node.op in _SUM_OPS:
            return _SUM_OPS
        if node.op in _PRODUCT_OPS:
            return _PRODUCT_OPS
        if node.op is Op.NEGATE:
            return around or _SUM_OPS
        return None

    def _edit(self, node: Node) -> Edit | None:
        """Return the first edit at a node that makes it shorter."""
        if node.op in _SUM_OPS or node.op is Op.NEGATE:
            edits = (_tidy_sum, cancelled_terms) if self._all else (_tidy_sum,)
            return next((one for make in edits if _shorter(one := make(node), node)), None)
        if node.op is Op.POWER and is_literal(node.kids[1], 1):
            return Edit("drop_one", node.kids[0])
        if node.op not in _PRODUCT_OPS:
            return None
        edit = _tidy_product(node)
        if edit is not None:
            return edit
        factors = factors_of(node)
        edit = zero_product(factors, self._may_divide)
        if not _shorter(edit, node) and self._all:
            edit = cancelled_factors(node, factors, self._may_divide)
            if not _shorter(edit, node):
                edit = joined_powers(node, factors)
        return edit if _shorter(edit, node) else None

    def _relation(self, node: Node, path: Path) -> Node:
        while True:
            before = node
            node = self._sides(node, path, everything=False)
            edit = shared_by_sides(node, self._may_divide)
            if edit is not None and _shorter(edit, node):
                node = self._made(path, edit)
                continue
            node = self._sides(node, path, everything=True)
            if node is not before:
                continue
            edit = None if self._form is Form.ZERO and not path else split_over_sides(node)
            if edit is None or not _shorter(edit, node):
                return node
            node = self._made(path, edit)

    def _sides(self, node: Node, path: Path, *, everything: bool) -> Node:
        self._all = everything
        kids = tuple(
            self._reduced(kid, (*path, number), None) for number, kid in enumerate(node.kids)
        )
        self._all = True
        return Node(node.op, kids, node.text)


def _shorter(edit: Edit | None, node: Node) -> bool:
    if edit is None or edit.result is node:
        return False
    return size_of(edit.result) < size_of(node)


def _tidy_sum(node: Node) -> Edit | None:
    made = rebuilt_sum(node, {}) or ZERO
    if made is node or size_of(made) >= size_of(node):
        return None
    return Edit(_tidied(node, 0, "drop_zero"), made)


def _tidy_product(node: Node) -> Edit | None:
    made = rebuilt_product(node, {})
    if made is node or size_of(made) >= size_of(node):
        return None
    return Edit(_tidied(node, 1, "drop_one"), made)


def _tidied(node: Node, neutral: int, rule: str) -> str:
    """Name what was tidied: a 0 or 1 dropped, a minus joined, else brackets."""
    names = []
    inside = _SUM_OPS if neutral == 0 else _PRODUCT_OPS
    stack = [node]
    while stack:
        one = stack.pop()
        if is_literal(one, neutral):
            names.append(rule)
        elif one.op is Op.NEGATE:
            names.append("join_minus")
            stack += one.kids
        elif one.op in inside:
            stack += one.kids
        elif one.op in _PRODUCT_OPS and any(part.op is Op.NEGATE for part in walk(one)):
            names.append("join_minus")
    return "+".join(dict.fromkeys(names)) or "ungroup"
