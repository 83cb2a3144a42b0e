"""What every prompt style says of the program that it asks for."""

from __future__ import annotations

from codequake.grading.readers import reader_of
from codequake.records import Interface, Problem

__all__ = ["ask_for_code", "code_block", "wanted_program"]


def wanted_program(problem: Problem) -> str:
    """Return what a problem asks for: a function, or a program that reads standard input."""
    name = reader_of(problem.language).name
    match problem.interface:
        case Interface.FUNCTION:
            return f"the {name} function that is asked for"
        case Interface.STDIN:
            return f"a whole {name} program that reads standard input"


def code_block(problem: Problem) -> str:
    """Return the form that the program is to have in the reply."""
    return f"in one code block that starts with ```{problem.language.value} and ends with ```."


def ask_for_code(words: str, problem: Problem) -> str:
    """Return an instruction that lets the model write before the code, and nothing after it."""
    return (
        f"You write code. {words} Then give {wanted_program(problem)}, {code_block(problem)} "
        "Write no other code block, and nothing after it."
    )
