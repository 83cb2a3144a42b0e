"""The constraints that a formula prompt states: ranges of its symbols and its assumptions."""

from __future__ import annotations

from collections.abc import Iterator

from codequake.records import FormulaSlot, Symbol

__all__ = ["formula_constraints", "input_symbols"]


def input_symbols(formula: FormulaSlot) -> tuple[Symbol, ...]:
    """Return the symbols that a program reads, in the order of reading; unknowns are not."""
    return tuple(symbol for symbol in formula.symbols if symbol.low is not None)


def formula_constraints(formula: FormulaSlot) -> Iterator[str]:
    """Yield one line a symbol (its range, and whether it is an integer) and one an assumption."""
    for symbol in input_symbols(formula):
        assert symbol.low is not None
        assert symbol.high is not None
        line = f"{symbol.low:.10g} <= {symbol.name} <= {symbol.high:.10g}"
        yield f"{line} ({symbol.name} is an integer)" if symbol.integer else line
    yield from formula.assumptions
