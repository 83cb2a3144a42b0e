"""Values and source code, checked against each other and against a C compiler."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

from codequake.formula import (
    FormulaError,
    Names,
    evaluate,
    exact_value,
    parse,
    parse_names,
    to_c,
    to_python,
)
from codequake.formula.evaluation import MOST_TERMS
from codequake.sandbox import BubblewrapBackend, Job, Limits, Mode
from codequake.tasks import Language

LIMITS = Limits(
    cpu_seconds=2.0,
    memory_bytes=512 << 20,
    output_bytes=1 << 20,
    build_cpu_seconds=5.0,
    build_memory_bytes=512 << 20,
)

POINT = {"a": 2.0, "b": -3.0, "c": 0.5, "d": 7.0, "e": 1.25, "x": 1.5, "y": 4.0, "z": -0.25}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2*x", 0.75),
        ("2^-3", 0.125),
        ("-2^2", -4.0),
        ("a-b-c", 4.5),
        ("a/b/c", -4 / 3),
        ("a^b^a", 512.0),
        ("log(1000)", 3.0),
        ("ln(100)", math.log(100)),
        ("sqrt(y)", 2.0),
        ("exp(0)", 1.0),
        ("sin(pi)", math.sin(math.pi)),
        ("e", 1.25),
        ("a*x+b=0", 0.0),
        ("a*x+b=1", -1.0),
        ("1/0", None),
        ("0^0", None),
        ("0^-1", None),
        ("ln(0)", None),
        ("ln(b)", None),
        ("log(-1)", None),
        ("sqrt(b)", None),
        ("(-8)^(1/3)", None),
        ("exp(1000)", None),
        ("10^400", None),
        ("(-8)^3", -512.0),
        ("-7/2", -3.5),
        ("log_2(8)", 3.0),
        ("log_10(1000)", 3.0),
        ("log_d(49)", 2.0),
        ("log_1(2)", None),
        ("log_2(0)", None),
        ("log_2(b)", None),
        ("abs(b)", 3.0),
        ("sum(i=1..4,i^2)", 30.0),
        ("sum(i=3..2,i)", 0.0),
        ("product(i=3..2,i)", 1.0),
        ("product(i=1..5,i)", 120.0),
        ("sum(i=1..3,sum(j=i..3,i*j))", 25.0),
        ("sum(i=0.5..3,i)", None),
        ("sum(i=-1..1,1/i)", None),
        ("tan(pi/2)", math.tan(math.pi / 2)),
        ("0.1+0.2", 0.1 + 0.2),
    ],
)
def test_values(text: str, value: float | None) -> None:
    found = evaluate(parse(text), POINT)
    assert found == (value if value is None else pytest.approx(value, rel=1e-15, abs=1e-15))


def test_many_terms_are_refused() -> None:
    assert evaluate(parse(f"sum(i=1..{MOST_TERMS},1)"), {}) == MOST_TERMS
    for text in (f"sum(i=0..{MOST_TERMS},1)", "sum(i=1..1000,sum(j=1..1000,1))"):
        with pytest.raises(FormulaError, match="more than 100000 terms"):
            evaluate(parse(text), {})


def test_conditions_have_no_number() -> None:
    for text in ("a<b", "a<b<c", "a=b=c"):
        with pytest.raises(FormulaError, match="no number as its value"):
            evaluate(parse(text), POINT)


def test_exact_values() -> None:
    point = {"a": Fraction(1, 3), "b": Fraction(3)}
    assert exact_value(parse("a/b+0.1"), point) == Fraction(19, 90)
    assert exact_value(parse("0.1+0.2=0.3"), {}) == 0
    assert exact_value(parse("a/(b-3)"), point) is None
    assert exact_value(parse("sin(a)"), point) is None


def test_sources_that_do_not_exist() -> None:
    for text in ("sum(i=1..4,i)", "a<b", "a<b<c"):
        for write in (to_c, to_python):
            with pytest.raises(FormulaError, match="no source"):
                write(parse(text))


def test_eulers_number() -> None:
    names = parse_names("constants:E")
    assert evaluate(parse("ln(E)", names), {}) == 1.0
    assert to_c(parse("E", names)) == "2.71828182845904523536"
    assert to_python(parse("E", names)) == "math.e"


@pytest.mark.parametrize("text", ["y'(x)", "y''(x)", "y(x)=a", "y'(x)+y(x)"])
def test_functions_without_a_meaning_have_no_value(text: str) -> None:
    formula = parse(text if "'" in text else f"{text}+0*y'(x)")
    for use in (
        lambda: evaluate(formula, POINT),
        lambda: to_c(formula),
        lambda: to_python(formula),
    ):
        with pytest.raises(FormulaError, match="no fixed meaning"):
            use()


def test_a_name_without_a_value_is_named() -> None:
    with pytest.raises(FormulaError, match="'b' has no value"):
        evaluate(parse("a+b"), {"a": 1.0})


@pytest.mark.parametrize(
    ("text", "c"),
    [
        ("1/2*x", "((1.0 / 2.0) * x)"),
        ("x^2", "(x * x)"),
        ("x^3", "(x * x * x)"),
        ("x^4", "pow(x, 4.0)"),
        ("(a+b)^2", "pow((a + b), 2.0)"),
        ("-x^2", "(-(x * x))"),
        ("log(x)", "log10(x)"),
        ("ln(x)", "log(x)"),
        ("a*x=b", "((a * x) - b)"),
        ("9.80", "9.80"),
        ("pi", "3.14159265358979323846"),
    ],
)
def test_c_source(text: str, c: str) -> None:
    assert to_c(parse(text)) == c


SOURCES = (
    "1/2*x",
    "a-b-c",
    "a-(b-c)",
    "a/b/c",
    "a/(b/c)",
    "-x^2",
    "(-x)^2",
    "2^-3",
    "y^x^c",
    "(y^x)^c",
    "log(y)+ln(y)",
    "a--3",
    "-b*a",
    "sin(a*x)+cos(b)-tan(c)",
    "((a-c)^2+(b-d)^2)^0.5",
    "sqrt(y)*exp(z)",
    "pi*a^2",
    "a*x+b=c*x+d",
    "log_2(y)+log_10(y)+log_d(y)",
    "abs(b)-abs(y)",
    "a+b-2.5",
    "x*1/2",
    "-7/2",
)


@pytest.mark.parametrize("text", SOURCES)
def test_python_source_has_the_value_of_the_formula(text: str) -> None:
    formula = parse(text)
    value = eval(to_python(formula), {"math": math}, dict(POINT))  # our own text, not a model's
    assert value == pytest.approx(evaluate(formula, POINT), rel=1e-14)


def test_c_source_has_the_value_of_the_formula() -> None:
    formulas = [parse(text) for text in SOURCES]
    names = ", ".join(f"{name} = {value!r}" for name, value in POINT.items())
    prints = "\n".join(f'    printf("%.17g\\n", {to_c(formula)});' for formula in formulas)
    source = (
        f"#include <math.h>\n#include <stdio.h>\nint main(void) {{\n    double {names};\n"
        f"    (void)a; (void)b; (void)c; (void)d; (void)e; (void)x; (void)y; (void)z;\n"
        f"{prints}\n    return 0;\n}}\n"
    )
    outcome = BubblewrapBackend().run(
        Job(Language.C, source, Mode.STDIN, None, (json.dumps(""),), LIMITS)
    )
    assert outcome.harness_error is None
    (run,) = outcome.runs
    printed = json.loads(run.output or "").split()
    for formula, line in zip(formulas, printed, strict=True):
        assert float(line) == pytest.approx(evaluate(formula, POINT), rel=1e-14)


def test_names_that_are_words_of_the_language_are_refused() -> None:
    names = Names(frozenset({"int", "lambda"}), frozenset())
    with pytest.raises(FormulaError, match="word of the language"):
        to_c(parse("int+1", names))
    with pytest.raises(FormulaError, match="word of the language"):
        to_python(parse("lambda+1", names))
    assert to_python(parse("int+1", names)) == "(int + 1.0)"
