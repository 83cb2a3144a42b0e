"""The request that is being answered, for providers that need more of it than its messages.

Inspect hands a provider messages and decoding, but no sample index; a recording and a simulated
coder answer by it.  The generator and the tasks set it in the context of each request's own task.
"""

from __future__ import annotations

import contextvars

from codequake.models.simulate import SimContext

__all__ = ["CONTEXT", "SAMPLE"]

SAMPLE: contextvars.ContextVar[int] = contextvars.ContextVar("codequake_sample", default=0)
CONTEXT: contextvars.ContextVar[SimContext | None] = contextvars.ContextVar(
    "codequake_context", default=None
)
"""What a simulated coder knows that was opened by Inspect, before there was a task."""
