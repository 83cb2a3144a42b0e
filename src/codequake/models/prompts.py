"""From a variant to the messages that a model is asked with, in one of a few styles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codequake.errors import UnknownNameError
from codequake.models.stages import STAGED_STYLES, Stage, fill_stage, literal_stage
from codequake.models.templates import Template, render_template
from codequake.models.wording import ask_for_code, code_block, wanted_program
from codequake.records import Interface, Language, Message, Problem, Variant

__all__ = ["render_messages", "render_stages", "style_names"]


def style_names() -> tuple[str, ...]:
    """Return the names of the styles."""
    return tuple(sorted((*_STYLES, *_ASKED, *STAGED_STYLES)))


def render_messages(
    problem: Problem, variant: Variant, style: str, templates: Sequence[Template] = ()
) -> tuple[Message, ...]:
    """Return the messages that a variant is asked with first; of most styles there are no others.

    Raises ``UnknownNameError`` for a style that is neither ours nor in ``templates``.
    """
    return fill_stage(render_stages(problem, variant, style, templates)[0], ())


def render_stages(
    problem: Problem, variant: Variant, style: str, templates: Sequence[Template] = ()
) -> tuple[Stage, ...]:
    """Return the calls that ask for the program of a variant; the reply to the last one counts.

    ``plain``: a system message that asks for one code block in the problem's language, then the
    text of the variant as it is.  ``two_shot``: the same with two worked examples in between, for
    models that are too small to keep a form that is only described.  ``few_shot``: with all worked
    examples that there are, four for C, two for Python, none for other languages.

    The others change the system message alone.  ``cot`` asks for steps of thought before the code
    (Kojima et al., 2022), ``program_of_thought`` for the steps as named values of the program
    itself (Chen et al., 2022), ``commented`` for a comment at each step and ``no_comments`` for
    none.  In all of these the last message is the variant's text and nothing else.

    ``dup`` takes three calls (Zhong et al., 2026, adapted to code): for the core question of the
    task, for the information that it needs, and for the program with both below the task.

    ``templates`` are styles of the user, of one call or of several.  Raises ``UnknownNameError``
    for another style.
    """
    for template in templates:
        if template.name == style:
            return render_template(template, problem, variant)
    if style in STAGED_STYLES:
        return STAGED_STYLES[style](problem, variant)
    return (literal_stage(_one_call(problem, variant, style)),)


def _one_call(problem: Problem, variant: Variant, style: str) -> tuple[Message, ...]:
    if style in _ASKED:
        return (Message("system", _ASKED[style](problem)), Message("user", variant.text))
    if style not in _STYLES:
        raise UnknownNameError(
            f"prompt style {style!r} is not known; allowed: {', '.join(style_names())}"
        )
    return (*_STYLES[style](problem), Message("user", variant.text))


def _plain(problem: Problem) -> tuple[Message, ...]:
    return (Message("system", _instruction(problem)),)


def _two_shot(problem: Problem) -> tuple[Message, ...]:
    return _shown(problem, _examples(problem)[:2])


def _few_shot(problem: Problem) -> tuple[Message, ...]:
    return _shown(problem, _examples(problem))


def _shown(problem: Problem, examples: tuple[_Example, ...]) -> tuple[Message, ...]:
    messages = [Message("system", _instruction(problem))]
    for example in examples:
        messages.append(Message("user", example.task))
        messages.append(Message("assistant", example.reply))
    return tuple(messages)


_STYLES: dict[str, Callable[[Problem], tuple[Message, ...]]] = {
    "few_shot": _few_shot,
    "plain": _plain,
    "two_shot": _two_shot,
}


def _instruction(problem: Problem) -> str:
    return f"You write code. Reply with {wanted_program(problem)}, {code_block(problem)} {_ALONE}"


_ALONE = "Write nothing before or after it."


def _after(words: str) -> Callable[[Problem], str]:
    return lambda problem: ask_for_code(words, problem)


def _within(words: str) -> Callable[[Problem], str]:
    """Return the plain instruction with one more demand on the program."""

    def instruct(problem: Problem) -> str:
        return f"{_instruction(problem)} {words}"

    return instruct


# A demand on the form stands in the system message, so that clean and changed prompts differ in
# exactly the words that they differ in under ``plain``.
_ASKED: dict[str, Callable[[Problem], str]] = {
    "commented": _within("Put a comment in front of each step of the program that says its why."),
    "cot": _after("First think the task through step by step, in words."),
    "no_comments": _within("The program has no comments and no docstrings."),
    "program_of_thought": _within(
        "Do your reasoning inside the program: break the task into intermediate steps, and "
        "compute each in a statement of its own, under a name that says what it holds."
    ),
}


@dataclass(frozen=True, slots=True)
class _Example:
    """A worked example: a task in the form of the bundled ones, and the reply to it."""

    task: str
    reply: str


def _examples(problem: Problem) -> tuple[_Example, ...]:
    by_name = problem.interface is Interface.FUNCTION
    match problem.language:
        case Language.PYTHON:
            return _PYTHON_FUNCTION if by_name else _PYTHON_STDIN
        case Language.C:
            # No set of problems asks for C functions; an example of a program would mislead.
            return () if by_name else _C_STDIN
        case _:
            return ()  # a language is asked without examples until somebody writes them


# Their formulas are of another shape than any bundled one: they show the form of a program and
# that a formula is copied as it stands, never a solution.  They are short, since every token of
# them slows each token of a reply.
_C_STDIN = (
    _Example(
        """\
Write a C program that reads a, b and c and computes result = a + b * c. \
Print the result with 6 digits after the decimal point.

Example:
Input: 2 3 4
Output: 14.000000""",
        """\
```c
#include <stdio.h>
#include <math.h>

int main(void) {
    double a, b, c;
    scanf("%lf %lf %lf", &a, &b, &c);
    double result = a + b * c;
    printf("%.6f\\n", result);
}
```""",
    ),
    _Example(
        """\
Write a C program that reads a and x and computes result = a * x - 7. \
Print the result with 6 digits after the decimal point.

Example:
Input: 2 3
Output: -1.000000""",
        """\
```c
#include <stdio.h>
#include <math.h>

int main(void) {
    double a, x;
    scanf("%lf %lf", &a, &x);
    double result = a * x - 7;
    printf("%.6f\\n", result);
}
```""",
    ),
    _Example(
        """\
Write a C program that reads a, b, c and x and computes result = (a - b) * (c + x). \
Print the result with 6 digits after the decimal point.

Example:
Input: 2 3 4 5
Output: -9.000000""",
        """\
```c
#include <stdio.h>
#include <math.h>

int main(void) {
    double a, b, c, x;
    scanf("%lf %lf %lf %lf", &a, &b, &c, &x);
    double result = (a - b) * (c + x);
    printf("%.6f\\n", result);
}
```""",
    ),
    _Example(
        """\
Write a C program that reads b, c and x and computes result = b * x / (c + 2). \
Print the result with 6 digits after the decimal point.

Example:
Input: 2 3 4
Output: 1.600000""",
        """\
```c
#include <stdio.h>
#include <math.h>

int main(void) {
    double b, c, x;
    scanf("%lf %lf %lf", &b, &c, &x);
    double result = b * x / (c + 2);
    printf("%.6f\\n", result);
}
```""",
    ),
)

_PYTHON_FUNCTION = (
    _Example(
        """\
Given a list of prices `prices` and a number `limit`, count the prices that are above the limit.
Write a Python function count_above(prices: list[int], limit: int) -> int that returns the count.

Examples:
Input: prices = [3, 9, 5], limit = 4
Output: 2""",
        """\
```python
def count_above(prices, limit):
    count = 0
    for price in prices:
        if price > limit:
            count += 1
    return count
```""",
    ),
    _Example(
        """\
Given a string `line`, remove every dash from it.
Write a Python function drop_dashes(line: str) -> str that returns the new string.

Examples:
Input: line = "a-b--c"
Output: "abc\"""",
        """\
```python
def drop_dashes(line):
    return line.replace("-", "")
```""",
    ),
)

_PYTHON_STDIN = (
    _Example(
        """\
Read two integers, width and height, and print the length of a fence around the field.

Input:
One line with the integers width and height, separated by a blank.

Output:
Print one integer.""",
        """\
```python
width, height = map(int, input().split())
print(2 * (width + height))
```""",
    ),
    _Example(
        """\
Read a number n and then n words, each on its own line. Print the longest word; of several, the \
first.

Input:
The first line has the integer n. Each of the next n lines has one word.

Output:
Print one word.""",
        """\
```python
n = int(input())
words = [input().strip() for _ in range(n)]
print(max(words, key=len))
```""",
    ),
)
