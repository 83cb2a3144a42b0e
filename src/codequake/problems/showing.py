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
from codequake.records import Interface, JsonText, Problem

__all__ = ["shown_tests"]

_DIGITS = re.compile(r"\d+")
_BETWEEN = r"[\s`*,;|]*(?:and\b)?[\s`*|-]*"
_TITLE = re.compile(r"^\W*(?:sample )?input\W*:", re.IGNORECASE)
_QUOTE = r"[\"'`]?"
_RESULT = r"(?!(?:answer|expected|explanation|outputs?|result|returns?)\b)"
_NAME = rf"{_RESULT}[A-Za-z_]\w*[\"'`]?\s*[=:]\s*"
_INPUT = r"(?:sample )?input[^\w\"'\[{-]*"
_NEXT = r"[\s`*,;|]*(?:and\b)?[\s`*|]*"


def shown_tests(problem: Problem, text: str, entry_point: str | None = None) -> tuple[int, ...]:
    """Return the indices of the tests whose input stands in a prompt.

    A call counts as shown where its arguments follow each other under any names, with any blanks
    (``nums = [1,2], k = 3``, also in lines of their own or as JSON), where they follow ``Input:``
    without names, and where the text calls the function with them.  A single argument that is no
    list must be all that its line says, since ``n = 5`` may stand in any sentence.
    ``entry_point`` is its name in this text, where it is another than the problem's.  The input of
    a main program counts where its lines follow each other in the text, blank ones aside.  A
    statement that tests counts where it stands as a line of its own.
    """
    if problem.assertions is not None:
        found = [input_stands_in(problem, test.input, text) for test in problem.tests]
        return tuple(index for index, stands in enumerate(found) if stands)
    match problem.interface:
        case Interface.FUNCTION:
            numbers = set(_DIGITS.findall(text))
            calls = shown_calls(text, entry_point or problem.entry_point or "")
            return tuple(
                index
                for index, test in enumerate(problem.tests)
                if test.input in calls or _gives(text, numbers, test.input)
            )
        case Interface.STDIN:
            told = (_TITLE.sub("", line).strip() for line in text.split("\n"))
            rows = [line for line in told if line]
            return tuple(
                index
                for index, test in enumerate(problem.tests)
                if _follow(rows, str(parse_json(test.input)))
            )


def _gives(text: str, numbers: set[str], given: JsonText) -> bool:
    """Tell whether a text gives the arguments of a call; ``numbers`` are all in the text."""
    # Most inputs hold a number that the text does not, and some are too long for any prompt.
    if len(given) > len(text) or not numbers.issuperset(_DIGITS.findall(given)):
        return False
    values: list[Any] = parse_json(given)
    if not values:
        return False
    spelled = [_spelling(value) for value in values]
    named = _BETWEEN.join(_QUOTE + _NAME + one for one in spelled)
    bare = _INPUT + _NEXT.join(spelled)
    if len(values) == 1 and not isinstance(values[0], list | dict):
        pattern = rf"^[^\w\n]*(?:{named}|{bare}|{_INPUT}{named})[`*.;\s]*$"
    else:
        pattern = rf"(?:(?<!\w){named}|{bare})(?!\w|\.\d)"
    return re.search(pattern, text, re.IGNORECASE | re.MULTILINE) is not None


def _spelling(value: Any) -> str:
    """Return a pattern of a value as a text may show it, in Python or in JSON."""
    match value:
        case list():
            return r"\[\s*" + r"\s*,\s*".join(map(_spelling, value)) + r"\s*\]"
        case dict():
            pairs = (rf"{_spelling(key)}\s*:\s*{_spelling(one)}" for key, one in value.items())
            return r"\{\s*" + r"\s*,\s*".join(pairs) + r"\s*\}"
        case _:
            ways = {write(value) for write in (show_value, json.dumps, repr)}
            return "(?-i:" + "|".join(map(re.escape, sorted(ways))) + ")"


def _follow(rows: list[str], given: str) -> bool:
    wanted = [line.strip() for line in given.split("\n") if line.strip()]
    if not wanted:
        return False
    starts = (at for at, row in enumerate(rows) if row == wanted[0])
    return any(rows[at : at + len(wanted)] == wanted for at in starts)
