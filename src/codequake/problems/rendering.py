"""The flat statement: what a structured one, and each test of it, looks like as text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from codequake.canonical import parse_json
from codequake.records import Interface, JsonText, Problem
from codequake.statements import Section, SectionKind, Sentence, Statement

__all__ = [
    "input_stands_in",
    "render_statement",
    "show_arguments",
    "show_value",
    "shown_output",
]


def render_statement(statement: Statement) -> str:
    """Return the flat text of a statement.

    Sections stand in their order with one blank line between them.  A title becomes a line
    ``Title:``.  The sentences of the task follow each other in one paragraph; elsewhere each is a
    line of its own, constraints as a list, and a blank line stands before each further example.
    No line ends in a blank, and the text ends without a newline.
    """
    return "\n\n".join(_section(section) for section in statement.sections)


def _section(section: Section) -> str:
    lines = [_sentence(sentence) for sentence in section.sentences]
    match section.kind:
        case SectionKind.TASK:
            body = " ".join(lines)
        case SectionKind.CONSTRAINTS:
            body = "\n".join(f"- {line}" for line in lines)
        case SectionKind.EXAMPLES:
            body = "\n".join(
                f"\n{line}" if number and re.fullmatch(r"Example \d+:", line) else line
                for number, line in enumerate(lines)
            )
        case SectionKind.INPUT | SectionKind.OUTPUT:
            body = "\n".join(lines)
    return f"{section.title}:\n{body}" if section.title else body


def _sentence(sentence: Sentence) -> str:
    return "".join(span.text for span in sentence.spans)


def show_value(value: Any) -> str:
    """Return a JSON value as statements show it: a Python literal with double quotes."""
    if isinstance(value, list):
        return "[" + ", ".join(show_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{show_value(k)}: {show_value(v)}" for k, v in value.items()) + "}"
    if value is None or isinstance(value, bool):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


def show_arguments(parameters: Sequence[str], arguments: Sequence[Any]) -> str:
    """Return the arguments of a call as examples show them: ``nums = [1, 2], target = 2``."""
    pairs = zip(parameters, arguments, strict=True)
    return ", ".join(f"{name} = {show_value(value)}" for name, value in pairs)


def input_stands_in(problem: Problem, test_input: JsonText, text: str) -> bool:
    """Tell whether the input of a test stands in a prompt's examples, i.e. the test is visible.

    An input counts as shown where a line ``Input: name = value, ...`` has exactly its values
    (parameters may have other names, as after a domain shift), or, for programs on standard
    input, where its lines stand between ``Input:`` and ``Output:``.  Blanks at the ends of lines
    do not matter.  Assertions are shown where they stand as lines of their own.
    """
    return _find_example(problem, test_input, text) is not None


def shown_output(problem: Problem, test_input: JsonText, text: str) -> str | None:
    """Return the output that a prompt shows for an input, as it stands there.

    It ends at a blank line, at an explanation or with the text.  ``None`` when the input does not
    stand there, or no ``Output:`` follows it.
    """
    found = _find_example(problem, test_input, text)
    if found is None:
        return None
    output = _OUTPUT.match(text, found.end())
    return None if output is None else output["output"].strip()


_OUTPUT = re.compile(
    r"\s*?\n[ \t]*Output:(?P<output>.*?)(?=\n[ \t]*\n|\n[ \t]*Explanation:|\Z)", re.DOTALL
)


def _find_example(problem: Problem, test_input: JsonText, text: str) -> re.Match[str] | None:
    """Return where the input stands in the text, up to the end of its last line."""
    value = parse_json(test_input)
    if problem.assertions is not None:
        return re.search(rf"^[ \t]*{re.escape(value.strip())}[ \t]*$", text, re.MULTILINE)
    match problem.interface:
        case Interface.FUNCTION:
            shown = r",\s*".join(rf"\w+ = {re.escape(show_value(item))}" for item in value)
            pattern = rf"^[ \t]*Input:\s*{shown}(?=[ \t]*$)"
        case Interface.STDIN:
            lines = [re.escape(line.strip()) for line in value.strip("\n").split("\n")]
            shown = r"[ \t]*\n[ \t]*".join(lines)
            pattern = rf"^[ \t]*Input:[ \t]*\n?[ \t]*{shown}(?=\s*?\n\s*Output:)"
    return re.search(pattern, text, re.MULTILINE)
