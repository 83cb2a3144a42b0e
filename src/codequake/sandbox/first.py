"""The modules that a sandbox of one program has loaded, noted before any others are.

This file runs inside the sandbox and imports nothing of codequake.  It is loaded behind all that
such a sandbox loads, and before what only a process 1 of copies needs.
"""

from __future__ import annotations

import sys

__all__ = ["forget_other_modules"]

_known = dict(sys.modules)


def forget_other_modules() -> None:
    """Leave to the program what it would have to import, submodules of what is there included."""
    for name in [name for name in sys.modules if name not in _known]:
        del sys.modules[name]
        parent, _, child = name.rpartition(".")
        if parent in _known:
            vars(_known[parent]).pop(child, None)
