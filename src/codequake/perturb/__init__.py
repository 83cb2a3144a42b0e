"""Perturbations: variants of a problem's prompt, each checked by a gate that executes.

One module a family; importing them here is what registers the built-in ones.
"""

from codequake.perturb import (
    clean,
    distracting_constraints,
    formula,
    negation,
    redrawn,
    reduced,
    reordering,
    storytelling,
    surface,
)
from codequake.perturb.gate import check_draft
from codequake.perturb.making import NO_OP, Skipped, VariantBatch, make_variants
from codequake.perturb.ready_made import READY_MADE_FORMATS, read_ready_made
from codequake.perturb.spec import (
    PERTURBATIONS,
    Draft,
    Freedom,
    NotApplicableError,
    Perturbation,
    PerturbationSpec,
    Request,
    arguments_of,
    perturbation,
    rng_of,
    step_of,
)

__all__ = [
    "NO_OP",
    "PERTURBATIONS",
    "READY_MADE_FORMATS",
    "Draft",
    "Freedom",
    "NotApplicableError",
    "Perturbation",
    "PerturbationSpec",
    "Request",
    "Skipped",
    "VariantBatch",
    "arguments_of",
    "check_draft",
    "clean",
    "distracting_constraints",
    "formula",
    "make_variants",
    "negation",
    "perturbation",
    "read_ready_made",
    "redrawn",
    "reduced",
    "reordering",
    "rng_of",
    "step_of",
    "storytelling",
    "surface",
]
