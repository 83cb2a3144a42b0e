"""Pairs of programs for the tests of what programs look like and do."""

from __future__ import annotations

from codequake.metrics.program_pairs import NameSets, ProgramPair, Side
from codequake.records import Language, Status, TaskKind

RIGHT = "="


def side(
    program: str = "x = 1\n",
    *,
    passed: bool | None = True,
    vector: tuple[str, ...] | None = None,
    samples: tuple[bool, ...] = (),
    prompt: str = "",
    reply: str | None = None,
) -> Side:
    status = Status.PASSED if passed else Status.WRONG_ANSWER
    if passed is None:
        status = Status.PROVIDER_ERROR
    text = f"```\n{program}```\n" if reply is None else reply
    return Side(prompt, text, program, status, passed, vector, samples)


def pair(
    clean: Side,
    changed: Side,
    *,
    problem: str = "p",
    family: str = "f",
    model: str = "m",
    sample: int = 0,
    task: TaskKind = TaskKind.KEPT,
    names: NameSets | None = None,
    language: Language = Language.PYTHON,
) -> ProgramPair:
    return ProgramPair(
        model=model,
        problem_id=problem,
        oracle_id=problem,
        variant_id=f"{problem}|{family}",
        family=family,
        sample=sample,
        task=task,
        language=language,
        names=names or NameSets(),
        clean=clean,
        changed=changed,
    )
