"""Python: the interpreter of the sandbox runs it from its text."""

from __future__ import annotations

from codequake.sandbox.toolchains import Toolchain
from codequake.tasks import Language

__all__ = ["TOOLCHAIN"]

TOOLCHAIN = Toolchain(
    language=Language.PYTHON,
    title="Python",
    build=(),
    source_name="",
    target_name="",
    headers="",
    packages="python3",
)
