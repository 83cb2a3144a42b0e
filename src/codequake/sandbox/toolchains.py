"""How each language is built inside the sandbox; a new compiled language is one entry here."""

from __future__ import annotations

import functools
import subprocess
from dataclasses import dataclass

from codequake.tasks import Language

__all__ = ["COMPILER", "PERTURB", "Toolchain", "check_build_of", "compiler_version", "toolchain_of"]

COMPILER = "/usr/bin/gcc"


PERTURB = "90"
"""``MALLOC_PERTURB_`` of the second run: blocks begin as 0xa5 bytes, freed ones become 0x5a."""

# Locals that were never written hold a pattern; gcc knows this since version 12.
_PATTERN = "-ftrivial-auto-var-init=pattern"
_PATTERN_SINCE = 12


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The compiler's command line, relative to the program's own scratch folder.

    ``build`` is empty for a language that the interpreter runs from its text.
    """

    build: tuple[str, ...]
    source_name: str
    target_name: str


def toolchain_of(language: Language) -> Toolchain:
    """Return the toolchain of a language."""
    return _TOOLCHAINS[language]


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


def compiler_version() -> str | None:
    """Return the version of the C compiler, ``None`` when there is none that works."""
    try:
        done = subprocess.run(
            [COMPILER, "-dumpfullversion"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


_TOOLCHAINS = {
    Language.PYTHON: Toolchain((), "", ""),
    Language.C: Toolchain(
        # Libraries come last, and the mathematical one is always there: without it, whether a
        # program links depends on what the compiler folds at build time.
        (COMPILER, "-O1", "-std=gnu11", "-pipe", "-o", "program", "main.c", "-lm"),
        "main.c",
        "program",
    ),
}
