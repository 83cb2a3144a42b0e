"""C: GNU C11 by gcc."""

from __future__ import annotations

from codequake.sandbox.toolchains import COMPILER, UBSAN, Toolchain
from codequake.tasks import Language

__all__ = ["TOOLCHAIN"]

TOOLCHAIN = Toolchain(
    language=Language.C,
    title="C",
    # Libraries come last, and the mathematical one is always there: without it, whether a
    # program links depends on what the compiler folds at build time.
    build=(COMPILER, "-O1", "-std=gnu11", "-pipe", "-o", "program", "main.c", "-lm"),
    source_name="main.c",
    target_name="program",
    headers="/usr/include/stdio.h",
    packages="gcc libc6-dev",
    sanitizer=UBSAN,
)
