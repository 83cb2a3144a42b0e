"""Rules, their inverses, and distances that are proved."""

from __future__ import annotations

import random

import pytest
from benchmarks.slips import SCHOOL
from hypothesis import given, settings
from tests.formula.formula_trees import SMALL_FORMULAS

from codequake.errors import InternalError
from codequake.formula import (
    EQUATION_TYPES,
    EXPRESSION_TYPES,
    RULES,
    Kind,
    Node,
    Op,
    Rule,
    Scope,
    Source,
    back,
    constants_of,
    distance,
    format_formula,
    neighbours,
    parse,
    size_of,
)
from codequake.formula.moves import Moves, default_pool
from codequake.formula.rules import Keeps, rules_for
from codequake.formula.space import ball_of, distance_in

TWO = Node(Op.NUMBER, (), "2")


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("add_zero", "a/b", "a/b+0"),
        ("add_zero", "x^2", "(x+0)^2"),
        ("add_zero", "y'(x)+y(x)", "y'(x)+y(x+0)"),
        ("times_one", "-a", "-a*1"),
        ("times_one", "-a", "-(a*1)"),
        ("commute_sum", "a+b", "b+a"),
        ("commute_sum", "a+b-c", "b+a-c"),
        ("commute_product", "(a+b)*(c)", "(c)*(a+b)"),
        ("commute_product", "a*(-b)", "-b*a"),
        ("minus_as_plus", "a-b-c", "a-b+(-1)*c"),
        ("minus_as_plus", "a-b-c", "a+(-1)*b-c"),
        ("add_and_subtract", "x", "x+2-2"),
        ("multiply_and_divide", "a/b/c", "a/b/c*2/2"),
        ("multiply_and_divide", "x+a", "(x+a)*a/a"),
        ("both_add", "a=x", "a+2=x+2"),
        ("both_subtract", "a=x", "a-a=x-a"),
        ("both_multiply", "a*x+b=0", "(a*x+b)*2=0*2"),
        ("both_divide", "a*x+b=0", "(a*x+b)/b=0/b"),
        ("swap_sides", "a*x+b=0", "0=a*x+b"),
        ("all_to_the_left", "a*x=b-c", "a*x-(b-c)=0"),
        ("move_added_right", "a*x+b=0", "a*x=0-b"),
        ("move_subtracted_right", "a*x-b=c", "a*x=c+b"),
        ("move_added_left", "x=b+c", "x-c=b"),
        ("move_subtracted_left", "x=b-c", "x+c=b"),
        ("negate_sides", "a*x+b=0", "-(a*x+b)=-0"),
        ("subtract_zero", "a*x", "a*(x-0)"),
        ("divide_by_one", "a^x", "a^x/1"),
        ("divide_by_one", "a^x", "a^(x/1)"),
        ("power_one", "a^b^c", "(a^b^c)^1"),
        ("power_one", "a^b^c", "a^b^c^1"),
        ("unroll_power_2", "-x^2", "-(x*x)"),
        ("unroll_power_2", "(a+b)^2", "(a+b)*(a+b)"),
        ("unroll_power_3", "a*x^3", "a*(x^2*x)"),
        ("unroll_power_9", "x^9", "x^8*x"),
    ],
)
def test_each_rule(rule: str, before: str, after: str) -> None:
    start = parse(before)
    found = {(move.rule.id, format_formula(move.result)) for move in neighbours(start)}
    assert (rule, after) in found
    assert start in back(parse(after))


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("a+a", "commute_sum"),
        ("x*x", "commute_product"),
        ("1*1", "commute_product"),
        ("0+0", "commute_sum"),
        ("x=x", "swap_sides"),
        ("a-b", "commute_sum"),
        ("a*x=b", "add_and_subtract"),
        ("a*x=b", "multiply_and_divide"),
        ("a*x", "both_add"),
        ("a*x=0", "all_to_the_left"),
        ("a*x=0.0", "all_to_the_left"),
        ("a*x=b", "move_added_right"),
        ("2^-3", "unroll_power_3"),
        ("x^0", "unroll_power_2"),
        ("x^1", "unroll_power_2"),
        ("x^10", "unroll_power_9"),
        ("x^2.0", "unroll_power_2"),
        ("x^a", "unroll_power_2"),
    ],
)
def test_where_a_rule_does_not_apply(text: str, absent: str) -> None:
    assert absent not in {move.rule.id for move in neighbours(parse(text))}


def test_every_rule_keeps_what_it_says() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert (rule.keeps is Keeps.SOLUTIONS) == (rule.scope is Scope.EQUATION)


def test_the_catalogue_has_the_types_of_the_paper() -> None:
    assert (len(EQUATION_TYPES), len(EXPRESSION_TYPES)) == (18, 12)
    for kind, types in ((Kind.EQUATION, EQUATION_TYPES), (Kind.EXPRESSION, EXPRESSION_TYPES)):
        assert {rule.type for rule in rules_for(kind)} == set(types)
    for source, expected in (
        (Source.PRINTED, {"M1", "M2", "M3", "M4", "M1,2", "M3,4"}),
        (Source.NAMED, {"M9", "M10", "M11", "M12", "M13"}),
    ):
        assert {rule.type for rule in RULES if rule.source is source} == expected
    dividing = {rule.id for rule in RULES if rule.nonzero}
    assert dividing == {"both_divide", "both_multiply", "multiply_and_divide"}


def test_a_rule_that_loses_something_cannot_be_made() -> None:
    sides = (Scope.ANYWHERE, Keeps.VALUE)
    with pytest.raises(InternalError, match="loses an expression"):
        Rule("forget", "M0", parse("x*y"), parse("x"), *sides)
    with pytest.raises(InternalError, match="fit its scope"):
        Rule("wrong", "M0", parse("x"), parse("x"), Scope.EQUATION, Keeps.VALUE)


def test_nothing_is_put_inside_a_derivative() -> None:
    texts = {format_formula(move.result) for move in neighbours(parse("y'(x)=a"))}
    assert all("y'(x)" in text for text in texts)
    assert "y'(x)+0=a" in texts


@settings(max_examples=150, deadline=None)
@given(SMALL_FORMULAS)
def test_the_inverse_is_complete_and_precise(formula: Node) -> None:
    for move in neighbours(formula, (TWO, *constants_of(formula)[:2])):
        assert move.result != formula
        assert formula in back(move.result)
    for earlier in back(formula):
        assert formula in {move.result for move in neighbours(earlier, constants_of(formula))}


def _spheres(start: Node, pool: tuple[Node, ...], depth: int) -> dict[Node, int]:
    """Breadth-first search forwards: nothing of the proof's search is used."""
    steps = {start: 0}
    shell = [start]
    for step in range(1, depth + 1):
        grown = []
        for formula in shell:
            for move in neighbours(formula, pool):
                if move.result not in steps:
                    steps[move.result] = step
                    grown.append(move.result)
        shell = grown
    return steps


@pytest.mark.parametrize(
    ("text", "depth"), [("x", 3), ("a-b", 2), ("a=x", 3), ("a+b=0", 2), ("(a)*2", 2), ("sin(x)", 3)]
)
def test_distances_are_those_of_breadth_first_search(text: str, depth: int) -> None:
    start = parse(text)
    one = Node(Op.NUMBER, (), "1")
    pool = tuple(dict.fromkeys((*default_pool(start), one)))
    steps = _spheres(start, pool, depth)
    drawn = random.Random(0).sample(list(steps), min(len(steps), 400))
    for radius in (0, 1):
        ball = ball_of(start, pool, radius)
        for goal in drawn:
            found = distance_in(ball, goal, depth)
            assert (found.value, found.proved) == (steps[goal], True), format_formula(goal)
            closer = distance_in(ball, goal, steps[goal] - 1)
            assert closer.value is None
    for goal in drawn[:100]:
        assert distance(start, goal, depth).value == steps[goal]


@pytest.mark.parametrize(
    ("start", "goal", "expected"),
    [
        ("a*x+b=0", "a*x+b=0", 0),
        ("a*x+b=0", "0=a*x+b", 1),
        ("a*x+b=0", "b+a*x=0", 1),
        ("a*x+b=0", "a*x+b+2-2=0+2-2", 2),
        ("a*x+b=0", "a*x+b+7=0+7", 1),
        ("a*x+b=0", "x*a+b+0=0*1", 3),
        ("a", "a*1/1", 1),
        ("a+0", "a", None),
        ("a", "b", None),
        ("a=b", "a", None),
        ("x", "x+0+0+0+0+0+0", None),
    ],
)
def test_known_distances(start: str, goal: str, expected: int | None) -> None:
    found = distance(parse(start), parse(goal), 5)
    assert found.value == expected
    assert found.proved


def test_a_search_that_was_cut_short_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codequake.formula.space.MAX_VISITED", 3)
    found = distance(parse("x"), parse("x+0+0*1+2-2+(a*1)"), 8)
    assert found.value is None
    assert not found.proved


def test_a_ball_without_a_constant_of_the_goal_says_so() -> None:
    with pytest.raises(InternalError, match="without a constant"):
        distance_in(ball_of(parse("x"), (), 1), parse("x+2-2"), 1)


@pytest.mark.parametrize("text", SCHOOL)
def test_school_formulas_have_many_neighbours(text: str) -> None:
    formula = parse(text)
    results = {move.result for move in neighbours(formula)}
    assert len(results) >= 20
    assert all(distance(formula, result, 2).value == 1 for result in results)


def test_a_very_large_formula_costs_no_more_than_its_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "a+x*2"
    for sign in "+*-+*-+":
        text = f"({text}){sign}({text})"
    large = parse(text)
    assert size_of(large) > 1000
    visited: list[int] = []
    whole = Moves.back

    def counted(moves: Moves, formula: Node) -> tuple[Node, ...]:
        visited.append(1)
        return whole(moves, formula)

    monkeypatch.setattr(Moves, "back", counted)
    found = distance(large, Node(Op.ADD, (Node(Op.NUMBER, (), "0"), large)), 5)
    assert (found.value, found.proved) == (None, False)
    assert len(visited) < 6000
