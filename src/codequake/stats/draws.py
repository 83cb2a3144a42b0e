"""The chance that at least one of k replies passes, estimated without bias from n replies."""

from __future__ import annotations

import math

from codequake.errors import UsageError
from codequake.stats.results import Missing

__all__ = ["pass_at_k"]


def pass_at_k(replies: int, passed: int, k: int) -> float | Missing:
    """Return the unbiased estimate ``1 - C(n - c, k) / C(n, k)`` for one problem.

    ``replies`` is n, ``passed`` is c (0 to n), ``k`` is at least 1; the result lies in 0 to 1 and
    is ``c / n`` at k = 1.  A k beyond n, and so also no replies at all, gives ``Missing``: n
    replies say nothing of a larger draw.  Raises ``UsageError`` for impossible counts.  Source:
    Chen et al., arXiv 2107.03374 (2021), section 2.1.
    """
    if replies < 0 or not 0 <= passed <= replies:
        raise UsageError(f"{passed!r} passed of {replies!r} replies; allowed: 0 to the replies")
    if k < 1:
        raise UsageError(f"k is {k!r}; allowed: 1 or more")
    if k > replies:
        return Missing(f"pass@{k} needs at least {k} replies; there are {replies}")
    # Whole numbers to the last step: the difference from 1 loses no digits when few passed.
    draws = math.comb(replies, k)
    return (draws - math.comb(replies - passed, k)) / draws
