"""Sentences that sound like constraints and exclude nothing.

Each is true of every problem of its kind: it speaks of circumstances that have no influence on
what is asked.  ``{name}`` is an input by its name, ``{call}`` the function.  None holds a number,
a property that an input must have, or a hint at a way to solve the task.
"""

from __future__ import annotations

from codequake.records import Interface, Problem

__all__ = ["ANY", "FUNCTION", "NAMED", "STDIN", "own_sentences"]

ANY = (
    "The time zone of the machine has no influence on the expected result.",
    "The language settings of the operating system do not change what is expected.",
    "No input depends on the date on which it is used.",
    "The byte order of the processor plays no role in the tests.",
    "Whether the machine is connected to a network makes no difference.",
    "Inputs may have been made by a person or by another program; both are treated alike.",
    "The tests may be run in any order, and that order carries no meaning.",
    "The same input may be used again in another test, with the same expected result.",
    "Inputs at the edge of what is allowed are as legal as all others.",
    "The name of the user who runs the program is not known to it and not needed.",
    "Other programs may run on the same machine while the result is worked out.",
    "The tests were not written with a particular processor in mind.",
    "A result is judged by its value alone and not by how it was obtained.",
    "Temporary files of earlier runs may be present on the machine and can be ignored.",
)

FUNCTION = (
    "Calls of {call} do not depend on each other, even within the same run.",
    "The caller may keep the result of {call} for later or throw it away at once.",
    "The module that calls {call} may have imported other modules before.",
    "Between calls of {call} any amount of time may pass.",
    "The result of {call} may be handed on to another part of a larger system.",
    "It is not known in advance how often {call} will be used.",
)

STDIN = (
    "Standard input may come from a terminal, a file or another program.",
    "The program is started anew for every test and keeps nothing from an earlier run.",
    "The output may be read by a person or by another program.",
    "The folder in which the program is started has no meaning for the task.",
    "Environment variables may be set to anything and need not be read.",
    "It is not known in advance how often the program will be started.",
)

NAMED = (
    "Nothing is said about how {name} was collected or by whom.",
    "How {name} is stored in memory is left to the machine.",
    "Where {name} was stored before is of no importance here.",
    "A program may use another name for {name} within its own lines.",
    "It may be that {name} was logged by a monitoring system before it is handed over.",
    "Whoever supplies {name} need not know what it is used for.",
)


def own_sentences(problem: Problem) -> tuple[str, ...]:
    """Return the sentences about a problem's interface and about its inputs by their names."""
    names = [f"`{name}`" for name in problem.parameters]
    if problem.formula is not None:
        # Symbols of formulas stand without backticks; one without bounds is no input.
        names += [symbol.name for symbol in problem.formula.symbols if symbol.low is not None]
    frames: tuple[str, ...] = STDIN
    if problem.interface is Interface.FUNCTION:
        frames = FUNCTION if problem.entry_point else ()
    return (
        *(frame.replace("{call}", f"`{problem.entry_point}`") for frame in frames),
        *(frame.replace("{name}", name) for frame in NAMED for name in names),
    )
