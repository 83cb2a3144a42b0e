"""Formulas with other names: what a mutant that renames a variable is compared after."""

from __future__ import annotations

from collections.abc import Mapping

from codequake.formula.faults import FormulaError
from codequake.formula.nodes import Node, Op, walk

__all__ = ["renamed_back", "with_names"]

_NAMED = frozenset(
    {
        Op.COEFFICIENT,
        Op.VARIABLE,
        Op.CALL,
        Op.DERIVATIVE,
        Op.SECOND_DERIVATIVE,
        Op.BOOLEAN,
        Op.SEQUENCE,
    }
)


def with_names(formula: Node, names: Mapping[str, str]) -> Node:
    """Return the formula with each name replaced, all at once; functions are names too."""
    made: dict[Node, Node] = {}

    def build(node: Node) -> Node:
        found = made.get(node)
        if found is None:
            text = names.get(node.text, node.text) if node.op in _NAMED else node.text
            found = made[node] = Node(node.op, tuple(build(kid) for kid in node.kids), text)
        return found

    return build(formula)


def renamed_back(first: Node, second: Node, names: Mapping[str, str]) -> Node:
    """Return the second formula with the names of the first.

    ``names`` maps names of the first formula to what they are called in the second.  Raises
    ``FormulaError`` when two names would become one: then nothing follows for the first formula.
    """
    kept = {node.text for node in walk(first) if node.op in _NAMED} - names.keys()
    taken: dict[str, str] = {}
    for old, new in names.items():
        if new in taken:
            raise FormulaError(f"names {taken[new]!r} and {old!r} are both renamed to {new!r}")
        if new in kept:
            raise FormulaError(f"name {old!r} is renamed to {new!r}, which is taken")
        taken[new] = old
    left = {node.text for node in walk(second) if node.op in _NAMED}.intersection(names)
    mixed = sorted(left.difference(taken))
    if mixed:
        raise FormulaError(f"name {mixed[0]!r} is renamed, but still stands in the second formula")
    return with_names(second, taken)
