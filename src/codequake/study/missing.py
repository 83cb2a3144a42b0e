"""Perturbations that a study may name before this version can make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codequake.errors import NotAvailableError
from codequake.perturb import PERTURBATIONS, PerturbationSpec

__all__ = ["PLANNED", "missing_sentences", "refuse_missing"]

_REWRITER = (
    "a rewriter model and the gate for what it writes, or lexicons for structured statements"
)
PLANNED: Mapping[str, str] = {
    "domain_shift": _REWRITER,
    "identity_rewrite": "a rewriter model",
    "paraphrase": _REWRITER,
}
"""Name of a perturbation that is no error in a study file -> what it needs to be made."""


def missing_sentences(specs: Iterable[PerturbationSpec]) -> tuple[str, ...]:
    """Return one sentence for each perturbation that this version cannot make."""
    return tuple(
        f"perturbation {spec.name} is not available in this version, and nothing is asked for it; "
        f"it needs {PLANNED[spec.name]}"
        for spec in specs
    )


def refuse_missing(specs: Iterable[PerturbationSpec], policy: str) -> None:
    """Raise ``NotAvailableError`` unless there are none or the study's policy is ``skip``."""
    names = [spec.name for spec in specs]
    if names and policy != "skip":
        raise NotAvailableError(
            f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not available in this "
            f'version; allowed: {", ".join(PERTURBATIONS)}, or missing = "skip" in the study file '
            "to go on without"
        )
