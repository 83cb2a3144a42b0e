"""How large, how branched and how commented a program is, by reading it, never by running it."""

from __future__ import annotations

from codequake.grading.c_measures import measure_c
from codequake.grading.counts import Measures, Unmeasured
from codequake.grading.python_measures import measure_python
from codequake.tasks import Language

__all__ = ["comment_density", "measure_program"]


def measure_program(program: str, language: Language) -> Measures | Unmeasured:
    """Return the measures of a program, which may be any text.

    Takes time about linear in the text, and a text of more than 262,144 characters is not
    looked at.  ``Unmeasured`` says why there are none: no program, or one that does not parse.
    """
    if not program.strip():
        return Unmeasured("there is no program")
    match language:
        case Language.PYTHON:
            return measure_python(program)
        case Language.C | Language.CPP:
            return measure_c(program)


def comment_density(measures: Measures) -> float:
    """Return the share (0 to 1) of a program's lines that have a comment; blank lines are none.

    A line with code and a comment counts.  Docstrings are no comments.
    """
    return measures.comment_lines / measures.lines
