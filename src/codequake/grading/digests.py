"""A mark for what a program gave on each test, so that wrong programs can be told alike or apart.

``=`` stands for a test that passed, 16 hexadecimal digits for a wrong output, and ``!`` with the
name of the ending where there was no output.  The digits are the beginning of the SHA-256 of the
output in a normal form:

- numbers with equal values are one number (``1`` and ``1.0``), ``-0.0`` is ``0``;
- other floats are rounded: to the decimal digits that the task asks to print, else to 9 significant
  ones, since a tolerance is not transitive and equal marks must be;
- sets and dictionaries are sorted, as are the items of an output without order;
- printed texts are their tokens, as ``codequake.grading.compare`` reads them.

So two wrong outputs that differ by rounding noise have one mark, save next to a boundary of
rounding.  Outputs of more than 65,536 characters are marked as they stand.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from codequake.errors import DataError
from codequake.grading.compare import parse_output, token_values
from codequake.records import Comparison, Interface, OutputOrder, Problem, TestStatus
from codequake.sandbox import Ending, Run

__all__ = ["RIGHT", "digest_of", "output_marks"]

RIGHT = "="
"""The mark of a test that passed."""

_NORMALISED = 1 << 16
_DIGITS = 16
_SIGNIFICANT = 9


def output_marks(
    problem: Problem, statuses: Sequence[TestStatus], runs: Sequence[Run]
) -> tuple[str, ...]:
    """Return one mark a test, in test order.

    Empty where a test is statements, which hold or raise and give no output to compare.
    """
    if problem.assertions is not None:
        return ()
    comparison, interface = problem.comparison, problem.interface
    return tuple(
        _mark(status, run, comparison, interface)
        for status, run in zip(statuses, runs, strict=True)
    )


def _mark(status: TestStatus, run: Run, comparison: Comparison, interface: Interface) -> str:
    if status is TestStatus.PASSED:
        return RIGHT
    if run.ending is Ending.RETURNED and run.output is not None:
        return digest_of(run.output, comparison, interface)
    return f"!{run.ending.value}"


def digest_of(output: str, comparison: Comparison, interface: Interface) -> str:
    """Return the 16 digits that stand for an output, which may be any text."""
    text = output
    if len(output) <= _NORMALISED:
        # What no program gives in good faith stands for itself.
        with contextlib.suppress(DataError, RecursionError):
            text = _normal(parse_output(output), comparison, interface)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _normal(value: Any, comparison: Comparison, interface: Interface) -> str:
    unordered = comparison.order is OutputOrder.UNORDERED
    if interface is Interface.STDIN and isinstance(value, str):
        words = [_word(item, comparison) for item in token_values(value)]
        return " ".join(sorted(words) if unordered else words)
    found = _plain(value, comparison)
    if unordered and isinstance(found, list):
        found = sorted(found, key=_spelling)
    return _spelling(found)


def _word(value: str | Fraction, comparison: Comparison) -> str:
    if isinstance(value, str):
        return value
    return str(value.numerator if value.denominator == 1 else _rounded(value, comparison))


def _plain(value: Any, comparison: Comparison) -> Any:
    if isinstance(value, list):
        return [_plain(item, comparison) for item in value]
    if isinstance(value, dict):
        inner = {key: _plain(item, comparison) for key, item in value.items()}
        for tag in ("$set", "$dict"):
            if len(inner) == 1 and isinstance(inner.get(tag), list):
                return {tag: sorted(inner[tag], key=_spelling)}
        return inner
    if isinstance(value, float) and math.isfinite(value):
        if value.is_integer():
            return int(value)
        rounded = _rounded(Fraction(repr(value)), comparison)
        return rounded.numerator if rounded.denominator == 1 else {"$number": str(rounded)}
    return value


def _rounded(value: Fraction, comparison: Comparison) -> Fraction:
    """Round to the digits that the task asks for, else to 9 significant ones.

    Never through a float, which large decimal fractions do not fit.
    """
    if comparison.digits is not None:
        return round(value, comparison.digits)
    size = abs(value)
    # log10 of the two whole numbers, since the fraction itself may be too large for a float
    magnitude = math.floor(math.log10(size.numerator) - math.log10(size.denominator))
    return round(value, _SIGNIFICANT - 1 - magnitude)


def _spelling(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
