"""How replies, programs and tests end: closed sets."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Status", "StopReason", "TestStatus"]


class Status(StrEnum):
    """How a completion's program ended.  A closed set; the last two never count against a model."""

    PASSED = "passed"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    COMPILE_ERROR = "compile_error"
    MISSING_ENTRY_POINT = "missing_entry_point"
    NO_CODE = "no_code"
    WRONG_LANGUAGE = "wrong_language"
    IGNORES_INPUT = "ignores_input"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    PROVIDER_ERROR = "provider_error"
    HARNESS_ERROR = "harness_error"


class TestStatus(StrEnum):
    """How one test of a program ended; ``not_run`` is neither a pass nor a failure."""

    __test__ = False  # not a test case for pytest

    PASSED = "passed"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    NOT_RUN = "not_run"


class StopReason(StrEnum):
    """Why a model stopped writing, as its provider said it."""

    STOP = "stop"
    LENGTH = "length"
    REFUSED = "refused"
    ERROR = "error"
    UNKNOWN = "unknown"
