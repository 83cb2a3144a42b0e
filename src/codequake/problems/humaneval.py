"""HumanEval: a prompt to be continued, and one check function that is the only test.

Fields: ``task_id``, ``prompt``, ``entry_point``, ``canonical_solution``, ``test``.  The statement
is the prompt as it stands.  The one test, hidden, is the text of ``test`` and the call
``check(candidate)``; where its ``check`` would hide the program's, it gets another name.  What the
prompt has before its last function (imports, and helpers that some checks call) runs before it.
"""

from __future__ import annotations

from pathlib import Path

from codequake.canonical import canonical_json
from codequake.ports import Oracle
from codequake.problems.code_prompts import code_statement
from codequake.problems.foreign import Format, ProblemFile, Row, read_foreign
from codequake.problems.python_prompts import (
    defines,
    opening_of,
    parse_python,
    signature_of,
    with_check_apart,
)
from codequake.problems.selection import Selection
from codequake.records import (
    Comparison,
    Interface,
    JsonText,
    Language,
    Problem,
    Reference,
    Test,
)

__all__ = ["read_humaneval"]

_EVERYTHING = Selection()


def read_humaneval(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read a HumanEval file; ``oracle`` is not used.  Raises ``DataError``."""
    return read_foreign(path, Format(_problem), wanted)


def _problem(row: Row) -> Problem:
    task_id, prompt, entry_point = (
        row.identity("task_id"),
        row.text("prompt"),
        row.text("entry_point"),
    )
    reference = prompt + row.text("canonical_solution")
    parameters, _ = signature_of(
        parse_python(reference, row, "the prompt with its solution"), entry_point, row
    )
    test = row.text("test")
    tree = parse_python(test, row, "test")
    if not defines(tree, "check"):
        raise row.fault("test defines no function check(candidate)")
    test, check = with_check_apart(test, tree, entry_point)
    statements = JsonText(canonical_json(f"{test.rstrip()}\n\n{check}(candidate)\n"))
    return Problem(
        problem_id=f"humaneval/{task_id}",
        title=entry_point,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point=entry_point,
        parameters=parameters,
        statement=prompt,
        structure=code_statement(prompt),
        tests=(Test(statements, JsonText("null"), visible=False),),
        references=(Reference("canonical_solution", Language.PYTHON, reference),),
        wrong=(),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=None,
        topics=(),
        source="HumanEval (Chen et al., 2021)",
        licence="MIT",
        assertions=opening_of(prompt, entry_point, row),
    )
