"""Run untrusted programs: a ``Job`` goes in, an ``Outcome`` of plain data comes out."""

from __future__ import annotations

from codequake.sandbox.bubblewrap import BubblewrapBackend
from codequake.sandbox.diagnosis import Finding, diagnose
from codequake.sandbox.jobs import (
    ALL_MODES,
    Backend,
    Build,
    Care,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    Returned,
    Run,
)
from codequake.sandbox.opening import open_backend
from codequake.sandbox.prelude import PRELUDE_VERSION
from codequake.sandbox.settling import run_settled
from codequake.sandbox.unsafe import UnsafeBackend

__all__ = [
    "ALL_MODES",
    "PRELUDE_VERSION",
    "Backend",
    "BubblewrapBackend",
    "Build",
    "Care",
    "Ending",
    "Finding",
    "Job",
    "Limits",
    "Mode",
    "Outcome",
    "Returned",
    "Run",
    "UnsafeBackend",
    "diagnose",
    "open_backend",
    "run_settled",
]
