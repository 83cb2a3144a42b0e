"""Inputs for formula prompts: drawn from the ranges of the symbols, edge cases mixed in.

About a fifth are edge cases: first those that the author declares, then the corners of the ranges,
then inputs with some symbols at a special value (an end of the range, 0, 1, -1, a whole number,
an end less one step).  Where a program has to say whether an equation holds, half of these are
built at its border instead: one symbol is set to the value that makes the equation hold, or to
one of its neighbours, since of random inputs nearly none would.  The other inputs are uniform on
the ranges.  Every input satisfies the assumptions and is fair to right programs, as
``codequake.problems.conditioning`` defines it.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal

from codequake.canonical import canonical_json, parse_json
from codequake.errors import DataError
from codequake.problems.arithmetic import Relation, evaluate, parse_relation
from codequake.problems.conditioning import Judge
from codequake.problems.constraints import input_symbols
from codequake.records import (
    Comparison,
    FormulaKind,
    FormulaSlot,
    JsonText,
    PromptClass,
    Symbol,
)

__all__ = ["EDGE_SHARE", "input_values", "input_words", "sample_inputs"]

EDGE_SHARE = 0.2
# Values have two decimal digits, more where a range is narrow, so that the text of an input is
# exactly what was meant.
_DECIMALS = 2
_MOST_DECIMALS = 12
_STEPS = 100
_TRIES = 2_000
_BORDER_TRIES = 20
_SHOWN_REASONS = 4

Values = Mapping[str, float]


def sample_inputs(
    formula: FormulaSlot,
    rng: random.Random,
    count: int,
    comparison: Comparison | None = None,
) -> tuple[JsonText, ...]:
    """Return ``count`` different inputs, edge cases first; equal seeds give equal inputs.

    Each is the JSON string of one line: the values in the order of the symbols, separated by one
    blank.  ``comparison`` is how outputs are compared, which decides what rounding may move;
    6 digits when left out.  Raises ``DataError`` with the reasons when the domain does not give
    ``count`` inputs, and for a declared edge case that is not in it: never are there fewer.
    """
    for symbol in input_symbols(formula):
        if _low(symbol) > _high(symbol):
            raise DataError(f"there is no integer in the range of {symbol.name}")
    judge = Judge(formula, comparison or Comparison(digits=6))
    found = dict.fromkeys(_declared(formula, judge))
    refused: Counter[str] = Counter()
    edges = max(len(found), round(EDGE_SHARE * count))
    for wanted, candidates in (
        (edges, _edges(formula, rng, _TRIES + 10 * edges)),
        (count, _uniform(formula, rng, _TRIES + 50 * count)),
        # A domain of few whole numbers may hold more than chance finds; its edges are part of it.
        (count, _edges(formula, rng, _TRIES + 10 * count)),
    ):
        for values in candidates:
            if len(found) >= wanted:
                break
            written = {name: _written(value) for name, value in values.items()}
            item = JsonText(canonical_json(" ".join(written.values()) + "\n"))
            if item in found:
                continue
            why = judge.refusal(written)
            if why is None:
                found[item] = None
            else:
                refused[why] += 1
    if len(found) < count:
        raise DataError(_too_few(formula, len(found), count, refused))
    return tuple(found)[:count]


def _too_few(formula: FormulaSlot, found: int, count: int, refused: Counter[str]) -> str:
    reasons = ", ".join(
        f"{number} because {why}" for why, number in refused.most_common(_SHOWN_REASONS)
    )
    return (
        f"the ranges and assumptions of {formula.text!r} leave {found} inputs; "
        f"allowed: {count} or more; refused: {reasons or 'none'}"
    )


def input_values(formula: FormulaSlot, test_input: JsonText) -> dict[str, float]:
    """Return symbol name -> value of a test input.  Raises ``DataError`` for another shape."""
    return {name: float(word) for name, word in input_words(formula, test_input).items()}


def input_words(formula: FormulaSlot, test_input: JsonText) -> dict[str, str]:
    """Return symbol name -> number as it is written.  Raises ``DataError`` for another shape."""
    symbols = input_symbols(formula)
    text = parse_json(test_input)
    words = text.split() if isinstance(text, str) else []
    try:
        for word in words:
            float(word)
    except ValueError as error:
        raise DataError(f"input {test_input} holds something other than numbers") from error
    if len(words) != len(symbols):
        raise DataError(f"input {test_input} holds {len(words)} numbers; allowed: {len(symbols)}")
    return {symbol.name: word for symbol, word in zip(symbols, words, strict=True)}


def _declared(formula: FormulaSlot, judge: Judge) -> Iterator[JsonText]:
    for edge in formula.edges:
        words = input_words(formula, edge)
        for symbol in input_symbols(formula):
            value = float(words[symbol.name])
            if not _low(symbol) <= value <= _high(symbol):
                raise DataError(f"the edge case {edge} gives {symbol.name} a value out of range")
        why = judge.refusal(words)
        if why is not None:
            raise DataError(f"the edge case {edge} cannot be used: {why}")
        yield edge


def _uniform(formula: FormulaSlot, rng: random.Random, tries: int) -> Iterator[dict[str, float]]:
    for _ in range(tries):
        yield {symbol.name: _draw(symbol, rng) for symbol in input_symbols(formula)}


def _edges(formula: FormulaSlot, rng: random.Random, tries: int) -> Iterator[dict[str, float]]:
    symbols = input_symbols(formula)
    yield {symbol.name: _low(symbol) for symbol in symbols}
    yield {symbol.name: _high(symbol) for symbol in symbols}
    for value in (1.0, 0.0, -1.0):
        yield {symbol.name: min(max(value, _low(symbol)), _high(symbol)) for symbol in symbols}
    asks_truth = (
        formula.kind is FormulaKind.EQUATION and formula.prompt_class is PromptClass.TRANSLATION
    )
    relation = parse_relation(formula.text) if asks_truth else None
    for number in range(tries):
        if relation is not None and number % 2:
            yield from _border(relation, symbols, rng, equal=number % 4 == 1)
            continue
        special = rng.sample(symbols, rng.randint(1, len(symbols)))
        yield {
            symbol.name: rng.choice(_special(symbol)) if symbol in special else _draw(symbol, rng)
            for symbol in symbols
        }


def _special(symbol: Symbol) -> list[float]:
    low, high = _low(symbol), _high(symbol)
    step = _step(symbol)
    middle = float(round((low + high) / 2))
    inner = [0.0, 1.0, -1.0, 2.0, middle, low + step, high - step]
    values = [low, high, *(round(value, _decimals(symbol)) for value in inner)]
    return sorted({value for value in values if low <= value <= high})


def _border(
    relation: Relation, symbols: tuple[Symbol, ...], rng: random.Random, *, equal: bool
) -> Iterator[dict[str, float]]:
    """Yield an input where both sides are equal, or one step away; none where none is found.

    One symbol is moved to where the sides cross.  Whole numbers rarely make them equal, so
    several are tried.
    """
    for _ in range(_BORDER_TRIES if equal else 1):
        moved = rng.choice(symbols)
        values = {symbol.name: _draw(symbol, rng) for symbol in symbols}
        try:
            nearest = _crossing(relation, moved, values)
            if nearest is None:
                continue
            if not equal:
                nearest += rng.choice((-1, 1)) * _step(moved)
            values[moved.name] = round(nearest, _decimals(moved))
            if equal and _difference(relation, values) != 0:
                continue
        except (ArithmeticError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            continue
        if _low(moved) <= values[moved.name] <= _high(moved):
            yield values
            return


def _crossing(relation: Relation, moved: Symbol, values: dict[str, float]) -> float | None:
    """Return the value of a symbol, as it can be written, that is nearest to a crossing.

    ``None`` where the sides do not change their order between the ends of the range.
    """
    step = _step(moved)
    low, high = round(_low(moved) / step), round(_high(moved) / step)

    def above(at: int) -> bool:
        return _difference(relation, {**values, moved.name: at * step}) > 0

    rises = above(high)
    if above(low) == rises:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if above(middle) == rises:
            high = middle
        else:
            low = middle
    gaps = [
        (abs(_difference(relation, {**values, moved.name: at * step})), at) for at in (low, high)
    ]
    return min(gaps)[1] * step


def _difference(relation: Relation, values: Values) -> float:
    return evaluate(relation.left, values) - evaluate(relation.right, values)


def _low(symbol: Symbol) -> float:
    assert symbol.low is not None
    return float(math.ceil(symbol.low)) if symbol.integer else symbol.low


def _high(symbol: Symbol) -> float:
    assert symbol.high is not None
    return float(math.floor(symbol.high)) if symbol.integer else symbol.high


def _decimals(symbol: Symbol) -> int:
    """Return the decimal digits that values have: enough for 100 steps, at least 2."""
    width = _high(symbol) - _low(symbol)
    digits = _DECIMALS
    while digits < _MOST_DECIMALS and 0 < width * 10**digits < _STEPS:
        digits += 1
    return digits


def _step(symbol: Symbol) -> float:
    return 1.0 if symbol.integer else 10.0 ** -_decimals(symbol)


def _draw(symbol: Symbol, rng: random.Random) -> float:
    if symbol.integer:
        return float(rng.randint(round(_low(symbol)), round(_high(symbol))))
    # Rounding may leave the range where its ends have more digits.
    value = round(rng.uniform(_low(symbol), _high(symbol)), _decimals(symbol))
    return min(max(value, _low(symbol)), _high(symbol))


def _written(value: float) -> str:
    """Return the shortest text of a number without an exponent: ``3``, ``-0.25``."""
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
