"""Points at which formulas are looked at: drawn from a salt alone, so that no order matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from codequake.formula.assumptions import Assumption, Relation
from codequake.formula.exact import exact_value
from codequake.formula.field import drawn_integer
from codequake.formula.nodes import Node, Op, names_of, walk

__all__ = [
    "Bounds",
    "Point",
    "bounds_of",
    "draw_integers",
    "draw_point",
    "format_value",
    "scaled_point",
]

Point = Mapping[str, Fraction]

_SIZES = (4, 4, 4, 1, 16, 4, 4, 4, 256)
_INTEGERS = (0, 1, -1, 2, -2, 3, 0, 1, 4, -3)
_UPPER = (Relation.LESS, Relation.AT_MOST)
_LOWER = (Relation.GREATER, Relation.AT_LEAST)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The numbers between which a name is drawn; ``None`` where there is no bound.

    ``whole``: it stands in the ends of a sum or a product, so that only integers will do.
    """

    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False


def bounds_of(assumptions: Iterable[Assumption], formulas: Iterable[Node]) -> dict[str, Bounds]:
    """Return the bounds that assumptions of the form ``x < 3`` or ``2 <= x`` set."""
    found = {name: Bounds(whole=True) for name in _counted(formulas)}
    for one in assumptions:
        for name, other, upper in (
            (one.left, one.right, one.relation in _UPPER),
            (one.right, one.left, one.relation in _LOWER),
        ):
            value = exact_value(other)
            if not _is_name(name) or value is None or one.relation is Relation.NOT_EQUAL:
                continue
            old = found.get(name.text, Bounds())
            if upper:
                high = value if old.high is None else min(old.high, value)
                found[name.text] = Bounds(old.low, high, old.whole)
            else:
                low = value if old.low is None else max(old.low, value)
                found[name.text] = Bounds(low, old.high, old.whole)
    return found


def draw_point(
    names: Iterable[str], salt: str, number: int, bounds: Mapping[str, Bounds]
) -> dict[str, Fraction]:
    """Draw dyadic values, mostly of size 1/16 to 4; every third point has none below 0."""
    size = _SIZES[number % len(_SIZES)]
    point = {}
    for name in names:
        bits = drawn_integer("point", salt, number, name)
        value = Fraction(1 + (bits >> 1) % 64, 64) * size
        if number % 3 != 2 and bits & 1:
            value = -value
        point[name] = _within(value, bounds.get(name))
    return point


def scaled_point(
    point: Point, formulas: Iterable[Node], bounds: Mapping[str, Bounds]
) -> dict[str, Fraction]:
    """Return a point as much larger as the largest number in formulas, where no bound is set.

    ``ln(x-1000)`` has values only where ``x`` is as large.
    """
    numbers = (Fraction(x.text) for one in formulas for x in walk(one) if x.op is Op.NUMBER)
    scale = max((Fraction(1), *numbers))
    return {name: value if name in bounds else value * scale for name, value in point.items()}


def draw_integers(
    names: Iterable[str], salt: str, number: int, bounds: Mapping[str, Bounds]
) -> dict[str, Fraction]:
    """Draw small integers, 0 among them, where a bound does not forbid it."""
    return {
        name: _within(
            Fraction(_INTEGERS[drawn_integer("integers", salt, number, name) % len(_INTEGERS)]),
            bounds.get(name),
        )
        for name in names
    }


def _within(value: Fraction, bounds: Bounds | None) -> Fraction:
    """Return the value, or one inside the bounds that depends on it."""
    if bounds is None:
        return value
    if bounds.whole:
        value = Fraction(1 + round(abs(value)) % 6)
    low, high = bounds.low, bounds.high
    if (low is None or value > low) and (high is None or value < high):
        return value
    if low is not None and high is not None:
        share = abs(value) / (1 + abs(value))
        return low + (high - low) * share
    if low is not None:
        return low + abs(value)
    assert high is not None
    return high - abs(value)


def _counted(formulas: Iterable[Node]) -> tuple[str, ...]:
    """Return the names in the ends of sums and products."""
    ends = (
        end
        for formula in formulas
        for node in walk(formula)
        if node.op is Op.AGGREGATE
        for end in node.kids[1:3]
    )
    return names_of(*ends)


def _is_name(node: Node) -> bool:
    return node.op in (Op.COEFFICIENT, Op.VARIABLE)


def format_value(value: Fraction) -> str:
    """Return an exact text: a decimal where there is a short one, else a fraction."""
    below = value.denominator
    places = below.bit_length() - 1
    if below != 1 << places:
        return f"{value.numerator}/{below}"
    scaled = value * 10**places
    digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".") if places else digits
    return f"-{text}" if value < 0 else text
