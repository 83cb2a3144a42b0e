"""LiveCodeBench (code generation, also "lite"): functions of LeetCode and programs on stdin.

Fields: ``question_id``, ``question_title``, ``question_content``, ``starter_code``, ``difficulty``,
``platform``, ``contest_id``, ``contest_date``, ``public_test_cases`` (visible),
``private_test_cases`` (hidden: JSON, or packed as in ``codequake.problems.packed_tests``) and
``metadata`` with the name of the function.  The arguments of a call stand one a line, in JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codequake.canonical import parse_json
from codequake.errors import DataError
from codequake.ports import Oracle
from codequake.problems.foreign import ProblemFile, Row, canonical_text, read_foreign
from codequake.problems.packed_tests import unpack_text
from codequake.problems.python_prompts import parse_python, signature_of
from codequake.records import Comparison, Difficulty, Interface, Language, Problem, Test

__all__ = ["STARTER_LEAD", "read_difficulty", "read_livecodebench", "with_starter"]

STARTER_LEAD = "Start from this code:"
"""What stands in a statement between the text of the task and the code to start from."""

_KINDS = {"functional": Interface.FUNCTION, "stdin": Interface.STDIN}


def read_livecodebench(path: Path, oracle: Oracle | None = None) -> ProblemFile:
    """Read a LiveCodeBench file; ``oracle`` is not used.  Raises ``DataError``."""
    return read_foreign(path, _problem)


def _problem(row: Row) -> Problem:
    question = row.identity("question_id")
    public = _cases(row, "public_test_cases")
    private = _cases(row, "private_test_cases")
    interface = _interface(row, (*public, *private))
    starter = row.optional_text("starter_code")
    entry_point: str | None = None
    parameters: tuple[str, ...] = ()
    if interface is Interface.FUNCTION:
        entry_point, parameters = _function(row, starter)
    return Problem(
        problem_id=f"lcb/{question}",
        title=row.optional_text("question_title") or question,
        language=Language.PYTHON,
        interface=interface,
        entry_point=entry_point,
        parameters=parameters,
        statement=with_starter(row.text("question_content"), starter),
        structure=None,
        tests=(
            *_tests(row, public, interface, visible=True),
            *_tests(row, private, interface, visible=False),
        ),
        references=(),
        wrong=(),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=read_difficulty(row),
        topics=(),
        source=", ".join(
            ["LiveCodeBench"]
            + [
                text
                for name in ("platform", "contest_id", "contest_date")
                if (text := row.optional_text(name))
            ]
        ),
        licence="the problem text belongs to the contest site",
    )


def with_starter(text: str, starter: str) -> str:
    """Return a statement that ends in the code to start from, where there is some."""
    if not starter.strip():
        return text.rstrip()
    return f"{text.rstrip()}\n\n{STARTER_LEAD}\n```python\n{starter.rstrip()}\n```"


def read_difficulty(row: Row) -> Difficulty | None:
    """Return the difficulty, in any case; ``None`` when it is missing or another word."""
    name = row.optional_text("difficulty").strip().lower()
    return Difficulty(name) if name in set(Difficulty) else None


def _function(row: Row, starter: str) -> tuple[str, tuple[str, ...]]:
    """Return the name to call, from the metadata, and its parameters, from the starter code."""
    metadata = row.value("metadata")
    if isinstance(metadata, str):
        metadata = _json(metadata, row, "metadata") if metadata.strip() else {}
    name = metadata.get("func_name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise row.fault("metadata names no func_name, and the tests call a function")
    if not starter.strip():
        raise row.fault("starter_code is empty, and the tests call a function")
    tree = parse_python(f"{starter.rstrip()}\n        pass\n", row, "starter_code")
    return name, signature_of(tree, name, row)[0]


def _cases(row: Row, name: str) -> tuple[dict[str, Any], ...]:
    found = row.value(name)
    if isinstance(found, str):
        text = found
        if text.strip() and not text.lstrip().startswith("["):
            try:
                text = unpack_text(text)
            except DataError as error:
                raise row.fault(f"{name} is {error}") from error
        found = _json(text, row, name) if text.strip() else []
    if not isinstance(found, list) or not all(isinstance(case, dict) for case in found):
        raise row.wrong(name, found, "a list of tests")
    for case in found:
        for field in ("input", "output", "testtype"):
            if not isinstance(case.get(field), str):
                raise row.fault(f"{name} has a test whose {field} is no string")
    return tuple(found)


def _json(text: str, row: Row, what: str) -> Any:
    try:
        return parse_json(text)
    except DataError as error:
        raise row.fault(f"{what} is {error}") from error


def _interface(row: Row, cases: Sequence[dict[str, Any]]) -> Interface:
    kinds = sorted({case["testtype"] for case in cases})
    if not kinds:
        raise row.fault("there is no test")
    if len(kinds) > 1 or kinds[0] not in _KINDS:
        raise row.fault(f"the tests are of type {', '.join(kinds)}; allowed: functional or stdin")
    return _KINDS[kinds[0]]


def _tests(
    row: Row, cases: Sequence[dict[str, Any]], interface: Interface, *, visible: bool
) -> list[Test]:
    tests = []
    for number, case in enumerate(cases, start=1):
        what = f"{'public' if visible else 'private'} test {number}"
        match interface:
            case Interface.FUNCTION:
                lines = [line for line in case["input"].split("\n") if line.strip()]
                given: Any = [_json(line, row, f"an input of {what}") for line in lines]
                output = _json(case["output"], row, f"the output of {what}")
            case Interface.STDIN:
                given, output = case["input"], case["output"]
        tests.append(
            Test(
                canonical_text(given, row, f"the input of {what}"),
                canonical_text(output, row, f"the output of {what}"),
                visible,
            )
        )
    return tests
