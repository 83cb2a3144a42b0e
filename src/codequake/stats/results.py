"""What a statistic can be: an interval, or nothing with the reason why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from codequake.errors import UsageError

__all__ = ["Interval", "Missing", "check_level", "check_values", "mean"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and the method that made it; ``low <= high``."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no such number; ``reason`` is one clause that says why."""

    reason: str


def check_level(level: float) -> None:
    """Raise ``UsageError`` unless ``level`` is strictly between 0 and 1 (NaN is refused)."""
    if not 0.0 < level < 1.0:
        raise UsageError(f"confidence level is {level!r}; allowed: above 0 and below 1")


def check_values(name: str, values: Sequence[float], low: float, high: float) -> None:
    """Raise ``UsageError`` when a value is NaN or outside ``low`` to ``high``."""
    for value in values:
        if not low <= value <= high:
            raise UsageError(f"{name} holds {value!r}; allowed: {low:g} to {high:g}")


def mean(values: Sequence[float]) -> float | Missing:
    """Return the mean, summed exactly, so that the order of the values does not matter."""
    if not values:
        return Missing("there are no values")
    return math.fsum(values) / len(values)
