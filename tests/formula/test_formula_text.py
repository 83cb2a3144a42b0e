"""Text to trees and back."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formula.formula_trees import FORMULAS

from codequake.formula import (
    PAPER_NAMES,
    FormulaError,
    Names,
    Node,
    Op,
    Spacing,
    format_formula,
    parse,
    size_of,
)
from codequake.formula.nodes import MAX_DEPTH
from codequake.formula.tokens import tokenise

NAMED = Names(frozenset({"a", "m_1", "speed"}), frozenset({"x"}), frozenset({"f"}))


@settings(max_examples=2000, deadline=None)
@given(FORMULAS)
def test_what_is_printed_is_read_as_the_same_tree(tree: Node) -> None:
    text = format_formula(tree)
    assert parse(text) == tree
    assert size_of(tree) == len(tokenise(text)) - 1
    for spacing in Spacing:
        assert parse(format_formula(tree, spacing)) == tree


@settings(max_examples=300, deadline=None)
@given(FORMULAS, FORMULAS)
def test_different_trees_have_different_texts(one: Node, two: Node) -> None:
    assert (format_formula(one) == format_formula(two)) == (one == two)


@pytest.mark.parametrize(
    ("text", "printed", "size"),
    [
        ("a*x + b = 0", "a*x+b=0", 7),
        ("-x^2", "-x^2", 4),
        ("2^-3", "2^-3", 4),
        ("2^-x^2", "2^-x^2", 6),
        ("a-b-c", "a-b-c", 5),
        ("a-(b-c)", "a-(b-c)", 7),
        ("a/b/c", "a/b/c", 5),
        ("a/(b/c)", "a/(b/c)", 7),
        ("a^b^c", "a^b^c", 5),
        ("(a^b)^c", "(a^b)^c", 7),
        ("(a)", "(a)", 3),
        ("((a))*b", "((a))*b", 7),
        ("(a+b)*(c)", "(a+b)*(c)", 9),
        ("a--3", "a-(-3)", 6),
        ("a+-b", "a+(-b)", 6),
        ("--a", "-(-a)", 5),
        ("a*-b", "a*(-b)", 6),
        ("-b*a", "-b*a", 4),
        ("-(b*a)", "-(b*a)", 6),
        ("(-1)*c", "(-1)*c", 6),
        ("-1*c", "-1*c", 4),
        ("a+-1*c", "a+(-1)*c", 8),
        ("2x", "2*x", 3),
        ("2(x+1)", "2*(x+1)", 7),
        ("a(x+1)", "a*(x+1)", 7),
        ("(a)(b)", "(a)*(b)", 7),
        ("d*2", "d*2", 3),
        ("y'(x)=a*y(x)+b", "y'(x)=a*y(x)+b", 14),
        ("y(x+1)-y'(x)", "y(x+1)-y'(x)", 12),
        ("sin(ln(x))", "sin(ln(x))", 7),
        ("0.50*pi", "0.50*pi", 3),
    ],
)
def test_spellings(text: str, printed: str, size: int) -> None:
    tree = parse(text)
    assert format_formula(tree) == printed
    assert size_of(tree) == size


def test_a_minus_binds_tighter_than_a_product_and_weaker_than_a_power() -> None:
    assert parse("-b*a").op is Op.MULTIPLY
    assert parse("-(b*a)").op is Op.NEGATE
    assert parse("-x^2").op is Op.NEGATE
    assert parse("(-x)^2").op is Op.POWER


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "ends too early"),
        ("a+", 3, "ends too early"),
        ("a+*b", 3, "'*' is unexpected"),
        ("(a+b", 1, "never closed"),
        ("sin(a", 4, "never closed"),
        ("a+b)", 4, "')' is unexpected"),
        ("a=b<c>d", 6, "'>' does not go on the chain"),
        ("a!=b!=c", 5, "'!=' does not go on the chain"),
        ("(a=b)", 3, "inside brackets"),
        ("a==b", 2, "write = for an equation"),
        ("a&&b", 2, "'&&' is for contracts"),
        ("a%b", 2, "'%' is for contracts"),
        ("|a|", 1, "write abs(x)"),
        ("a[1]", 2, "write ( and )"),
        ("forall i :: a", 1, "a word of contracts"),
        ("+3", 1, "plus before an operand"),
        ("sin x", 5, "write sin(...)"),
        ("1/2x", 4, "after a division"),
        ("2^3x", 4, "'x' is unexpected"),
        ("ab", 1, "not declared"),
        ("x(x+1)", 2, "write x*( for a product"),
        ("x y", 3, "'y' is unexpected"),
        ("2 3", 3, "'3' is unexpected"),
        ("a'(x)", 1, "has no prime"),
        ("y'(x+0)", 3, "a derivative is written y'(x)"),
        ("y'", 3, "a derivative is written y'(x)"),
        ("(a<b)", 3, "inside brackets"),
        ("sum(a=1..2,a)", 5, "a bound name must be a new one"),
        ("sum(i=1..2,i)+i", 15, "not declared"),
        ("sum(i=1..2)", 11, "',' is missing"),
        ("sum i", 5, "a sum is written"),
        ("log_x(2)", 1, "is no base"),
        ("log_2 x", 7, "'(' is missing"),
        ("y''(x+0)", 4, "a derivative is written y''(x)"),
        ("y'''(x)", 4, "a derivative is written y''(x)"),
        ("dy/da", 4, "'a' is no variable"),
        ("dw/dx", 1, "not declared"),
        ("a.5", 2, "write 0.5"),
        (r"\frac{a}{b}", 1, "not LaTeX"),
        ("a;b", 2, "not part of a formula"),
        ("__import__('os')", 1, "not part of a formula"),
        ("1" * 61, 1, "more than 60 characters"),
        ("E", 1, "not declared"),
    ],
)
def test_errors_point_at_the_place(text: str, column: int, message: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(message)) as caught:
        parse(text)
    assert caught.value.column == column
    shown, caret = str(caught.value).splitlines()[1:]
    assert caret.index("^") - 2 == column - 1
    assert shown.strip().removesuffix("...") in text


def test_a_long_text_is_shown_around_the_place_only() -> None:
    with pytest.raises(FormulaError) as caught:
        parse("+".join("a" * 45) + "+?" + "+a" * 40)
    shown, caret = str(caught.value).splitlines()[1:]
    assert len(shown) < 90
    assert shown[caret.index("^")] == "?"


@settings(max_examples=2000, deadline=None)
@given(st.text(alphabet="ab xyz'sincotaglq0123.9+-*/^()=_\\{}\n\0\N{MIDDLE DOT}", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tree = parse(text)
    except FormulaError:
        return
    assert parse(format_formula(tree)) == tree


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_foreign_text_is_read_or_refused(text: str) -> None:
    try:
        tree = parse(text)
    except FormulaError:
        return
    assert parse(format_formula(tree)) == tree


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        ")" * 10_000,
        "(" * 5_000 + "a" + ")" * 5_000,
        "-" * 10_000 + "a",
        "sin(" * 2_500,
        "a^" * 5_000 + "a",
        "a+" * 5_000 + "a",
        "2(" * 5_000,
        "1" * 10_000,
        "a" * 10_000,
        "a" * 20_001,
    ],
)
def test_long_texts_are_refused_without_overflow(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert len(str(caught.value)) < 500


def test_the_deepest_formula_that_is_allowed_works() -> None:
    depth = MAX_DEPTH - 1
    text = "(" * depth + "a" + ")" * depth
    tree = parse(text)
    assert tree.depth == MAX_DEPTH
    assert format_formula(tree) == text
    with pytest.raises(FormulaError, match="deeper than"):
        Node(Op.NEGATE, (tree,))


def test_declared_names() -> None:
    text = "speed*m_1+f(x)-f'(x)"
    assert format_formula(parse(text, NAMED)) == text
    with pytest.raises(FormulaError, match="'f' is a function"):
        parse("f+1", NAMED)
    with pytest.raises(FormulaError, match="declared: a, f, m_1, pi, speed, x"):
        parse("b", NAMED)


@pytest.mark.parametrize(
    ("coefficients", "variables", "message"),
    [
        ({"a"}, {"a"}, "declared twice"),
        ({"sin"}, set(), "reserved word"),
        ({"2a"}, set(), "not allowed"),
        ({"a b"}, set(), "not allowed"),
        ({""}, set(), "not allowed"),
        ({"pi"}, set(), "declared twice"),
    ],
)
def test_names_that_cannot_be_declared(
    coefficients: set[str], variables: set[str], message: str
) -> None:
    with pytest.raises(FormulaError, match=message):
        Names(frozenset(coefficients), frozenset(variables))


def test_unknown_constants_cannot_be_declared() -> None:
    with pytest.raises(FormulaError, match="allowed: E, pi"):
        Names(frozenset(), frozenset(), constants=frozenset({"tau"}))
    euler = Names(frozenset("e"), frozenset(), constants=frozenset({"E"}))
    assert parse("E", euler) != parse("e", euler)


def test_trees_survive_being_stored() -> None:
    tree = parse("a*x+sin(b)=0", PAPER_NAMES)
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert tree != "a*x+sin(b)=0"
