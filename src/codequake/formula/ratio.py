"""The factor between two equations, read off their values at a point and at a scaled point.

An equation stands for ``g = left - right``.  Two of them hold at the same points when
``g2 = u * g1`` with a factor ``u`` that is never 0.  Here ``u`` is a number times powers of names
and of expressions that are known not to be 0.  Every name is multiplied by a small prime of its
own: ``u`` then grows by the product of these primes to its powers, and a whole number has only one
factorisation.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from codequake.formula.domain import Values
from codequake.formula.field import PRIME, Element

__all__ = ["Growth", "Pattern", "growth_of", "pattern_of", "powers_of", "rational_of"]

_LARGEST_POWER = 12
_MOST_BITS = 50
_SMALL_POWERS = (-1, 1, -2, 2)
_MOST_ATOMS = 3


class Pattern(StrEnum):
    """Where two differences of sides are 0 at random points, which means everywhere."""

    BOTH_ZERO = "both zero"
    NEITHER_ZERO = "neither zero"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Growth:
    """How an expression grows from the point to the scaled point, modulo two primes."""

    first: Element
    second: Element


def pattern_of(first: Values, second: Values) -> Pattern:
    """Return which of two differences of sides are 0."""
    zeros = [not value for value in (*first[:4], *second[:4])]
    if all(zeros):
        return Pattern.BOTH_ZERO
    return Pattern.MIXED if any(zeros) else Pattern.NEITHER_ZERO


def growth_of(first: Values, second: Values) -> Growth:
    """Return the growth of ``second / first``; neither may be 0."""
    a, b, c, d, _, _ = first
    e, f, g, h, _, _ = second
    return Growth(f * a / (e * b), h * c / (g * d))


def powers_of(
    growth: Growth, scales: Mapping[str, int], prime: int, atoms: Sequence[Growth]
) -> tuple[dict[str, int], tuple[int, ...]] | None:
    """Return the powers of names and of atoms in a factor, or ``None`` if it is no such product.

    ``scales``: the small prime of each name.  ``atoms``: the growth of expressions that may be in
    the factor besides; only the first three are tried, with powers of size 1 and 2.
    """
    tried = list(atoms)[:_MOST_ATOMS]
    for powers in _atom_powers(len(tried)):
        rest = growth
        for power, atom in zip(powers, tried, strict=True):
            rest = Growth(rest.first / atom.first**power, rest.second / atom.second**power)
        value = rational_of(int(rest.first), int(rest.second), prime)
        if value is not None and (names := _factors(value, scales)) is not None:
            return names, powers
    return None


def _atom_powers(count: int) -> Iterator[tuple[int, ...]]:
    """Yield powers of the atoms, few and small ones first."""
    every = itertools.product((0, *_SMALL_POWERS), repeat=count)
    yield from sorted(every, key=lambda powers: sum(map(abs, powers)))


def rational_of(first: int, second: int, prime: int) -> tuple[int, int] | None:
    """Return the fraction above 0 with these residues modulo 2^61 - 1 and ``prime``.

    ``None`` unless numerator and denominator have at most 50 bits together: of the 2^122 pairs of
    residues less than one in 2^70 belongs to such a fraction.
    """
    modulus = PRIME * prime
    value = first + PRIME * ((second - first) * pow(PRIME, -1, prime) % prime)
    # Euclid's remainders of the modulus and the value run through all small fractions.
    high, low, above, below = modulus, value, 0, 1
    while low.bit_length() + abs(below).bit_length() > _MOST_BITS:
        if not low or below.bit_length() > _MOST_BITS:
            return None
        quotient = high // low
        high, low = low, high - quotient * low
        above, below = below, above - quotient * below
    if not low or (low < 0) != (below < 0):
        return None
    return abs(low), abs(below)


def _factors(value: tuple[int, int], scales: Mapping[str, int]) -> dict[str, int] | None:
    above, below = value
    found: dict[str, int] = {}
    for name, scale in scales.items():
        if above == below == 1:
            break
        power = 0
        while not above % scale:
            above, power = above // scale, power + 1
        while not below % scale:
            below, power = below // scale, power - 1
        if power:
            found[name] = power
    small = all(abs(power) <= _LARGEST_POWER for power in found.values())
    return found if above == below == 1 and small else None
