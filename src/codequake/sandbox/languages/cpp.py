"""C++: GNU C++17 by g++."""

from __future__ import annotations

from codequake.sandbox.toolchains import UBSAN, Toolchain
from codequake.tasks import Language

__all__ = ["TOOLCHAIN"]

TOOLCHAIN = Toolchain(
    language=Language.CPP,
    title="C++",
    build=("/usr/bin/g++", "-O1", "-std=gnu++17", "-pipe", "-o", "program", "main.cpp"),
    source_name="main.cpp",
    target_name="program",
    headers="/usr/include/c++",
    packages="g++",
    sanitizer=UBSAN,
)
