"""The claims about the catalogue, on many edges and many searches: the proofs rest on them."""

from __future__ import annotations

import random
from collections import deque
from itertools import islice

import pytest
from benchmarks.slips import SCHOOL

from codequake.formula import Mode, Node, back, distance, format_formula, kind_of, parse
from codequake.formula.moves import Moves, default_pool
from codequake.formula.nodes import ONE, constants_of
from codequake.formula.space import ball_of, distance_in

# Powers, signs, brackets, functions, relations: every rule applies to some of them.
OTHERS = ("x", "a-b", "(a)*2", "x^3=a", "-x^2=x-0", "a<x+b", "sin(x-1)", "a*(b-c)^2", "1+1=x*0")


def _edges(text: str, mode: Mode, rng: random.Random, limit: int) -> int:
    """Check edges out of random formulas around one; return how many."""
    start = parse(text)
    names = ("x", "y", "z")
    moves = Moves(kind_of(start), mode, names)
    pool = (*default_pool(start), ONE)
    formula, count = start, 0
    while count < limit:
        found = moves.neighbours(formula, pool)
        for move in found:
            assert move.result is not formula
            assert formula in moves.back(move.result), format_formula(move.result)
        for earlier in moves.back(formula):
            after = moves.neighbours(earlier, constants_of(formula))
            assert any(move.result is formula for move in after), format_formula(earlier)
            count += 1
        count += len(found)
        # A walk that starts again from time to time stays among formulas of a usual size.
        formula = start if rng.random() < 0.15 else rng.choice(found).result
    return count


@pytest.mark.parametrize("mode", list(Mode))
def test_the_inverse_rules_are_complete_and_precise(mode: Mode) -> None:
    rng = random.Random(11)
    assert sum(_edges(text, mode, rng, 100) for text in (*SCHOOL, *OTHERS)) >= 2000


@pytest.mark.quality
@pytest.mark.timeout(0)
@pytest.mark.parametrize("mode", list(Mode))
def test_the_inverse_rules_are_complete_and_precise_on_many_edges(mode: Mode) -> None:
    rng = random.Random(12)
    assert sum(_edges(text, mode, rng, 8000) for text in (*SCHOOL, *OTHERS)) >= 150_000


def _spheres(moves: Moves, start: Node, pool: tuple[Node, ...], depth: int) -> dict[Node, int]:
    """Breadth-first search forwards: nothing of the proof's search is used."""
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        formula = waiting.popleft()
        if steps[formula] == depth:
            continue
        for move in moves.neighbours(formula, pool):
            if move.result not in steps:
                steps[move.result] = steps[formula] + 1
                waiting.append(move.result)
    return steps


def _queries(text: str, mode: Mode, depth: int, count: int, rng: random.Random) -> int:
    """Compare distances of drawn formulas with those of the search; return how many."""
    start = parse(text)
    # Without renaming, or the pool of names would make the full search too large.
    moves = Moves(kind_of(start), mode)
    pool = tuple(dict.fromkeys((*default_pool(start), ONE)))
    steps = _spheres(moves, start, pool, depth)
    balls = [ball_of(start, pool, radius, Moves(kind_of(start), mode)) for radius in (0, 1)]
    drawn = rng.sample(list(steps), min(count, len(steps)))
    for goal in drawn:
        for ball in balls:
            found = distance_in(ball, goal, depth)
            assert (found.value, found.proved) == (steps[goal], True), format_formula(goal)
            assert distance_in(ball, goal, steps[goal] - 1).value is None
    for goal in islice(drawn, 20):
        assert distance(start, goal, depth, mode=mode).value == steps[goal]
    return 4 * len(drawn)


@pytest.mark.parametrize(
    ("text", "mode", "depth"),
    [
        ("x^2", Mode.RELATION, 3),
        ("a=x", Mode.RELATION, 2),
        ("x-1<0", Mode.RELATION, 2),
        ("a*x^3=0", Mode.RELATION, 2),
        ("a*x+b=0", Mode.PAPER, 3),
        ("9.8*a*b/d^2", Mode.PAPER, 3),
    ],
)
def test_distances_are_those_of_a_full_search(text: str, mode: Mode, depth: int) -> None:
    assert _queries(text, mode, depth, 60, random.Random(depth)) >= 240


@pytest.mark.quality
@pytest.mark.timeout(0)
@pytest.mark.parametrize(
    ("text", "mode", "depth"),
    [
        ("x^2", Mode.RELATION, 4),
        ("a=x", Mode.RELATION, 3),
        ("-x^3=x-0", Mode.RELATION, 3),
        ("a*x+b=0", Mode.RELATION, 3),
        ("a*x^2+b=0", Mode.RELATION, 3),
        ("ln(x)*a=b", Mode.RELATION, 3),
        ("x-1<0", Mode.RELATION, 3),
        ("a*x+b=0", Mode.PAPER, 5),
        ("a*x^3+b*x^2=c-d", Mode.PAPER, 4),
        ("9.8*a*b/d^2", Mode.PAPER, 5),
    ],
)
def test_distances_are_those_of_a_full_search_in_large_spaces(
    text: str, mode: Mode, depth: int
) -> None:
    assert _queries(text, mode, depth, 3000, random.Random(depth)) >= 10_000


def test_names_are_a_rule_for_the_whole_formula() -> None:
    start = parse("y'(x)=a*y(x)+b")
    names = ("x", "y", "z")
    results = {format_formula(one) for one in back(start, free=names)}
    assert {"y'(z)=a*y(z)+b", "z'(x)=a*z(x)+b"} <= results
    assert not any("x'(x)" in text or "y'(y)" in text for text in results)
    goal = parse("z'(y)=a*z(y)+b")
    assert distance(start, goal, 4, free=names).value == 2
    assert distance(start, goal, 4).value is None
    swapped = parse("x'(y)=a*x(y)+b")
    assert distance(start, swapped, 4, free=names).value == 3
