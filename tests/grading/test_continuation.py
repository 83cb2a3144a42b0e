"""Replies that go on where a prompt of code stops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codequake.grading import extract
from codequake.grading.continuation import Continuation
from codequake.problems import load_set
from codequake.records import Language, Problem

OPENING = "import math\n\n\ndef half(x):\n    return x / 2"
PROMPT = f'{OPENING}\n\n\ndef up(x):\n    """Add half.\n\n    >>> up(2)\n    3\n    """\n'
ROW = {
    "task_id": "Own/0",
    "prompt": PROMPT,
    "entry_point": "up",
    "canonical_solution": "    return x + half(x)\n",
    "test": "def check(candidate):\n    assert candidate(2) == 3\n",
}


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(ROW))
    return load_set(f"humaneval:{path}")[0]


BODY = "    return x + half(x)\n"
WHOLE = "def up(x):\n    return x + 1"
USING = "def up(x):\n    return x + half(x)"


@pytest.mark.parametrize(
    ("reply", "completed"),
    [
        # The body, as HumanEval asks for.
        (BODY, PROMPT + BODY),
        ("\n\n" + BODY, f"{PROMPT}\n\n{BODY}"),
        (BODY + "\n\ndef other():\n    pass\n", f"{PROMPT}{BODY}\n\ndef other():\n    pass\n"),
        (BODY + "```\nThat is all.", f"{PROMPT}{BODY}```\nThat is all."),
        (BODY + "\n\nup(", f"{PROMPT}{BODY}\n\nup("),
        # A whole program, with what it uses of the prompt.
        (WHOLE, WHOLE),
        (f"Sure:\n```python\n{WHOLE}\n```", f"Sure:\n```python\n{WHOLE}\n```"),
        (USING, f"{OPENING}\n\n{USING}"),
        (f"Sure:\n```python\n{USING}\n```\nGood luck!", f"{OPENING}\n\n{USING}\n"),
        (f"{OPENING}\n{USING}", f"{OPENING}\n{USING}"),
        (f"    {WHOLE}", f"    {WHOLE}"),
        (f" Sure:\n```python\n{WHOLE}\n```", f"{PROMPT} Sure:\n```python\n{WHOLE}\n```"),
        # A fence around the body.
        (f"The body:\n```python\n{BODY}```", PROMPT + BODY),
        # Nothing that could be a continuation.
        ("", ""),
        (" \n", " \n"),
        ("I cannot do that.", "I cannot do that."),
        ("    I cannot do that.", "    I cannot do that."),
        ("return x", "return x"),
        ("\treturn x", "\treturn x"),  # not beside a docstring that blanks indent
        ("    # nothing but a comment", "    # nothing but a comment"),
    ],
)
def test_what_a_reply_leaves_to_the_prompt(problem: Problem, reply: str, completed: str) -> None:
    assert Continuation(problem).complete(reply) == completed


def test_a_completed_reply_is_extracted_whole(problem: Problem) -> None:
    text = Continuation(problem).complete(BODY + "\n\nHere is why: it adds half of x.")
    found = extract(text, language=Language.PYTHON, entry_point="up")
    assert found.status is None
    assert found.program.rstrip() == (PROMPT + BODY).rstrip()


def test_a_prompt_without_a_docstring_takes_any_indent(test_data: Path) -> None:
    (item,) = load_set(f"humaneval:{test_data}/humaneval/example_problem.jsonl")
    for reply in ("    return 1", "  return 1", "\treturn 1"):
        assert Continuation(item).complete(reply) == f"def return1():\n{reply}"


def test_statements_in_words_have_nothing_to_continue(test_data: Path) -> None:
    lcb = load_set(f"lcb:{test_data}/fixtures/lcb_code_generation_lite.jsonl")
    for item in (*lcb, *load_set("starter-12")):
        assert Continuation(item).complete("    return 1") == "    return 1"


def test_imports_of_a_set_are_given_to_replies(test_data: Path) -> None:
    (item,) = load_set(f"mbpp:{test_data}/fixtures/mbpp_sanitized.json")
    reply = "def count_even(xs):\n    return math.floor(len(xs))"
    assert Continuation(item).complete(reply) == f"import math\n\n{reply}"


def test_a_very_long_reply_stays_as_it_is(problem: Problem) -> None:
    reply = "    " + "x" * (2 << 20)
    assert Continuation(problem).complete(reply) is reply


def test_a_prompt_that_is_indented_by_tabs_is_continued(problem: Problem) -> None:
    prompt = PROMPT.replace("    ", "\t")
    body = "\treturn x + half(x)\n"
    done = Continuation(problem, prompt, "up").complete(body)
    assert done == prompt + body
    found = extract(done, language=Language.PYTHON, entry_point="up")
    assert found.program.rstrip() == done.rstrip()
