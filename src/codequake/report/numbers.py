"""Numbers as people read them; what is missing says so."""

from __future__ import annotations

from codequake.metrics import METRICS
from codequake.records import Estimate

__all__ = ["amount", "interval", "p_value", "percent", "points", "with_interval"]

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"


def percent(share: float) -> str:
    """Return a share (0 to 1) as a percentage with one decimal."""
    return f"{100.0 * share:.1f} %"


def points(difference: float) -> str:
    """Return a difference (-1 to 1) in percentage points, with its sign."""
    rounded = round(100.0 * difference, 1)
    if rounded == 0.0:
        return "0.0"
    return f"{'+' if rounded > 0 else MINUS}{abs(rounded):.1f}"


def p_value(value: float) -> str:
    """Return a p value with three decimals; tiny ones by their bound."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _spell(estimate: Estimate, number: float) -> str:
    unit = METRICS[estimate.metric].unit
    if unit == "p value":
        return p_value(number)
    return points(number) if unit == "difference" else percent(number)


def amount(estimate: Estimate | None) -> str:
    """Return the value, the range it lies in while replies are pending, or a dash."""
    if estimate is None:
        return NONE
    if estimate.value is not None:
        return _spell(estimate, estimate.value)
    if estimate.bound_low is not None and estimate.bound_high is not None:
        low, high = _spell(estimate, estimate.bound_low), _spell(estimate, estimate.bound_high)
        return f"{low} to {high} (open)"
    return "open" if estimate.incomplete else NONE


def interval(estimate: Estimate | None) -> str:
    """Return the interval in the unit of the number, or nothing."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{_spell(estimate, estimate.low)} to {_spell(estimate, estimate.high)}"


def with_interval(estimate: Estimate | None) -> str:
    """Return the value with its interval in brackets."""
    ends = interval(estimate)
    return f"{amount(estimate)} [{ends}]" if ends else amount(estimate)
