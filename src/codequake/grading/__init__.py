"""From raw replies to verdicts: extract, run, compare."""

from __future__ import annotations

from codequake.grading.batch import GradeItem, grade_items
from codequake.grading.compare import outputs_agree
from codequake.grading.completions import CompletionFile, read_completions
from codequake.grading.continuation import Continuation, Continuations
from codequake.grading.extract import Extraction, extract
from codequake.grading.grader import Grader, refuse_unrunnable, verdict_key
from codequake.grading.judges import Judges
from codequake.grading.log_files import InspectLog, LogSample, open_log
from codequake.grading.oracle import SandboxOracle
from codequake.grading.running import Program, grade_programs
from codequake.grading.selftest import self_test
from codequake.grading.trust import AUDIT_INPUTS, AuditItem, AuditReport, audit_passes

__all__ = [
    "AUDIT_INPUTS",
    "AuditItem",
    "AuditReport",
    "CompletionFile",
    "Continuation",
    "Continuations",
    "Extraction",
    "GradeItem",
    "Grader",
    "InspectLog",
    "Judges",
    "LogSample",
    "Program",
    "SandboxOracle",
    "audit_passes",
    "extract",
    "grade_items",
    "grade_programs",
    "open_log",
    "outputs_agree",
    "read_completions",
    "refuse_unrunnable",
    "self_test",
    "verdict_key",
]
