"""LeetCodeDataset: LeetCode problems with one check function of many assertions.

Fields: ``task_id``, ``problem_description``, ``starter_code``, ``prompt`` (imports and the classes
that LeetCode provides), ``completion`` (a solution), ``entry_point`` such as ``Solution().twoSum``,
``test``, and maybe ``difficulty``, ``tags``, ``estimated_date``, ``input_output``.  The one test is
hidden.  ``prompt`` runs before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json
from codequake.ports import Oracle
from codequake.problems.foreign import Format, ProblemFile, Row, read_foreign
from codequake.problems.foreign_statements import leetcode_statement
from codequake.problems.livecodebench import STARTER_LEAD, read_difficulty, with_starter
from codequake.problems.python_prompts import (
    defines,
    keyword_values,
    parse_python,
    signature_of,
    with_check_apart,
)
from codequake.problems.scraped import restore_powers
from codequake.problems.selection import Facts, Selection
from codequake.records import Comparison, Interface, JsonText, Language, Problem, Reference, Test

__all__ = ["read_leetcode_dataset"]

_EVERYTHING = Selection()


def read_leetcode_dataset(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read a LeetCodeDataset file; ``oracle`` is not used.  Raises ``DataError``."""
    return read_foreign(path, Format(_problem, facts=_facts), wanted)


def _facts(row: Row) -> Facts:
    return Facts(day=row.day("estimated_date"), difficulty=read_difficulty(row))


def _problem(row: Row) -> Problem:
    task_id = row.identity("task_id")
    entry_point = row.text("entry_point").rpartition(".")[2].strip()
    opening = row.optional_text("prompt").strip("\n")
    parse_python(opening, row, "prompt")
    reference = f"{opening}\n\n{row.text('completion')}"
    tree = parse_python(reference, row, "prompt with its completion")
    test = row.text("test")
    checks = parse_python(test, row, "test")
    if not defines(checks, "check"):
        raise row.fault("test defines no function check(candidate)")
    test, check = with_check_apart(test, checks, entry_point)
    parameters = signature_of(tree, entry_point, row)[0]
    powers = restore_powers(row.text("problem_description"), parameters, _inputs(row, parameters))
    for bound in powers.restored:
        row.note(f"the bound {bound} was put back, which a test proves")
    for bound in powers.doubtful:
        row.note(f"the bound {bound} may be a power whose raised digit was lost")
    statement = with_starter(powers.text, row.optional_text("starter_code"))
    statements = JsonText(canonical_json(f"{test.rstrip()}\n\n{check}(candidate)\n"))
    return Problem(
        problem_id=f"leetcode-dataset/{task_id}",
        title=task_id,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point=entry_point,
        parameters=parameters,
        statement=statement,
        structure=leetcode_statement(statement, STARTER_LEAD.rstrip(":")),
        tests=(Test(statements, JsonText("null"), visible=False),),
        references=(Reference("completion", Language.PYTHON, reference),),
        wrong=(),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=read_difficulty(row),
        topics=tuple(tag for tag in row.texts("tags") if tag.strip()),
        source="LeetCodeDataset (Xia et al., 2025)",
        licence="Apache-2.0; the problem texts belong to LeetCode",
        redistributable=False,
        assertions=opening,
    )


def _inputs(row: Row, parameters: Sequence[str]) -> Iterator[list[Any]]:
    """Yield the arguments that stand as ``nums = [1, 2], k = 3`` in ``input_output``."""
    cases = row.value("input_output") if row.has("input_output") else []
    if not isinstance(cases, list):
        raise row.wrong("input_output", cases, "a list")
    for case in cases:
        text = case.get("input") if isinstance(case, dict) else None
        if isinstance(text, str):
            values = keyword_values(text)
            yield [values.get(name) for name in parameters]
