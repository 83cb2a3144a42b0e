"""``codequake doctor``: what this machine can do, and the remedy for what it cannot."""

from __future__ import annotations

import importlib.util

from codequake.errors import ToolMissingError
from codequake.models import find_weights
from codequake.sandbox import Finding, diagnose

__all__ = ["diagnose_machine"]

_EXTRAS = (
    ("models", "inspect_ai", "asking models"),
    ("local", "xllamacpp", "running the bundled model"),
    ("figures", "vl_convert", "charts in the report"),
)


def diagnose_machine() -> tuple[Finding, ...]:
    """Return the findings of the sandbox, the extras and the bundled model's file."""
    extras = tuple(
        Finding(
            name=f"extra {extra}",
            ok=importlib.util.find_spec(module) is not None,
            required=False,
            detail=f"{purpose} ({module})",
            remedy=f"pip install 'codequake[{extra}]'",
        )
        for extra, module, purpose in _EXTRAS
    )
    return (*diagnose(), *extras, _weights())


def _weights() -> Finding:
    name = "bundled model"
    try:
        path = find_weights()
    except ToolMissingError as error:
        return Finding(name, ok=False, required=False, detail="no weights", remedy=str(error))
    return Finding(name, ok=True, required=False, detail=str(path), remedy="")
