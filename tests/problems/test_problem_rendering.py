"""The flat statement, and what stands in it."""

from __future__ import annotations

import dataclasses

import pytest

from codequake.canonical import canonical_json
from codequake.problems import find_problem, input_stands_in, render_statement, shown_output
from codequake.problems.rendering import show_arguments, show_value
from codequake.records import JsonText, Problem
from codequake.statements import Section, SectionKind, Sentence, Span, SpanKind, Statement


def line(words: str) -> Sentence:
    return Sentence((Span(SpanKind.TEXT, words),))


def given(value: object) -> JsonText:
    return JsonText(canonical_json(value))


def test_sections_have_their_shape() -> None:
    statement = Statement(
        (
            Section(SectionKind.TASK, "", (line("First."), line("Second."))),
            Section(SectionKind.INPUT, "Input", (line("one"), line("two"))),
            Section(
                SectionKind.EXAMPLES,
                "Examples",
                (line("Example 1:"), line("Input: 1"), line("Example 2:"), line("Input: 2")),
            ),
            Section(SectionKind.CONSTRAINTS, "Constraints", (line("few"), line("small"))),
        )
    )
    assert render_statement(statement) == (
        "First. Second.\n\nInput:\none\ntwo\n\n"
        "Examples:\nExample 1:\nInput: 1\n\nExample 2:\nInput: 2\n\n"
        "Constraints:\n- few\n- small"
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ([1, [2.5, None]], "[1, [2.5, None]]"),
        ('a "b"', '"a \\"b\\""'),
        (True, "True"),
        ({"k": False}, '{"k": False}'),
        ("é", '"é"'),
    ],
)
def test_values_are_shown_as_python(value: object, shown: str) -> None:
    assert show_value(value) == shown


def test_arguments_are_shown_by_name() -> None:
    assert show_arguments(["nums", "k"], [[1], 2]) == "nums = [1], k = 2"


FUNCTION = find_problem("starter-12/count-target")
STDIN = find_problem("starter-12/count-words-of-length")
PROMPT = "Examples:\nInput: draws = [1, 2],  lucky = 2 \nOutput: 1\nExplanation: once"


@pytest.mark.parametrize(
    ("problem", "value", "text", "stands"),
    [
        (FUNCTION, [[1, 2], 2], PROMPT, True),
        (FUNCTION, [[1, 2], 3], PROMPT, False),
        (FUNCTION, [[1, 2], 2], PROMPT.replace("= 2 ", "= 23 "), False),
        (FUNCTION, [[1, 2], 2], "nums = [1, 2], target = 2", False),
        (STDIN, "3\na b\n", "Input:\n3\na b\nOutput: 0", True),
        (STDIN, "3\na b\n", "Input:\n3 \n a b \n\nOutput: 0", True),
        (STDIN, "3\na\n", "Input:\n3\na b\nOutput: 0", False),
        (STDIN, "3\na b\n", "Input:\n3\na b\nc\nOutput: 0", False),
        (STDIN, "2 3\n", "Input: 2 3\nOutput: 5", True),
        (STDIN, "2 3\n", "Input: 12 3\nOutput: 5", False),
    ],
)
def test_an_input_stands_in_a_text_or_not(
    problem: Problem, value: object, text: str, stands: bool
) -> None:
    assert input_stands_in(problem, given(value), text) is stands


def test_the_shown_output_is_read_back() -> None:
    assert shown_output(FUNCTION, given([[1, 2], 2]), PROMPT) == "1"
    assert shown_output(FUNCTION, given([[1], 2]), PROMPT) is None
    two_lines = "Input: 1\nOutput:\n4\n5\n\nExample 2:"
    assert shown_output(STDIN, given("1\n"), two_lines) == "4\n5"
    cut = "Input: nums = [1], target = 1\nResult: 1"
    assert shown_output(FUNCTION, given([[1], 1]), cut) is None


def test_visibility_follows_the_text_and_not_the_record() -> None:
    test = next(item for item in FUNCTION.tests if item.visible)
    assert input_stands_in(FUNCTION, test.input, FUNCTION.statement)
    without = FUNCTION.statement.split("Examples:")[0]
    assert not input_stands_in(FUNCTION, test.input, without)
    renamed = dataclasses.replace(FUNCTION, parameters=("draws", "lucky"))
    assert input_stands_in(renamed, test.input, FUNCTION.statement)
