"""What kind of value a formula has: a number, a truth value or a sequence."""

from __future__ import annotations

from enum import StrEnum

from codequake.formula.names import Names
from codequake.formula.nodes import Node, Op

__all__ = ["Sort", "misfit", "sort_of"]


class Sort(StrEnum):
    """The kind of a value."""

    INTEGER = "int"
    REAL = "real"
    TRUTH = "bool"
    SEQUENCE = "seq"


_TRUTHS = frozenset(
    {
        Op.EQUATION,
        Op.RELATION,
        Op.CHAIN,
        Op.MEMBER,
        Op.BOOLEAN,
        Op.NOT,
        Op.AND,
        Op.OR,
        Op.IMPLIES,
        Op.IFF,
        Op.QUANTIFIER,
    }
)
_REALS = frozenset(
    {Op.CONSTANT, Op.DIVIDE, Op.CALL, Op.LOGARITHM, Op.DERIVATIVE, Op.SECOND_DERIVATIVE}
)
_INTEGERS = frozenset({Op.BOUND, Op.INDEX, Op.LENGTH, Op.INTEGER_DIVIDE, Op.MODULO})


def sort_of(node: Node, names: Names, known: dict[Node, Sort] | None = None) -> Sort:
    """Return the sort of a formula over these names.

    A variable that is not declared is bound by a quantifier, hence an integer; so are the
    elements of sequences.  A power is an integer when both parts are.  ``known``
    remembers sorts between calls with the same names.
    """
    return _sort(node, names, {} if known is None else known)


def _sort(node: Node, names: Names, known: dict[Node, Sort]) -> Sort:
    found = known.get(node)
    if found is None:
        found = known[node] = _new_sort(node, names, known)
    return found


def _new_sort(node: Node, names: Names, known: dict[Node, Sort]) -> Sort:
    op = node.op
    if op in _TRUTHS:
        return Sort.TRUTH
    if op in _REALS:
        return Sort.REAL
    if op in _INTEGERS:
        return Sort.INTEGER
    if op is Op.SEQUENCE or op is Op.SLICE or node.text == "multiset":
        return Sort.SEQUENCE
    if op is Op.NUMBER:
        return Sort.REAL if "." in node.text else Sort.INTEGER
    if op is Op.COEFFICIENT or op is Op.VARIABLE:
        integer = node.text in names.integers or (
            op is Op.VARIABLE and node.text not in names.variables
        )
        return Sort.INTEGER if integer else Sort.REAL
    if op is Op.PAREN or op is Op.VIEW or op is Op.CONDITIONAL:
        return _sort(node.kids[-1], names, known)
    values = node.kids[3:] if op is Op.AGGREGATE else node.kids
    integer = all(_sort(kid, names, known) is Sort.INTEGER for kid in values)
    return Sort.INTEGER if integer else Sort.REAL


_CONDITIONS = frozenset({Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.IFF})
_ARITHMETIC = frozenset(
    {
        *(Op.NEGATE, Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER),
        *(Op.CALL, Op.LOGARITHM, Op.RELATION, Op.CHAIN, Op.AGGREGATE),
    }
)
_NUMBERS = frozenset({Sort.INTEGER, Sort.REAL})


def misfit(node: Node, names: Names, known: dict[Node, Sort]) -> str | None:
    """Say what is wrong with the sorts of a node's kids, in a few words, or return ``None``.

    ``known`` remembers sorts between calls with the same names.
    """
    sorts = [_sort(kid, names, known) for kid in node.kids]
    op = node.op
    if op in _CONDITIONS or op is Op.QUANTIFIER:
        return (
            None if sorts[-1] is sorts[0] is Sort.TRUTH or _quantifies(op, sorts) else _NEED_TRUTH
        )
    if op is Op.CONDITIONAL:
        if sorts[0] is not Sort.TRUTH:
            return _NEED_TRUTH
        return None if _alike(sorts[1], sorts[2]) else "'then' and 'else' give values of two kinds"
    if op is Op.EQUATION or (op is Op.RELATION and node.text == "!="):
        return None if _alike(*sorts) else "values of two kinds are compared"
    if op is Op.MEMBER or op is Op.SLICE or op is Op.LENGTH or op is Op.INDEX:
        return _sequence_misfit(node, sorts)
    if op is Op.VIEW and node.text == "multiset":
        return None if sorts[0] is Sort.SEQUENCE else "a sequence is needed"
    if op is Op.INTEGER_DIVIDE or op is Op.MODULO:
        return None if set(sorts) == {Sort.INTEGER} else "'%' is for integers"
    if op in _ARITHMETIC and not _NUMBERS.issuperset(sorts):
        return "a number is needed"
    return None


_NEED_TRUTH = "a condition is needed"


def _quantifies(op: Op, sorts: list[Sort]) -> bool:
    return op is Op.QUANTIFIER and sorts[-1] is Sort.TRUTH


def _alike(one: Sort, two: Sort) -> bool:
    return one is two or {one, two} == _NUMBERS


def _sequence_misfit(node: Node, sorts: list[Sort]) -> str | None:
    place = 1 if node.op is Op.MEMBER else 0
    # An element may be a row of a matrix, which only its use shows.
    if sorts[place] is not Sort.SEQUENCE and node.kids[place].op is not Op.INDEX:
        return "a sequence is needed"
    if node.op is not Op.MEMBER and any(sort is not Sort.INTEGER for sort in sorts[1:]):
        return "an index is an integer"
    return None
