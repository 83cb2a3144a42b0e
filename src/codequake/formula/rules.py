"""The mutation rules, as data: two sides, a side condition and what the rule keeps.

Read ``E``, ``F`` and ``G`` as any expression, ``I`` as a number but zero or a coefficient.  A rule
never loses a symbol, so that every formula has finitely many predecessors; that is checked when a
rule is made, and the proof of a distance rests on it.

Rules are grouped into mutation types, the unit that strategies draw: 18 for equations and 12 for
expressions.  The paper prints six of them (its Table 1) and names five; the others are proposals,
see the documentation.  A type may have several rules: one for each exponent, side or sign.
Source: syntactic-robustness paper, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from codequake.errors import InternalError
from codequake.formula.names import Names
from codequake.formula.nodes import CONTRACT_OPS, Node, Op, is_expression, walk
from codequake.formula.parser import parse

__all__ = [
    "EQUATION_TYPES",
    "EXPRESSION_TYPES",
    "RENAMING",
    "RULES",
    "Keeps",
    "Kind",
    "Rule",
    "Scope",
    "Source",
    "kind_of",
    "needs_constant",
    "rules_for",
    "types_for",
]


class Scope(StrEnum):
    """Where a rule applies.

    ``ANYWHERE``: at every expression of every formula; ``EXPRESSION``: at every expression of a
    formula without ``=``; ``EQUATION``: at an equation or another relation between numbers;
    ``NAMES``: to the formula as a whole, by writing another name for a variable.
    """

    ANYWHERE = "anywhere"
    EXPRESSION = "expression"
    EQUATION = "equation"
    NAMES = "names"


class Keeps(StrEnum):
    """What a rule keeps.

    ``VALUE``: the value wherever both sides are defined; ``SOLUTIONS``: the values of the sides
    change together, so that the equation holds at the same points.
    """

    VALUE = "value"
    SOLUTIONS = "solutions"


class Source(StrEnum):
    """Where a rule comes from.

    ``PRINTED``: in the paper's Table 1; ``NAMED``: in words in its section 4; ``PROPOSED``: a
    proposal for what the paper does not show.
    """

    PRINTED = "printed"
    NAMED = "named"
    PROPOSED = "proposed"


class Kind(StrEnum):
    """What a formula is, which decides on its rules.

    ``CONTRACT``: a formula about integers and arrays, in which every relation between numbers is
    an equation for the rules.
    """

    EXPRESSION = "expression"
    EQUATION = "equation"
    CONTRACT = "contract"


@dataclass(frozen=True, slots=True)
class Rule:
    """A mutation.

    ``type`` is the mutation type, ``M1`` to ``M18``, ``M1,2`` or ``M3,4``; ``source`` says where
    it comes from.  ``nonzero``: a coefficient that takes the place of ``I`` must not be 0,
    and the mutant carries that as an assumption.  ``distinct``: ``E`` and ``F`` must differ, else
    nothing changes.  ``not_zero``: ``F`` must not be the literal 0.  ``flips``: an inequality is
    turned round.  ``integers``: also right for integers whose division drops the rest.
    ``numbers``: ``I`` is a number, since a name may be 0 or negative.
    Raises ``InternalError`` for a rule that loses an expression or whose sides do not fit its
    scope.
    """

    id: str
    type: str
    before: Node
    after: Node
    scope: Scope
    keeps: Keeps
    nonzero: bool = False
    distinct: bool = False
    not_zero: bool = False
    flips: bool = False
    integers: bool = True
    numbers: bool = False
    source: Source = Source.PROPOSED

    def __post_init__(self) -> None:
        names = {node.text for node in _holes(self.before)}
        if not names <= {node.text for node in _holes(self.after)}:
            raise InternalError(f"rule {self.id!r} loses an expression of its left side")
        if (self.before.op is Op.EQUATION) != (self.scope is Scope.EQUATION):
            raise InternalError(f"rule {self.id!r} has sides that do not fit its scope")


def _holes(pattern: Node) -> list[Node]:
    return [node for node in walk(pattern) if node.op in (Op.VARIABLE, Op.COEFFICIENT)]


_PATTERN_NAMES = Names(frozenset({"I"}), frozenset({"E", "F", "G"}))


def _rule(
    type_: str,
    rule_id: str,
    sides: str,
    scope: Scope,
    *,
    nonzero: bool = False,
    distinct: bool = False,
    not_zero: bool = False,
) -> Rule:
    before, after = (parse(side, _PATTERN_NAMES) for side in sides.split("->"))
    keeps = Keeps.SOLUTIONS if scope is Scope.EQUATION else Keeps.VALUE
    return Rule(
        rule_id,
        type_,
        before,
        after,
        scope,
        keeps,
        nonzero,
        distinct,
        not_zero,
        flips=type_ in ("M5", "M8"),
        integers=type_ not in ("M1", "M1,2", "M15", "M16"),
        source=_source_of(type_),
    )


def _source_of(type_: str) -> Source:
    if type_ in ("M1", "M2", "M3", "M4", "M1,2", "M3,4"):
        return Source.PRINTED
    return Source.NAMED if type_ in ("M9", "M10", "M11", "M12", "M13") else Source.PROPOSED


_ROWS = (
    _rule("M1", "both_divide", "E=F -> E/I=F/I", Scope.EQUATION, nonzero=True),
    _rule("M2", "both_multiply", "E=F -> E*I=F*I", Scope.EQUATION, nonzero=True),
    _rule("M3", "both_add", "E=F -> E+I=F+I", Scope.EQUATION),
    _rule("M4", "both_subtract", "E=F -> E-I=F-I", Scope.EQUATION),
    _rule("M5", "swap_sides", "E=F -> F=E", Scope.EQUATION, distinct=True),
    _rule("M6", "all_to_the_left", "E=F -> E-F=0", Scope.EQUATION, not_zero=True),
    _rule("M7", "move_added_right", "E+G=F -> E=F-G", Scope.EQUATION),
    _rule("M7", "move_subtracted_right", "E-G=F -> E=F+G", Scope.EQUATION),
    _rule("M7", "move_added_left", "E=F+G -> E-G=F", Scope.EQUATION),
    _rule("M7", "move_subtracted_left", "E=F-G -> E+G=F", Scope.EQUATION),
    _rule("M8", "negate_sides", "E=F -> -E=-F", Scope.EQUATION),
    _rule("M1,2", "multiply_and_divide", "E -> E*I/I", Scope.EXPRESSION, nonzero=True),
    _rule("M3,4", "add_and_subtract", "E -> E+I-I", Scope.EXPRESSION),
    _rule("M9", "commute_sum", "E+F -> F+E", Scope.ANYWHERE, distinct=True),
    _rule("M10", "commute_product", "E*F -> F*E", Scope.ANYWHERE, distinct=True),
    _rule("M11", "add_zero", "E -> E+0", Scope.ANYWHERE),
    _rule("M12", "times_one", "E -> E*1", Scope.ANYWHERE),
)
_MORE_ROWS = (
    _rule("M14", "subtract_zero", "E -> E-0", Scope.ANYWHERE),
    _rule("M15", "divide_by_one", "E -> E/1", Scope.ANYWHERE),
    _rule("M16", "power_one", "E -> E^1", Scope.ANYWHERE),
    _rule("M17", "minus_as_plus", "E-F -> E+(-1)*F", Scope.ANYWHERE),
    _rule("M18", "unroll_power_2", "E^2 -> E*E", Scope.ANYWHERE),
    *(
        _rule("M18", f"unroll_power_{k}", f"E^{k} -> E^{k - 1}*E", Scope.ANYWHERE)
        for k in range(3, 10)
    ),
)

RENAMING = _rule("M13", "rename_variable", "E -> E", Scope.NAMES)
"""Another name for one variable everywhere; which names may be used is no part of the rule."""

RULES: tuple[Rule, ...] = (*_ROWS, RENAMING, *_MORE_ROWS)

_SHARED = tuple(f"M{number}" for number in range(9, 19))
EQUATION_TYPES = (*(f"M{number}" for number in range(1, 9)), *_SHARED)
"""The 18 mutation types of equations, in the order that breaks ties."""
EXPRESSION_TYPES = ("M1,2", "M3,4", *_SHARED)
"""The 12 mutation types of expressions, in the order that breaks ties."""


def kind_of(formula: Node, names: Names | None = None) -> Kind:
    """Return what a formula over the declared names is; without them, what it shows itself."""
    if (names is not None and names.contract) or any(
        node.op in CONTRACT_OPS for node in walk(formula)
    ):
        return Kind.CONTRACT
    return Kind.EXPRESSION if is_expression(formula) else Kind.EQUATION


def types_for(kind: Kind) -> tuple[str, ...]:
    """Return the mutation types of a kind of formula, whether they apply to one or not."""
    return EXPRESSION_TYPES if kind is Kind.EXPRESSION else EQUATION_TYPES


def rules_for(kind: Kind) -> tuple[Rule, ...]:
    """Return the rules of a kind of formula, whether they apply to one or not."""
    match kind:
        case Kind.EXPRESSION:
            return tuple(rule for rule in RULES if rule.scope is not Scope.EQUATION)
        case Kind.EQUATION:
            return tuple(rule for rule in RULES if rule.scope is not Scope.EXPRESSION)
        case Kind.CONTRACT:
            return tuple(
                replace(rule, numbers=rule.nonzero)
                for rule in RULES
                if rule.scope is not Scope.EXPRESSION and rule.integers
            )
        case _:
            assert_never(kind)


def needs_constant(rule: Rule) -> bool:
    """Say whether the rule brings in an ``I`` of free choice."""
    return any(node.op is Op.COEFFICIENT for node in _holes(rule.after))
