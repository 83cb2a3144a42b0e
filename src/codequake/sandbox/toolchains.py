"""How each language is built inside the sandbox; a new compiled language is one entry here."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from codequake.tasks import Language

__all__ = ["COMPILER", "Toolchain", "compiler_version", "toolchain_of"]

COMPILER = "/usr/bin/gcc"


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
