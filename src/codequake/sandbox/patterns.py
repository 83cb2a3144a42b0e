"""The second build of a compiled program, whose memory begins as a pattern."""

from __future__ import annotations

import functools

from codequake.sandbox.toolchains import compiler_version, toolchain_of
from codequake.tasks import Language

__all__ = ["PERTURB", "check_build_of"]

PERTURB = "90"
"""``MALLOC_PERTURB_`` of the second run: blocks begin as 0xa5 bytes, freed ones become 0x5a."""

# Locals that were never written hold a pattern; gcc knows this since version 12.
_PATTERN = "-ftrivial-auto-var-init=pattern"
_PATTERN_SINCE = 12


def check_build_of(language: Language) -> tuple[str, ...]:
    """Return the command that builds a program whose unwritten locals hold a pattern.

    Empty where the language has no such memory, or the compiler is too old.
    """
    build = toolchain_of(language).build
    if not build or not _knows_pattern():
        return ()
    return (build[0], _PATTERN, *build[1:])


@functools.cache
def _knows_pattern() -> bool:
    major = (compiler_version() or "0").split(".")[0]
    return int(major) >= _PATTERN_SINCE
