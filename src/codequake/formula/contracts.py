"""Contracts as formulas in an opaque skeleton: what stands between its connectives is an atom.

The skeleton (``&&``, ``==>``, quantifiers and so on) is never changed: under short-circuit meaning
``i < n && a[i] == k`` is defined where ``a[i] == k && i < n`` is not.  An atom is a relation of
numbers or sequences, and may be replaced by one that means the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from codequake.formula.faults import FormulaError
from codequake.formula.names import Names
from codequake.formula.nodes import Node, Op
from codequake.formula.sorts import Sort, sort_of

__all__ = ["Atom", "atoms_of", "replace_atom"]


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation in a contract.

    ``path`` leads to it from the root by indices of kids.  ``sort`` is the sort of its sides:
    ``INTEGER`` where all are integers, so that only integer-safe changes keep its meaning,
    ``SEQUENCE`` where sequences are compared or searched, else ``REAL``.  ``bound`` holds the
    names of the quantifiers around it, outermost first.
    """

    path: tuple[int, ...]
    formula: Node
    sort: Sort
    bound: tuple[str, ...]


_SKELETON = frozenset(
    {Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.IFF, Op.PAREN, Op.CONDITIONAL, Op.QUANTIFIER}
)
_RELATIONS = frozenset({Op.EQUATION, Op.RELATION, Op.CHAIN, Op.MEMBER})


def atoms_of(contract: Node, names: Names) -> tuple[Atom, ...]:
    """Return the atoms of a contract in the order of the text; a bare truth value is none.

    A comparison of two conditions, ``found == (i in s)``, belongs to the skeleton.
    """
    found: list[Atom] = []
    _collect(contract, names, (), (), found)
    return tuple(found)


def _collect(
    node: Node, names: Names, path: tuple[int, ...], bound: tuple[str, ...], found: list[Atom]
) -> None:
    if node.op in _RELATIONS:
        sorts = {sort_of(kid, names) for kid in node.kids}
        if Sort.TRUTH not in sorts:
            found.append(Atom(path, node, _joint(sorts), bound))
            return
    elif node.op not in _SKELETON:
        return
    first = 0
    if node.op is Op.QUANTIFIER:
        first = len(node.kids) - 1
        bound = (*bound, *(kid.text for kid in node.kids[:-1]))
    for index in range(first, len(node.kids)):
        _collect(node.kids[index], names, (*path, index), bound, found)


def _joint(sorts: set[Sort]) -> Sort:
    if Sort.SEQUENCE in sorts:
        return Sort.SEQUENCE
    return Sort.INTEGER if sorts == {Sort.INTEGER} else Sort.REAL


def replace_atom(contract: Node, path: tuple[int, ...], formula: Node) -> Node:
    """Return the contract with the atom at a path replaced by another relation.

    Raises ``FormulaError`` when there is no atom at the path, or the new formula is none.
    """
    if formula.op not in _RELATIONS:
        raise FormulaError(f"a {formula.op.value} cannot take the place of a relation")
    if not path:
        if contract.op not in _RELATIONS:
            raise FormulaError("no relation stands at this place of the contract")
        return formula
    index = path[0]
    skeleton = contract.op in _SKELETON or contract.op is Op.EQUATION
    if not skeleton or not 0 <= index < len(contract.kids):
        raise FormulaError("no relation stands at this place of the contract")
    kid = replace_atom(contract.kids[index], path[1:], formula)
    kids = (*contract.kids[:index], kid, *contract.kids[index + 1 :])
    return Node(contract.op, kids, contract.text)
