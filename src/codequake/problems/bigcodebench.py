"""BigCodeBench: functions that use libraries, tested by unittest classes; read, and never run.

Fields: ``task_id``, ``complete_prompt``, ``instruct_prompt``, ``entry_point``,
``canonical_solution``, ``test``, ``libs`` (a list, often as the text of one).  The statement is the
prompt to be continued, or with ``bigcodebench+instruct`` the instruction.  Tests and solution need
the libraries, and many a file or a network, so ``environment`` says what is missing here; whoever
wants verdicts takes BigCodeBench's own evaluator.
"""

from __future__ import annotations

import ast
from pathlib import Path

from codequake.canonical import canonical_json
from codequake.ports import Oracle
from codequake.problems.code_prompts import code_statement
from codequake.problems.foreign import Format, ProblemFile, Row, read_foreign
from codequake.problems.python_prompts import parse_python, signature_of
from codequake.problems.selection import Selection
from codequake.records import Comparison, Interface, JsonText, Language, Problem, Reference, Test

__all__ = ["read_bigcodebench", "read_bigcodebench_instruct"]

_EVERYTHING = Selection()


def read_bigcodebench(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read a BigCodeBench file with the prompts to be continued; ``oracle`` is not used."""
    return read_foreign(path, Format(lambda row: _problem(row, "complete_prompt")), wanted)


def read_bigcodebench_instruct(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read a BigCodeBench file with the instructions as prompts; ``oracle`` is not used."""
    return read_foreign(path, Format(lambda row: _problem(row, "instruct_prompt")), wanted)


def _problem(row: Row, prompt: str) -> Problem:
    entry_point = row.text("entry_point")
    solution = row.text("complete_prompt") + row.text("canonical_solution")
    tree = parse_python(solution, row, "complete_prompt with its solution")
    test = row.text("test")
    checks = parse_python(test, row, "test")
    if not any(isinstance(node, ast.ClassDef) for node in checks.body):
        raise row.fault("test defines no class of unittest")
    libraries = _libraries(row)
    statement = row.text(prompt)
    return Problem(
        problem_id=f"bigcodebench/{row.identity('task_id')}",
        title=entry_point,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point=entry_point,
        parameters=signature_of(tree, entry_point, row)[0],
        statement=statement,
        structure=code_statement(statement),
        tests=(Test(JsonText(canonical_json(test)), JsonText("null"), visible=False),),
        references=(Reference("canonical_solution", Language.PYTHON, solution),),
        wrong=(),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=None,
        topics=libraries,
        source="BigCodeBench (Zhuo et al., 2024)",
        licence="Apache-2.0",
        assertions="",
        environment=(
            "BigCodeBench's environment for unittest"
            + (f" with {', '.join(libraries)}" if libraries else "")
        ),
    )


def _libraries(row: Row) -> tuple[str, ...]:
    found = row.value("libs") if row.has("libs") else []
    if isinstance(found, str):
        try:
            found = ast.literal_eval(found) if found.strip() else []
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise row.wrong("libs", found, "a list of names") from error
    if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
        raise row.wrong("libs", found, "a list of names")
    return tuple(dict.fromkeys(found))
