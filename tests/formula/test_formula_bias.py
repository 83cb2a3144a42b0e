"""The draw is even over types a step, not over formulas: how far it is from even, and why."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest

from codequake.formula import EQUATION_TYPES, Kind, Mode, Move, Node, kind_of, parse
from codequake.formula.moves import Moves, default_pool
from codequake.formula.nodes import ONE
from codequake.formula.sampling import Walker
from codequake.formula.space import ball_of, distance_in


def exact_draw(start: Node, mode: Mode, depth: int) -> tuple[dict[Node, float], dict[Node, int]]:
    """The probability of each formula at ``depth``, and the number of shortest chains to it."""
    moves = Moves(kind_of(start), mode)
    pool = default_pool(start)
    ball = ball_of(start, tuple(dict.fromkeys((*pool, ONE))), 1, moves)
    drawn, chains = {start: 1.0}, {start: 1}
    for step in range(1, depth + 1):
        next_drawn: dict[Node, float] = defaultdict(float)
        next_chains: dict[Node, int] = defaultdict(int)
        for formula, probability in drawn.items():
            by_type: dict[str, list[Move]] = defaultdict(list)
            for move in moves.neighbours(formula, pool):
                by_type[move.rule.type].append(move)
            kept = [
                (move, 1 / len(group))
                for group in by_type.values()
                for move in group
                if distance_in(ball, move.result, step - 1).value is None
            ]
            total = sum(weight for _, weight in kept)
            for move, weight in kept:
                next_drawn[move.result] += probability * weight / total
            for result in {move.result for move, _ in kept}:
                next_chains[result] += chains[formula]
        drawn, chains = next_drawn, next_chains
    return drawn, chains


def unevenness(drawn: dict[Node, float]) -> tuple[float, float]:
    """Total variation distance from the even draw, and the largest probability over the even one.

    The first is the share of draws that would have to be given to other formulas.
    """
    even = 1 / len(drawn)
    return (
        sum(abs(probability - even) for probability in drawn.values()) / 2,
        max(drawn.values()) / even,
    )


@pytest.mark.parametrize(
    ("text", "mode", "depth", "size", "variation", "largest", "by_chains"),
    [
        # These figures stand in docs/formulas.md.
        ("a*x+b=0", Mode.PAPER, 3, 2058, 0.222, 5.65, {1: 0.72, 2: 1.51, 3: 2.37, 6: 4.98}),
        ("x", Mode.RELATION, 2, 131, 0.225, 2.44, {1: 0.80, 2: 1.45}),
        ("a*x=b", Mode.RELATION, 2, 1194, 0.358, 15.3, {1: 0.69, 2: 1.33}),
    ],
)
def test_how_uneven_walks_are(
    text: str,
    mode: Mode,
    depth: int,
    size: int,
    variation: float,
    largest: float,
    by_chains: dict[int, float],
) -> None:
    drawn, chains = exact_draw(parse(text), mode, depth)
    assert sum(drawn.values()) == pytest.approx(1)
    assert len(drawn) == size
    assert unevenness(drawn) == pytest.approx((variation, largest), rel=0.01)
    groups: dict[int, list[float]] = defaultdict(list)
    for formula, probability in drawn.items():
        groups[chains[formula]].append(probability * size)
    means = {count: sum(group) / len(group) for count, group in groups.items()}
    assert means == pytest.approx(by_chains, abs=0.006)


def test_walks_are_drawn_as_computed() -> None:
    """Draws of the walker against the exact probabilities: Pearson's statistic is as by chance."""
    start, draws = parse("a*x+b=0"), 4000
    exact, _ = exact_draw(start, Mode.PAPER, 2)
    walker = Walker(
        start,
        dict.fromkeys(EQUATION_TYPES, 1.0),
        mode=Mode.PAPER,
        free=(),
        barred=frozenset(),
        assured=True,
        kind=Kind.EQUATION,
    )
    rng = random.Random(1)
    seen: Counter[Node] = Counter()
    for _ in range(draws):
        chain = walker.walk(2, rng)
        assert chain is not None
        seen[chain.formula] += 1
    assert set(seen) <= set(exact)
    statistic = sum(
        (seen[formula] - draws * probability) ** 2 / (draws * probability)
        for formula, probability in exact.items()
    )
    # Mean and standard deviation of the statistic are about 168 and 18 for 169 formulas.
    assert len(exact) == 169
    assert abs(statistic - 168) < 4 * 18.4
