"""Comments of the programs, and whether problems that lose them are those that drop.

This describes, and does not explain: a prompt that makes a model write another kind of program may
change its comments and its errors alike, and a shorter program has fewer of both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from codequake.grading.counts import Unmeasured
from codequake.grading.measures import measure_program
from codequake.metrics.program_pairs import ProgramPair
from codequake.records import LeftOut, Status
from codequake.stats import Interval, Missing, group_difference, group_interval

__all__ = ["CONFOUNDED", "CommentDrop", "VanishedComments", "comment_drops", "vanished_comments"]

CONFOUNDED = (
    "Comments were not set at will: what makes a model leave them out may make it fail, so a "
    "difference here does not say that comments help."
)


@dataclass(frozen=True, slots=True)
class CommentDrop:
    """How far outcomes fall where a program loses its comments, and where it keeps some.

    Pairs whose clean program has a comment line are taken; ``kept``: the changed program has one,
    too; ``lost``: it has none.  ``drop_kept`` and ``drop_lost`` are mean falls (clean less changed
    outcome, -1 to 1) over problems, ``difference`` is the second less the first.  Pairs are
    averaged within a problem first; a problem may stand in both groups.  Numbers are ``None`` where
    there is nothing to take the mean of; ``note`` says what cannot be read from them.
    """

    model: str
    family: str
    problems_kept: int
    problems_lost: int
    drop_kept: float | None
    drop_lost: float | None
    difference: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    left_out: tuple[LeftOut, ...]
    note: str


@dataclass(frozen=True, slots=True)
class VanishedComments:
    """A pair whose comments vanish and whose verdict turns from a pass to a failure."""

    model: str
    problem_id: str
    family: str
    variant_id: str
    sample: int
    clean_comments: int
    clean_program: str
    changed_program: str
    changed_status: Status


def comment_drops(pairs: Iterable[ProgramPair], *, level: float = 0.95) -> tuple[CommentDrop, ...]:
    """Return one comparison for each model and family, sorted by both."""
    grouped: dict[tuple[str, str], list[ProgramPair]] = {}
    for pair in pairs:
        grouped.setdefault((pair.model, pair.family), []).append(pair)
    return tuple(_drop(names, found, level) for names, found in sorted(grouped.items()))


def vanished_comments(pairs: Iterable[ProgramPair]) -> tuple[VanishedComments, ...]:
    """Return the pairs to exhibit, in their order: comments before and none after, pass to fail."""
    found = []
    for pair in pairs:
        counts = _comment_lines(pair)
        if isinstance(counts, str) or pair.clean.passed is not True:
            continue
        if counts[0] > 0 and counts[1] == 0 and pair.changed.passed is False:
            found.append(
                VanishedComments(
                    pair.model,
                    pair.problem_id,
                    pair.family,
                    pair.variant_id,
                    pair.sample,
                    counts[0],
                    pair.clean.program,
                    pair.changed.program,
                    pair.changed.status,
                )
            )
    return tuple(found)


def _comment_lines(pair: ProgramPair) -> tuple[int, int] | str:
    """Comment lines of both programs, or why one has no number."""
    counts = []
    for name, side in (("clean", pair.clean), ("changed", pair.changed)):
        measured = measure_program(side.program, pair.language)
        if isinstance(measured, Unmeasured):
            return f"{name} program: {measured.reason.partition(':')[0]}"
        counts.append(measured.comment_lines)
    return counts[0], counts[1]


def _drop(names: tuple[str, str], pairs: Iterable[ProgramPair], level: float) -> CommentDrop:
    kept: dict[str, list[float]] = {}
    lost: dict[str, list[float]] = {}
    reasons: Counter[str] = Counter()
    for pair in pairs:
        counts = _comment_lines(pair)
        if pair.clean.passed is None or pair.changed.passed is None:
            reasons["a reply is pending"] += 1
        elif isinstance(counts, str):
            reasons[counts] += 1
        elif counts[0] == 0:
            reasons["the clean program has no comment"] += 1
        else:
            fall = float(pair.clean.passed) - float(pair.changed.passed)
            (kept if counts[1] else lost).setdefault(pair.problem_id, []).append(fall)
    stayed, gone = _means(kept), _means(lost)
    difference = group_difference(stayed, gone)
    interval = group_interval(stayed, gone, level=level)
    found = interval if isinstance(interval, Interval) else None
    notes = [CONFOUNDED]
    if isinstance(interval, Missing):
        notes.append(f"No interval: {interval.reason}.")
    return CommentDrop(
        *names,
        problems_kept=len(stayed),
        problems_lost=len(gone),
        drop_kept=_mean(stayed),
        drop_lost=_mean(gone),
        difference=None if isinstance(difference, Missing) else difference,
        low=found.low if found else None,
        high=found.high if found else None,
        level=level,
        method=found.method if found else "",
        left_out=tuple(LeftOut(reason, count) for reason, count in sorted(reasons.items())),
        note=" ".join(notes),
    )


def _means(grouped: Mapping[str, list[float]]) -> dict[str, float]:
    return {name: math.fsum(found) / len(found) for name, found in grouped.items()}


def _mean(values: Mapping[str, float]) -> float | None:
    return math.fsum(values.values()) / len(values) if values else None
