"""Do two formulas have the same values in the fields, or differ by a factor that is never 0?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from codequake.formula.balls import Ball
from codequake.formula.comparisons import Comparison, Sign
from codequake.formula.domain import Keys, Kind, Values
from codequake.formula.nodes import Node, Op
from codequake.formula.ratio import Pattern, growth_of, pattern_of, powers_of
from codequake.formula.samples import Sampled, Samples

__all__ = ["Evaluate", "Factor", "Match", "error_bits", "match_comparisons", "same_values"]

Evaluate = Callable[[Node], Ball]
"""The ball of an expression at one point."""

_LEAST_BITS = 48
# A factor is one of at most 25 powers of each name, and of 2^51 fractions in any case.
_BITS_A_NAME = 5
_MOST_SCALE_BITS = 51
_ORDERED = (Sign.LESS, Sign.AT_MOST)


@dataclass(frozen=True, slots=True)
class Factor:
    """The second of two differences is a number times these powers times the first.

    ``names`` and ``expressions`` hold what the factor consists of, each with its power;
    ``unknown`` those coefficients of which it is not known that they are not 0.
    """

    first: Node
    second: Node
    ordered: bool
    both_zero: bool = False
    names: tuple[tuple[Node, int], ...] = ()
    expressions: tuple[tuple[Node, int], ...] = ()
    unknown: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """Two formulas that are equal in the fields, with the factors between their comparisons."""

    bits: int
    factors: tuple[Factor, ...] = field(default=())


def error_bits(first: Sampled, second: Sampled) -> int:
    """Return ``n`` such that two different formulas look equal with probability at most 2^-n.

    With total degree ``D`` and ``m`` function calls in both, one prime is fooled with probability
    at most ``4 * D * (1 + m^2) / p``: a root is hit, or two arguments of a function coincide.
    """
    degree, calls = first[1] + second[1], first[2] + second[2]
    fooled = 4 * max(degree, 1) * (1 + calls * calls)
    return 2 * max(0, 60 - fooled.bit_length())


def same_values(first: Sampled, second: Sampled) -> Match | None:
    """Compare two expressions; ``None`` where they differ or are too large to be sure."""
    a, b, c, d, _, _ = first[0]
    e, f, g, h, _, _ = second[0]
    if a == e and c == g and b == f and d == h:
        bits = error_bits(first, second)
        return Match(bits) if bits >= _LEAST_BITS else None
    return None


def match_comparisons(
    first: tuple[Comparison, ...],
    second: tuple[Comparison, ...],
    samples: Samples,
    known: Callable[[], Keys],
    points: Sequence[Evaluate],
) -> Match | None:
    """Find for each comparison one of the other statement that says the same.

    They are compared where the demands that ``known()`` returns hold.  At the ``points`` all
    differences must have values: there the number in a factor is proved not to be 0, and to be
    above 0 where a sign of the difference matters.
    """
    one = [atom for atom in first if not _is_trivial(atom, samples)]
    two = [atom for atom in second if not _is_trivial(atom, samples)]
    factors: dict[tuple[Node, Node], Factor] = {}
    bits = 2 * 60
    scale_bits = min(_MOST_SCALE_BITS, _BITS_A_NAME * len(samples.scales))
    for mine in one:
        for theirs in two:
            if mine.sign is theirs.sign:
                left, right = samples.at(mine.difference), samples.at(theirs.difference)
                factor = _factor(mine, left[0], theirs, right[0], samples, known)
                if factor is not None and _is_confirmed(factor, points):
                    factors[mine.difference, theirs.difference] = factor
                    lost = scale_bits if factor.names or factor.expressions else 0
                    bits = min(bits, error_bits(left, right) - lost)
    found = {pair[0] for pair in factors}, {pair[1] for pair in factors}
    if any(atom.difference not in found[0] for atom in one):
        return None
    if any(atom.difference not in found[1] for atom in two):
        return None
    if not one or not two:
        sides = [samples.at(atom.difference) for atom in (*first, *second)]
        bits = min(error_bits(side, side) for side in sides)
    return Match(bits, tuple(factors.values())) if bits >= _LEAST_BITS else None


def _is_trivial(atom: Comparison, samples: Samples) -> bool:
    """Say whether a comparison holds everywhere, since its difference is 0 everywhere."""
    if atom.sign not in (Sign.EQUAL, Sign.AT_MOST):
        return False
    a, b, c, d, _, _ = samples.at(atom.difference)[0]
    return not (a or b or c or d)


def _factor(
    mine: Comparison,
    first: Values,
    theirs: Comparison,
    second: Values,
    samples: Samples,
    certain: Callable[[], Keys],
) -> Factor | None:
    ordered = mine.sign in _ORDERED
    plain = Factor(mine.difference, theirs.difference, ordered)
    pattern = pattern_of(first, second)
    if pattern is Pattern.BOTH_ZERO:
        return replace(plain, both_zero=True)
    if pattern is Pattern.MIXED:
        return None
    growth = growth_of(first, second)
    if growth.first == 1 and growth.second == 1:
        return plain
    known = certain()
    nodes = [
        samples.demands.node(key)
        for key in sorted(known)
        if key[0] is Kind.NONZERO and samples.demands.node(key).kids
    ]
    atoms = [growth_of(_ONES, samples.at(node)[0]) for node in nodes]
    found = powers_of(growth, samples.scales, samples.second.prime, atoms)
    if found is None:
        return None
    leaves = _leaves(mine.difference, theirs.difference)
    names = tuple((leaves[name], power) for name, power in found[0].items())
    used = tuple((node, power) for node, power in zip(nodes, found[1], strict=False) if power)
    demands = samples.demands
    unknown = tuple(node for node, _ in names if not demands.nonzero(node) <= known)
    if ordered:
        odd = [node for node, power in (*names, *used) if power % 2]
        if unknown or not all(_has_sign(node, samples, known) for node in odd):
            return None
    if any(node.op is not Op.COEFFICIENT for node in unknown):
        return None
    return replace(plain, names=names, expressions=used, unknown=unknown)


def _is_confirmed(factor: Factor, points: Sequence[Evaluate]) -> bool:
    """Say whether balls agree with a factor at all points at which it can be seen."""
    if factor.both_zero:
        return True
    ratios = []
    for value in points:
        one, two = value(factor.first), value(factor.second)
        if one.contains(0) or two.contains(0):
            continue
        ratio = two / one
        for node, power in (*factor.names, *factor.expressions):
            ratio /= value(node) ** power
        ratios.append(ratio)
    if not ratios or not all(ratio.overlaps(ratios[0]) for ratio in ratios):
        return False
    return not factor.ordered or bool(_signed(factor, points, ratios[0]) > 0)


def _signed(factor: Factor, points: Sequence[Evaluate], ratio: Ball) -> Ball:
    """Return the number in a factor times the signs of what else is in it."""
    for node, power in (*factor.names, *factor.expressions):
        if power % 2:
            ratio *= points[0](node)
    return ratio


_ONES: Values = (1, 1, 1, 1, 1, 1)


def _has_sign(node: Node, samples: Samples, known: Keys) -> bool:
    demands = samples.demands
    opposite = Node(Op.NEGATE, (node,))
    return demands.is_positive(node, known) or demands.is_positive(opposite, known)


def _leaves(*formulas: Node) -> Mapping[str, Node]:
    """Return the nodes of the names in formulas."""
    found: dict[str, Node] = {}
    stack = list(formulas)
    while stack:
        node = stack.pop()
        if node.op in (Op.COEFFICIENT, Op.VARIABLE):
            found[node.text] = node
        stack += node.kids
    return found
