"""Which tests a number rests on, and what a verdict means in each scope."""

from __future__ import annotations

from codequake.errors import DataError
from codequake.records import Status, TestStatus, Verdict

__all__ = ["ALL_TESTS", "SCOPES", "VISIBLE", "passes"]

ALL_TESTS = "all tests"
VISIBLE = "visible"
SCOPES = (ALL_TESTS, VISIBLE)

_BY_TESTS = frozenset(
    {
        Status.WRONG_ANSWER,
        Status.RUNTIME_ERROR,
        Status.TIMEOUT,
        Status.MEMORY_LIMIT,
        Status.OUTPUT_LIMIT,
    }
)
_PENDING = frozenset({Status.PROVIDER_ERROR, Status.HARNESS_ERROR})


def passes(verdict: Verdict, scope: str) -> bool | None:
    """Return whether a verdict counts as a pass in a scope; ``None`` while it is pending.

    In the visible scope a program passes when every visible test passed; a visible test that was
    not run, because an earlier one hit a limit, did not pass.  Raises ``DataError`` when a verdict
    says ``passed`` and a test of it did not.
    """
    if verdict.status in _PENDING:
        return None
    if verdict.status is Status.PASSED:
        if any(test.status is not TestStatus.PASSED for test in verdict.tests):
            raise DataError(
                f"verdict of variant {verdict.variant_id!r}, model {verdict.model!r}, sample "
                f"{verdict.sample} says passed, but a test of it did not pass"
            )
        return True
    if scope == ALL_TESTS or verdict.status not in _BY_TESTS:
        return False
    visible = [test for test in verdict.tests if test.visible]
    return bool(visible) and all(test.status is TestStatus.PASSED for test in visible)
