"""MBPP in its two layouts: the original JSON Lines and the sanitized JSON array.

Fields: ``task_id``, ``text`` or ``prompt``, ``code``, ``test_list``, ``test_setup_code`` or
``test_imports``, ``challenge_test_list``.  Each assertion is a test.  The statement is the task
and, as in the paper's prompt, all assertions of ``test_list``: without them nobody could know what
the function is called.  So all these tests are visible.  The challenge tests are hidden, and only
read when asked for.
"""

from __future__ import annotations

import ast
from pathlib import Path

from codequake.canonical import canonical_json
from codequake.ports import Oracle
from codequake.problems.foreign import Format, ProblemFile, Row, read_foreign
from codequake.problems.foreign_statements import assertion_statement
from codequake.problems.python_prompts import defines, parse_python, signature_of, tested_name
from codequake.problems.selection import Selection
from codequake.records import Comparison, Interface, JsonText, Language, Problem, Reference, Test

__all__ = ["read_mbpp", "read_mbpp_with_challenges"]

_EVERYTHING = Selection()
_TITLE = "Your code should pass these tests"


def read_mbpp(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read an MBPP file without its challenge tests; ``oracle`` is not used."""
    return read_foreign(path, Format(lambda row: _problem(row, challenges=False)), wanted)


def read_mbpp_with_challenges(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read an MBPP file; the challenge tests are hidden tests."""
    return read_foreign(path, Format(lambda row: _problem(row, challenges=True)), wanted)


def _problem(row: Row, *, challenges: bool) -> Problem:
    task_id = row.identity("task_id")
    if not row.has("text") and not row.has("prompt"):
        raise row.fault("the field 'text' (or 'prompt') is missing")
    task = row.text("text" if row.has("text") else "prompt").strip()
    code = row.text("code")
    shown = tuple(item.strip() for item in row.texts("test_list"))
    if not shown:
        raise row.fault("test_list has no assertion")
    hidden = tuple(item.strip() for item in row.texts("challenge_test_list"))
    hidden = hidden if challenges else ()
    setup = "\n".join([*row.texts("test_imports"), row.optional_text("test_setup_code")])
    parse_python(setup, row, "the setup of the tests")
    program = parse_python(code, row, "code")
    trees = [_assertion(item, row) for item in (*shown, *hidden)]
    entry_point = tested_name(trees, program)
    if entry_point is None:
        raise row.fault("the assertions do not all call one function that has a name")
    known = defines(program, entry_point)
    return Problem(
        problem_id=f"mbpp/{task_id}",
        title=entry_point,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point=entry_point,
        parameters=signature_of(program, entry_point, row)[0] if known else (),
        statement="\n".join([task, "", f"{_TITLE}:", *shown]),
        structure=assertion_statement(task, _TITLE, shown),
        tests=tuple(
            Test(JsonText(canonical_json(item)), JsonText("null"), visible=number < len(shown))
            for number, item in enumerate((*shown, *hidden))
        ),
        references=(Reference("code", Language.PYTHON, code),),
        wrong=(),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=None,
        topics=(),
        source="MBPP (Austin et al., 2021)",
        licence="CC-BY-4.0",
        assertions=setup.strip("\n"),
    )


def _assertion(text: str, row: Row) -> ast.Module:
    tree = parse_python(text, row, "an assertion")
    if not any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        raise row.fault(f"an assertion is {text[:60]!r}; allowed: an assert statement")
    return tree
