"""Values and source code, checked against each other and against a C compiler."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from codequake.formula import FormulaError, evaluate, parse, to_c, to_python

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
    ],
)
def test_values(text: str, value: float | None) -> None:
    found = evaluate(parse(text), POINT)
    assert found == (value if value is None else pytest.approx(value, rel=1e-15, abs=1e-15))


@pytest.mark.parametrize("text", ["y'(x)", "y(x)=a", "y'(x)+y(x)"])
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
)


@pytest.mark.parametrize("text", SOURCES)
def test_python_source_has_the_value_of_the_formula(text: str) -> None:
    formula = parse(text)
    value = eval(to_python(formula), {"math": math}, dict(POINT))  # our own text, not a model's
    assert value == pytest.approx(evaluate(formula, POINT), rel=1e-14)


# Set-up brings the compiler, so in CI its absence is a failure and no reason to pass.
@pytest.mark.skipif(
    shutil.which("gcc") is None and os.environ.get("CI") != "true", reason="no C compiler"
)
def test_c_source_has_the_value_of_the_formula(tmp_path: Path) -> None:
    formulas = [parse(text) for text in SOURCES]
    names = ", ".join(f"{name} = {value!r}" for name, value in POINT.items())
    prints = "\n".join(f'    printf("%.17g\\n", {to_c(formula)});' for formula in formulas)
    source = tmp_path / "values.c"
    source.write_text(
        f"#include <math.h>\n#include <stdio.h>\nint main(void) {{\n    double {names};\n"
        f"    (void)a; (void)b; (void)c; (void)d; (void)e; (void)x; (void)y; (void)z;\n"
        f"{prints}\n    return 0;\n}}\n"
    )
    program = tmp_path / "values"
    subprocess.run(
        ["gcc", "-std=c11", "-O0", "-Wall", "-Werror", str(source), "-o", str(program), "-lm"],
        check=True,
        capture_output=True,
    )
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    for formula, line in zip(formulas, done.stdout.split(), strict=True):
        assert float(line) == pytest.approx(evaluate(formula, POINT), rel=1e-14)


def test_names_that_are_words_of_the_language_are_refused() -> None:
    from codequake.formula import Names

    names = Names(frozenset({"int", "lambda"}), frozenset())
    with pytest.raises(FormulaError, match="word of the language"):
        to_c(parse("int+1", names))
    with pytest.raises(FormulaError, match="word of the language"):
        to_python(parse("lambda+1", names))
    assert to_python(parse("int+1", names)) == "(int + 1.0)"
