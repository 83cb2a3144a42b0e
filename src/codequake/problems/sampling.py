"""Inputs for formula prompts: drawn from the ranges of the symbols, within the assumptions."""

from __future__ import annotations

import random
from collections.abc import Iterator

from codequake.canonical import canonical_json, parse_json
from codequake.errors import DataError
from codequake.problems.arithmetic import evaluate, parse_relation
from codequake.problems.constraints import input_symbols
from codequake.records import FormulaKind, FormulaSlot, JsonText, Symbol

__all__ = ["input_values", "sample_inputs"]

# How far both sides of an assumption stay apart: near a singularity a right program and the
# reference differ by rounding alone.
MARGIN = 0.1
# Values have two decimal digits, so that the text of an input is exactly what was meant.
DECIMALS = 2
_TRIES = 2_000


def sample_inputs(formula: FormulaSlot, rng: random.Random, count: int) -> tuple[JsonText, ...]:
    """Return ``count`` different inputs that satisfy every assumption, corners of the ranges first.

    Each is the JSON string of one line: the values in the order of the symbols, separated by one
    blank.  Assumptions hold with a margin of 0.1, and an expression has a finite value wherever
    all its symbols are given.  Raises ``DataError`` when the ranges and assumptions leave too few.
    """
    found: dict[JsonText, None] = {}
    for values in _candidates(input_symbols(formula), rng, count):
        if _admitted(formula, values):
            text = " ".join(_written(value) for value in values.values())
            found.setdefault(JsonText(canonical_json(text + "\n")))
            if len(found) == count:
                return tuple(found)
    raise DataError(
        f"the ranges and assumptions of {formula.text!r} leave {len(found)} inputs; "
        f"allowed: {count} or more"
    )


def input_values(formula: FormulaSlot, test_input: JsonText) -> dict[str, float]:
    """Return symbol name -> value of a test input.  Raises ``DataError`` for another shape."""
    symbols = input_symbols(formula)
    text = parse_json(test_input)
    words = text.split() if isinstance(text, str) else []
    try:
        numbers = [float(word) for word in words]
    except ValueError as error:
        raise DataError(f"input {test_input} holds something other than numbers") from error
    if len(numbers) != len(symbols):
        raise DataError(f"input {test_input} holds {len(numbers)} numbers; allowed: {len(symbols)}")
    return {symbol.name: number for symbol, number in zip(symbols, numbers, strict=True)}


def _candidates(
    symbols: tuple[Symbol, ...], rng: random.Random, count: int
) -> Iterator[dict[str, float]]:
    yield {symbol.name: _low(symbol) for symbol in symbols}
    yield {symbol.name: _high(symbol) for symbol in symbols}
    yield {symbol.name: min(max(1.0, _low(symbol)), _high(symbol)) for symbol in symbols}
    for _ in range(_TRIES + 50 * count):
        yield {symbol.name: _draw(symbol, rng) for symbol in symbols}


def _low(symbol: Symbol) -> float:
    assert symbol.low is not None
    return symbol.low


def _high(symbol: Symbol) -> float:
    assert symbol.high is not None
    return symbol.high


def _draw(symbol: Symbol, rng: random.Random) -> float:
    if symbol.integer:
        return float(rng.randint(round(_low(symbol)), round(_high(symbol))))
    return round(rng.uniform(_low(symbol), _high(symbol)), DECIMALS)


def _admitted(formula: FormulaSlot, values: dict[str, float]) -> bool:
    """Tell whether the assumptions hold and everything that has its values can be computed."""
    try:
        for assumption in formula.assumptions:
            if not parse_relation(assumption).holds(values, margin=MARGIN):
                return False
        if formula.kind is FormulaKind.EXPRESSION and len(values) == len(formula.symbols):
            evaluate(formula.text, values)
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        return False
    return True


def _written(value: float) -> str:
    """Return the shortest text of a number: ``3``, ``-0.25``."""
    return str(int(value)) if value == int(value) else repr(value)
