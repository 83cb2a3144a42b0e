"""The bundled formulas: counted as in the paper, and each usable in every way."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from codequake.formula import (
    BundledFormula,
    FormulaError,
    evaluate,
    format_contract,
    format_formula,
    format_latex,
    formula_set,
    holds,
    parse,
    parse_latex,
    to_c,
    to_python,
)
from codequake.formula.nodes import Op, walk

FORMULAS = formula_set()
IDS = [one.formula_id for one in FORMULAS]
each = pytest.mark.parametrize("bundled", FORMULAS, ids=IDS)

# Rows of Table 4: total, expressions, equations, reasoning, translation.
TABLE_4 = {
    "solve": (7, 0, 7, 7, 0),
    "evaluate": (7, 7, 0, 0, 7),
    "differential": (6, 1, 5, 6, 0),
    "topics": (6, 5, 1, 2, 4),
    "competition": (7, 2, 5, 6, 1),
    "contract": (19, 0, 19, 15, 4),
}


def test_the_counts_are_those_of_table_4() -> None:
    rows: dict[str, tuple[int, ...]] = {}
    for category in dict.fromkeys(one.category.value for one in FORMULAS):
        chosen = [one for one in FORMULAS if one.category == category]
        kinds = Counter(one.kind.value for one in chosen)
        purposes = Counter(one.purpose.value for one in chosen)
        rows[category] = (
            len(chosen),
            kinds["expression"],
            kinds["equation"],
            purposes["reasoning"],
            purposes["translation"],
        )
    assert rows == TABLE_4
    assert tuple(map(sum, zip(*rows.values(), strict=True))) == (52, 15, 37, 36, 16)


def test_no_formula_stands_twice_but_the_one_that_the_paper_asks_twice() -> None:
    assert len(set(IDS)) == 52
    twice = [text for text, count in Counter(one.text for one in FORMULAS).items() if count > 1]
    assert twice == ["9.8*a*b/d^2"]


@each
def test_it_is_written_as_it_is_printed(bundled: BundledFormula) -> None:
    write = format_contract if bundled.names.contract else format_formula
    assert write(bundled.node) == bundled.text
    for fractions in (False, True):
        latex = format_latex(bundled.node, fractions=fractions, leibniz=fractions)
        assert parse_latex(latex, bundled.names) is bundled.node


@each
def test_every_symbol_stands_in_it_and_says_what_it_means(bundled: BundledFormula) -> None:
    used = {node.text for node in walk(bundled.node)}
    for symbol in bundled.symbols:
        assert symbol.name in used
        assert len(symbol.meaning) > 3
    for text in bundled.assumptions:
        parse(text, bundled.names)


def drawn(bundled: BundledFormula, rng: random.Random) -> dict[str, Any]:
    names = bundled.names
    point: dict[str, Any] = {}
    for name in sorted(names.coefficients | names.variables):
        whole = name in names.integers or name == "n"
        number = rng.randint(0, 4) if whole else Fraction(rng.randint(-64, 64), 16)
        point[name] = number
    for name in sorted(names.sequences):
        point[name] = tuple(rng.randint(-3, 3) for _ in range(rng.choice((2, 2, 3))))
    for name in sorted(names.truths):
        point[name] = rng.random() < 0.5
    return point


@each
def test_it_has_values_where_its_assumptions_hold(bundled: BundledFormula) -> None:
    if bundled.category == "differential" and bundled.kind == "equation":
        with pytest.raises(FormulaError, match="no fixed meaning"):
            holds(bundled.node, drawn(bundled, random.Random(1)))
        return
    rng = random.Random(bundled.formula_id)
    conditions = [parse(text, bundled.names) for text in bundled.assumptions]
    seen = 0
    for _ in range(4000):
        point = drawn(bundled, rng)
        if not all(holds(one, point) for one in conditions):
            continue
        if bundled.kind == "equation":
            answer = holds(bundled.node, point)
            seen += answer is not None
        else:
            value = evaluate(bundled.node, {name: float(one) for name, one in point.items()})
            seen += value is not None
            if value is not None and not any(
                node.op is Op.AGGREGATE for node in walk(bundled.node)
            ):
                assert to_c(bundled.node)
                numbers = {name: float(one) for name, one in point.items()}
                ours = eval(to_python(bundled.node), {"math": math}, numbers)  # our own text
                assert ours == pytest.approx(value, rel=1e-12)
        if seen == 5:
            return
    pytest.fail("no point has a value")


@pytest.mark.parametrize(
    ("slug", "solve"),
    [
        ("solve-linear", lambda a, b: -b / a),
        ("solve-exponential", lambda a, b: math.log(b) / math.log(a)),
        ("solve-natural-logarithm", lambda a, b: math.exp(b / a)),
        ("competition-absolute-value", lambda a, b: a + b),
    ],
)
def test_equations_are_solved_by_what_textbooks_say(slug: str, solve: Any) -> None:
    (bundled,) = (one for one in FORMULAS if one.formula_id.endswith(slug))
    for a, b in itertools.product((0.5, 2.0, 3.0), (0.25, 1.0, 4.0)):
        value = evaluate(bundled.node, {"a": a, "b": b, "x": solve(a, b)})
        assert value == pytest.approx(0, abs=1e-12)


ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    # One state in which the contract holds, and what changes it into one in which it does not.
    "absolute-value": ({"n": -3, "r": 3}, {"r": -3}),
    "quotient": ({"n": 7, "m": 3, "q": 2, "r": 1}, {"q": 1}),
    "larger": ({"n": 2, "k": 5, "r": 5}, {"r": 6}),
    "triangle-number": ({"n": 4, "r": 10}, {"r": 9}),
    "common-element": ({"a": (1, 2), "b": (2,), "found": True}, {"b": (3,)}),
    "sorted": ({"a": (1, 1, 2), "found": True}, {"a": (2, 1)}),
    "largest": ({"a": (1, 3, 2), "r": 3}, {"r": 4}),
    "place-of-smallest": ({"a": (3, 1, 2), "r": 1}, {"r": 0}),
    "search": ({"a": (3, 1), "k": 2, "r": -1}, {"k": 1}),
    "all-equal": ({"a": (2, 2), "found": True}, {"a": (2, 1)}),
    "reversed": ({"a": (1, 2, 3), "b": (3, 2, 1)}, {"b": (3, 1, 2)}),
    "duplicates": ({"a": (1, 2, 1), "found": True}, {"a": (1, 2)}),
    "palindrome": ({"a": (1, 2, 1), "found": True}, {"a": (1, 2)}),
    "doubled": ({"a": (1, 2), "b": (2, 4)}, {"b": (2, 3)}),
    "sorted-copy": ({"a": (2, 1, 2), "b": (1, 2, 2)}, {"b": (1, 1, 2)}),
    "swap": ({"a": (5, 5), "n": 0, "k": 1}, {"a": (5, 6)}),
    "even-elements": ({"a": (1, 2, 4), "b": (4, 2)}, {"b": (6,)}),
    "integer-root": ({"n": 8, "r": 2}, {"n": 9}),
    "added": ({"a": (1, 2), "b": (3, 4), "c": (4, 6)}, {"c": (4, 5)}),
}


def test_every_contract_has_an_answer_here() -> None:
    slugs = {one.formula_id.split("/contract-")[1] for one in FORMULAS if one.names.contract}
    assert slugs == set(ANSWERS)


@pytest.mark.parametrize("slug", list(ANSWERS))
def test_contracts_hold_where_they_should_and_nowhere_else(slug: str) -> None:
    (bundled,) = (one for one in FORMULAS if one.formula_id.endswith(f"/contract-{slug}"))
    good, change = ANSWERS[slug]
    assert holds(bundled.node, good) is True
    assert holds(bundled.node, {**good, **change}) is False
