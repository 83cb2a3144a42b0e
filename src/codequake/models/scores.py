"""A verdict as Inspect's score: what its viewer shows, and what its metrics count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from codequake.codec import to_plain
from codequake.records import Status, TestStatus, Verdict

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

__all__ = ["SCORER", "score_of", "unscored"]

SCORER = "verdict"
"""The name under which the verdict of a sample stands among its scores."""

_PENDING = frozenset({Status.PROVIDER_ERROR, Status.HARNESS_ERROR})


def score_of(verdict: Verdict) -> Score:
    """Return ``C`` where all tests passed, else ``I``, with the whole verdict as its metadata.

    A pending verdict never counts against a model: it gets Inspect's value for *not scored*, which
    Inspect's metrics leave out.
    """
    from inspect_ai.scorer import CORRECT, INCORRECT, Score

    if verdict.status in _PENDING:
        return unscored(f"{verdict.status}: {verdict.message}", _metadata(verdict))
    return Score(
        value=CORRECT if verdict.status is Status.PASSED else INCORRECT,
        answer=verdict.program or None,
        explanation=_explanation(verdict),
        metadata=_metadata(verdict),
    )


def unscored(why: str, metadata: dict[str, Any] | None = None) -> Score:
    """Return the score of a sample that is pending."""
    from inspect_ai.scorer import Score

    return Score.unscored(explanation=why, metadata=metadata)


def _metadata(verdict: Verdict) -> dict[str, Any]:
    plain = to_plain(verdict)
    return {
        name: plain[name]
        for name in ("status", "message", "extraction", "grader", "tests", "failure")
    }


def _explanation(verdict: Verdict) -> str:
    lines = [f"{verdict.status}: {verdict.message}" if verdict.message else str(verdict.status)]
    for visible, kind in ((True, "visible"), (False, "hidden")):
        chosen = [test.status for test in verdict.tests if test.visible is visible]
        if chosen:
            counts = Counter(chosen)
            found = ", ".join(
                f"{counts[status]} {status}" for status in TestStatus if counts[status]
            )
            lines.append(f"{len(chosen)} {kind} tests: {found}")
    if verdict.failure is not None:
        failure = verdict.failure
        lines.append(f"input {failure.input}")
        lines.append(f"expected {failure.expected}, got {failure.got}")
    return "\n".join(lines)
