"""Hard formulas: an answer in bounded time and memory, and no error but those documented."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import assume, given, settings
from tests.formula.formula_trees import SMALL_FORMULAS

from codequake.formula import (
    PAPER_NAMES,
    Checker,
    FormulaError,
    Names,
    Node,
    Op,
    Verdict,
    equivalent,
    format_formula,
    parse,
    parse_names,
)
from codequake.formula.field import PRIME, PrimeField, drawn_prime
from codequake.formula.ratio import rational_of


def ask(first: str, second: str, names: Names = PAPER_NAMES) -> str:
    found = equivalent(parse(first, names), parse(second, names), referee_seconds=0)
    return found.verdict.value


def joined(parts: list[str]) -> str:
    """The parts as one sum that is not nested deeply."""
    while len(parts) > 1:
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        parts = [f"({'+'.join(pair)})" if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


TERMS = [f"a*x^{number % 7}/b" for number in range(900)]
POLES = [f"1/(x-{number})" for number in range(700)]


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (joined(TERMS), joined(TERMS[::-1]), "equivalent"),
        (joined(TERMS), joined(TERMS[::-1]) + "+1", "different"),
        (joined(TERMS) + "=0", joined(TERMS[::-1]) + "=0", "equivalent"),
        (joined(POLES), joined(POLES[::-1]), "equivalent"),
        (joined(POLES), joined(POLES[:-1]), "different"),
        ("x^99999999999999999999", "x^99999999999999999998", "different"),
        ("2^99999999999999999999", "2^99999999999999999998", "different"),
        ("x^99999999999999999999", "x^99999999999999999999*1", "equivalent"),
        ("9^9^9^9^9", "9^9^9^9^9+0", "unknown"),
        ("^".join("x" * 90), "^".join("x" * 90) + "+0", "equivalent"),
        ("exp(exp(exp(exp(x))))", "exp(exp(exp(exp(x+0))))", "equivalent"),
        ("sin(10^(10^10))", "0", "unknown"),
        ("((((((x^64)^64)^64)^64)^64)^64)^64", "x", "different"),
        ("product(i=1..9999999, i)", "1", "unknown"),
        ("sum(i=1..60, sum(j=1..60, sum(k=1..60, i*j*k)))", "1", "unknown"),
        ("a=1/0", "a=1", "unknown"),
        ("a/(b-b)=0", "a=0", "unknown"),
        ("ln(a-a)", "ln(b-b)", "unknown"),
        ("1", "1.0", "equivalent"),
        ("1<2", "0<1", "equivalent"),
        ("1<2", "2<1", "different"),
    ],
    ids=lambda text: text[:30],
)
def test_hard_formulas_get_a_verdict(first: str, second: str, verdict: str) -> None:
    assert ask(first, second) == verdict


def test_a_formula_of_ten_thousand_characters_takes_little_memory() -> None:
    first = parse(joined(TERMS))
    second = parse(joined(TERMS[::-1]))
    assert len(format_formula(first)) > 8_000
    equivalent(first, second)
    tracemalloc.start()
    equivalent(first, second)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6


def test_many_names() -> None:
    listed = [f"v{number}" for number in range(200)]
    names = parse_names(f"coefficients:{','.join(listed)}")
    assert ask(joined(listed), joined(listed[::-1]), names) == "equivalent"
    assert ask(f"{joined(listed)}=0", f"2*{joined(listed[::-1])}=0", names) == "equivalent"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1/(a-a)", "invalid formula: the first divides by 0 everywhere, in 1/(a-a)"),
        ("(a-a)^-1", "invalid formula: the first divides by 0 everywhere, in (a-a)^(-1)"),
        ("ln(-1)", "no point was found at which both formulas have a value"),
    ],
)
def test_an_invalid_formula_is_named(text: str, why: str) -> None:
    found = equivalent(parse(text), parse("b"), referee_seconds=0)
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason.replace("^(-1)", "^-1") == why.replace("^(-1)", "^-1")


@settings(max_examples=60, deadline=None)
@given(SMALL_FORMULAS, SMALL_FORMULAS, SMALL_FORMULAS)
def test_an_answer_does_not_depend_on_what_was_asked_before(
    first: Node, second: Node, third: Node
) -> None:
    assume(len({one.op is Op.EQUATION for one in (first, second, third)}) == 1)
    checker = Checker(first)
    checker.check(second, referee_seconds=0)
    assert checker.check(third, referee_seconds=0) == equivalent(first, third, referee_seconds=0)


def test_renamings_are_given() -> None:
    names = parse_names("variables:t functions:y,u")

    def same(first: str, second: str, **renamed: str) -> str:
        one, two = parse(first, names), parse(second, names)
        return equivalent(one, two, renamed=renamed, referee_seconds=0).verdict.value

    assert same("a*x+b=0", "a*t+b=0") == "different"
    assert same("a*x+b=0", "b+a*t=0", x="t") == "equivalent"
    assert same("x-z=1", "z-x=1", x="z", z="x") == "equivalent"
    assert same("x-z=1", "x-z=1", x="z", z="x") == "different"
    assert same("y'(x)=a*y(x)", "u'(x)=a*u(x)", y="u") == "equivalent"
    assert same("y'(x)=a*y(x)", "y'(t)=a*y(t)", x="t") == "equivalent"
    assert same("y'(x)=a*y(x)", "u'(x)=a*y(x)") == "different"
    for first, second, renamed in (
        ("x+z", "z+z", {"x": "z"}),
        ("x+z", "t+t", {"x": "t", "z": "t"}),
        ("x+z", "t+x", {"x": "t"}),
        ("y'(x)=a*y(x)", "u'(x)=a*y(x)", {"y": "u"}),
    ):
        with pytest.raises(FormulaError, match="renamed"):
            same(first, second, **renamed)


def test_a_drawn_prime_is_a_prime_that_nobody_can_name() -> None:
    primes = {drawn_prime("salt", number) for number in range(40)}
    assert len(primes) == 40
    assert all(2**60 < prime < 2**61 for prime in primes)
    assert all(pow(3, prime - 1, prime) == 1 for prime in primes)


def test_functions_in_a_field_keep_their_laws() -> None:
    field = PrimeField(PRIME, "salt")
    for number in range(1, 30):
        argument = field.integer(number * 7919)
        sine, cosine = field.circle(argument)
        assert sine * sine + cosine * cosine == field.integer(1)
        assert field.circle(-argument) == (-sine, cosine)
    assert field.circle(field.integer(0)) == (field.integer(0), field.integer(1))


def test_fractions_are_read_off_two_residues() -> None:
    prime = drawn_prime("here")
    rng = random.Random(1)

    def read(above: int, below: int) -> tuple[int, int] | None:
        residues = [above * pow(below, -1, modulus) % modulus for modulus in (PRIME, prime)]
        return rational_of(residues[0], residues[1], prime)

    for above, below in ((1, 1), (6, 1), (1, 6), (77, 5), (2**20, 3**12), (5**12, 7)):
        assert read(above, below) == (above, below)
        assert read(-above, below) is None
    # A random pair of residues is a small fraction with probability below 2^-70.
    drawn = ((rng.randrange(1, PRIME), rng.randrange(1, prime)) for _ in range(3_000))
    assert all(rational_of(one, two, prime) is None for one, two in drawn)
