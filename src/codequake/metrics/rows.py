"""The rows that estimates are made from, checked and joined: one cell a model and variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from codequake.errors import DataError
from codequake.metrics.scopes import ALL_TESTS, VISIBLE, passes
from codequake.records import (
    Completion,
    JsonText,
    Planned,
    Problem,
    Status,
    StopReason,
    Variant,
    Verdict,
)

__all__ = [
    "Cell",
    "Outcome",
    "StudyFacts",
    "StudyRows",
    "count_shared_replies",
    "join_rows",
    "pending_counts",
]

NO_REPLY = "no reply yet"
NOT_GRADED = "not graded yet"


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """What is true of a study as a whole.

    ``deterministic`` names the models whose decoding gives the same reply to the same prompt.
    """

    deterministic: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyRows:
    """Everything that estimates rest on; the order of rows has no meaning."""

    problems: tuple[Problem, ...]
    variants: tuple[Variant, ...]
    planned: tuple[Planned, ...]
    completions: tuple[Completion, ...]
    verdicts: tuple[Verdict, ...]
    facts: StudyFacts = StudyFacts()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one planned reply.

    ``status`` is ``None`` while nothing was graded; ``pending`` then, and for errors that are not
    the model's, says why.  ``passed`` and ``visible`` are ``None`` while pending.
    """

    sample: int
    decoding: JsonText
    status: Status | None
    pending: str | None
    passed: bool | None
    visible: bool | None
    reported: str
    grader: str
    key: str
    text: str

    def in_scope(self, scope: str) -> bool | None:
        """Return pass, fail or pending in a scope."""
        return self.passed if scope == ALL_TESTS else self.visible


@dataclass(frozen=True, slots=True)
class Cell:
    """One model's replies to one variant, by sample, and which kinds of tests judge it."""

    model: str
    variant: Variant
    has_visible: bool
    has_hidden: bool
    outcomes: tuple[Outcome, ...]


_Key = tuple[str, str, int]
_Row = TypeVar("_Row", Planned, Completion, Verdict)


def count_shared_replies(completions: Iterable[Completion]) -> int:
    """Count completions whose reply an equal prompt of another variant had already got."""
    keys = [(item.model, item.key) for item in completions]
    return len(keys) - len(set(keys))


def join_rows(rows: StudyRows) -> tuple[Cell, ...]:
    """Join plan, completions and verdicts into cells, sorted by model and variant.

    Raises ``DataError`` for a row that stands twice, was not planned, or belongs to no variant or
    problem: any of these would change a denominator in silence.
    """
    problems = {problem.problem_id: problem for problem in rows.problems}
    variants = {variant.variant_id: variant for variant in rows.variants}
    if len(problems) != len(rows.problems) or len(variants) != len(rows.variants):
        raise DataError("a problem or a variant stands twice in the study")
    planned = _by_key("planned reply", rows.planned)
    completions = _by_key("completion", rows.completions)
    verdicts = _by_key("verdict", rows.verdicts)
    for name, keys in (("completion", set(completions)), ("verdict", set(verdicts))):
        extra = sorted(keys - set(planned))
        if extra:
            raise DataError(f"{name} of {_spell(extra[0])} was not planned")
    grouped: dict[tuple[str, str], list[Outcome]] = {}
    for key in sorted(planned):
        outcome = _outcome(planned[key], completions.get(key), verdicts.get(key))
        grouped.setdefault(key[:2], []).append(outcome)
    cells = []
    for (model, variant_id), outcomes in grouped.items():
        if variant_id not in variants:
            raise DataError(f"planned reply of model {model!r} to unknown variant {variant_id!r}")
        variant = variants[variant_id]
        for needed in (variant.problem_id, variant.oracle_id):
            if needed not in problems:
                raise DataError(f"variant {variant_id!r} belongs to unknown problem {needed!r}")
        shown = {test.visible for test in problems[variant.oracle_id].tests}
        cells.append(Cell(model, variant, True in shown, False in shown, tuple(outcomes)))
    return tuple(cells)


def _by_key(name: str, rows: Sequence[_Row]) -> dict[_Key, _Row]:
    found: dict[_Key, _Row] = {}
    for row in rows:
        key = (row.model, row.variant_id, row.sample)
        if key in found:
            raise DataError(f"{name} of {_spell(key)} stands twice")
        found[key] = row
    return found


def _spell(key: _Key) -> str:
    return f"model {key[0]!r}, variant {key[1]!r}, sample {key[2]}"


def _outcome(planned: Planned, reply: Completion | None, graded: Verdict | None) -> Outcome:
    pending: str | None = None
    if graded is not None:
        if passes(graded, ALL_TESTS) is None:
            pending = graded.status.value
    elif reply is None:
        pending = NO_REPLY
    elif reply.stop_reason is StopReason.ERROR:
        pending = Status.PROVIDER_ERROR.value
    else:
        pending = NOT_GRADED
    return Outcome(
        sample=planned.sample,
        decoding=planned.decoding,
        status=None if graded is None else graded.status,
        pending=pending,
        passed=None if graded is None else passes(graded, ALL_TESTS),
        visible=None if graded is None else passes(graded, VISIBLE),
        reported=reply.model_reported if reply and reply.stop_reason != StopReason.ERROR else "",
        grader="" if graded is None else graded.grader,
        key="" if reply is None else reply.key,
        text="" if reply is None else reply.text,
    )


def pending_counts(cells: Iterable[Cell]) -> Counter[str]:
    """Count pending replies by reason."""
    return Counter(
        outcome.pending for cell in cells for outcome in cell.outcomes if outcome.pending
    )
