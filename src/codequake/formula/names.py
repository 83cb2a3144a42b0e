"""Which names a formula may use, and what each is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from codequake.formula.faults import FormulaError
from codequake.formula.nodes import UNARY_FUNCTIONS

__all__ = ["KNOWN_CONSTANTS", "PAPER_NAMES", "RESERVED_WORDS", "Names", "declare", "parse_names"]

KNOWN_CONSTANTS = frozenset({"pi", "E"})
"""Names of numbers that may be declared; ``E`` is Euler's number, ``e`` is a coefficient."""

_ALWAYS_RESERVED = UNARY_FUNCTIONS | {"sum", "product", "in"}
RESERVED_WORDS = _ALWAYS_RESERVED | {
    *("forall", "exists", "if", "then", "else", "old", "multiset", "true", "false"),
}
"""Words with a meaning of their own.

No name in a contract may be one of them; elsewhere none may be a function, ``sum``, ``product``
or ``in``.
"""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)?\Z")


@dataclass(frozen=True, slots=True)
class Names:
    """The declared names.

    ``coefficients`` are given from outside (the inputs of a program), ``variables`` are unknowns
    or arguments, ``functions`` are variables that may be applied, ``constants`` are numbers with
    a name.  ``sequences``, ``truths`` (truth values) and ``integers`` (those coefficients and
    variables whose values are integers) are for contracts: with any of them declared a formula is
    read as a contract.  A name is a letter, then letters and digits, then at most one subscript
    (``x_1``).  Raises ``FormulaError`` for any other name, for a reserved word and for a name
    that is declared twice.
    """

    coefficients: frozenset[str]
    variables: frozenset[str]
    functions: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset({"pi"})
    sequences: frozenset[str] = frozenset()
    truths: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        groups = (
            self.coefficients,
            self.variables | self.functions,
            self.constants,
            self.sequences,
            self.truths,
        )
        seen: set[str] = set()
        reserved = RESERVED_WORDS if self.contract else _ALWAYS_RESERVED
        for group in groups:
            for name in sorted(group):
                if not _NAME.match(name):
                    raise FormulaError(
                        f"name {name[:40]!r} is not allowed; "
                        "a name is a letter, then letters, digits or one subscript"
                    )
                if name in reserved or name.startswith("log_"):
                    raise FormulaError(f"name {name!r} is a reserved word")
                if name in seen:
                    raise FormulaError(f"name {name!r} is declared twice")
                seen.add(name)
        unknown = sorted(self.constants - KNOWN_CONSTANTS)
        if unknown:
            raise FormulaError(f"constant {unknown[0]!r} is not known; allowed: E, pi")
        loose = sorted(self.integers - self.coefficients - self.variables)
        if loose:
            raise FormulaError(f"integer {loose[0]!r} is neither a coefficient nor a variable")

    @property
    def contract(self) -> bool:
        """Say whether formulas over these names are contracts."""
        return bool(self.sequences or self.truths or self.integers)


PAPER_NAMES = Names(frozenset("abcde"), frozenset("xyz"))
"""Coefficients ``a`` to ``e`` and variables ``x``, ``y``, ``z``: the grammar of the paper."""

_ROLES = ("coefficients", "variables", "functions", "constants", "sequences", "truths", "integers")


def declare(names: Names, role: str, added: Iterable[str]) -> Names:
    """Return the names with some more of one role, each taken out of the role that it had.

    ``integers`` become coefficients too.  A function stays a variable if it was one.
    """
    new = frozenset(added)
    kept = {
        one: getattr(names, one) - new
        for one in _ROLES
        if not (role == "functions" and one == "variables")
    }
    if role == "integers":
        kept["coefficients"] |= new
    return replace(names, **{**kept, role: kept[role] | new})


def parse_names(text: str, names: Names = PAPER_NAMES) -> Names:
    """Return the names that a text such as ``coefficients:m,g variables:t`` adds to others.

    Roles: coefficients, variables, functions, constants, sequences, truths, integers.  A name
    that had another role loses it.  Raises ``FormulaError`` for anything else.
    """
    for part in text.split():
        role, colon, listed = part.partition(":")
        if role not in _ROLES or not colon or not all(listed.split(",")):
            raise FormulaError(
                f"declaration {part[:60]!r} is not understood; "
                f"allowed: ROLE:NAME,NAME with ROLE one of {', '.join(_ROLES)}"
            )
        names = declare(names, role, listed.split(","))
    return names
