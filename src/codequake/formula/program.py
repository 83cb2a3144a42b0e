"""Formulas as straight-line programs: each subtree once, its parts before it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from codequake.formula.exact import exact_value
from codequake.formula.nodes import Node, Op

__all__ = ["Program", "Step", "compile_formula"]


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on the results of earlier steps.

    ``left`` and ``right`` are the places of its operands (-1 where there is none); ``number`` is
    the value of a ``NUMBER``, and of the exponent of a ``POWER`` that is written in numbers;
    ``inner`` computes the body of an ``AGGREGATE`` for one value of the name it ``binds``.
    """

    op: Op
    text: str
    left: int
    right: int
    number: Fraction | None = None
    inner: Program | None = None
    binds: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of one formula; the last one gives its value."""

    steps: tuple[Step, ...]


def compile_formula(formula: Node) -> Program:
    """Return the program of a formula; equal subtrees are computed once, brackets not at all."""
    steps: list[Step] = []
    places: dict[Node, int] = {}

    def place(node: Node) -> int:
        found = places.get(node)
        if found is None:
            kids = [place(kid) for kid in _computed(node)]
            if node.op is Op.PAREN:
                found = kids[0]
            else:
                found = len(steps)
                steps.append(_step(node, kids))
            places[node] = found
        return found

    last = place(formula)
    return Program(tuple(steps[: last + 1]))


def _computed(node: Node) -> tuple[Node, ...]:
    """Return the kids whose values are computed before the node's."""
    return node.kids[1:3] if node.op is Op.AGGREGATE else node.kids


def _step(node: Node, kids: list[int]) -> Step:
    left, right = (*kids, -1, -1)[:2]
    if node.op is Op.AGGREGATE:
        body = compile_formula(node.kids[3])
        return Step(node.op, node.text, left, right, None, body, node.kids[0].text)
    number = None
    if node.op is Op.NUMBER:
        number = exact_value(node)
    elif node.op is Op.POWER:
        number = exact_value(node.kids[1])
    return Step(node.op, node.text, left, right, number)
