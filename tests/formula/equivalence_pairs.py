"""Pairs of formulas with the right answer by mathematics, worked out by hand.

Each row: first, second, what is assumed, the verdict, the conditions, and whether only the referee
can tell.  ``unknown`` rows have no answer that the methods can prove: what the right one is stands
beside them.
"""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    first: str
    second: str
    given: str
    verdict: str
    conditions: str = ""


FAST = (
    # Differences of domain.
    Pair("x/x", "1", "", "equivalent", "x != 0"),
    Pair("x-x", "0", "", "equivalent"),
    Pair("ln(x)-ln(x)", "0", "", "equivalent", "x > 0"),
    Pair("x^0", "1", "", "equivalent", "x != 0"),
    Pair("1/(1/x)", "x", "", "equivalent", "x != 0"),
    Pair("(a^2-b^2)/(a-b)", "a+b", "", "equivalent", "a-b != 0"),
    Pair("1/(x*y+x)", "1/(x*(y+1))", "", "equivalent"),
    Pair("1/(x*(y+1))", "1/(x*y+x)", "", "equivalent"),
    Pair("ln(a*b)*0", "(ln(a)+ln(b))*0", "", "equivalent", "a > 0;b > 0"),
    # Roots, powers and functions.
    Pair("(x^2)^0.5", "x", "", "different"),
    Pair("(x^2)^0.5", "abs(x)", "", "equivalent"),
    Pair("sqrt(x)", "x^0.5", "", "equivalent"),
    Pair("sqrt(x)", "x^0.25", "", "different"),
    Pair("x^65", "x*x^64", "", "equivalent"),
    Pair("x^1001", "x*x^1000", "", "equivalent"),
    Pair("x^-2", "1/x^2", "", "equivalent"),
    Pair("a^b*a^c", "a^(b*c)", "", "different"),
    Pair("(a^b)^c", "a^b^c", "", "different"),
    Pair("sin(x)^2+cos(x)^2", "1", "", "equivalent"),
    Pair("sin(x)^2-cos(x)^2", "1", "", "different"),
    Pair("sin(-x)", "-sin(x)", "", "equivalent"),
    Pair("cos(-x)", "cos(x)", "", "equivalent"),
    Pair("cos(-x)", "-cos(x)", "", "different"),
    Pair("tan(x)", "sin(x)/cos(x)", "", "equivalent"),
    Pair("tan(x)", "cos(x)/sin(x)", "", "different"),
    Pair("1+tan(x)^2", "1/cos(x)^2", "", "equivalent"),
    Pair("log(x)", "ln(x)/ln(10)", "", "equivalent"),
    Pair("log(x)", "ln(x)/ln(2)", "", "different"),
    Pair("log_2(x)", "ln(x)/ln(2)", "", "equivalent"),
    Pair("abs(a+b)", "abs(a)+abs(b)", "", "different"),
    Pair("abs(-x)", "abs(x)", "", "equivalent"),
    # Constants, exact and large, among them multiples of the prime.
    Pair("0.1+0.2=0.3", "0=0", "", "equivalent"),
    Pair("0.1+0.2=0.30000000000000004", "0=0", "", "different"),
    Pair("a+2305843009213693951", "a", "", "different"),
    Pair("a*2305843009213693951", "0", "", "different"),
    Pair(f"a+2305843009213693951*0.{'0' * 57}1", "a", "", "different"),
    Pair("x^2305843009213693950", "1", "", "different"),
    Pair(f"0.{'0' * 55}1*x", "0", "", "different"),
    Pair("pi*a", "3.14159265358979323846264338327950288*a", "", "different"),
    # Equations: factors that are never 0, and others.
    Pair("sin(x)^2+cos(x)^2=1", "0=0", "", "equivalent"),
    Pair("sin(x)^2+cos(x)^2=1", "0=1", "", "different"),
    Pair("a*x+b=0", "(a*x+b)*x=0", "", "different"),
    Pair("a*x+b=0", "(a*x+b)*x=0", "x != 0", "equivalent"),
    Pair("a*x+b=0", "(a*x+b)/x=0", "", "unknown"),  # at b=0, x=0 only the first holds
    Pair("a*x+b=0", "(a*x+b)/x=0", "x != 0", "equivalent"),
    Pair("a*x+b=0", "(a*x+b)*a^3=0", "a != 0", "equivalent"),
    Pair("a*x+b=0", "(a*x+b)*(a-c)=0", "a-c != 0", "equivalent"),
    Pair("a*x+b=0", "(a*x+b)*(a-c)=0", "", "different"),
    Pair("a*x=b", "x=b/a", "", "equivalent", "a != 0"),
    Pair("x=b/a", "a*x=b", "a > 0", "equivalent"),
    Pair("1/x=a", "1=a*x", "", "unknown"),  # equivalent, but the factor x is cut off by one only
    Pair("1/x=a", "1=a*x", "x != 0", "equivalent"),
    Pair("1/x=a", "2=2*a*x+0/x", "", "equivalent"),
    # A condition that leaves no solution says nothing.
    Pair("a*x+b=0", "2/(a*x+b)=0", "", "unknown"),  # only the first has solutions
    Pair("a=0", "1/a=0", "", "unknown", "a != 0"),  # only the first has a solution
    Pair("a^b-c=0", "1/(a^b-c)=0", "", "unknown", "a^b-c != 0"),
    Pair("x=1", "x+0/(x-1)=1", "", "unknown", "x-1 != 0"),
    Pair("a*b=0", "a^2*b^2=0", "", "unknown", "a != 0;b != 0"),  # equivalent
    Pair("a*x=0", "a^2*x=0", "", "equivalent", "a != 0"),
    Pair("a/b=c/d", "a*d=b*c", "", "equivalent", "b != 0;d != 0"),
    Pair("(a+b)/(c-d)=x", "a+b=x*(c-d)", "c-d != 0", "equivalent"),
    Pair("a=b", "a^2=b^2", "", "different"),
    Pair("x^2=1", "(x-1)*(x+1)=0", "", "equivalent"),
    Pair("x^2=1", "x=1", "", "different"),
    Pair("x=1", "x=1+0*y", "", "equivalent"),
    Pair("x=x", "y=y", "", "equivalent"),
    # Equations without a variable: every factor would be one "of the coefficients".
    Pair("a^b-c=0", "a^b=c", "", "equivalent"),
    Pair("a^b-c=0", "a^b-d=0", "", "different"),
    Pair("a^b-c=0", "b^a-c=0", "", "different"),
    Pair("a-b=0", "a*2-b*2=0", "", "equivalent"),
    Pair("1=2", "2=1", "", "equivalent"),
    Pair("0=0", "1=2", "", "different"),
    # Relations and chains.
    Pair("x<1", "1>x", "", "equivalent"),
    Pair("x<1", "x<=1", "", "different"),
    Pair("x<1", "-x>-1", "", "equivalent"),
    Pair("x<1", "-x<-1", "", "different"),
    Pair("x<1", "2*x<2", "", "equivalent"),
    Pair("x<1", "-2*x<-2", "", "different"),
    Pair("a*x<a", "x<1", "a > 0", "equivalent"),
    Pair("a*x<a", "x>1", "a < 0", "equivalent"),
    Pair("a*x<a", "x<1", "", "different"),
    Pair("a*x<a", "x<1", "a != 0", "different"),
    Pair("a^2*x<a^2", "x<1", "a != 0", "equivalent"),
    Pair("a*b*x<a*b", "x<1", "a < 0;b < 0", "equivalent"),
    Pair("a/b<c", "a<b*c", "b > 0", "equivalent"),
    Pair("a/b<c", "a<b*c", "", "different"),
    Pair("0<x<1", "1>x>0", "", "equivalent"),
    Pair("0<x<1", "0<2*x<2", "", "equivalent"),
    Pair("0<x<1", "0<x<=1", "", "different"),
    Pair("0<x<1", "x<1", "", "different"),
    Pair("x!=0", "2*x!=0", "", "equivalent"),
    Pair("x!=0", "x>0", "", "different"),
    # Functions without a meaning, and derivatives.
    Pair("y'(x)=a*y(x)", "y'(x)-a*y(x)=0", "", "equivalent"),
    Pair("y'(x)=a*y(x)", "y(x)=a*y'(x)", "", "different"),
    Pair("y''(x)+y(x)=0", "y(x)=-y''(x)", "", "equivalent"),
    Pair("y'(x)=a", "y''(x)=a", "", "different"),
    Pair("y'(x)=y'(z)", "0=0", "", "different"),
    Pair("y(x+0)", "y(x)", "", "equivalent"),
    Pair("y(x+1)", "y(x)", "", "different"),
    # Sums and products.
    Pair("sum(i=1..3, a*i)", "sum(i=1..3, i*a+0)", "", "equivalent"),
    Pair("sum(i=1..a, x^i)", "sum(j=1..a, x^j)", "", "equivalent"),
    Pair("sum(i=1..3, i)", "6", "", "equivalent"),
    Pair("sum(i=1..3, i)", "7", "", "different"),
    Pair("sum(i=1..a, i)", "a*(a+1)/3", "", "different"),
    # Undefined everywhere, or where we can look: nothing is known of such formulas.
    Pair("0/(a-a)", "1/(a-a)", "", "unknown"),
    Pair("1/0", "1/0", "", "unknown"),
    Pair("ln(-1)", "ln(-2)", "", "unknown"),
    Pair("ln(-1-x^2)", "0", "", "unknown"),
    Pair("9^9^9^9^9", "9^9^9^9^8", "", "unknown"),
)

REFEREE = (
    Pair("a*x+b=0", "(a*x+b)*(x^2+1)=0", "", "equivalent"),
    Pair("sin(2*x)", "2*sin(x)*cos(x)", "", "equivalent"),
    Pair("a^(x+1)", "a*a^x", "", "equivalent"),
    Pair("ln(x^2)", "2*ln(x)", "x > 0", "equivalent"),
    Pair("ln(x^2)", "2*ln(x)", "", "unknown", "x > 0"),
    Pair("x=0", "x^3=0", "", "unknown"),  # equivalent: a root counts once
    Pair("(x^2)^0.5", "x", "x > 0", "equivalent"),
    Pair("sqrt(x)^2", "x", "x >= 0", "equivalent"),
    Pair("a*x+b=0", "(a*x+b)*exp(x)=0", "", "equivalent"),
    Pair("a*x+b=0", "(a*x+b)^2=0", "", "unknown"),  # equivalent
    Pair("a=b", "a^3=b^3", "", "unknown"),  # equivalent over the reals
    Pair("2^0.5*2^0.5", "2", "", "equivalent"),
    Pair("abs(a*b)", "abs(a)*abs(b)", "", "equivalent"),
    Pair("sin(x+2*pi)", "sin(x)", "", "equivalent"),
    Pair("ln(exp(x))", "x", "", "equivalent"),
    Pair("exp(ln(x))", "x", "x > 0", "equivalent"),
    Pair("ln(a*b)", "ln(a)+ln(b)", "a > 0;b > 0", "equivalent"),
    Pair("ln(a*b)", "ln(a)+ln(b)", "", "unknown", "a > 0;b > 0"),
    Pair("x^2=-1", "0=1", "", "equivalent"),
    Pair("x^2>0", "x!=0", "", "unknown"),  # equivalent
)

IN_EVERY_RUN = 5
"""So many of the rows for the referee are asked in every run of the tests."""
