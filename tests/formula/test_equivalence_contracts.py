"""Contract formulas: values in small states, definedness from the left, and verdicts."""

from __future__ import annotations

import itertools

import pytest

from codequake.formula import (
    Checker,
    Equivalence,
    FormulaError,
    equivalent,
    holds,
    parse,
    parse_assumption,
    parse_names,
)
from codequake.formula.contract_states import Scope, all_states, count_states, symbols_of
from codequake.formula.contract_values import ValueMissingError, compile_contract

NAMES = parse_names("sequences:s,t integers:k,m,n,r truths:p,q variables:x")


def ask(first: str, second: str, *given: str) -> Equivalence:
    assumed = tuple(parse_assumption(text, NAMES) for text in given)
    return equivalent(parse(first, NAMES), parse(second, NAMES), assumed, names=NAMES)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("0<=k<s.Length && s[k]==m", "0<=k<s.Length && s[k]+2==m+2", "equivalent"),
        ("0<=k<s.Length && s[k]==m", "s[k]==m && 0<=k<s.Length", "different"),
        ("0<=k<s.Length && s[k]==m", "0<=k<=s.Length && s[k]==m", "different"),
        ("0<=k<s.Length ==> s[k]==m", "!(0<=k<s.Length) || s[k]==m", "equivalent"),
        ("0<=k<s.Length ==> s[k]==m", "s[k]!=m ==> !(0<=k<s.Length)", "different"),
        ("forall i :: 0<=i<|s| ==> s[i]<=m", "forall j :: 0<=j<|s| ==> m>=s[j]", "equivalent"),
        ("forall i :: 0<=i<|s| ==> s[i]<=m", "forall j :: 0<=j<|s| ==> s[j]<m", "different"),
        ("forall i :: 0<=i<|s| ==> s[i]<=m", "exists j :: 0<=j<|s| && s[j]<=m", "different"),
        ("exists i :: 0<=i<|s| && s[i]==m", "m in s", "equivalent"),
        ("!(exists i :: 0<=i<|s| && s[i]==m)", "m !in s", "equivalent"),
        ("multiset(s)==multiset(t)", "s==t", "different"),
        ("s[..]==t[..]", "s==t", "equivalent"),
        ("s[..k]==t[..k]", "k==0", "different"),
        ("p ==> q", "!q ==> !p", "equivalent"),
        ("p ==> q", "q ==> p", "different"),
        ("!(p && q)", "!p || !q", "equivalent"),
        ("(m%2==0)==p", "p<==>m%2==0", "equivalent"),
        ("m%2==0", "m/2*2==m", "equivalent"),
        ("m/2==r", "m==2*r", "different"),
        ("m<n", "m+1<=n", "equivalent"),  # over integers, not over the reals
        ("x<n", "x+1<=n", "different"),  # x is a real
        ("r==3*m", "m+m+m==r", "equivalent"),
        ("k<m<=n", "m<=n && k<m", "equivalent"),
        ("r==(if m<n then m else n)", "r<=m && r<=n && (r==m || r==n)", "equivalent"),
        ("forall i :: 0<=i<|s| ==> s[i]==old(s[i])", "s==old(s)", "equivalent"),
        ("forall i :: 0<=i<|s| ==> s[i]==old(s[i])", "s==s", "different"),
        ("m>100", "m>101", "different"),  # no small state tells these apart
        ("m==1000000", "m==1000001", "different"),
        ("m!=12345", "m==m", "different"),
        ("m*m==10000", "m<m", "different"),
        ("m==2^20", "m==2^21", "different"),
        ("m==99*99", "m==9801", "equivalent"),
        ("x==3.7", "x==3.8", "different"),
        ("|s|<10", "|s|<11", "different"),
        ("|s|<=4", "|s|>=0", "different"),
        ("0<|s| && s[0]<100", "0<|s| && s[0]<=100", "different"),
        ("forall i :: 0<=i<|s| ==> s[i]<50", "forall i :: 0<=i<|s| ==> s[i]<=50", "different"),
        ("exists i :: i*i==49", "m<m", "different"),
        ("exists i :: i==m", "m<6", "different"),
        ("exists i :: i>m", "m==m", "unknown"),  # each m has such an i, if beyond the range
        ("forall i :: i!=m+6", "m<m", "unknown"),
        ("m>0 && m<0", "n>0 && n<0", "unknown"),
        ("m/0==1", "m/0==2", "unknown"),
        ("sin(m)==0", "m==0", "unknown"),
    ],
)
def test_verdicts(first: str, second: str, verdict: str) -> None:
    found = ask(first, second)
    assert found.verdict.value == verdict
    assert (found.witness is not None) == (verdict == "different")
    assert ask(second, first).verdict.value == verdict


def test_a_missing_value_is_named() -> None:
    witness = ask("0<=k<s.Length && s[k]==m", "s[k]==m && 0<=k<s.Length").witness
    assert witness is not None
    assert witness.detail == "the first is false, the second has no value"
    assert dict(witness.point)["s"] == "[]"


def test_assumptions_choose_the_states() -> None:
    assert ask("m*k==n*k", "m==n").verdict.value == "different"
    assert ask("m*k==n*k", "m==n", "k != 0").verdict.value == "equivalent"
    nowhere = ask("m==n", "n==m", "k > 0", "k < 0")
    assert (nowhere.verdict.value, nowhere.certificate.ball_points) == ("unknown", 0)


def test_the_certificate_says_how_far_was_looked() -> None:
    small = ask("forall i :: 0<=i<|s| ==> s[i]<=s[i]", "|s|>=0").certificate
    assert small.method == (
        "exhaustive evaluation of small states (lengths up to 4, values -3 to 3), "
        "and of 500 drawn ones"
    )
    assert small.ball_points == sum(7**length for length in range(5)) + 500
    assert "values -1 to 1" in ask("s==t && k<m", "t==s && k<m").certificate.method


def test_the_certificate_names_the_numbers_that_were_reached() -> None:
    free = ask("m>100 && k<2^3", "m>=101 && k<2*4").certificate
    assert "and 500 near 8, 100, 101)" in free.method
    quantified = ask("exists i :: 0<=i<|s| && s[i]==9", "9 in s").certificate
    assert "and 60 near 9)" in quantified.method


def test_a_contract_that_has_no_value_does_not_equal_itself() -> None:
    assert ask("m/0==1", "m/0==1").verdict.value == "unknown"
    assert ask("m==n", "m==n", "k > 0", "k < 0").verdict.value == "unknown"


def test_a_scope_has_the_states_that_it_counts() -> None:
    formula = parse("s[k]==m && p && old(t[k])==k", NAMES)
    symbols = symbols_of((formula,), NAMES.integers)
    for scope in (Scope(1, 1), Scope(1, 2)):
        states = list(all_states(symbols, scope))
        assert len(states) == count_states(symbols, scope)
        assert len({str(sorted(state.items())) for state in states}) == len(states)


@pytest.mark.parametrize(
    "text",
    [
        "0<=k<s.Length && s[k]==m",
        "s[k]<=m || s[k+1]==k",
        "k in s ==> (if k<m then m/k else m%k)==1",
        "multiset(s)==multiset(s[k..]) <==> k==0",
        "forall i :: 0<=i<|s| ==> s[i]<=m && -7/2==-4",
        "exists i, j :: 0<=i<j<|s| && s[i]+s[j]==m",
        "k<=m<k+2 && (k%m)*2!=m^2",
    ],
)
def test_compiled_values_are_those_of_the_other_evaluation(text: str) -> None:
    formula = parse(text, NAMES)
    reader = compile_contract(formula)
    symbols = symbols_of((formula,), NAMES.integers)
    for state in itertools.islice(all_states(symbols, Scope(3, 2)), 0, 4_000, 37):
        try:
            value = bool(reader(state))
        except ValueMissingError:
            value = None
        assert value == holds(formula, state, integers=range(-3, 6)), state


def test_one_checker_answers_as_many_do() -> None:
    first = parse("0<=k<s.Length && s[k]==m", NAMES)
    checker = Checker(first, names=NAMES)
    for text in ("0<=k<s.Length && m==s[k]", "0<=k<s.Length && s[k]==n", "k<m && t==s"):
        second = parse(text, NAMES)
        assert checker.check(second) == equivalent(first, second, names=NAMES)


def test_an_expression_is_compared_by_value() -> None:
    assert ask("m*2+k", "k+m+m").verdict.value == "equivalent"
    assert ask("m*2+k", "k+m").verdict.value == "different"
    with pytest.raises(FormulaError):
        parse("k<", NAMES)
