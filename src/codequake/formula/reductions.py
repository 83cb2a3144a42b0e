"""The kinds of reduction, as data: what each takes away, and which type of the paper it stands for.

The paper has 9 types for equations and 7 for expressions and prints five and three of them (its
Tables 2 and 3); the others are proposals.  How they are carried out stands in
``codequake.formula.reduction``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REDUCTIONS", "ReductionRule"]


@dataclass(frozen=True, slots=True)
class ReductionRule:
    """A kind of reduction, as it is named in the steps of a ``Reduction``.

    ``equations`` and ``expressions`` are the types that it is part of, empty where it is none of
    them; ``sides`` shows it; ``printed`` says that the paper prints it.
    """

    id: str
    equations: str
    expressions: str
    sides: str
    printed: bool


REDUCTIONS: tuple[ReductionRule, ...] = (
    ReductionRule("shift_left", "R1", "", "E=F -> E-F=0", True),
    ReductionRule("cancel_added", "R2", "R1", "E+I-I -> E", True),
    ReductionRule("cancel_subtracted", "R3", "R2", "E-I+I -> E", True),
    ReductionRule("subtract_from_sides", "R2, R3", "", "E+I=F+I -> E=F", True),
    ReductionRule("divide_sides", "R4, R5", "", "E*I=F*I -> E=F", True),
    ReductionRule("cancel_factors", "R4, R5", "R3", "E*I/I -> E", True),
    ReductionRule("drop_zero", "R6", "R4", "E+0 -> E", False),
    ReductionRule("drop_one", "R7", "R5", "E*1 -> E", False),
    ReductionRule("drop_product_of_zero", "R8", "R6", "0*I -> 0", False),
    ReductionRule("join_minus", "R9", "R7", "E+(-1)*F -> E-F", False),
    ReductionRule("join_powers", "", "", "E*E -> E^2", False),
    ReductionRule("ungroup", "", "", "E+(F+G) -> E+F+G", False),
    ReductionRule("split_sides", "", "", "E-F=0 -> E=F", False),
)
"""All kinds of reduction; the last three undo what mutations of our own add."""
