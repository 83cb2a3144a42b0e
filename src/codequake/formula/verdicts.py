"""What a comparison of two formulas says: a verdict, its certificate, its conditions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codequake.formula.witness import Witness

__all__ = ["Certificate", "Equivalence", "Verdict"]


class Verdict(StrEnum):
    """Whether two formulas mean the same; ``DIFFERENT`` is only said with a proof."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Certificate:
    """How a verdict was reached.

    ``method`` names what decided.  ``field_points`` random points modulo ``prime`` and as many
    modulo ``second_prime``; two different formulas of this size look equal there with a
    probability of at most ``2**-error_bits`` (0 where the field did not decide).  ``ball_points``
    points at which both formulas had proved values, with balls of ``bits`` bits.  ``versions``
    names what computed.
    """

    method: str
    field_points: int
    prime: int
    second_prime: int
    error_bits: int
    ball_points: int
    bits: int
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A verdict with its certificate.

    ``witness`` is given exactly for ``DIFFERENT``.  ``conditions`` are what must hold besides the
    assumptions, such as ``a != 0``: for ``EQUIVALENT`` so that both formulas are defined at the
    same points, for ``UNKNOWN`` so that they would be equivalent (none where that is not known).
    ``reason`` says why a verdict is ``UNKNOWN``.
    """

    verdict: Verdict
    certificate: Certificate
    witness: Witness | None
    conditions: tuple[str, ...]
    reason: str = ""
