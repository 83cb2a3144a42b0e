"""Points that prove two formulas different: by balls that do not meet, or by exact numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from codequake.formula.assumptions import Assumption, Relation
from codequake.formula.balls import Ball, BallWorld
from codequake.formula.comparisons import Comparison, Sign, comparisons_of
from codequake.formula.exact import exact_value
from codequake.formula.nodes import Node, names_of, walk
from codequake.formula.points import (
    Point,
    bounds_of,
    draw_integers,
    draw_point,
    format_value,
)

__all__ = ["Pair", "Search", "Witness", "holds", "values_witness"]

_DRAWN_POINTS = 36
_INTEGER_POINTS = 40
_ROOT_POINTS = 6
_FIRST_POINTS = 4
_GRID = tuple(Fraction(number, 2) for number in (-17, -9, -5, -3, -1, 1, 3, 5, 9, 17))
_HALVINGS = 40
_MOST_WORK = 150_000
_DIGITS = 15
_MORE_DIGITS = 40

Box = Mapping[str, Ball]


@dataclass(frozen=True, slots=True)
class Witness:
    """A point that proves two formulas different.

    ``point`` gives each name its exact value, or the two ends of an interval that holds it;
    ``meanings`` the functions without a meaning, as polynomials; ``detail`` says what each
    formula does there.
    """

    point: tuple[tuple[str, str], ...]
    meanings: tuple[tuple[str, str], ...]
    detail: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two formulas of one kind and what is assumed of their names."""

    first: Node
    second: Node
    assumptions: tuple[Assumption, ...]

    def names(self) -> tuple[str, ...]:
        """Return all names, those of the assumptions included, in the order of the text."""
        sides = (side for one in self.assumptions for side in (one.left, one.right))
        return names_of(self.first, self.second, *sides)


def holds(assumptions: tuple[Assumption, ...], box: Box, world: BallWorld) -> bool:
    """Say whether all assumptions are proved at a point, or everywhere in a box."""
    return all(_proved(one, box, world) for one in assumptions)


def _proved(one: Assumption, box: Box, world: BallWorld) -> bool:
    left, right = world.value(one.left, box), world.value(one.right, box)
    if not (left.is_finite() and right.is_finite()):
        return False
    match one.relation:
        case Relation.NOT_EQUAL:
            return not left.overlaps(right)
        case Relation.GREATER:
            return bool(left > right)
        case Relation.LESS:
            return bool(left < right)
        case Relation.AT_LEAST:
            return bool(left >= right)
        case Relation.AT_MOST:
            return bool(left <= right)
        case _:
            assert_never(one.relation)


def values_witness(point: Point, balls: tuple[Ball, Ball], world: BallWorld) -> Witness:
    """Return the witness of two expressions whose balls do not meet at a point."""
    one, two = balls
    first, second = one.str(_DIGITS), two.str(_DIGITS)
    if first == second:
        first, second = one.str(_MORE_DIGITS), two.str(_MORE_DIGITS)
    return _witness(point, world, f"the first is {first}, the second is {second}")


def _witness(point: Point, world: BallWorld, detail: str, **intervals: str) -> Witness:
    shown = {name: format_value(value) for name, value in point.items()} | intervals
    meanings = {
        name: "+".join(f"({c})*t^{power}" for power, c in enumerate(cubic))
        for name, cubic in world.cubics().items()
    }
    return Witness(tuple(sorted(shown.items())), tuple(sorted(meanings.items())), detail)


class Search:
    """A bounded search for a witness; ``points`` counts where both formulas had values."""

    def __init__(self, pair: Pair, world: BallWorld, salt: str) -> None:
        self._pair = pair
        self._world = world
        self._salt = salt
        self._names = pair.names()
        self._bounds = bounds_of(pair.assumptions, (pair.first, pair.second))
        self._first, self._second = comparisons_of(pair.first), comparisons_of(pair.second)
        size = sum(1 for side in (pair.first, pair.second) for _ in walk(side))
        self._left = max(200, _MOST_WORK // size)
        self.points = 0

    def run(self) -> Witness | None:
        """Return a witness, or ``None`` where the bounded search found none."""
        drawn = self._drawn()
        equations = bool(self._first and self._second) and all(
            one.sign is Sign.EQUAL for one in (*(self._first or ()), *(self._second or ()))
        )
        # A random point lies on no curve, so roots tell equations apart sooner.
        found = self._first_of(itertools.islice(drawn, _FIRST_POINTS if equations else None))
        if found is None and self._first is not None and self.points:
            found = self._exact_roots()
        if found is None and equations:
            found = self._first_of(drawn)
        if found is None and self._first is not None and self.points:
            found = self._boxed_roots()
        return found

    def _first_of(self, points: Iterable[Point]) -> Witness | None:
        """Return the first of the points that is a witness."""
        for point in points:
            found = self._at(point)
            if found is not None:
                return found
        return None

    def _drawn(self) -> Iterator[Point]:
        for number in range(_DRAWN_POINTS):
            yield draw_point(self._names, self._salt, number, self._bounds)
            if number < _INTEGER_POINTS // 2:
                yield draw_integers(self._names, self._salt, number, self._bounds)
        for number in range(_INTEGER_POINTS // 2, _INTEGER_POINTS):
            yield draw_integers(self._names, self._salt, number, self._bounds)

    def _at(self, point: Point) -> Witness | None:
        """Return the witness that a point is, if it is one."""
        box = self._box(point)
        if not holds(self._pair.assumptions, box, self._world):
            return None
        if self._first is None or self._second is None:
            one = self._value(self._pair.first, box)
            two = self._value(self._pair.second, box)
            if not (one.is_finite() and two.is_finite()):
                return None
            self.points += 1
            return None if one.overlaps(two) else values_witness(point, (one, two), self._world)
        truths = self._truth(self._first, point, box), self._truth(self._second, point, box)
        if None not in truths or self._defined(box):
            self.points += 1
        return self._told_apart(truths, point)

    def _told_apart(
        self, truths: tuple[bool | None, bool | None], point: Point, **intervals: str
    ) -> Witness | None:
        match truths:
            case (True, False):
                return _witness(point, self._world, "only the first holds", **intervals)
            case (False, True):
                return _witness(point, self._world, "only the second holds", **intervals)
            case _:
                return None

    def _defined(self, box: Box) -> bool:
        atoms = (*(self._first or ()), *(self._second or ()))
        return all(self._value(atom.difference, box).is_finite() for atom in atoms)

    def _box(self, point: Point) -> dict[str, Ball]:
        return {name: self._world.ball(value) for name, value in point.items()}

    def _value(self, formula: Node, box: Box) -> Ball:
        self._left -= 1
        return self._world.value(formula, box)

    def _truth(self, atoms: tuple[Comparison, ...], point: Point | None, box: Box) -> bool | None:
        """Say whether all atoms hold, ``None`` where that is not proved or one has no value."""
        balls = [self._value(atom.difference, box) for atom in atoms]
        # A statement with an undefined part is no statement, even if another part is false.
        if not all(ball.is_finite() for ball in balls):
            return None
        truths = [_atom_truth(atom, ball, point) for atom, ball in zip(atoms, balls, strict=True)]
        if False in truths:
            return False
        return True if all(truths) else None

    def _differences(self) -> list[Node]:
        atoms = (*(self._first or ()), *(self._second or ()))
        return list(dict.fromkeys(atom.difference for atom in atoms))

    def _exact_roots(self) -> Witness | None:
        """Look at points at which a difference that is linear in some name is exactly 0."""
        for number in range(_ROOT_POINTS):
            point = draw_integers(self._names, self._salt, 1000 + number, self._bounds)
            for name in self._names:
                for difference in self._differences():
                    root = _linear_root(difference, point, name)
                    if self._left <= 0:
                        return None
                    self._left -= 3
                    if root is None:
                        continue
                    found = self._at({**point, name: root})
                    if found is not None:
                        return found
        return None

    def _boxed_roots(self) -> Witness | None:
        """Look for an interval of one name in which one difference must be 0."""
        for number in range(_ROOT_POINTS):
            point = draw_point(self._names, self._salt, 2000 + number, self._bounds)
            for name in self._names:
                for difference in self._differences():
                    for low, high in self._sign_changes(difference, point, name):
                        found = self._in_box(difference, point, name, (low, high))
                        if found is not None:
                            return found
                    if self._left <= 0:
                        return None
        return None

    def _in_box(
        self, difference: Node, point: Point, name: str, ends: tuple[Fraction, Fraction]
    ) -> Witness | None:
        """Return a witness if a root of the difference in the interval tells the two apart.

        A value on the whole box means that the difference is continuous there, so that its change
        of sign is a root and no pole.
        """
        low, high = ends
        box = self._box(point)
        box[name] = self._world.ball((low + high) / 2, (high - low) / 2)
        if not self._value(difference, box).is_finite():
            return None
        if not holds(self._pair.assumptions, box, self._world):
            return None
        sides = (self._first or (), self._second or ())
        one, two = (self._truth_at_root(atoms, difference, box) for atoms in sides)
        place = f"between {format_value(low)} and {format_value(high)}"
        return self._told_apart((one, two), point, **{name: place})

    def _truth_at_root(
        self, atoms: tuple[Comparison, ...], difference: Node, box: Box
    ) -> bool | None:
        others = tuple(atom for atom in atoms if atom.difference != difference)
        mine = [atom.sign in (Sign.EQUAL, Sign.AT_MOST) for atom in atoms if atom not in others]
        truth = self._truth(others, None, box)
        if truth is None:
            return None
        return truth and all(mine)

    def _sign_changes(
        self, difference: Node, point: Point, name: str
    ) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield the ends of short intervals of a name with proved, opposite signs."""
        balls = self._box(point)

        def sign(value: Fraction) -> int:
            ball = self._value(difference, balls | {name: self._world.ball(value)})
            return int(bool(ball > 0)) - int(bool(ball < 0))

        signs = [(value, sign(value)) for value in _GRID]
        for (left, below), (right, above) in itertools.pairwise(signs):
            if below * above != -1:
                continue
            low, high = left, right
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                here = sign(middle)
                if here == 0:
                    break
                low, high = (middle, high) if here == below else (low, middle)
            yield low, high


def _atom_truth(atom: Comparison, ball: Ball, point: Point | None) -> bool | None:
    """Say whether a comparison holds, given the ball of its difference, if that is proved."""
    if ball > 0:
        return atom.sign is Sign.NOT_EQUAL
    if ball < 0:
        return atom.sign is not Sign.EQUAL
    if ball.is_zero() or (point is not None and exact_value(atom.difference, point) == 0):
        return atom.sign in (Sign.EQUAL, Sign.AT_MOST)
    return True if atom.sign is Sign.AT_MOST and ball <= 0 else None


def _linear_root(difference: Node, point: Point, name: str) -> Fraction | None:
    """Return where a difference is 0 if it looks linear in a name; what is found is checked."""
    values = []
    for place in (1, 2, 3):
        value = exact_value(difference, {**point, name: Fraction(place)})
        if value is None:
            return None
        values.append(value)
    one, two, three = values
    if one == two or three - two != two - one:
        return None
    return 1 - one / (two - one)
