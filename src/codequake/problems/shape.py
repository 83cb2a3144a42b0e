"""What every problem record must satisfy before anything can be done with it."""

from __future__ import annotations

import keyword
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.errors import DataError
from codequake.records import Interface, JsonText, Problem, Test

__all__ = ["input_fault", "refuse_malformed"]


def refuse_malformed(problem: Problem, *, place: str = "") -> None:
    """Refuse a record whose fields contradict each other.

    Raises ``DataError`` for the first of: an id without a set, a function without a usable name
    or parameters, a program on standard input with them, no test, a test whose input or expected
    output is not JSON or has another shape than the interface asks for, a generator of nothing.
    Where a problem has assertions, an input is a text of statements and the expected output null.
    Values come out of this check as they went in; canonical spelling of their JSON is asked for.
    """

    def refuse(message: str) -> DataError:
        return DataError(f"problem {problem.problem_id!r} {message}", place=place)

    fault = _call_fault(problem)
    if fault:
        raise refuse(fault)
    if not problem.tests:
        raise refuse("has no test")
    if not problem.statement.strip():
        raise refuse("has no statement")
    for number, test in enumerate(problem.tests, start=1):
        fault = _test_fault(problem, test)
        if fault:
            raise refuse(f"has in test {number} {fault}")


def _call_fault(problem: Problem) -> str | None:
    """Return what is wrong with the id, or with how the problem's programs are called."""
    name, slash, slug = problem.problem_id.partition("/")
    if not (name and slash and slug):
        return "has no id of the form <set>/<slug>"
    match problem.interface:
        case Interface.FUNCTION:
            if not _is_name(problem.entry_point):
                return f"has the entry point {problem.entry_point!r}; allowed: a name"
            if not all(_is_name(item) for item in problem.parameters):
                return f"has the parameters {list(problem.parameters)}; allowed: names"
        case Interface.STDIN:
            if problem.assertions is not None:
                return "reads standard input, so it cannot be tested by assertions"
            if problem.entry_point is not None or problem.parameters:
                return "reads standard input, so it has neither entry point nor parameters"
    return None


def _is_name(text: str | None) -> bool:
    return text is not None and text.isidentifier() and not keyword.iskeyword(text)


def input_fault(problem: Problem, text: JsonText) -> str | None:
    """Return what is wrong with a test input, or ``None`` when its shape is right."""
    return _value_fault(problem, "an input", text)


def _test_fault(problem: Problem, test: Test) -> str | None:
    """Return what is wrong with a test, or ``None``."""
    return _value_fault(problem, "an input", test.input) or _value_fault(
        problem, "an expected output", test.expected
    )


def _value_fault(problem: Problem, what: str, text: JsonText) -> str | None:
    try:
        value = parse_json(text)
    except DataError as error:
        return f"{what} that is {error}"
    if canonical_json(value) != text:
        return f"{what} that is not canonical JSON (sorted keys, no blanks): {text[:60]}"
    fault = _shape_fault(problem, value, is_input=what == "an input")
    return f"{what} {fault}" if fault else None


def _shape_fault(problem: Problem, value: Any, *, is_input: bool) -> str | None:
    if problem.assertions is not None:
        if not is_input:
            return None if value is None else "that is not null, though statements test it"
        good = isinstance(value, str) and value.strip()
        return None if good else "that is not a JSON string of statements"
    match problem.interface:
        case Interface.STDIN:
            return None if isinstance(value, str) else "that is not a JSON string of text"
        case Interface.FUNCTION:
            if not is_input or (isinstance(value, list) and len(value) == len(problem.parameters)):
                return None
            return f"that is not a list of {len(problem.parameters)} arguments"
