"""Text to trees and back."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given, settings
from tests.formula.formula_trees import FORMULAS
from tests.formula.random_trees import KINDS, trees

from codequake.formula import (
    PAPER_NAMES,
    FormulaError,
    Names,
    Node,
    Op,
    Spacing,
    format_contract,
    format_formula,
    parse,
    parse_names,
    size_of,
)
from codequake.formula.nodes import MAX_DEPTH
from codequake.formula.tokens import tokenise

NAMED = Names(frozenset({"a", "m_1", "speed"}), frozenset({"x"}), frozenset({"f"}))


def written(tree: Node, names: Names, spacing: Spacing) -> str:
    write = format_contract if names.contract else format_formula
    return write(tree, spacing)


def round_trip(kind: str, count: int, seed: int) -> None:
    names = KINDS[kind][0]
    for tree in trees(kind, count, seed):
        text = written(tree, names, Spacing.TIGHT)
        assert parse(text, names) is tree, text
        assert size_of(tree) == len(tokenise(text)) - 1, text
        for spacing in (Spacing.SUMS, Spacing.WIDE):
            assert parse(written(tree, names, spacing), names) is tree, text


@pytest.mark.parametrize("kind", list(KINDS))
def test_what_is_printed_is_read_as_the_same_tree(kind: str) -> None:
    round_trip(kind, 500, 1)


@pytest.mark.quality
@pytest.mark.parametrize("kind", list(KINDS))
def test_twenty_thousand_trees_are_read_as_printed(kind: str) -> None:
    round_trip(kind, 20_000, 2)


@settings(max_examples=300, deadline=None)
@given(FORMULAS)
def test_small_trees_are_read_as_printed(tree: Node) -> None:
    assert parse(format_formula(tree)) is tree


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
        ("a < b", "a<b", 3),
        ("a<=b<c", "a<=b<c", 5),
        ("a=b=c", "a=b=c", 5),
        ("a != -b", "a!=-b", 4),
        ("abs(x)", "abs(x)", 4),
        ("log_2(x)+log_a(x)", "log_2(x)+log_a(x)", 9),
        ("sum(i=1..3, a*i^2)", "sum(i=1..3,a*i^2)", 14),
        ("product(k=1..2,sum(i=1..k,i))", "product(k=1..2,sum(i=1..k,i))", 19),
        ("y''(x)+y'(x)", "y''(x)+y'(x)", 12),
        ("dy/dx=a", "y'(x)=a", 7),
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


@settings(max_examples=200, deadline=None)
@given(FORMULAS, FORMULAS)
def test_different_trees_have_different_texts(one: Node, two: Node) -> None:
    assert (format_formula(one) == format_formula(two)) == (one is two)


@pytest.mark.parametrize(
    "op", [Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER, Op.NEGATE, Op.CALL, Op.PAREN]
)
def test_the_deepest_trees_read_back(op: Op) -> None:
    leaf = Node(Op.COEFFICIENT, (), "a")
    left = right = leaf
    for level in range(MAX_DEPTH - 1):
        if op in (Op.NEGATE, Op.CALL, Op.PAREN):
            left = right = Node(op, (left,), "sin" if op is Op.CALL else "")
        else:
            # With a minus now and then, so that more brackets are needed than levels exist.
            kid = Node(Op.NEGATE, (right,)) if level % 2 else Node(op, (leaf, right))
            left, right = Node(op, (left, leaf)), kid
    assert left.depth == right.depth == MAX_DEPTH
    for tree in (left, right):
        assert parse(format_formula(tree)) is tree


def test_the_deepest_formula_that_is_allowed_works() -> None:
    depth = MAX_DEPTH - 1
    text = "(" * depth + "a" + ")" * depth
    tree = parse(text)
    assert tree.depth == MAX_DEPTH
    assert format_formula(tree) == text
    with pytest.raises(FormulaError, match="deeper than"):
        Node(Op.NEGATE, (tree,))


def test_subscripts_and_greek_names() -> None:
    names = parse_names("coefficients:alpha,x_ij,v_0")
    assert format_formula(parse("alpha*x_{ij}+v_0", names)) == "alpha*x_ij+v_0"
    with pytest.raises(FormulaError, match="'omega' is not declared"):
        parse("omega", names)


def test_names_in_words() -> None:
    names = parse_names("functions:f,x integers:n,k sequences:a constants:E")
    assert names.functions == {"f", "x"}
    assert names.variables == {"x", "y", "z"}
    assert {"n", "k"} <= names.coefficients
    assert "a" not in names.coefficients
    assert names.constants == {"pi", "E"}
    assert names.contract
    assert not PAPER_NAMES.contract
    for text in ("n", "integers:", "integers:n,,k", "numbers:n"):
        with pytest.raises(FormulaError, match="is not understood"):
            parse_names(text)
    for declaration in ("integers:forall", "integers:n coefficients:old", "variables:sum"):
        with pytest.raises(FormulaError, match="reserved word"):
            parse_names(declaration)
    assert format_formula(parse("old+if", parse_names("coefficients:old,if"))) == "old+if"
    with pytest.raises(FormulaError, match="neither a coefficient nor a variable"):
        Names(frozenset(), frozenset(), integers=frozenset({"n"}))


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
