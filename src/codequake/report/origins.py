"""Where the problems of a study come from, under which licence, and what may not be passed on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codequake.records import Problem

__all__ = ["OriginRow", "origin_rows", "withheld_text"]


@dataclass(frozen=True, slots=True)
class OriginRow:
    """Problems of one set with one source and licence.

    ``source`` is the beginning that their sources share, up to a comma; ``withheld`` says that the
    text of their prompts is not shown.
    """

    name: str
    source: str
    licence: str
    problems: int
    withheld: bool


def origin_rows(problems: Iterable[Problem]) -> tuple[OriginRow, ...]:
    """Return one row for each set, source and licence, sorted.

    Sources that go on behind a comma (a contest and its day) are one row; every problem of
    ``problems.parquet`` and of the JSON report has its whole source.
    """
    counts: dict[tuple[str, str, str, bool], int] = {}
    for problem in problems:
        key = (
            problem.problem_id.partition("/")[0],
            problem.source.partition(",")[0].strip(),
            problem.licence,
            not problem.redistributable,
        )
        counts[key] = counts.get(key, 0) + 1
    return tuple(
        OriginRow(name, source, licence, count, withheld)
        for (name, source, licence, withheld), count in sorted(counts.items())
    )


def withheld_text(problem: Problem) -> str:
    """Return what stands in place of the text of a prompt that may not be passed on."""
    return (
        f"[The text of this prompt is not shown here: {problem.licence}. It stands in "
        "variants.parquet of the study folder.]"
    )
