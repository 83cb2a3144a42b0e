"""C in replies."""

from __future__ import annotations

from functools import partial

from codequake.grading.c_text import (
    Dialect,
    c_before_prose,
    c_fit,
    c_names,
    c_regions,
    dialect_of,
)
from codequake.grading.readers import Reader
from codequake.tasks import Language

__all__ = ["READER"]

_DIALECT: Dialect = dialect_of(own=("C",))

READER = Reader(
    language=Language.C,
    name="C",
    tags=("c", "c99", "c11", "h", "gcc", "ansi-c", "objective-c"),
    nests_fences=False,
    fit=partial(c_fit, _DIALECT),
    regions=partial(c_regions, _DIALECT),
    names=c_names,
    before_prose=partial(c_before_prose, _DIALECT),
    constant='#include <stdio.h>\n\nint main(void) {\n    printf("0\\n");\n    return 0;\n}\n',
    kin=("cpp", "c++", "cc", "cxx"),
)
