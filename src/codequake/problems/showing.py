"""Which tests a prompt gives away: those whose input stands in its text.

This is worked out from the final text of every variant, never taken from the problem: a rewritten
example shows another input than the clean prompt does.
"""

from __future__ import annotations

import json
import re
from typing import Any

from codequake.canonical import parse_json
from codequake.problems.python_prompts import shown_calls
from codequake.problems.rendering import input_stands_in, show_value
from codequake.records import Interface, Problem

__all__ = ["shown_tests"]

_BLANKS = re.compile(r"\s+")
_LEAD = re.compile(r"^\W*input\W*(?=\w+=)", re.IGNORECASE)
_TITLE = re.compile(r"^\W*(?:sample )?input\W*:", re.IGNORECASE)
_NAME = re.compile(r"(?:(?<=^)|(?<=,))[A-Za-z_]\w*=")


def shown_tests(problem: Problem, text: str, entry_point: str | None = None) -> tuple[int, ...]:
    """Return the indices of the tests whose input stands in a prompt.

    A call counts as shown where a line gives its arguments (``nums = [1,2], k = 3``, with any
    names and blanks, with or without ``Input:``), and where the text calls the function with them.
    ``entry_point`` is its name in this text, where it is another than the problem's.  The input of
    a main program counts where its lines follow each other in the text, blank ones aside.  A
    statement that tests counts where it stands as a line of its own.
    """
    if problem.assertions is not None:
        found = [input_stands_in(problem, test.input, text) for test in problem.tests]
        return tuple(index for index, stands in enumerate(found) if stands)
    match problem.interface:
        case Interface.FUNCTION:
            lines = {_arguments(line) for line in text.split("\n") if "=" in line}
            calls = shown_calls(text, entry_point or problem.entry_point or "")
            return tuple(
                index
                for index, test in enumerate(problem.tests)
                if test.input in calls or not _spellings(parse_json(test.input)).isdisjoint(lines)
            )
        case Interface.STDIN:
            told = (_TITLE.sub("", line).strip() for line in text.split("\n"))
            rows = [line for line in told if line]
            return tuple(
                index
                for index, test in enumerate(problem.tests)
                if _follow(rows, str(parse_json(test.input)))
            )


def _arguments(line: str) -> str:
    """Return the values of a line ``a = 1, b = [2]`` without blanks: ``=1,=[2]``."""
    plain = _BLANKS.sub("", line)
    return _NAME.sub("=", _LEAD.sub("", plain)).rstrip("`*.;")


def _spellings(values: list[Any]) -> set[str]:
    """Return the arguments of a call as a line may show them, in Python and in JSON."""
    return {
        ",".join(f"={_BLANKS.sub('', write(value))}" for value in values)
        for write in (show_value, json.dumps, repr)
    }


def _follow(rows: list[str], given: str) -> bool:
    wanted = [line.strip() for line in given.split("\n") if line.strip()]
    if not wanted:
        return False
    starts = (at for at, row in enumerate(rows) if row == wanted[0])
    return any(rows[at : at + len(wanted)] == wanted for at in starts)
