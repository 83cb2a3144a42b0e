"""C++ in replies.

A C program is no other language here: nothing in it says that it is not meant as C++, and the
compiler decides.  What only C takes is then a ``compile_error``.
"""

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

_DIALECT: Dialect = dialect_of(
    own=("C", "C++"),
    starts=r"using\s+\w|namespace\b|template\s*<|class\s+\w|auto\s+\w|constexpr\b|std::\w",
)

READER = Reader(
    language=Language.CPP,
    name="C++",
    tags=("cpp", "c++", "cc", "cxx", "hpp", "h++", "g++", "cpp17", "c++17", "cpp20", "c++20"),
    nests_fences=False,
    fit=partial(c_fit, _DIALECT),
    regions=partial(c_regions, _DIALECT),
    names=c_names,
    before_prose=partial(c_before_prose, _DIALECT),
    constant="#include <iostream>\n\nint main() {\n    std::cout << 0 << std::endl;\n}\n",
    kin=("c", "c99", "c11"),
)
