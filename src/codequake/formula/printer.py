"""Trees to text: one text for each tree, and a different one for each other tree."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from codequake.formula.layout import (
    Slot,
    kid_slots,
    needs_brackets,
    opens_leading,
    strip_brackets,
)
from codequake.formula.nodes import CONTRACT_OPS, Node, Op, remember_size, walk

__all__ = ["Spacing", "format_contract", "format_formula", "size_of"]


class Spacing(StrEnum):
    """Where blanks stand: nowhere, around relations, ``+`` and ``-``, or around ``* / %`` too.

    Words and connectives of a contract, ``&&`` or ``forall``, have blanks always.
    """

    TIGHT = "tight"
    SUMS = "sums"
    WIDE = "wide"


def format_formula(formula: Node, spacing: Spacing = Spacing.TIGHT) -> str:
    """Return the text of a formula; parsing it with the same names gives the tree again.

    Products are always written with ``*``, whatever the source had.  Equality is ``=``, but
    ``==`` in a tree that only a contract can have.
    """
    tokens = _tokens(formula, leading=True)
    contract = " = " in tokens and any(node.op in CONTRACT_OPS for node in walk(formula))
    return _text(tokens, spacing, "==" if contract else "=")


def format_contract(contract: Node, spacing: Spacing = Spacing.WIDE) -> str:
    """Return the text of a contract, with ``==`` for equality."""
    return _text(_tokens(contract, leading=True), spacing, "==")


def size_of(formula: Node) -> int:
    """Return the number of terminal symbols of the text: a number or a name counts one.

    Brackets, relations and words count one each, as in the size of a formula of the paper
    (section 6); ``log_2`` counts one, as every name of a function.
    """
    if formula.size is None:
        slots = kid_slots(formula.op, formula.text, len(formula.kids))
        total = 0
        for part in _frame(formula):
            if isinstance(part, str):
                total += 1
            else:
                opens = opens_leading(formula.op, part, leading=True)
                total += _kid_size(formula.kids[part], slots[part], leading=opens)
        remember_size(formula, total)
    size = formula.size
    assert size is not None
    return size


def _kid_size(kid: Node, slot: Slot, *, leading: bool) -> int:
    inner, pairs = strip_brackets(kid)
    pairs += needs_brackets(inner, slot, leading=leading)
    extra = 2 if not leading and not pairs and _opens_with_minus(inner) else 0
    return size_of(inner) + 2 * pairs + extra


_LEFT_OPEN = frozenset({Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.INTEGER_DIVIDE, Op.MODULO})


def _opens_with_minus(node: Node) -> bool:
    """Say whether the text has a minus first that needs brackets when something stands before."""
    while node.op in _LEFT_OPEN:
        slot = kid_slots(node.op, node.text, 2)[0]
        node, pairs = strip_brackets(node.kids[0])
        if node.op is Op.NEGATE:
            return True
        if pairs or needs_brackets(node, slot, leading=True):
            return False
    return False


# What is written of a node besides its kids, which stand as their index.  Signs that may have
# blanks are written with them; a minus that opens an operand is none of these.
Frame = tuple[str | int, ...]

_FRAMES: dict[Op, Frame] = {
    Op.NEGATE: ("-", 0),
    Op.ADD: (0, " + ", 1),
    Op.SUBTRACT: (0, " - ", 1),
    Op.MULTIPLY: (0, " * ", 1),
    Op.DIVIDE: (0, " / ", 1),
    Op.INTEGER_DIVIDE: (0, " / ", 1),
    Op.MODULO: (0, " % ", 1),
    Op.POWER: (0, "^", 1),
    Op.PAREN: ("(", 0, ")"),
    Op.EQUATION: (0, " = ", 1),
    Op.CONDITIONAL: ("if ", 0, " then ", 1, " else ", 2),
    Op.NOT: ("!", 0),
    Op.AND: (0, " && ", 1),
    Op.OR: (0, " || ", 1),
    Op.IMPLIES: (0, " ==> ", 1),
    Op.IFF: (0, " <==> ", 1),
}
_SLICES: dict[str, Frame] = {
    "all": (0, "[", "..", "]"),
    "from": (0, "[", 1, "..", "]"),
    "to": (0, "[", "..", 1, "]"),
    "between": (0, "[", 1, "..", 2, "]"),
}
_SUM_SIGNS = frozenset({"=", "==", "!=", "<", "<=", ">", ">=", "+", "-"})
_PRODUCT_SIGNS = frozenset({"*", "/", "%"})


def _frame(node: Node) -> Frame:
    fixed = _FRAMES.get(node.op)
    return (node.text,) if not node.kids else fixed or _FREE_FRAMES[node.op](node)


def _chain_frame(node: Node) -> Frame:
    signs = enumerate(node.text.split(), start=1)
    return (0, *(part for index, sign in signs for part in (f" {sign} ", index)))


def _index_frame(node: Node) -> Frame:
    rest = [part for index in range(2, len(node.kids)) for part in (",", index)]
    return (0, "[", 1, *rest, "]")


def _quantifier_frame(node: Node) -> Frame:
    last = len(node.kids) - 1
    rest = [part for index in range(1, last) for part in (", ", index)]
    return (f"{node.text} ", 0, *rest, " :: ", last)


_FREE_FRAMES: dict[Op, Callable[[Node], Frame]] = {
    Op.CALL: lambda node: (node.text, "(", 0, ")"),
    Op.VIEW: lambda node: (node.text, "(", 0, ")"),
    Op.LOGARITHM: lambda node: (f"log_{node.kids[0].text}", "(", 1, ")"),
    Op.DERIVATIVE: lambda node: (node.text, "'", "(", 0, ")"),
    Op.SECOND_DERIVATIVE: lambda node: (node.text, "'", "'", "(", 0, ")"),
    Op.AGGREGATE: lambda node: (node.text, "(", 0, "=", 1, "..", 2, ",", 3, ")"),
    Op.RELATION: lambda node: (0, f" {node.text} ", 1),
    Op.MEMBER: lambda node: (0, f" {node.text} ", 1),
    Op.CHAIN: _chain_frame,
    Op.INDEX: _index_frame,
    Op.SLICE: lambda node: _SLICES[node.text],
    Op.LENGTH: lambda node: ("|", 0, "|") if node.text == "bars" else (0, f".{node.text}"),
    Op.QUANTIFIER: _quantifier_frame,
}


def _tokens(node: Node, *, leading: bool) -> list[str]:
    slots = kid_slots(node.op, node.text, len(node.kids))
    tokens: list[str] = []
    for part in _frame(node):
        if isinstance(part, str):
            tokens.append(part)
            continue
        # The brackets that a kid needs and those that it has besides.
        inner, pairs = strip_brackets(node.kids[part])
        opens = opens_leading(node.op, part, leading=leading)
        pairs += needs_brackets(inner, slots[part], leading=opens)
        tokens += ["("] * pairs
        tokens += _tokens(inner, leading=opens or pairs > 0)
        tokens += [")"] * pairs
    return tokens


def _text(tokens: list[str], spacing: Spacing, equal: str) -> str:
    spaced: frozenset[str] = frozenset()
    if spacing is not Spacing.TIGHT:
        spaced = _SUM_SIGNS if spacing is Spacing.SUMS else _SUM_SIGNS | _PRODUCT_SIGNS
    out = []
    for token in tokens:
        sign = token.strip()
        if sign != token and (sign in _SUM_SIGNS or sign in _PRODUCT_SIGNS):
            written = equal if sign == "=" else sign
            out.append(f" {written} " if sign in spaced else written)
        else:
            out.append(token)
    return "".join(out)
