"""Do two formulas mean the same?  An answer that shares nothing with the rules but the tree.

Two independent methods: random evaluation in large prime fields, which can only confirm, and
balls, which can only refute (see ``codequake.formula.field`` and ``codequake.formula.balls``);
SymPy is asked what both leave open.  Expressions are equal when they agree wherever both are
defined; equations and relations when they hold at the same points.  A difference of domain comes
back as a condition, never silently.
"""

from __future__ import annotations

from collections.abc import Mapping

from codequake.formula.assumptions import Assumption
from codequake.formula.checker import Checker
from codequake.formula.names import Names
from codequake.formula.nodes import Node
from codequake.formula.referee import REFEREE_SECONDS
from codequake.formula.verdicts import Certificate, Equivalence, Verdict

__all__ = ["Certificate", "Equivalence", "Verdict", "equivalent"]


def equivalent(
    first: Node,
    second: Node,
    assumptions: tuple[Assumption, ...] = (),
    *,
    seed: int = 0,
    names: Names | None = None,
    renamed: Mapping[str, str] | None = None,
    referee_seconds: float = REFEREE_SECONDS,
) -> Equivalence:
    """Say whether two formulas mean the same wherever the assumptions hold.

    The same formulas and seed give the same answer, but for the referee, who may run out of time.
    ``names`` is needed for contracts only, and ``renamed`` for a renaming; see ``Checker``.
    A ``Checker`` answers faster where many formulas are compared with one.  Raises
    ``FormulaError`` when one is an equation or a relation and the other is not.
    """
    checker = Checker(first, assumptions, seed=seed, names=names)
    return checker.check(second, renamed=renamed, referee_seconds=referee_seconds)
