"""Points that prove two formulas different, and points at which both were seen to have values."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from codequake.formula.assumptions import Assumption, Relation
from codequake.formula.balls import Ball, BallWorld
from codequake.formula.exact import exact_value
from codequake.formula.nodes import Node, Op, names_of

__all__ = ["BallTask", "Comparison", "Witness", "compare_in_balls"]

_DRAWS_A_POINT = 12
_ROOT_POINTS = 6
_GRID = tuple(Fraction(number, 2) for number in (-17, -9, -5, -3, -1, 1, 3, 5, 9, 17))
_HALVINGS = 40

Point = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Witness:
    """A point that proves two formulas different.

    ``point`` gives each name its exact value, or the two ends of an interval that holds it;
    ``meanings`` the functions without a meaning of their own, as polynomials; ``detail`` says
    what each formula does there.
    """

    point: tuple[tuple[str, str], ...]
    meanings: tuple[tuple[str, str], ...]
    detail: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The number of points at which both formulas had values, and a witness if one was found."""

    points: int
    witness: Witness | None


@dataclass(frozen=True, slots=True)
class BallTask:
    """Two formulas, what is given about their names, and the factor to confirm.

    ``factor``: names with the powers by which the second equation's difference of sides exceeds
    the first's, up to a number; ``None`` when nothing is claimed.
    """

    first: Node
    second: Node
    assumptions: tuple[Assumption, ...]
    factor: tuple[tuple[str, int], ...] | None

    def names(self) -> tuple[str, ...]:
        """Return all names, those of the assumptions included, in the order of the text."""
        sides = (side for one in self.assumptions for side in (one.left, one.right))
        return names_of(self.first, self.second, *sides)


def compare_in_balls(
    task: BallTask, world: BallWorld, rng: random.Random, points: int, *, search_roots: bool
) -> Comparison:
    """Compare two formulas at up to ``points`` random points that satisfy the assumptions.

    Points are drawn with both signs.  Expressions differ where their balls do not meet;
    equations where one provably holds and the other provably does not.  Equations whose claimed
    factor is not the same at all points count as seen at no point.
    """
    ratios: list[Ball] = []
    seen = defined = 0
    names = task.names()
    for number in range(points * _DRAWS_A_POINT):
        if seen == points:
            break
        point = _draw(names, rng, positive=number % 3 == 2)
        balls = _balls(point, world)
        if not _holds(task.assumptions, balls, world):
            continue
        one, two = world.value(task.first, balls), world.value(task.second, balls)
        if one is None or two is None:
            continue
        defined += 1
        if task.first.op is not Op.EQUATION:
            if not one.overlaps(two):
                return Comparison(seen, _witness(point, world, _values(one, two)))
            seen += 1
            continue
        witness = _exact_witness(task, point, (one, two), world)
        if witness is not None:
            return Comparison(seen, witness)
        if one.contains(0) and two.contains(0):
            seen += 1
        elif not one.contains(0) and not two.contains(0):
            seen += 1
            ratios.append(_ratio(task, balls, two / one))
    if search_roots and defined and task.first.op is Op.EQUATION:
        found = _search_roots(task, world, rng)
        if found is not None:
            return Comparison(seen, found)
    same = all(ratio.overlaps(ratios[0]) for ratio in ratios)
    return Comparison(seen if same else 0, None)


def _ratio(task: BallTask, balls: Mapping[str, Ball], ratio: Ball) -> Ball:
    for name, power in task.factor or ():
        ratio /= balls[name] ** power
    return ratio


def _draw(names: tuple[str, ...], rng: random.Random, *, positive: bool) -> dict[str, Fraction]:
    """Draw values of size 1/16 to 4, dyadic, so that floats and balls hold them exactly."""
    return {
        name: Fraction(rng.randint(1, 64), 16) * (1 if positive else rng.choice((-1, 1)))
        for name in names
    }


def _balls(point: Point, world: BallWorld) -> dict[str, Ball]:
    return {name: world.ball(value) for name, value in point.items()}


def _holds(
    assumptions: tuple[Assumption, ...], point: Mapping[str, Ball], world: BallWorld
) -> bool:
    """Say whether all assumptions are proved at the point."""
    for one in assumptions:
        left, right = world.value(one.left, point), world.value(one.right, point)
        if left is None or right is None:
            return False
        match one.relation:
            case Relation.NOT_EQUAL:
                proved = not left.overlaps(right)
            case Relation.GREATER:
                proved = bool(left > right)
            case Relation.LESS:
                proved = bool(left < right)
            case Relation.AT_LEAST:
                proved = bool(left >= right)
            case Relation.AT_MOST:
                proved = bool(left <= right)
            case _:
                assert_never(one.relation)
        if not proved:
            return False
    return True


def _values(one: Ball, two: Ball) -> str:
    return f"the first is {one.str(15)}, the second is {two.str(15)}"


def _witness(point: Point, world: BallWorld, detail: str, **intervals: str) -> Witness:
    shown = {name: _decimal(value) for name, value in point.items()} | intervals
    meanings = {
        name: "+".join(f"({c})*t^{power}" for power, c in enumerate(cubic))
        for name, cubic in world.cubics().items()
    }
    return Witness(tuple(sorted(shown.items())), tuple(sorted(meanings.items())), detail)


def _decimal(value: Fraction) -> str:
    """Return a dyadic value as an exact decimal text."""
    places = value.denominator.bit_length() - 1
    scaled = value * 10**places
    assert scaled.denominator == 1, "points are dyadic"
    digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".") if places else digits
    return f"-{text}" if value < 0 else text


def _exact_witness(
    task: BallTask, point: Point, balls: tuple[Ball, Ball], world: BallWorld
) -> Witness | None:
    """Return a witness when one equation holds exactly here and the other does not."""
    one, two = balls
    for name, formula, other in (("first", task.first, two), ("second", task.second, one)):
        if not other.contains(0) and exact_value(formula, point) == 0:
            return _witness(point, world, f"only the {name} holds")
    return None


def _search_roots(task: BallTask, world: BallWorld, rng: random.Random) -> Witness | None:
    """Look for an interval of one name in which one equation must hold and the other cannot."""
    names = task.names()
    sides = (("first", task.first, task.second), ("second", task.second, task.first))
    for number in range(_ROOT_POINTS):
        point = _draw(names, rng, positive=number % 3 == 2)
        for moving in names:
            for which, one, two in sides:
                for low, high in _sign_changes(one, point, moving, world):
                    box = _balls(point, world)
                    box[moving] = world.ball((low + high) / 2, (high - low) / 2)
                    if _only_first_holds(one, two, box, world) and _holds(
                        task.assumptions, box, world
                    ):
                        place = _decimal(low)
                        if low != high:
                            place = f"between {place} and {_decimal(high)}"
                        return _witness(point, world, f"only the {which} holds", **{moving: place})
    return None


def _only_first_holds(one: Node, two: Node, box: Mapping[str, Ball], world: BallWorld) -> bool:
    """Say whether the second cannot hold in a box in which the first changes its sign.

    A value on the whole box means that the first is continuous there, so that the change of sign
    is a root and no pole.
    """
    if world.value(one, box) is None:
        return False
    other = world.value(two, box)
    return other is not None and not other.contains(0)


def _sign_changes(
    formula: Node, point: Point, moving: str, world: BallWorld
) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield an exact root twice, or the ends of a short interval with proved, opposite signs."""
    balls = _balls(point, world)

    def sign(value: Fraction) -> int:
        ball = world.value(formula, balls | {moving: world.ball(value)})
        if ball is None or ball.contains(0):
            return 0
        return 1 if ball > 0 else -1

    signs = [(value, sign(value)) for value in _GRID]
    for (left, below), (right, above) in itertools.pairwise(signs):
        if below * above != -1:
            continue
        low, high = left, right
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            here = sign(middle)
            if here == 0:
                if exact_value(formula, {**point, moving: middle}) == 0:
                    low = high = middle
                break
            low, high = (middle, high) if here == below else (low, middle)
        yield low, high
