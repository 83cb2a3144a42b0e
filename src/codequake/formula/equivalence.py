"""Do two formulas mean the same?  An answer that shares nothing with the rules but the tree.

Two independent methods: random evaluation in a large prime field, which can only confirm, and
balls, which can only refute (see ``codequake.formula.field`` and ``codequake.formula.balls``).
Expressions are equal when they agree wherever both are defined; equations when they hold at the
same points.  A difference of domain comes back as a condition, never silently.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace
from enum import StrEnum

from codequake.formula.assumptions import (
    Assumption,
    Relation,
    excludes_zero,
    format_assumption,
    nonzero,
)
from codequake.formula.balls import PRECISION, BallWorld
from codequake.formula.domain import (
    Kind,
    as_assumption,
    demands_of,
    is_rational,
    keeps_from_zero,
    with_factors,
)
from codequake.formula.faults import FormulaError
from codequake.formula.field import PRIME, FieldWorld, small_integer
from codequake.formula.nodes import Node, Op, coefficients_of, names_of
from codequake.formula.printer import format_formula
from codequake.formula.ratio import FieldAnswer, compare_equations, compare_expressions
from codequake.formula.witness import BallTask, Witness, compare_in_balls

__all__ = ["Certificate", "Equivalence", "Verdict", "equivalent"]

_TRIALS = 3
_BALL_POINTS = 6


class Verdict(StrEnum):
    """Whether two formulas mean the same; ``DIFFERENT`` is only said with a proof."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Certificate:
    """How a verdict was reached.

    ``field_points`` random points modulo ``prime`` and ``ball_points`` points at which both
    formulas had proved values, with balls of ``bits`` bits; ``versions`` names what computed.
    """

    method: str
    field_points: int
    prime: int
    ball_points: int
    bits: int
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A verdict with its certificate.

    ``witness`` is given exactly for ``DIFFERENT``.  ``conditions`` are what must hold besides the
    assumptions so that both formulas are defined at the same points, such as ``a != 0``.
    """

    verdict: Verdict
    certificate: Certificate
    witness: Witness | None
    conditions: tuple[str, ...]


def equivalent(
    first: Node, second: Node, assumptions: tuple[Assumption, ...] = (), *, seed: int = 0
) -> Equivalence:
    """Say whether two formulas mean the same wherever the assumptions hold.

    The same formulas and seed give the same answer.  Raises ``FormulaError`` when one is an
    equation and the other is not.
    """
    if (first.op is Op.EQUATION) != (second.op is Op.EQUATION):
        raise FormulaError("an equation and an expression cannot be compared")
    rng = _generator(first, second, seed)
    answer, factor, points = _in_field(first, second, rng)
    open_factor = [one for name, _ in factor if not _granted(one := _named(name), assumptions)]
    world = BallWorld(rng)
    seen = compare_in_balls(
        BallTask(first, second, assumptions, factor if answer is FieldAnswer.EQUAL else None),
        world,
        rng,
        _BALL_POINTS,
        search_roots=answer is not FieldAnswer.EQUAL or bool(open_factor),
    )
    if seen.witness is not None:
        verdict = Verdict.DIFFERENT
    elif answer is FieldAnswer.EQUAL and (seen.points > 0 or first == second):
        # Without a point at which both have a value nothing is known of them.
        verdict = Verdict.EQUIVALENT
    else:
        verdict = Verdict.UNKNOWN
    conditions: tuple[str, ...] = ()
    if verdict is Verdict.EQUIVALENT:
        found = (*_domain_conditions(first, second, assumptions, rng), *open_factor)
        conditions = tuple(dict.fromkeys(format_assumption(one) for one in found))
    return Equivalence(
        verdict, _certificate(points, seen.points, world.version), seen.witness, conditions
    )


def _generator(first: Node, second: Node, seed: int) -> random.Random:
    text = f"{seed}\n{format_formula(first)}\n{format_formula(second)}"
    digest = hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - reproducible on purpose


def _certificate(field_points: int, ball_points: int, version: str) -> Certificate:
    return Certificate(
        "random evaluation in a prime field, then balls",
        field_points,
        PRIME,
        ball_points,
        PRECISION,
        ("codequake-formula 1", f"python-flint {version}"),
    )


def _in_field(
    first: Node, second: Node, rng: random.Random
) -> tuple[FieldAnswer, tuple[tuple[str, int], ...], int]:
    """Return the answer of the field, the factor between two equations, and the points."""
    names = names_of(first, second)
    factor: tuple[tuple[str, int], ...] = ()
    points = 0
    for _ in range(_TRIALS):
        world = FieldWorld(rng)
        if first.op is Op.EQUATION:
            coefficients = set(coefficients_of(first)) | set(coefficients_of(second))
            seen = compare_equations(first, second, names, frozenset(coefficients), world)
        else:
            seen = compare_expressions(first, second, names, world)
        points += seen.points
        if seen.answer is not FieldAnswer.EQUAL:
            return seen.answer, (), points
        factor = seen.scaled_by
    return FieldAnswer.EQUAL, factor, points


def _named(name: str) -> Assumption:
    return nonzero(Node(Op.COEFFICIENT, (), name))


def _domain_conditions(
    first: Node, second: Node, assumptions: tuple[Assumption, ...], rng: random.Random
) -> list[Assumption]:
    """Return the demands of one formula that follow neither from the other nor from what is given.

    Demands are the same when their expressions have the same values at two points, up to a
    number where only 0 is excluded: ``-y != 0`` is ``y != 0``.
    """
    sides = (side for one in assumptions for side in (one.left, one.right))
    names = names_of(first, second, *sides)
    world = FieldWorld(rng)
    points = [{name: world.draw() for name in names} for _ in range(2)]

    def values(node: Node) -> tuple[int | None, ...]:
        return tuple(world.value(node, point) for point in points)

    def integer_of(node: Node) -> int | None:
        here, there = values(node)
        return None if here is None or here != there else small_integer(here)

    def key(kind: Kind, node: Node) -> tuple[Kind, tuple[int | None, ...]]:
        here, there = values(node)
        if kind is not Kind.NONZERO or not here or not there or not is_rational(node, integer_of):
            return kind, (here, there)
        return kind, (there * pow(here, -1, PRIME) % PRIME,)

    demands = [demands_of(formula, integer_of) for formula in (first, second)]
    given = {key(Kind.NONZERO, node) for one in assumptions if (node := excludes_zero(one))}
    found: list[Assumption] = []
    for mine, others in (demands, reversed(demands)):
        known = given | {key(demand.kind, demand.node) for demand in others}
        assumed = (*assumptions, *(as_assumption(demand) for demand in others))
        new = [as_assumption(one) for one in mine if key(one.kind, one.node) not in known]
        # Smallest first, so that b/c follows from c where b is demanded anyway.
        for condition in sorted(new, key=lambda one: one.left.depth):
            if not _granted(condition, with_factors((*assumed, *found))):
                found.append(condition)
    return found


def _granted(condition: Assumption, assumptions: tuple[Assumption, ...]) -> bool:
    if condition in assumptions:
        return True
    if condition.relation is Relation.NOT_EQUAL:
        return keeps_from_zero(condition.left, assumptions)
    stronger = replace(condition, relation=Relation.GREATER)
    return condition.relation is Relation.AT_LEAST and stronger in assumptions
