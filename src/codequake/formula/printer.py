"""Trees to text: one text for each tree, and a different one for each other tree."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from codequake.formula.layout import Slot, kid_slots, needs_brackets, strip_brackets
from codequake.formula.nodes import Node, Op

__all__ = ["Spacing", "format_formula", "size_of"]


class Spacing(StrEnum):
    """Where blanks stand: nowhere, around ``=``, ``+`` and ``-``, or around ``*`` and ``/`` too."""

    TIGHT = "tight"
    SUMS = "sums"
    WIDE = "wide"


def format_formula(formula: Node, spacing: Spacing = Spacing.TIGHT) -> str:
    """Return the text of a formula; parsing it with the same names gives the tree again.

    Products are always written with ``*``, whatever the source had.
    """
    return "".join(_with_blanks(_tokens(formula, leading=True), spacing))


def size_of(formula: Node) -> int:
    """Return the number of terminal symbols of the text: a number or a name counts one.

    Brackets and ``=`` count one each, as in the size of a formula of the paper (section 6).
    """
    return len(_tokens(formula, leading=True))


_SIGNS = {
    Op.ADD: "+",
    Op.SUBTRACT: "-",
    Op.MULTIPLY: "*",
    Op.DIVIDE: "/",
    Op.POWER: "^",
    Op.EQUATION: "=",
}
# A sign between two operands is kept apart from a minus that opens one.
_BINARY = {sign: f"{sign} " for sign in _SIGNS.values()}


def _tokens(node: Node, *, leading: bool) -> list[str]:
    match node.op:
        case Op.NUMBER | Op.COEFFICIENT | Op.VARIABLE | Op.CONSTANT:
            return [node.text]
        case Op.NEGATE:
            return ["-", *_kid(node, 0, leading=False)]
        case Op.CALL:
            return [node.text, "(", *_tokens(node.kids[0], leading=True), ")"]
        case Op.DERIVATIVE:
            return [node.text, "'", "(", node.kids[0].text, ")"]
        case Op.PAREN:
            return ["(", *_tokens(node.kids[0], leading=True), ")"]
        case Op.EQUATION:
            right = _tokens(node.kids[1], leading=True)
            return [*_tokens(node.kids[0], leading=True), _BINARY["="], *right]
        case Op.ADD | Op.SUBTRACT | Op.MULTIPLY | Op.DIVIDE | Op.POWER:
            left = _kid(node, 0, leading=leading)
            return [*left, _BINARY[_SIGNS[node.op]], *_kid(node, 1, leading=False)]
        case _:
            assert_never(node.op)


def _kid(node: Node, index: int, *, leading: bool) -> list[str]:
    """Return the tokens of a kid, in the brackets that it needs and those that it has besides."""
    slot: Slot = kid_slots(node)[index]
    inner, pairs = strip_brackets(node.kids[index])
    pairs += needs_brackets(inner, slot, leading=leading)
    tokens = _tokens(inner, leading=leading or pairs > 0)
    return ["("] * pairs + tokens + [")"] * pairs


def _with_blanks(tokens: list[str], spacing: Spacing) -> list[str]:
    match spacing:
        case Spacing.TIGHT:
            spaced = ""
        case Spacing.SUMS:
            spaced = "=+-"
        case Spacing.WIDE:
            spaced = "=+-*/"
        case _:
            assert_never(spacing)
    out = []
    for token in tokens:
        sign = token.rstrip()
        out.append(f" {sign} " if token != sign and sign in spaced else sign)
    return out
