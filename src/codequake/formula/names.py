"""Which names a formula may use, and what each is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codequake.formula.faults import FormulaError
from codequake.formula.nodes import UNARY_FUNCTIONS

__all__ = ["KNOWN_CONSTANTS", "PAPER_NAMES", "Names"]

KNOWN_CONSTANTS = frozenset({"pi", "E"})
"""Names of numbers that may be declared; ``E`` is Euler's number, ``e`` is a coefficient."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)?\Z")


@dataclass(frozen=True, slots=True)
class Names:
    """The declared names.

    ``coefficients`` are given from outside (the inputs of a program), ``variables`` are unknowns
    or arguments, ``functions`` are variables that may be applied, ``constants`` are numbers with
    a name.  A name is a letter, then letters and digits, then at most one subscript (``x_1``).
    Raises ``FormulaError`` for any other name and for one that is declared twice.
    """

    coefficients: frozenset[str]
    variables: frozenset[str]
    functions: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset({"pi"})

    def __post_init__(self) -> None:
        groups = (self.coefficients, self.variables | self.functions, self.constants)
        seen: set[str] = set(UNARY_FUNCTIONS)
        for group in groups:
            for name in sorted(group):
                if not _NAME.match(name):
                    raise FormulaError(
                        f"name {name[:40]!r} is not allowed; "
                        "a name is a letter, then letters, digits or one subscript"
                    )
                if name in seen:
                    raise FormulaError(f"name {name!r} is declared twice or is a function's")
                seen.add(name)
        unknown = sorted(self.constants - KNOWN_CONSTANTS)
        if unknown:
            raise FormulaError(f"constant {unknown[0]!r} is not known; allowed: E, pi")


PAPER_NAMES = Names(frozenset("abcde"), frozenset("xyz"))
"""Coefficients ``a`` to ``e`` and variables ``x``, ``y``, ``z``: the grammar of the paper."""
