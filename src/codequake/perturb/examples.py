"""The examples of a prompt, read back from its text and put to the reference program."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.errors import DataError
from codequake.ports import Answer, Oracle
from codequake.records import Check, Comparison, Interface, JsonText, Problem

__all__ = ["Example", "check_examples", "read_examples", "run_examples"]


@dataclass(frozen=True, slots=True)
class Example:
    """One example: its input as a test holds it, and the output as the prompt shows it."""

    input: JsonText
    output: str


_EXAMPLE = re.compile(
    r"^[ \t]*Input:(?P<input>.*?)^[ \t]*Output:(?P<output>.*?)"
    r"(?=^[ \t]*$|^[ \t]*(?:Explanation|Example \d+|Input):|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ARGUMENT = re.compile(r"(?:^|,\s*)([A-Za-z_]\w*) = ")


def read_examples(problem: Problem, lines: tuple[str, ...]) -> tuple[Example, ...]:
    """Read the examples in the lines of a section.

    Where statements test the problem, an example is one of them: its input, with no output.
    Raises ``DataError`` when an input or an output cannot be read as a value of the problem.
    """
    text = "\n".join(lines)
    if problem.assertions is not None and not _EXAMPLE.search(text):
        return _statements(text)
    found = []
    for match in _EXAMPLE.finditer(text):
        shown, output = match["input"], match["output"].strip()
        if problem.interface is Interface.FUNCTION:
            value: Any = _arguments(shown.strip())
        else:
            value = "\n".join(line.strip() for line in shown.strip("\n").split("\n")).strip() + "\n"
        found.append(Example(JsonText(canonical_json(value)), output))
    return tuple(found)


def _statements(text: str) -> tuple[Example, ...]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise DataError(f"the examples {text[:60]!r} are no statements") from error
    pieces = [ast.get_source_segment(text, node) or "" for node in body]
    return tuple(Example(JsonText(canonical_json(piece)), "") for piece in pieces)


def _arguments(shown: str) -> list[Any]:
    """Read ``nums = [1, 2], target = 2`` as the list of its values."""
    starts = [match for match in _ARGUMENT.finditer(shown) if _outside(shown[: match.start()])]
    if not starts or starts[0].start() != 0:
        raise DataError(f"example input {shown[:60]!r} is not a list of 'name = value'")
    ends = [match.start() for match in starts[1:]] + [len(shown)]
    return [_literal(shown[match.end() : end]) for match, end in zip(starts, ends, strict=True)]


def _outside(before: str) -> bool:
    """Say whether a text ends outside of strings and brackets."""
    depth, quoted, escaped = 0, False, False
    for char in before:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = quoted
        elif char == '"':
            quoted = not quoted
        elif not quoted:
            depth += (char in "[{(") - (char in "]})")
    return depth == 0 and not quoted


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise DataError(f"example value {text[:60]!r} is not a literal") from error


def check_examples(problem: Problem, examples: tuple[Example, ...]) -> Check:
    """Compare the examples of a prompt with the visible tests of its problem."""
    expected = [test for test in problem.tests if test.visible]
    if len(examples) != len(expected):
        detail = f"{len(examples)} examples, {len(expected)} visible tests"
        return Check("examples", False, detail)
    for number, (example, test) in enumerate(zip(examples, expected, strict=True), start=1):
        if _value(problem, example.input) != _value(problem, test.input):
            return Check("examples", False, f"the input of example {number} is not the test's")
        if not _shows(problem, example.output, test.expected):
            return Check("examples", False, f"the output of example {number} is not the test's")
    return Check("examples", True, f"{len(examples)} as in the tests")


def run_examples(problem: Problem, examples: tuple[Example, ...], oracle: Oracle) -> Check:
    """Put the examples of a prompt to the reference: an output that it does not give is false."""
    name = "examples_run"
    inputs = [example.input for example in examples]
    answers: tuple[Answer, ...] = (
        oracle.answers(problem, problem.references[0], inputs) if inputs else ()
    )
    for number, (example, answer) in enumerate(zip(examples, answers, strict=True), start=1):
        if answer.output is None:
            return Check(name, False, f"the reference fails on example {number}: {answer.problem}")
        if not _shows(problem, example.output, answer.output):
            detail = f"example {number} shows {example.output[:60]!r}, the reference gives another"
            return Check(name, False, detail)
    return Check(name, True, f"{len(examples)} run through {problem.references[0].name!r}")


def _value(problem: Problem, text: JsonText) -> Any:
    value = parse_json(text)
    if problem.interface is Interface.STDIN and isinstance(value, str):
        return [line.strip() for line in value.strip("\n").split("\n")]
    return value


def _shows(problem: Problem, shown: str, output: JsonText) -> bool:
    """Say whether a shown output is this value, within what the task compares."""
    value = parse_json(output)
    if problem.assertions is not None and not shown:
        return value in (None, True)  # a statement that ended well, in a test or in a run
    if problem.interface is Interface.STDIN:
        return _texts_agree(shown, str(value), problem.comparison)
    try:
        literal = _literal(shown)
    except DataError:
        return False
    # In Python True equals 1, and a prompt that shows one for the other is wrong.
    return bool(type(literal) is type(value) and literal == value)


def _texts_agree(shown: str, given: str, comparison: Comparison) -> bool:
    one, two = shown.split(), given.split()
    if one == two:
        return True
    if comparison.digits is None or len(one) != len(two):
        return False
    try:
        pairs = [(float(left), float(right)) for left, right in zip(one, two, strict=True)]
    except ValueError:
        return False
    return all(
        abs(left - right)
        <= max(10**-comparison.digits, comparison.relative * max(abs(left), abs(right)))
        for left, right in pairs
    )
