"""Values of formulas in large prime fields, where equal values at random points mean equality.

Names are drawn at random.  What a field cannot know is drawn at random too, once for each
argument: the logarithm, functions without a meaning, and powers whose exponent is no small
integer.  Of sine and cosine it knows that they lie on the unit circle, that one is odd and the
other even, and that the sine of 0 is 0.  Two formulas with equal values are then equal for every
function with these laws.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

__all__ = ["PRIME", "Element", "PrimeField", "drawn_integer", "drawn_prime"]

PRIME = 2**61 - 1

Element = Any
"""An element of a prime field of python-flint, which ships no types."""


def drawn_integer(*parts: object) -> int:
    """Return 64 random bits that depend on the parts alone, whatever else was drawn before."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest(), "big")


def drawn_prime(*parts: object) -> int:
    """Return a random prime between 2^60 and 2^61.

    Constants can be written that are 0 modulo any known prime, but not modulo a drawn one.
    """
    import flint

    for number in range(10_000):
        candidate = 2**60 | (drawn_integer(*parts, number) >> 4) | 1
        if flint.fmpz(candidate).is_prime():
            return candidate
    raise AssertionError("one number in 42 of this size is a prime")


class PrimeField:
    """The integers modulo a prime, with one meaning of all functions that depends on a salt."""

    def __init__(self, prime: int, salt: str) -> None:
        import flint

        self.prime = prime
        self._salt = salt
        self._element = flint.nmod
        self._tables: dict[tuple[str | int, ...], Element] = {}

    def integer(self, value: int) -> Element:
        """Return an integer as an element."""
        return self._element(value % self.prime, self.prime)

    def number(self, value: Fraction) -> Element:
        """Return a rational; raises ``ZeroDivisionError`` where the prime divides below."""
        return self.integer(value.numerator) / self.integer(value.denominator)

    def drawn(self, name: str, *arguments: Element) -> Element:
        """Return the random value, never 0, of a name or of a function at its arguments."""
        key: tuple[str | int, ...] = (name, *map(int, arguments))
        found = self._tables.get(key)
        if found is None:
            value = drawn_integer(self.prime, self._salt, *key) % (self.prime - 1) + 1
            found = self._tables[key] = self._element(value, self.prime)
        return found

    def circle(self, argument: Element) -> tuple[Element, Element]:
        """Return sine and cosine: a random point of the unit circle, the mirrored one for ``-x``.

        Raises ``ZeroDivisionError`` with probability ``2 / prime``.
        """
        one, value = self.integer(1), int(argument)
        if not value:
            return self.integer(0), one
        opposite = value > self.prime // 2
        half = self.drawn("tan(x/2)", -argument if opposite else argument)
        below = one + half * half
        sine, cosine = (half + half) / below, (one - half * half) / below
        return (-sine if opposite else sine), cosine

    def signed(self, element: Element) -> int:
        """Return the integer nearest to 0 that an element stands for."""
        value = int(element)
        return value if value <= self.prime // 2 else value - self.prime
