"""Python in replies."""

from __future__ import annotations

from codequake.grading.python_text import (
    PYTHON_TAGS,
    python_before_prose,
    python_fit,
    python_names,
    python_regions,
)
from codequake.grading.readers import Reader
from codequake.tasks import Language

__all__ = ["READER"]

READER = Reader(
    language=Language.PYTHON,
    name="Python",
    tags=PYTHON_TAGS,
    nests_fences=True,
    fit=python_fit,
    regions=python_regions,
    names=python_names,
    before_prose=python_before_prose,
    constant="print(0)\n",
    parsed=True,
)
