"""LaTeX in and out."""

from __future__ import annotations

import re

import pytest
from tests.formula.random_trees import KINDS, trees

from codequake.formula import (
    PAPER_NAMES,
    FormulaError,
    Names,
    Node,
    Op,
    format_formula,
    format_latex,
    parse,
    parse_latex,
    parse_names,
)
from codequake.formula.nodes import MAX_DEPTH


def round_trip(kind: str, count: int, seed: int) -> None:
    names = KINDS[kind][0]
    for tree in trees(kind, count, seed):
        for fractions in (False, True):
            text = format_latex(tree, fractions=fractions, leibniz=fractions)
            assert parse_latex(text, names) is tree, text


@pytest.mark.parametrize("kind", list(KINDS))
def test_what_is_written_is_read_as_the_same_tree(kind: str) -> None:
    round_trip(kind, 300, 1)


@pytest.mark.quality
@pytest.mark.parametrize("kind", list(KINDS))
def test_twenty_thousand_trees_are_read_as_written(kind: str) -> None:
    round_trip(kind, 20_000, 2)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"ax^2+bx+c=0", "a*x^2+b*x+c=0"),
        (r"9.8 \times a \times b / d^{2}", "9.8*a*b/d^2"),
        (r"9.8 \cdot \frac{ab}{d^2}", "9.8*(a*b/d^2)"),
        (r"\frac{a+b}{c-d}", "(a+b)/(c-d)"),
        (r"\frac{\left(a+b\right)}{c}", "((a+b))/c"),
        (r"\frac{1}{2}ab", "1/2*a*b"),
        (r"a\frac{b}{c}", "a*(b/c)"),
        (r"-\frac{b}{2a}", "-(b/(2*a))"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)^2"),
        (r"a^{b+c}", "a^(b+c)"),
        (r"a^{-1}", "a^-1"),
        (r"x^2y", "x^2*y"),
        (r"2^{3^{x}}", "2^3^x"),
        (r"\sqrt{a^2+b^2}", "sqrt(a^2+b^2)"),
        (r"\sqrt x", "sqrt(x)"),
        (r"\sin\left(ax\right)+b=c", "sin(a*x)+b=c"),
        (r"\sin x + \cos{x}", "sin(x)+cos(x)"),
        (r"\sin^2 x+\cos^{2}(x)=1", "sin(x)^2+cos(x)^2=1"),
        (r"\tan(x)/a", "tan(x)/a"),
        (r"\ln x", "ln(x)"),
        (r"\log_{2}(x)+\log_a x+\log x", "log_2(x)+log_a(x)+log(x)"),
        (r"2\pi a", "2*pi*a"),
        (r"\left|x\right|-a", "abs(x)-a"),
        (r"\frac{dy}{dx}=ay+b", "y'(x)=a*y+b"),
        (r"\frac{\mathrm{d}y}{\mathrm{d}x}", "y'(x)"),
        (r"\frac{d^{2}y}{dx^{2}}+y''(x)", "y''(x)+y''(x)"),
        (r"y'(x)=a\,y(x)", "y'(x)=a*y(x)"),
        (r"y^{\prime}(x)+y^\prime(x)", "y'(x)+y'(x)"),
        (r"\frac{d \cdot a}{d \cdot b}", "d*a/(d*b)"),
        (r"\frac{dx}{2}", "d*x/2"),
        (r"\sum_{i=1}^{10} a i^2 + b", "sum(i=1..10,a*i^2)+b"),
        (r"\sum_{i=1}^3 \left(a+i\right)", "sum(i=1..3,a+i)"),
        (r"\prod_{k=1}^{b+1} k \cdot x", "product(k=1..b+1,k*x)"),
        (r"a \leq b < c", "a<=b<c"),
        (r"a \neq b", "a!=b"),
        (r"a \ge b", "a>=b"),
        (r"a \, x \; + ~ b", "a*x+b"),
    ],
)
def test_readings(latex: str, text: str) -> None:
    tree = parse_latex(latex)
    assert tree is parse(text)
    assert format_formula(tree) == text
    assert parse_latex(format_latex(tree)) is tree


@pytest.mark.parametrize(
    ("text", "latex", "pretty"),
    [
        ("a*x+b=0", r"a \cdot x + b = 0", None),
        ("(a+b)/(c-d)", r"\left(a + b\right) / \left(c - d\right)", r"\frac{a + b}{c - d}"),
        ("y'(x)=a", r"y'\left(x\right) = a", r"\frac{dy}{dx} = a"),
        ("y''(x)", r"y''\left(x\right)", r"\frac{d^{2}y}{dx^{2}}"),
        ("x^(a+1)", "x^{a + 1}", None),
        ("log_2(x)", r"\log_{2}\left(x\right)", None),
        ("sqrt(x)/2", r"\sqrt{x} / 2", r"\frac{\sqrt{x}}{2}"),
        ("abs(-x)", r"\left|-x\right|", None),
        ("sum(i=1..3,a+i)*2", r"\left(\sum_{i=1}^{3} \left(a + i\right)\right) \cdot 2", None),
        ("a/(b/c)", r"a / \left(b / c\right)", r"\frac{a}{\frac{b}{c}}"),
        ("(a/b)^2", r"\left(a / b\right)^{2}", r"\left(\frac{a}{b}\right)^{2}"),
        ("a!=b", r"a \neq b", None),
    ],
)
def test_writings(text: str, latex: str, pretty: str | None) -> None:
    tree = parse(text)
    assert format_latex(tree) == latex
    assert format_latex(tree, fractions=True, leibniz=True) == (pretty or latex)


def test_names() -> None:
    names = parse_names("coefficients:alpha,v_0,speed,omega_max constants:E variables:t")
    text = "alpha*v_0+speed/omega_max^E*t"
    latex = r"\alpha \cdot v_{0} + \mathrm{speed} / \omega_{max}^{\mathrm{e}} \cdot t"
    assert format_latex(parse(text, names)) == latex
    assert format_formula(parse_latex(latex, names)) == text
    assert format_formula(parse_latex(r"\alpha t v_0 \text{speed}", names)) == "alpha*t*v_0*speed"
    assert format_formula(parse_latex(r"\omega_{\text{max}}", names)) == "omega_max"


def test_e_is_what_the_names_say() -> None:
    assert format_formula(parse_latex("e^{x}")) == "e^x"
    euler = Names(frozenset("ab"), frozenset("x"), constants=frozenset({"E"}))
    assert parse_latex("ae^{bx}", euler) is parse("a*E^(b*x)", euler)
    both = parse_names("constants:E")
    assert parse_latex(r"e^{\mathrm{e}}", both) is parse("e^E", both)


@pytest.mark.parametrize(
    ("latex", "column", "message"),
    [
        ("", 1, "ends too early"),
        (r"\int_{a}^{b} x", 1, "say it in words"),
        (r"\begin{matrix}", 1, "is not part of a formula"),
        (r"\lim x", 1, "a limit is no formula"),
        (r"a \pm b", 3, "write + or -"),
        (r"a\\b", 2, "stands on one line"),
        ("$x$", 1, "dollar signs"),
        (r"\frac{a}{b", 9, "never closed"),
        (r"\frac{a}", 9, "stands in braces"),
        (r"\left(a", 1, "never closed"),
        (r"(a\right)", 3, r"closes nothing"),
        (r"a)", 2, "is unexpected"),
        (r"x^10", 3, "stands in braces"),
        (r"x^-1", 3, "stands in braces"),
        (r"\sin ax", 7, "put it in brackets"),
        (r"\sin x^2", 7, "put it in brackets"),
        (r"\sin", 5, "needs an argument"),
        (r"\sin^{-1} x", 1, "two meanings"),
        (r"\sqrt[3]{x}", 6, "a root with an index"),
        (r"\sum_{i} i", 8, r"bounds are written \sum_{i=1}^{n}"),
        (r"\sum i", 6, "bounds are written"),
        (r"\sum_{i=1}^{2}", 15, "is missing here"),
        (r"\mathrm{a+b}", 10, "only letters and digits"),
        (r"a+\mathrm{0}", 3, "a name begins with a letter"),
        (r"\mathrm x", 9, "'{' is missing"),
        (r"x_{a+b}", 5, "only letters and digits"),
        (r"x_+", 3, "a subscript is one letter"),
        (r"a/b c", 5, "after a division"),
        (r"\alpha", 1, "not declared"),
        (r"\frac{da}{db}", 1, "looks like a derivative, and 'a' by 'b' is none"),
        (r"2+\frac{dy}{dy}", 3, "looks like a derivative"),
        (r"\frac{d^2y}{da^2}", 1, "looks like a derivative"),
        (r"\frac{d}{dx} y(x)", 1, r"written \frac{dy}{dx}"),
        (r"a \land b", 3, "is for contracts"),
        (r"\left\{a", 1, "not part of a formula"),
        ("1" * 61, 1, "more than 60 characters"),
        (r"x(x+1)", 2, "write x*("),
    ],
)
def test_errors_point_at_the_place(latex: str, column: int, message: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(message)) as caught:
        parse_latex(latex)
    assert caught.value.column == column


@pytest.mark.parametrize("op", [Op.PAREN, Op.DIVIDE, Op.POWER, Op.CALL, Op.NEGATE])
def test_the_deepest_trees_read_back(op: Op) -> None:
    tree = leaf = Node(Op.COEFFICIENT, (), "a")
    for _ in range(MAX_DEPTH - 1):
        kids = (leaf, tree) if op in (Op.DIVIDE, Op.POWER) else (tree,)
        tree = Node(op, kids, "sqrt" if op is Op.CALL else "")
    assert tree.depth == MAX_DEPTH
    for fractions in (False, True):
        assert parse_latex(format_latex(tree, fractions=fractions)) is tree


def test_contracts() -> None:
    names = parse_names("sequences:a,s truths:found integers:n", Names(frozenset(), frozenset()))
    text = "found <==> (exists i :: 0 <= i < |s| && s[i] == a[n - i])"
    tree = parse(text, names)
    latex = format_latex(tree)
    assert latex == (
        r"\mathrm{found} \Leftrightarrow \left(\exists i : 0 \leq i < \left|s\right| "
        r"\land s[i] = a[n - i]\right)"
    )
    assert parse_latex(latex, names) is tree
    assert parse_latex(
        r"n \in a[\ldots n] \Rightarrow \neg found".replace("found", r"\mathrm{found}"), names
    )


def test_plain_text_without_braces_means_the_same() -> None:
    for text in ("a*x+b=0", "(a+b)*c", "a-b-c"):
        assert parse_latex(text, PAPER_NAMES) is parse(text, PAPER_NAMES)
