"""Which tests a number rests on, and what a verdict means in each scope."""

from __future__ import annotations

from collections.abc import Collection

from codequake.errors import DataError
from codequake.records import Status, TestStatus, Verdict

__all__ = ["ALL_TESTS", "HEADLINE", "HIDDEN", "SCOPES", "VISIBLE", "passes"]

ALL_TESTS = "all tests"
VISIBLE = "visible"
"""Tests whose input stands in the prompt that was answered."""
HIDDEN = "hidden"
"""Tests whose input stands in no prompt of their problem: the same ones for all its variants."""
SCOPES = (ALL_TESTS, VISIBLE, HIDDEN)
HEADLINE = HIDDEN
"""The scope of the figures that a report shows first: what was shown cannot be copied there."""

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


def passes(verdict: Verdict, tests: Collection[int] | None = None) -> bool | None:
    """Return whether a verdict counts as a pass in a scope; ``None`` while it is pending.

    ``tests`` are the indices of the tests in the scope; ``None`` stands for all.  A program passes
    when every one of them passed and there is one; a test that was not run, because an earlier one
    hit a limit, did not pass.  Raises ``DataError`` when a verdict says ``passed`` and a test of it
    did not.
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
    if tests is None or verdict.status not in _BY_TESTS:
        return False
    chosen = [test for index, test in enumerate(verdict.tests) if index in tests]
    return bool(chosen) and all(test.status is TestStatus.PASSED for test in chosen)
