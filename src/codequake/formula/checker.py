"""Many formulas against one: what is known of the one is computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from codequake.formula.assumptions import Assumption, format_assumption, nonzero
from codequake.formula.balls import PRECISION, Ball, BallWorld
from codequake.formula.comparisons import Comparison, Sign, comparisons_of
from codequake.formula.contract_checker import ContractChecker, is_contract
from codequake.formula.domain import Keys
from codequake.formula.faults import FormulaError
from codequake.formula.field import PRIME
from codequake.formula.matching import Evaluate, Match, match_comparisons, same_values
from codequake.formula.names import Names
from codequake.formula.nodes import Node, names_of, variables_of
from codequake.formula.points import Point, bounds_of, draw_point, scaled_point
from codequake.formula.printer import format_formula
from codequake.formula.referee import REFEREE_SECONDS, Answer, Question, Ruling, ask_referee
from codequake.formula.samples import Samples, UndefinedError, UnknownNameError
from codequake.formula.substitution import renamed_back
from codequake.formula.verdicts import Certificate, Equivalence, Verdict
from codequake.formula.witness import Pair, Search, Witness, holds, values_witness

__all__ = ["Checker"]

_POINTS = 2
_DRAWS = 36
_NEAR_DRAWS = 24
_ENGINE = "codequake-formula 2"
_NO_SOLUTION = "equal only where the conditions hold, which leave no solution"
_HALF_LINE = "equal only where the conditions hold, which cut off more than single points"
_METHOD = "random evaluation in a prime field, then balls"

Box = Mapping[str, Ball]


@dataclass(frozen=True, slots=True)
class _Place:
    """A point of real numbers: exact, and as balls."""

    point: Point
    box: Box


class Checker:
    """Says of many formulas whether they mean the same as the first one.

    ``assumptions`` are given for all of them.  The answer about a formula depends on the two
    formulas, the assumptions and the seed, never on what was asked before.  ``names`` is needed
    for contracts only: it says which names are integers (all, where it is not given).
    """

    def __init__(
        self,
        first: Node,
        assumptions: tuple[Assumption, ...] = (),
        *,
        seed: int = 0,
        names: Names | None = None,
    ) -> None:
        self._first = first
        self._given = assumptions
        self._seed = seed
        self._salt = f"{seed}\n{format_formula(first)}"
        self._atoms = comparisons_of(first)
        self._world = BallWorld(self._salt)
        self._sides: dict[frozenset[str], _Side] = {}
        self._contract = is_contract(first) or (names is not None and names.contract)
        integers = None if names is None else names.integers
        self._states = ContractChecker(first, assumptions, self._salt, integers)

    def check(
        self,
        second: Node,
        assumptions: tuple[Assumption, ...] = (),
        *,
        renamed: Mapping[str, str] | None = None,
        referee_seconds: float = REFEREE_SECONDS,
    ) -> Equivalence:
        """Say whether the second formula means the same wherever all assumptions hold.

        ``assumptions`` are added to those of the checker.  ``renamed`` maps names of the first
        formula to what they are called in the second; assumptions use the names of the first.
        ``referee_seconds`` is how long the referee may compute, 0 for not at all; it is asked only
        what the two fast methods leave open.  Raises ``FormulaError`` for a statement and an
        expression, and for a renaming that makes two names one.
        """
        if renamed:
            second = renamed_back(self._first, second, renamed)
        if self._contract or is_contract(second):
            return self._states.check(second, assumptions)
        given = tuple(dict.fromkeys((*self._given, *assumptions)))
        atoms = comparisons_of(second)
        if (atoms is None) != (self._atoms is None):
            raise FormulaError("an equation and an expression cannot be compared")
        with self._world.precision():
            try:
                side = self._side(frozenset())
                return side.check(second, atoms, given, referee_seconds)
            except UnknownNameError:
                sides = (kid for one in given for kid in (one.left, one.right))
                more = frozenset(names_of(second, *sides))
                return self._side(more).check(second, atoms, given, referee_seconds)

    def _side(self, more: frozenset[str]) -> _Side:
        if more not in self._sides:
            names = names_of(
                self._first, *(x for one in self._given for x in (one.left, one.right))
            )
            every = (*names, *sorted(more.difference(names)))
            self._sides[more] = _Side(self._first, every, self._given, self._world, self._salt)
        return self._sides[more]


def _parts(formula: Node, atoms: tuple[Comparison, ...] | None) -> tuple[Node, ...]:
    """Return the expressions and differences that make up a formula."""
    if atoms is None:
        return (formula,)
    return tuple(atom.difference for atom in atoms)


def _at_box(world: BallWorld, box: Box) -> Evaluate:
    return lambda node: world.value(node, box)


class _Side:
    """The first formula over a set of names, with its samples."""

    def __init__(
        self,
        first: Node,
        names: tuple[str, ...],
        given: tuple[Assumption, ...],
        world: BallWorld,
        salt: str,
    ) -> None:
        self._first = first
        self._atoms = comparisons_of(first)
        self._names = names
        self._world = world
        self._salt = salt
        self._parts = _parts(first, self._atoms)
        self._places = self._best_places(given)
        low, high = (place.box for place in self._places)
        self._samples = Samples(salt, names, world, (low, high))
        self._known: dict[tuple[Assumption, ...], tuple[Keys, bool]] = {}
        self._demands: Keys | None = None
        self._implied: Keys = frozenset()
        self._certificates: dict[tuple[int, int, Answer | None], Certificate] = {}

    def check(
        self,
        second: Node,
        atoms: tuple[Comparison, ...] | None,
        given: tuple[Assumption, ...],
        seconds: float,
    ) -> Equivalence:
        try:
            mine = self._own_demands()
        except UndefinedError as error:
            return self._invalid("first", error.node)
        parts = _parts(second, atoms)
        try:
            theirs = self._demands_of(parts)
        except UndefinedError as error:
            return self._invalid("second", error.node)
        facts, fast = self._facts(given)
        points = self._fast_points(parts) if fast else []
        if len(points) < _POINTS:
            points = self._slow_points(parts, given)
        if second is self._first and points:
            return Equivalence(Verdict.EQUIVALENT, self._certificate(len(points), 120), None, ())
        implied = self._samples.demands.closed(theirs) if theirs else theirs
        match: Match | None = None
        if points:
            match = self._match(second, atoms, lambda: self._certain(facts, implied), points)
        if match is None:
            return self._unmatched(second, given, len(points), seconds)
        return self._matched(match, second, given, (mine, theirs, facts, implied), points)

    def _own_demands(self) -> Keys:
        if self._demands is None:
            self._demands = self._demands_of(self._parts)
            self._implied = self._samples.demands.closed(self._demands)
        return self._demands

    def _demands_of(self, parts: tuple[Node, ...]) -> Keys:
        if len(parts) == 1:
            return self._samples.at(parts[0])[3]
        return frozenset().union(*(self._samples.at(part)[3] for part in parts))

    def _match(
        self,
        second: Node,
        atoms: tuple[Comparison, ...] | None,
        known: Callable[[], Keys],
        points: list[Evaluate],
    ) -> Match | None:
        if atoms is not None and self._atoms is not None:
            return match_comparisons(self._atoms, atoms, self._samples, known, points)
        match = same_values(self._samples.at(self._first), self._samples.at(second))
        if match is None or all(value(self._first).overlaps(value(second)) for value in points):
            return match
        return None

    def _certain(self, facts: Keys, implied: Keys) -> Keys:
        """Return what a factor between two equations may be said not to be 0 by.

        What only one of them demands of a variable is left out: at a solution that its domain
        cuts off the other holds alone.  A condition on coefficients is one on what is given.
        """
        demands = self._samples.demands
        either = self._implied | implied
        given = {key for key in either if not variables_of(demands.node(key))}
        return facts | (self._implied & implied) | given

    def _matched(
        self,
        match: Match,
        second: Node,
        given: tuple[Assumption, ...],
        keys: tuple[Keys, Keys, Keys, Keys],
        points: list[Evaluate],
    ) -> Equivalence:
        unknown = [node for factor in match.factors for node in factor.unknown]
        witness = self._search(second, given).run() if unknown else None
        certificate = self._certificate(len(points), match.bits)
        if witness is not None:
            return Equivalence(Verdict.DIFFERENT, certificate, witness, ())
        mine, theirs, facts, implied = keys
        if not unknown and mine <= facts | implied and theirs <= facts | self._implied:
            return Equivalence(Verdict.EQUIVALENT, certificate, None, ())
        found = [*self._missing(keys), *map(nonzero, unknown)]
        return self._conditional(second, found, facts, certificate)

    def _conditional(
        self, second: Node, found: list[Assumption], facts: Keys, certificate: Certificate
    ) -> Equivalence:
        """Return ``EQUIVALENT`` under conditions, unless these leave no solution to compare."""
        conditions = tuple(dict.fromkeys(format_assumption(one) for one in found))
        demands = self._samples.demands
        known = facts | demands.given(found)
        for atom in (*(self._atoms or ()), *(comparisons_of(second) or ())):
            away = demands.nonzero(atom.difference) if atom.sign is Sign.EQUAL and found else None
            if away and not away <= facts and not demands.missing(away, known):
                return Equivalence(Verdict.UNKNOWN, certificate, None, conditions, _NO_SOLUTION)
        return Equivalence(Verdict.EQUIVALENT, certificate, None, conditions)

    def _missing(self, keys: tuple[Keys, Keys, Keys, Keys]) -> list[Assumption]:
        """Return the demands of one formula that do not follow from the other's or the facts."""
        mine, theirs, facts, implied = keys
        demands = self._samples.demands
        wanted = [
            (key, known)
            for keys_of_one, known in ((mine, facts | implied), (theirs, facts | self._implied))
            for key in demands.missing(keys_of_one, known)
        ]
        wanted.sort(key=lambda one: demands.node(one[0]).depth)
        found: list[Assumption] = []
        stated: Keys = frozenset()
        for key, known in wanted:
            if key not in stated and not demands.follows(key, known | stated):
                found.append(demands.assumption(key))
                stated |= demands.closed(frozenset((key,)))
        return found

    def _unmatched(
        self, second: Node, given: tuple[Assumption, ...], points: int, seconds: float
    ) -> Equivalence:
        search = self._search(second, given)
        witness = self._refuted(second, given) or search.run()
        seen = max(points, min(search.points, _DRAWS))
        certificate = self._certificate(seen, 0)
        if witness is not None:
            return Equivalence(Verdict.DIFFERENT, certificate, witness, ())
        if not seen:
            reason = "no point was found at which both formulas have a value"
            return Equivalence(Verdict.UNKNOWN, certificate, None, (), reason)
        return self._refereed(second, given, seen, seconds)

    def _refuted(self, second: Node, given: tuple[Assumption, ...]) -> Witness | None:
        """Return the witness that one of the usual points is for two expressions."""
        if self._atoms is not None or not self._facts(given)[1]:
            return None
        one, two = self._samples.at(self._first)[0], self._samples.at(second)[0]
        for place, mine, theirs in zip(self._places, one[4:], two[4:], strict=True):
            defined = mine.is_finite() and theirs.is_finite()
            if defined and not mine.overlaps(theirs):
                return values_witness(place.point, (mine, theirs), self._world)
        return None

    def _refereed(
        self, second: Node, given: tuple[Assumption, ...], seen: int, seconds: float
    ) -> Equivalence:
        """Ask the referee, and take its yes where the formulas are defined at the same points."""
        mine, theirs = self._own_demands(), self._demands_of(_parts(second, comparisons_of(second)))
        demands = self._samples.demands
        facts = self._facts(given)[0]
        needed = mine | theirs
        if self._atoms is not None:
            needed &= self._certain(facts, demands.closed(theirs))
        question = Question(self._first, second, (*given, *map(demands.assumption, sorted(needed))))
        answer = ask_referee(question, seconds)
        certificate = self._certificate(seen, 0, answer)
        if answer.ruling is not Ruling.EQUAL:
            return Equivalence(Verdict.UNKNOWN, certificate, None, (), answer.reason)
        found = self._missing((mine, theirs, facts, demands.closed(theirs)))
        if any(one.relation != "!=" for one in found):
            conditions = tuple(dict.fromkeys(format_assumption(one) for one in found))
            return Equivalence(Verdict.UNKNOWN, certificate, None, conditions, _HALF_LINE)
        return self._conditional(second, found, facts, certificate)

    def _search(self, second: Node, given: tuple[Assumption, ...]) -> Search:
        return Search(Pair(self._first, second, given), self._world, self._salt)

    def _facts(self, given: tuple[Assumption, ...]) -> tuple[Keys, bool]:
        """Return what the assumptions say, and whether they hold at the two usual points."""
        found = self._known.get(given)
        if found is None:
            try:
                keys = self._samples.demands.given(given)
            except UndefinedError:
                keys = frozenset()  # such an assumption holds nowhere, so no point is found
            fast = all(holds(given, place.box, self._world) for place in self._places)
            found = self._known[given] = keys, fast
        return found

    def _fast_points(self, parts: tuple[Node, ...]) -> list[Evaluate]:
        for part in (*self._parts, *parts):
            _, _, _, _, low, high = self._samples.at(part)[0]
            if not (low.is_finite() and high.is_finite()):
                return []
        at = self._samples.at
        return [lambda node: at(node)[0][4], lambda node: at(node)[0][5]]

    def _slow_points(
        self, parts: tuple[Node, ...], given: tuple[Assumption, ...]
    ) -> list[Evaluate]:
        """Look for points at which both formulas have values and all assumptions hold."""
        found: list[Evaluate] = []
        for number in range(_DRAWS):
            box = self._drawn(number, given, parts).box
            if self._is_defined((*self._parts, *parts), box) and holds(given, box, self._world):
                found.append(_at_box(self._world, box))
                if len(found) == _POINTS:
                    break
        return found

    def _best_places(self, given: tuple[Assumption, ...]) -> tuple[_Place, _Place]:
        """Return two points at which the first formula has a value, if they are found."""
        found = []
        for number in range(_DRAWS):
            place = self._drawn(number, given, ())
            if self._is_defined(self._parts, place.box) and holds(given, place.box, self._world):
                found.append(place)
                if len(found) == _POINTS:
                    break
        while len(found) < _POINTS:
            found.append(self._drawn(len(found), given, ()))
        return found[0], found[1]

    def _drawn(self, number: int, given: tuple[Assumption, ...], parts: tuple[Node, ...]) -> _Place:
        bounds = bounds_of(given, (*self._parts, *parts))
        point = draw_point(self._names, self._salt, number, bounds)
        if number >= _NEAR_DRAWS:  # no small point had values
            point = scaled_point(point, (*self._parts, *parts), bounds)
        return _Place(point, {name: self._world.ball(value) for name, value in point.items()})

    def _is_defined(self, parts: tuple[Node, ...], box: Box) -> bool:
        return all(self._world.value(part, box).is_finite() for part in parts)

    def _invalid(self, which: str, node: Node) -> Equivalence:
        reason = f"invalid formula: the {which} divides by 0 everywhere, in {format_formula(node)}"
        return Equivalence(Verdict.UNKNOWN, self._certificate(0, 0), None, (), reason)

    def _certificate(self, points: int, bits: int, answer: Answer | None = None) -> Certificate:
        key = points, bits, answer
        found = self._certificates.get(key)
        if found is None:
            versions: tuple[str, ...] = (_ENGINE, f"python-flint {self._world.version}")
            method = _METHOD
            if answer is not None and answer.version:
                method = f"{_METHOD}, then SymPy as a referee"
                versions = (*versions, answer.version)
            looked = (1 if self._atoms is None else 2) if self._demands is not None else 0
            found = self._certificates[key] = Certificate(
                method,
                looked,
                PRIME,
                self._samples.second.prime,
                bits,
                points,
                PRECISION,
                versions,
            )
        return found
