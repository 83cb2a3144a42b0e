"""Numbers as people read them; what is missing says so."""

from __future__ import annotations

from codequake.metrics import METRICS
from codequake.records import Estimate

__all__ = ["amount", "bounds", "interval", "p_value", "percent", "points", "with_interval"]

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
    """Return the value, marked while replies are pending, or a dash where there is none."""
    if estimate is None:
        return NONE
    if estimate.value is None:
        return "open" if estimate.incomplete else NONE
    spelled = _spell(estimate, estimate.value)
    return f"{spelled} so far" if estimate.incomplete else spelled


def bounds(estimate: Estimate | None) -> str:
    """Return what the value may still become while replies are pending, or nothing."""
    if estimate is None or estimate.bound_low is None or estimate.bound_high is None:
        return ""
    low, high = _spell(estimate, estimate.bound_low), _spell(estimate, estimate.bound_high)
    return f"{low} to {high}"


def interval(estimate: Estimate | None) -> str:
    """Return the confidence interval in the unit of the number, or nothing."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{_spell(estimate, estimate.low)} to {_spell(estimate, estimate.high)}"


def with_interval(estimate: Estimate | None) -> str:
    """Return the value with its interval in brackets, and its bounds while it is open."""
    ends, limits = interval(estimate), bounds(estimate)
    text = f"{amount(estimate)} [{ends}]" if ends else amount(estimate)
    return f"{text}, at the end {limits}" if limits else text
