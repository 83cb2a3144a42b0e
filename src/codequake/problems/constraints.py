"""The constraints that a formula prompt states: its integers and its assumptions."""

from __future__ import annotations

from collections.abc import Iterator

from codequake.records import FormulaSlot, Symbol

__all__ = ["formula_constraints", "input_symbols"]


def input_symbols(formula: FormulaSlot) -> tuple[Symbol, ...]:
    """Return the symbols that a program reads, in the order of reading; unknowns are not."""
    return tuple(symbol for symbol in formula.symbols if symbol.low is not None)


def formula_constraints(formula: FormulaSlot) -> Iterator[str]:
    """Yield one line for each integer symbol, with its range, and one for each assumption.

    Ranges of real symbols are not stated: no formula changes its meaning inside them, and they
    make a short prompt twice as long.  Tests draw from them all the same.
    """
    for symbol in input_symbols(formula):
        if symbol.integer:
            assert symbol.low is not None
            assert symbol.high is not None
            low, high = f"{symbol.low:.10g}", f"{symbol.high:.10g}"
            yield f"{low} <= {symbol.name} <= {high} ({symbol.name} is an integer)"
    yield from formula.assumptions
