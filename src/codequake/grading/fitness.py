"""How well a piece of text fits as the program that was asked for."""

from __future__ import annotations

import re
from enum import IntEnum

__all__ = ["Fit", "names_other_language", "other_language"]


class Fit(IntEnum):
    """From worst to best.

    ``FOREIGN``: another language.  ``NOTHING``: empty, comments only, or prose.  ``BROKEN``: looks
    like the language but does not parse.  ``PARTIAL``: parses, has code, lacks the entry point.
    ``BROKEN_ENTRY``: defines the entry point, but does not parse.  ``PROGRAM``: parses and may
    be the answer, though not in the form that was asked for: a main program that reads no input, or
    an entry point that is a method of the only class that has it.  ``WHOLE``: parses and defines
    the entry point, as a function or as a method of ``Solution``, or reads input as a main program.
    """

    FOREIGN = 0
    NOTHING = 1
    BROKEN = 2
    PARTIAL = 3
    BROKEN_ENTRY = 4
    PROGRAM = 5
    WHOLE = 6


_OTHER_TAGS = frozenset(
    [
        "c++",
        "cpp",
        "cxx",
        "cc",
        "java",
        "javascript",
        "js",
        "jsx",
        "typescript",
        "ts",
        "go",
        "golang",
        "rust",
        "rs",
        "csharp",
        "cs",
        "c#",
        "kotlin",
        "kt",
        "swift",
        "ruby",
        "rb",
        "php",
        "scala",
        "perl",
        "lua",
        "haskell",
        "hs",
        "julia",
        "dart",
        "r",
        "fortran",
        "pascal",
        "zig",
    ]
)
# Every quantifier is bounded or can match in one way only: replies may be long and strange.
_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("C++", re.compile(r"#[ \t]*include[ \t]*<(?:bits/stdc\+\+\.h|[a-z_]+)>")),
    ("C++", re.compile(r"\bstd::|\busing[ \t]+namespace\b|\bcout[ \t]*<<|\bcin[ \t]*>>")),
    ("C++", re.compile(r"^[ \t]*(?:template[ \t]*<|(?:public|private|protected)[ \t]*:)", re.M)),
    ("C++", re.compile(r"\bnullptr\b|\b(?:static|dynamic|const|reinterpret)_cast[ \t]*<")),
    ("C++", re.compile(r"=[ \t]*new[ \t]+\w+[ \t]*[\[(;]|^[ \t]*delete[ \t]*\[", re.M)),
    (
        "C++",
        re.compile(r"^[ \t]*namespace[ \t]+\w+\s*\{|\boperator[ \t]*(?:<<|>>|\+|==)[ \t]*\(", re.M),
    ),
    (
        "C++",
        re.compile(
            r"\b(?:int|double|float|char|long|bool|auto|string)[ \t]*&[ \t]*\w+[ \t]*[,)=:]"
        ),
    ),
    ("C#", re.compile(r"^[ \t]*using[ \t]+System\b|\bConsole\.(?:Write|Read)", re.M)),
    ("Java", re.compile(r"\bpublic[ \t]+(?:static|class|int|void|boolean|List)\b|\bSystem\.out\b")),
    ("Java", re.compile(r"^[ \t]*import[ \t]+java[.\w]*[ \t]*;", re.M)),
    (
        "JavaScript",
        re.compile(r"\bconsole\.log\b|=>[ \t]*\{|^[ \t]*(?:const|let|var) \w+ ?=", re.M),
    ),
    ("JavaScript", re.compile(r"\bfunction[ \t]{0,4}\w*[ \t]{0,4}\([^()\n]*\)\s{0,20}\{")),
    ("Rust", re.compile(r"\bfn \w+(?:<[^>\n]{0,80}>)?\(|\blet mut\b|\bprintln!")),
    ("Go", re.compile(r"^package \w+[ \t]*$|\bfmt\.(?:Print|Scan)|^func [\w(]", re.M)),
    ("Kotlin", re.compile(r"^[ \t]*fun \w+\(", re.M)),
    ("PHP", re.compile(r"<\?php")),
    ("Ruby", re.compile(r"^[ \t]*puts[ \t]", re.M)),
)
_C_MARKS = re.compile(
    r"#[ \t]*include[ \t]*[<\"][\w/]+\.h[>\"]|\bint[ \t]+main[ \t]*\(|\bprintf[ \t]*\("
    r"|\bscanf[ \t]*\(|^[ \t]*(?:static )?(?:int|double|float|void|char|long|bool) {0,4}\*{0,2} ?"
    r"\w+ ?\([^;\n]*\)\s{0,20}\{",
    re.M,
)
_PYTHON_MARKS = re.compile(
    r"^[ \t]*(?:def[ \t]+\w+[ \t]*\([^\n]{0,300}:|class[ \t]+\w+[^\n;{]{0,200}:|from [\w.]+ import "
    r"|import [\w.]+[ \t]*$|import [\w.]+ as \w+[ \t]*$"
    r"|elif [^\n]{1,300}:|if [^\n{;]{1,300}:[ \t]*$"
    r"|for \w[\w, ]{0,80} in [^\n{;]{1,300}:|while [^\n{;]{1,300}:[ \t]*$|print\([^\n]*\)[ \t]*$)",
    re.M,
)


def names_other_language(info: str, own: tuple[str, ...]) -> bool:
    """Whether the words after an opening fence name a language that is not one of ``own``."""
    word = re.split(r"[\s,{:]", info.strip().lower().lstrip("{."), maxsplit=1)[0]
    return word not in own and word in _OTHER_TAGS | {"c", "python", "py"}


def other_language(code: str, *, own: frozenset[str]) -> str | None:
    """Name the language that a text without comments and strings is recognisable as.

    ``own`` are the names that are not another language (``C`` and ``C++`` for C++), and are never
    returned.  ``None`` when nothing stands out.
    """
    for name, pattern in _MARKS:
        if name not in own and pattern.search(code):
            return name
    if "C" not in own and _C_MARKS.search(code):
        return "C"
    if "Python" not in own and _PYTHON_MARKS.search(code):
        return "Python"
    return None
