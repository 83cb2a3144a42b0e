"""Contracts: their sorts, their atoms, and where they hold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.formula.random_trees import CONTRACT_NAMES, trees

from codequake.formula import (
    FormulaError,
    Names,
    Node,
    Sort,
    atoms_of,
    format_contract,
    holds,
    parse,
    parse_names,
    parse_point,
    replace_atom,
    sort_of,
)

NAMES = Names(
    frozenset({"n", "k", "r", "p"}),
    frozenset(),
    sequences=frozenset({"a", "s", "grid"}),
    truths=frozenset({"found"}),
    integers=frozenset({"n", "k", "r"}),
)


def read(text: str) -> Node:
    return parse(text, NAMES)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0<=i0", None),
        ("found&&n==k||r>0", None),
        ("found && n == k && r > 0", "found && n == k && r > 0"),
        ("(found && n == k) || r > 0", "(found && n == k) || r > 0"),
        ("n < k ==> found ==> r == 1", "n < k ==> found ==> r == 1"),
        ("(n < k ==> found) ==> r == 1", "(n < k ==> found) ==> r == 1"),
        ("found <==> n in s", "found <==> n in s"),
        ("found == (n !in s)", "found == (n !in s)"),
        ("!found && !(n == k)", "!found && !(n == k)"),
        ("forall i :: 0 <= i < |s| ==> s[i] > 0", "forall i :: 0 <= i < |s| ==> s[i] > 0"),
        ("found && forall i :: i == i", "found && (forall i :: i == i)"),
        ("exists i, j :: grid[i,j] == grid[i][j]", "exists i, j :: grid[i,j] == grid[i][j]"),
        ("a[..n] == a[n..] && a[..] == a[n..k]", "a[..n] == a[n..] && a[..] == a[n..k]"),
        ("a.Length == grid.Length0 * grid.Length1", "a.Length == grid.Length0 * grid.Length1"),
        ("r == (if n < 0 then -n else n)", "r == (if n < 0 then -n else n)"),
        ("if found then n == k else n != k", "if found then n == k else n != k"),
        ("old(a[n]) == a[n]", "old(a[n]) == a[n]"),
        ("multiset(a[..]) == multiset(s)", "multiset(a[..]) == multiset(s)"),
        ("n / 2 * 2 + n % 2 == n", "n / 2 * 2 + n % 2 == n"),
        ("|a[n..]| == |a| - n", "|a[n..]| == |a| - n"),
        ("n==|a[|s|..]|", "n == |a[|s|..]|"),
    ],
)
def test_reading(text: str, printed: str | None) -> None:
    if printed is None:
        with pytest.raises(FormulaError):
            read(text)
        return
    tree = read(text)
    assert format_contract(tree) == printed
    assert read(printed) is tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n = k", "write == in a contract"),
        ("found + 1 == n", "a number is needed"),
        ("n && found", "a condition is needed"),
        ("!n", "a condition is needed"),
        ("found == n", "values of two kinds"),
        ("a == n", "values of two kinds"),
        ("a < s", "a number is needed"),
        ("n[1] == 2", "'[' is unexpected"),
        ("found[1]", "'[' is unexpected"),
        ("a[found] == 1", "an index is an integer"),
        ("a[0.5] == 1", "an index is an integer"),
        ("a[p] == 1", "an index is an integer"),
        ("p % 2 == 1", "is for integers"),
        ("n in k", "a sequence is needed"),
        ("|n| == 1", "a sequence is needed"),
        ("multiset(n) == multiset(k)", "a sequence is needed"),
        ("forall i :: i", "a condition is needed"),
        ("forall n :: n == n", "a bound name must be a new one"),
        ("forall i :: forall i :: i == i", "a bound name must be a new one"),
        ("forall i == 2", "'::' is missing"),
        ("forall :: found", "a name is missing"),
        ("(forall i :: i == i) && i == 0", "not declared"),
        ("found || n == k && found", "put brackets around one"),
        ("1 + if found then 1 else 2 == n", "needs brackets"),
        ("if found then 1 else true", "two kinds"),
        ("if found then n", "'else' is missing"),
        ("if found n else k", "'then' is missing"),
        ("n n", "unexpected"),
        ("2n == k", "'n' is unexpected"),
        ("n' == k", "has no prime"),
        ("a[1", "never closed"),
        ("|a", "never closed"),
        ("old(a", "never closed"),
        ("'c' == n", "unexpected"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read(text)
    assert message in str(caught.value)
    assert caught.value.column is not None


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("n + 1", Sort.INTEGER),
        ("n / 2", Sort.INTEGER),
        ("p / 2", Sort.REAL),
        ("n + 0.5", Sort.REAL),
        ("n + p", Sort.REAL),
        ("sin(n)", Sort.REAL),
        ("n^2", Sort.INTEGER),
        ("a[n]", Sort.INTEGER),
        ("a[n..]", Sort.SEQUENCE),
        ("multiset(a)", Sort.SEQUENCE),
        ("old(n)", Sort.INTEGER),
        ("(if found then n else 0.5)", Sort.REAL),
        ("sum(i=1..n,i)", Sort.INTEGER),
        ("n == k", Sort.TRUTH),
        ("found", Sort.TRUTH),
    ],
)
def test_sorts(text: str, sort: Sort) -> None:
    assert sort_of(read(text), NAMES) is sort


def test_atoms() -> None:
    tree = read(
        "(found == (n in s)) ==> (forall i :: 0 <= i < |a| && !(a[i] == 0.5 * p) && "
        "multiset(a) == multiset(s))"
    )
    atoms = atoms_of(tree, NAMES)
    assert [(format_contract(atom.formula), atom.sort, atom.bound) for atom in atoms] == [
        ("n in s", Sort.SEQUENCE, ()),
        ("0 <= i < |a|", Sort.INTEGER, ("i",)),
        ("a[i] == 0.5 * p", Sort.REAL, ("i",)),
        ("multiset(a) == multiset(s)", Sort.SEQUENCE, ("i",)),
    ]
    shifted = parse("a[n]+1==0.5*p+1", NAMES)
    changed = replace_atom(tree, atoms[2].path, shifted)
    assert "!(a[n] + 1 == 0.5 * p + 1)" in format_contract(changed)
    assert replace_atom(changed, atoms[2].path, atoms[2].formula) is tree


def test_atoms_of_random_contracts_go_back_where_they_stood() -> None:
    for tree in trees("contract", 300, 11):
        for atom in atoms_of(tree, CONTRACT_NAMES):
            assert replace_atom(tree, atom.path, atom.formula) is tree
            node = tree
            for index in atom.path:
                node = node.kids[index]
            assert node is atom.formula


def test_a_plain_equation_is_its_own_atom() -> None:
    names = parse_names("")
    (atom,) = atoms_of(parse("a*x+b=0"), names)
    assert (atom.path, atom.sort) == ((), Sort.REAL)
    assert atoms_of(parse("a*x+b"), names) == ()


def test_only_relations_take_the_place_of_atoms() -> None:
    tree = read("found && n == k")
    with pytest.raises(FormulaError, match="cannot take the place"):
        replace_atom(tree, (1,), read("found"))
    for path in ((0,), (2,), (), (1, 0)):
        with pytest.raises(FormulaError, match="no relation stands"):
            replace_atom(tree, path, read("n == k"))


STATE: dict[str, Any] = {
    "a": (3, 1, 2),
    "s": (),
    "n": 2,
    "k": -7,
    "r": 0,
    "p": Fraction(1, 2),
    "found": True,
    "grid": ((1, 2, 3), (4, 5, 6)),
}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("n == 2", True),
        ("a[n] == 2", True),
        ("a[3] == 2", None),
        ("a[k] == 2", None),
        ("n < 3 || a[9] == 1", True),
        ("n > 3 && a[9] == 1", False),
        ("n > 3 ==> a[9] == 1", True),
        ("a[9] == 1 || n < 3", None),
        ("a[9] == 1 && n > 3", None),
        ("if n == 2 then found else a[9] == 1", True),
        ("forall i :: 0 <= i < |a| ==> a[i] > 0", True),
        ("forall i :: a[i] > 0", None),
        ("exists i, j :: 0 <= i < j < |a| && a[i] > a[j]", True),
        ("forall i :: 0 <= i < |s| ==> false", True),
        ("2 in a && 5 !in a", True),
        ("a[..1] == a[0..1] && |a[1..]| == 2", True),
        ("a[2..1] == a", None),
        ("a[..] == a", True),
        ("multiset(a[..2]) == multiset(a[..])", False),
        ("grid[1,2] == 6 && grid[1][2] == 6", True),
        ("grid.Length0 == 2 && grid.Length1 == 3 && |grid[0]| == 3", True),
        ("k / 2 == -4 && k % 2 == 1", True),
        ("7 / k == -1 && 7 % k == 0", True),
        ("n / r == 1", None),
        ("n % r == 1", None),
        ("p * 2 == 1 && 0.1 + 0.2 == 0.3", True),
        ("n^-1 == p && p^2 == 0.25", True),
        ("r^0 == 1", None),
        ("sqrt(n + 2) == 2 && abs(k) == 7", True),
        ("ln(k) == 1", None),
        ("sum(i=0..2,a[i]) == 6", True),
        ("found <==> n == 2", True),
        ("!found || k >= 0", False),
        ("-1 < r <= 0 < n", True),
        ("old(n) == n", True),
    ],
)
def test_where_contracts_hold(text: str, answer: bool | None) -> None:
    assert holds(read(text), STATE) is answer


def test_old_speaks_of_the_state_before() -> None:
    swap = read("a[0] == old(a[1]) && a[1] == old(a[0])")
    assert holds(swap, {"a": (1, 2)}, before={"a": (2, 1)}) is True
    assert holds(swap, {"a": (1, 2)}, before={"a": (1, 2)}) is False
    bound = read("forall i :: 0 <= i < |a| ==> a[i] == old(a[i])")
    assert holds(bound, {"a": (1, 2)}, before={"a": (1, 2)}) is True
    assert holds(bound, {"a": (1, 2)}, before={"a": (1, 3)}) is False


def test_quantifiers_run_over_what_they_are_told() -> None:
    tree = read("exists i :: i * i == n")
    assert holds(tree, {"n": 81}) is False
    assert holds(tree, {"n": 81}, integers=range(10)) is True
    with pytest.raises(FormulaError, match="allowed: at most"):
        holds(tree, {"n": 81}, integers=range(100_001))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(((2^64)^64)^64)^64 == 1", "more than 100000 bits"),
        ("product(i=1..100000,i) == 1", "more than 100000 bits"),
        ("sum(i=1..200001,1) == 1", "more than 200000 terms or cases"),
        ("forall i, j :: forall l, m, o, q :: i == i", "more than 200000 terms or cases"),
    ],
)
def test_what_takes_too_much_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        holds(read(text), STATE)


def test_what_is_neither_true_nor_false() -> None:
    with pytest.raises(FormulaError, match="neither true nor false"):
        holds(read("n + 1"), STATE)
    with pytest.raises(FormulaError, match="'k' has no value"):
        holds(read("n == k"), {"n": 1})
    for text in ("a[0,1] == 1", "a[0][1] == 1", "grid[0] < 1", "|a[0]| == 1", "grid[0] + 1 == 2"):
        with pytest.raises(FormulaError, match="row of a matrix"):
            holds(read(text), STATE)
    with pytest.raises(FormulaError, match="no fixed meaning"):
        holds(parse("y'(x)=1"), {"x": 1})


def test_points() -> None:
    point = parse_point(["n=2,a=[1, -2],found=true", "p=2/3"], NAMES)
    assert point == {"n": 2, "a": (1, -2), "found": True, "p": Fraction(2, 3)}
    assert parse_point(["p=-1.5e2, s=[]"], NAMES) == {"p": -150, "s": ()}
    assert isinstance(parse_point(["n=2.0"], NAMES)["n"], int)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n", "write a=1,b=2"),
        ("n=", "write a=1,b=2"),
        ("q=1", "is not declared"),
        ("n=1,n=2", "has two values"),
        ("n=0.5", "allowed: an integer"),
        ("n=1/0", "allowed: a number"),
        ("p=1e999", "allowed: a number"),
        ("p=nan", "allowed: a number"),
        ("found=1", "allowed: true, false"),
        ("a=1", "allowed: integers"),
        ("a=[0.5]", "allowed: an integer"),
        ("a=[1", "write a=1,b=2"),
    ],
)
def test_points_that_are_none(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_point([text], NAMES)
    assert message in str(caught.value)
