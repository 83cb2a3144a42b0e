"""The modules that a sandbox of one program has loaded, noted before any others are.

This file runs inside the sandbox and imports nothing of codequake.  It is loaded behind all that
such a sandbox loads, and before what only a process 1 of copies needs.
"""

from __future__ import annotations

import sys

__all__ = ["SHOWING", "forget_other_modules"]

# Words of a program that can tell whether a module was there before it: ``collections.abc`` is a
# name that ``import collections`` alone does not give.
SHOWING = ("abc", "modules", "__import__", "importlib", "meta_path")

_known = dict(sys.modules)


def forget_other_modules() -> None:
    """Leave to the program what it would have to import, submodules of what is there included."""
    for name in [name for name in sys.modules if name not in _known]:
        del sys.modules[name]
        parent, _, child = name.rpartition(".")
        if parent in _known:
            vars(_known[parent]).pop(child, None)
