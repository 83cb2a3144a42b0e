"""Other names for variables: which may be used, and the formula under them.

A name that the prompt's text mentions must stay, or the text would speak of something that is no
longer there; coefficients are the inputs of a program and keep their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from codequake.formula.nodes import UNARY_FUNCTIONS, Node, Op, walk

__all__ = ["all_names", "free_names", "rename", "renamings"]

# Given from outside, or bound inside: a name that is no unknown stays.
_FIXED = frozenset({Op.COEFFICIENT, Op.CONSTANT, Op.BOUND, Op.SEQUENCE, Op.BOOLEAN})
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)?")


def all_names(formula: Node) -> frozenset[str]:
    """Return every name of a formula, those of functions without a fixed meaning included."""
    return frozenset(node.text for node in walk(formula) if _has_name(node))


def _has_name(node: Node) -> bool:
    match node.op:
        case Op.COEFFICIENT | Op.VARIABLE | Op.CONSTANT | Op.BOUND | Op.SEQUENCE | Op.BOOLEAN:
            return True
        case Op.DERIVATIVE | Op.SECOND_DERIVATIVE:
            return True
        case Op.CALL:
            return node.text not in UNARY_FUNCTIONS
        case _:
            return False


def free_names(formula: Node, text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that renaming may touch, sorted.

    ``names`` are those that a new name is drawn from; the variables of the formula come with
    them.  What stands as a whole word in ``text`` (the prompt around the formula), is a
    coefficient or a constant of the formula, or the name of a known function is left out.
    """
    taken = set(_WORD.findall(text)) | UNARY_FUNCTIONS
    taken |= {node.text for node in walk(formula) if node.op in _FIXED}
    variables = {node.text for node in walk(formula) if _is_renameable(node)}
    return tuple(sorted((variables | set(names)) - taken))


def _is_renameable(node: Node) -> bool:
    return node.op not in _FIXED and _has_name(node)


def renamings(formula: Node, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the pairs (old, new) that rename one variable, in the order of ``names``.

    The old name is in use, the new one is not in use anywhere in the formula, so that nothing is
    captured; the relation is symmetric.
    """
    if not names:
        return ()
    used = all_names(formula)
    inside = [name for name in names if name in used]
    return tuple((old, new) for old in inside for new in names if new not in used)


def rename(formula: Node, new_names: Mapping[str, str]) -> Node:
    """Return the formula with all names of variables and of their functions replaced at once."""
    if _is_renameable(formula) and formula.text in new_names:
        text = new_names[formula.text]
    else:
        text = formula.text
    kids = tuple(rename(kid, new_names) for kid in formula.kids)
    if text == formula.text and kids == formula.kids:
        return formula
    return Node(formula.op, kids, text)
