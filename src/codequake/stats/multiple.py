"""Corrections for asking several questions of one table."""

from __future__ import annotations

from collections.abc import Sequence

from codequake.stats.results import check_values

__all__ = ["benjamini_hochberg", "holm"]


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p values corrected by Holm's step-down method, in the order given.

    The chance of one or more false findings in the table stays below the level, whatever the
    dependence.  Corrected values are at most 1, never below the plain ones, and equal p values
    stay equal.  An empty table gives an empty answer.  Raises ``UsageError`` outside 0 to 1.
    Source: Holm, Scand. J. Statist. 6 (1979) 65.
    """
    check_values("p values", p_values, 0.0, 1.0)
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = running
    return tuple(corrected)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the q values of Benjamini and Hochberg's step-up method, in the order given.

    Calling every q at most x a finding keeps the expected share of false ones among the findings
    at or below x, when the p values are independent or positively dependent.  Values are at most
    1, never below the plain ones, and equal p values stay equal.  An empty table gives an empty
    answer.  Raises ``UsageError`` outside 0 to 1.  Source: Benjamini and Hochberg, J. R. Statist.
    Soc. B 57 (1995) 289.
    """
    check_values("p values", p_values, 0.0, 1.0)
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected = [0.0] * len(p_values)
    running = 1.0
    for rank in range(len(order), 0, -1):
        index = order[rank - 1]
        running = min(running, len(p_values) * p_values[index] / rank)
        corrected[index] = running
    return tuple(corrected)
