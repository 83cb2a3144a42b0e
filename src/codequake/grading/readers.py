"""The table of languages: how the programs of each are found in replies."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from codequake.errors import InternalError
from codequake.grading.fitness import Fit
from codequake.tasks import Language

__all__ = ["Reader", "reader_of"]


@dataclass(frozen=True, slots=True)
class Reader:
    """How one language is read.

    ``tags`` are what fences call it.  ``fit`` says how well a text fits as the program that was
    asked for, ``regions`` finds programs in mixed text (with whether each ends it), ``names``
    returns what a piece uses without defining it and what it defines, ``before_prose`` cuts prose
    behind an unclosed program.  ``nests_fences``: its strings may hold lines of fences.  ``kin``
    are tags of languages that are often named for it, and ``parsed`` says that what has code was
    parsed, so that a tag weighs nothing against it.  ``constant`` is a whole main program that
    reads nothing and prints 0.
    """

    language: Language
    name: str
    tags: tuple[str, ...]
    nests_fences: bool
    fit: Callable[[str, str | None], Fit]
    regions: Callable[[str, str | None], list[tuple[str, bool]]]
    names: Callable[[str], tuple[set[str], set[str]]]
    before_prose: Callable[[str, str | None], str | None]
    constant: str
    kin: tuple[str, ...] = ()
    parsed: bool = False


@functools.cache
def _readers() -> dict[Language, Reader]:
    package = importlib.import_module("codequake.grading.languages")
    found: dict[Language, Reader] = {}
    for entry in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
        name = f"{package.__name__}.{entry.name}"
        reader = importlib.import_module(name).READER
        if reader.language in found:
            raise InternalError(f"language {reader.language} has two files, the second is {name}")
        found[reader.language] = reader
    missing = [language.value for language in Language if language not in found]
    if missing:
        raise InternalError(f"no file in codequake/grading/languages is for {', '.join(missing)}")
    return found


def reader_of(language: Language) -> Reader:
    """Return how a language is read."""
    return _readers()[language]
