"""ReCode: prompts of HumanEval that others have perturbed, paired with the problems they change.

Fields: ``task_id``, ``prompt``, ``entry_point`` (renamed in the files of function names), and, in
the files of code formats, ``partial``: there the prompt holds the beginning of a solution, and
``partial`` is that prompt as it was.  The name of the perturbation and its seed are those of the
file: ``humaneval_BackTranslation_s0.jsonl.gz``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codequake.errors import DataError
from codequake.problems.foreign import Row, read_rows
from codequake.problems.python_prompts import opening_of, parse_python, signature_of, with_body
from codequake.records import Problem

__all__ = ["ReadyFile", "ReadyPrompt", "read_recode"]

_NAME = re.compile(r"(?:humaneval|mbpp)_(?P<name>.+?)(?:_s(?P<seed>\d+))?")
_NO_SEED = 0


@dataclass(frozen=True, slots=True)
class ReadyPrompt:
    """A changed prompt that somebody else made.

    ``entry_point`` is the name that it asks for.  ``begun`` is given where the prompt holds the
    beginning of a solution: it is that prompt before the change.  ``fault`` says why the text is
    no prompt of code any more, and is empty where it is one.
    """

    problem: Problem
    family: str
    seed: int
    text: str
    entry_point: str
    begun: str | None
    fault: str
    place: str


@dataclass(frozen=True, slots=True)
class ReadyFile:
    """The good rows of a file, a sentence for each bad one, and how many belong to no problem."""

    prompts: tuple[ReadyPrompt, ...]
    faults: tuple[str, ...]
    others: int


def read_recode(path: Path, problems: Sequence[Problem]) -> ReadyFile:
    """Pair the prompts of a file with the problems whose id ends in their ``task_id``.

    A prompt belongs to every such problem, so HumanEval and HumanEval+ may both be there.  Rows of
    no problem are counted.  A fault is one sentence with file and line.  Raises ``DataError`` when
    the file cannot be read at all, or holds no row.
    """
    family, seed = _named(path)
    known: dict[str, list[Problem]] = {}
    for problem in problems:
        known.setdefault(problem.problem_id.partition("/")[2], []).append(problem)
    prompts: list[ReadyPrompt] = []
    faults: list[str] = []
    first: dict[str, str] = {}
    others = 0
    for item in read_rows(path):
        try:
            if isinstance(item, DataError):
                raise item
            task_id = item.identity("task_id")
            if task_id in first:
                raise item.fault(f"id {task_id!r} stands twice, first at {first[task_id]}")
            first[task_id] = item.place
            found = _prompts(item, known.get(task_id, ()), family, seed)
        except DataError as error:
            faults.append(str(error))
        else:
            prompts += found
            others += not found
    if not first and not faults:
        raise DataError("holds no prompt", place=str(path))
    return ReadyFile(tuple(prompts), tuple(faults), others)


def _named(path: Path) -> tuple[str, int]:
    """Return the family and the seed that a file's name tells."""
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
    match = _NAME.fullmatch(stem)
    if match is None:
        return f"recode_{stem}", _NO_SEED
    return f"recode_{match['name']}", int(match["seed"] or _NO_SEED)


def _prompts(
    row: Row, problems: Sequence[Problem], family: str, seed: int
) -> tuple[ReadyPrompt, ...]:
    text, entry_point = row.text("prompt"), row.text("entry_point")
    begun = row.text("partial") if row.has("partial") else None
    given = row.value("seed") if row.has("seed") else seed
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < 2**63:
        raise row.wrong("seed", given, "a whole number from 0")
    if not re.search(rf"^def[ \t]+{re.escape(entry_point)}[ \t]*\(", text, re.MULTILINE):
        raise row.fault(f"the prompt does not begin the function {entry_point!r}")
    fault = "" if begun is not None else _fault(row, text, entry_point)
    parameters = None if begun is not None or fault else _parameters(row, text, entry_point)
    for problem in problems:
        if parameters is not None and parameters[: len(problem.parameters)] != problem.parameters:
            raise row.fault(
                f"the prompt asks for the parameters {', '.join(parameters)}, and problem "
                f"{problem.problem_id} for {', '.join(problem.parameters)}"
            )
    return tuple(
        ReadyPrompt(problem, family, given, text, entry_point, begun, fault, row.place)
        for problem in problems
    )


def _fault(row: Row, text: str, entry_point: str) -> str:
    """Return why a prompt is no longer one: some perturbations broke the quotes of the text."""
    try:
        opening_of(text, entry_point, row)
    except DataError as error:
        return str(error).removeprefix(f"{row.place}: ")
    return ""


def _parameters(row: Row, text: str, entry_point: str) -> tuple[str, ...]:
    return signature_of(parse_python(with_body(text), row, "the prompt"), entry_point, row)[0]
