"""Verdicts to estimates: every number that a study prints, and its definition in words."""

from codequake.metrics.catalogue import METRICS, Metric
from codequake.metrics.rows import StudyFacts, StudyRows, count_shared_replies, hidden_tests
from codequake.metrics.scopes import ALL_TESTS, HEADLINE, HIDDEN, VISIBLE
from codequake.metrics.study import estimate_study

__all__ = [
    "ALL_TESTS",
    "HEADLINE",
    "HIDDEN",
    "METRICS",
    "VISIBLE",
    "Metric",
    "StudyFacts",
    "StudyRows",
    "count_shared_replies",
    "estimate_study",
    "hidden_tests",
]
