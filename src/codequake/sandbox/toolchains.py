"""The table of languages: how each is built inside the sandbox.

A new language is one name in ``codequake.tasks.Language``, one file in
``codequake/sandbox/languages`` with its ``TOOLCHAIN``, and one in ``codequake/grading/languages``
with its ``READER``.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import subprocess
from dataclasses import dataclass

from codequake.errors import InternalError
from codequake.tasks import Language

__all__ = ["COMPILER", "UBSAN", "Toolchain", "compiler_version", "toolchain_of", "toolchains"]

COMPILER = "/usr/bin/gcc"
UBSAN = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
"""Trap at undefined behaviour; without a library, so that a program has nothing to turn off."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """How programs of a language are built.

    ``build`` is the compiler's command line, relative to the program's own scratch folder, and
    begins with the path of the compiler; it is empty for a language that the interpreter of the
    sandbox runs from its text.  ``source_name`` and ``target_name`` are files in that folder.
    ``headers`` is a path without which the compiler is of no use, and ``packages`` is what
    ``apt-get install`` needs to be told.  ``title`` is the name that people read.  ``sanitizer``
    holds the compiler's options that end a program at undefined behaviour, if it has such.
    """

    language: Language
    title: str
    build: tuple[str, ...]
    source_name: str
    target_name: str
    headers: str
    packages: str
    sanitizer: tuple[str, ...] = ()

    def build_with(self, *, sanitize: bool) -> tuple[str, ...]:
        """Return the command line, with the options of the sanitizer where that is wanted."""
        if not self.build or not sanitize:
            return self.build
        return (self.build[0], *self.sanitizer, *self.build[1:])


@functools.cache
def toolchains() -> dict[Language, Toolchain]:
    """Return the toolchain of every language, in the order of the languages.

    Raises ``InternalError`` for a language without a file, and for two files of one.
    """
    package = importlib.import_module("codequake.sandbox.languages")
    found: dict[Language, Toolchain] = {}
    for entry in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
        name = f"{package.__name__}.{entry.name}"
        chain = importlib.import_module(name).TOOLCHAIN
        if chain.language in found:
            raise InternalError(f"language {chain.language} has two files, the second is {name}")
        found[chain.language] = chain
    missing = [language.value for language in Language if language not in found]
    if missing:
        raise InternalError(f"no file in codequake/sandbox/languages is for {', '.join(missing)}")
    return {language: found[language] for language in Language}


def toolchain_of(language: Language) -> Toolchain:
    """Return the toolchain of a language."""
    return toolchains()[language]


def compiler_version() -> str | None:
    """Return the version of the C compiler, ``None`` when there is none that works.

    Compilers of other languages are named where their version is another one, since verdicts
    carry it: ``12.2.0, C++ 13.1.0``.
    """
    own = _version(COMPILER)
    if own is None:
        return None
    others = [
        f"{chain.title} {version}"
        for chain in toolchains().values()
        if chain.build and chain.build[0] != COMPILER
        if (version := _version(chain.build[0])) not in (own, None)
    ]
    return ", ".join([own, *others])


def _version(program: str) -> str | None:
    try:
        done = subprocess.run(
            [program, "-dumpfullversion"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
