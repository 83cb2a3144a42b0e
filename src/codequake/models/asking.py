"""The request that is being answered, for providers that need more of it than its messages.

Inspect hands a provider messages and decoding, but no sample index; a recording and a simulated
coder answer by it.  The generator sets it in the context of each request's own task.
"""

from __future__ import annotations

import contextvars

__all__ = ["SAMPLE"]

SAMPLE: contextvars.ContextVar[int] = contextvars.ContextVar("codequake_sample", default=0)
