"""Trees to LaTeX, one text for each tree, which reads back as the same tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codequake.formula.latex_words import CONNECTIVES, FUNCTIONS, GREEK, RELATIONS
from codequake.formula.layout import (
    Slot,
    kid_slots,
    needs_brackets,
    opens_leading,
    strip_brackets,
)
from codequake.formula.nodes import CONTRACT_OPS, Node, Op, walk

__all__ = ["format_latex"]


def format_latex(formula: Node, *, fractions: bool = False, leibniz: bool = False) -> str:
    r"""Return the LaTeX of a formula; ``parse_latex`` with the same names gives the tree again.

    A quotient is written ``a / b``, as the tree has it, or ``\frac{a}{b}`` with ``fractions``; a
    derivative ``y'\left(x\right)``, or ``\frac{dy}{dx}`` with ``leibniz``.  Products are written
    with ``\cdot``, names of several letters upright, Euler's number as ``\mathrm{e}``.
    """
    contract = any(node.op in CONTRACT_OPS for node in walk(formula))
    return _Writer(fractions, leibniz, contract).text(formula, leading=True)


@dataclass(frozen=True, slots=True)
class _Braced:
    """A kid in braces, which need no brackets and count as none."""

    index: int


_Part = str | int | _Braced
_Frame = tuple[_Part, ...]

_FRAMES: dict[Op, _Frame] = {
    Op.NEGATE: ("-", 0),
    Op.ADD: (0, " + ", 1),
    Op.SUBTRACT: (0, " - ", 1),
    Op.MULTIPLY: (0, " \\cdot ", 1),
    Op.DIVIDE: (0, " / ", 1),
    Op.INTEGER_DIVIDE: (0, " / ", 1),
    Op.MODULO: (0, " \\bmod ", 1),
    Op.POWER: (0, "^", _Braced(1)),
    Op.PAREN: ("\\left(", 0, "\\right)"),
    Op.EQUATION: (0, " = ", 1),
    Op.CONDITIONAL: ("\\mathrm{if}\\ ", 0, "\\ \\mathrm{then}\\ ", 1, "\\ \\mathrm{else}\\ ", 2),
    Op.NOT: ("\\lnot ", 0),
    Op.AND: (0, f" {CONNECTIVES['&&']} ", 1),
    Op.OR: (0, f" {CONNECTIVES['||']} ", 1),
    Op.IMPLIES: (0, f" {CONNECTIVES['==>']} ", 1),
    Op.IFF: (0, f" {CONNECTIVES['<==>']} ", 1),
}
_SLICES: dict[str, _Frame] = {
    "all": (0, "[\\ldots ]"),
    "from": (0, "[", 1, " \\ldots ]"),
    "to": (0, "[\\ldots ", 1, "]"),
    "between": (0, "[", 1, " \\ldots ", 2, "]"),
}


def _name(name: str) -> str:
    base, _, index = name.partition("_")
    if base in GREEK:
        base = f"\\{base}"
    elif len(base) > 1:
        base = f"\\mathrm{{{base}}}"
    return f"{base}_{{{index}}}" if index else base


def _called(node: Node) -> _Frame:
    name = node.text
    if name == "sqrt":
        return ("\\sqrt", _Braced(0))
    if name in FUNCTIONS:
        return (f"\\{name}\\left(", 0, "\\right)")
    return (f"{_name(name)}\\left(", 0, "\\right)")


def _aggregate(node: Node) -> _Frame:
    sign = "\\sum" if node.text == "sum" else "\\prod"
    return (f"{sign}_{{", 0, "=", 1, "}^{", 2, "} ", 3)


def _chain(node: Node) -> _Frame:
    signs = enumerate(node.text.split(), start=1)
    return (0, *(part for index, sign in signs for part in (f" {RELATIONS[sign]} ", index)))


def _index(node: Node) -> _Frame:
    rest = [part for index in range(2, len(node.kids)) for part in (", ", index)]
    return (0, "[", 1, *rest, "]")


def _length(node: Node) -> _Frame:
    if node.text == "bars":
        return ("\\left|", 0, "\\right|")
    return (0, f".\\mathrm{{{node.text}}}")


def _quantifier(node: Node) -> _Frame:
    last = len(node.kids) - 1
    rest = [part for index in range(1, last) for part in (", ", index)]
    return (f"\\{node.text} ", 0, *rest, " : ", last)


_FREE_FRAMES: dict[Op, Callable[[Node], _Frame]] = {
    Op.CALL: _called,
    Op.VIEW: _called,
    Op.LOGARITHM: lambda node: ("\\log_", _Braced(0), "\\left(", 1, "\\right)"),
    Op.DERIVATIVE: lambda node: (f"{_name(node.text)}'\\left(", 0, "\\right)"),
    Op.SECOND_DERIVATIVE: lambda node: (f"{_name(node.text)}''\\left(", 0, "\\right)"),
    Op.AGGREGATE: _aggregate,
    Op.RELATION: lambda node: (0, f" {RELATIONS[node.text]} ", 1),
    Op.MEMBER: lambda node: (0, f" {RELATIONS[node.text]} ", 1),
    Op.CHAIN: _chain,
    Op.INDEX: _index,
    Op.SLICE: lambda node: _SLICES[node.text],
    Op.LENGTH: _length,
    Op.QUANTIFIER: _quantifier,
}


@dataclass(frozen=True, slots=True)
class _Writer:
    fractions: bool
    leibniz: bool
    contract: bool

    def text(self, node: Node, *, leading: bool) -> str:
        slots = list(kid_slots(node.op, node.text, len(node.kids)))
        if node.op is Op.AGGREGATE:
            # Nothing closes the body, so that a sum in it needs brackets.
            slots[3] = Slot.SUM_RIGHT
        return "".join(
            part if isinstance(part, str) else self._kid(node, part, slots, leading=leading)
            for part in self._frame(node)
        )

    def _kid(self, node: Node, part: int | _Braced, slots: list[Slot], *, leading: bool) -> str:
        """Write a kid, in the brackets that it needs and those that it has besides."""
        index = part if isinstance(part, int) else part.index
        inner, pairs = strip_brackets(node.kids[index])
        if isinstance(part, _Braced):
            opens = True
        else:
            opens = opens_leading(node.op, index, leading=leading)
            if not self._is_closed(inner, slots[index]):
                pairs += needs_brackets(inner, slots[index], leading=opens, latex=True)
        text = self.text(inner, leading=opens or pairs > 0)
        text = "\\left(" * pairs + text + "\\right)" * pairs
        return f"{{{text}}}" if isinstance(part, _Braced) else text

    def _is_closed(self, node: Node, slot: Slot) -> bool:
        """Say whether a fraction bar holds the node together already."""
        return self.fractions and node.op is Op.DIVIDE and slot is not Slot.BASE

    def _frame(self, node: Node) -> _Frame:
        if node.op is Op.NUMBER:
            return (node.text,)
        if node.op is Op.CONSTANT and node.text == "E":
            return ("\\mathrm{e}",)
        if node.op is Op.CALL and node.text == "abs":
            # Bars around a sequence are its length.
            bars = ("\\left|", 0, "\\right|")
            return bars if not self.contract else ("\\mathrm{abs}\\left(", 0, "\\right)")
        if not node.kids:
            return (_name(node.text),)
        if node.op is Op.DIVIDE and self.fractions:
            return ("\\frac", _Braced(0), _Braced(1))
        if self.leibniz and node.op is Op.DERIVATIVE:
            return ("\\frac{d", _name(node.text), "}{d", 0, "}")
        if self.leibniz and node.op is Op.SECOND_DERIVATIVE:
            return ("\\frac{d^{2}", _name(node.text), "}{d", 0, "^{2}}")
        return _FRAMES.get(node.op) or _FREE_FRAMES[node.op](node)
