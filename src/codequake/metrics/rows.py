"""The rows that estimates are made from, checked and joined: one cell a model and variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from codequake.errors import DataError
from codequake.metrics.scopes import ALL_TESTS, HIDDEN, VISIBLE, passes
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
    "hidden_tests",
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
    the model's, says why.  ``passed``, ``visible`` and ``hidden`` are ``None`` while pending.
    """

    sample: int
    decoding: JsonText
    status: Status | None
    pending: str | None
    passed: bool | None
    visible: bool | None
    hidden: bool | None
    reported: str
    grader: str
    key: str
    text: str

    def in_scope(self, scope: str) -> bool | None:
        """Return pass, fail or pending in a scope."""
        return {ALL_TESTS: self.passed, VISIBLE: self.visible, HIDDEN: self.hidden}[scope]


@dataclass(frozen=True, slots=True)
class Cell:
    """One model's replies to one variant, by sample, and which kinds of tests judge it.

    ``has_hidden``: there is a test that no prompt of the oracle's problem shows.
    """

    model: str
    variant: Variant
    has_visible: bool
    has_hidden: bool
    outcomes: tuple[Outcome, ...]

    def has_tests(self, scope: str) -> bool:
        """Tell whether any test is in a scope."""
        return {ALL_TESTS: True, VISIBLE: self.has_visible, HIDDEN: self.has_hidden}[scope]


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
    for name, known in (("completion", set(completions)), ("verdict", set(verdicts))):
        extra = sorted(known - set(planned))
        if extra:
            raise DataError(f"{name} of {_spell(extra[0])} was not planned")
    grouped: dict[tuple[str, str], list[_Key]] = {}
    for key in sorted(planned):
        grouped.setdefault(key[:2], []).append(key)
    for variant in rows.variants:
        for needed in (variant.problem_id, variant.oracle_id):
            if needed not in problems:
                raise DataError(
                    f"variant {variant.variant_id!r} belongs to unknown problem {needed!r}"
                )
    hidden = hidden_tests(rows.variants, rows.problems)
    cells = []
    for (model, variant_id), keys in grouped.items():
        if variant_id not in variants:
            raise DataError(f"planned reply of model {model!r} to unknown variant {variant_id!r}")
        variant = variants[variant_id]
        scopes = (_shown(variant, problems[variant.oracle_id]), hidden[variant.oracle_id])
        outcomes = tuple(
            _outcome(planned[key], completions.get(key), verdicts.get(key), scopes) for key in keys
        )
        cells.append(Cell(model, variant, bool(scopes[0]), bool(scopes[1]), outcomes))
    return tuple(cells)


def _shown(variant: Variant, oracle: Problem) -> frozenset[int]:
    """Return the tests of an oracle that stand in the text of a variant."""
    if variant.shown_tests is not None:
        return frozenset(variant.shown_tests)
    return frozenset(index for index, test in enumerate(oracle.tests) if test.visible)


def hidden_tests(
    variants: Iterable[Variant], problems: Iterable[Problem]
) -> dict[str, frozenset[int]]:
    """Return oracle -> the indices of its tests that stand in no text that it judges."""
    oracles = {problem.problem_id: problem for problem in problems}
    found: dict[str, frozenset[int]] = {}
    for variant in variants:
        oracle = oracles[variant.oracle_id]
        every = frozenset(range(len(oracle.tests)))
        found[variant.oracle_id] = found.get(variant.oracle_id, every) - _shown(variant, oracle)
    return found


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


def _outcome(
    planned: Planned,
    reply: Completion | None,
    graded: Verdict | None,
    scopes: tuple[frozenset[int], frozenset[int]],
) -> Outcome:
    """``scopes`` are the visible and the hidden tests."""
    pending: str | None = None
    if graded is not None:
        if passes(graded) is None:
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
        passed=None if graded is None else passes(graded),
        visible=None if graded is None else passes(graded, scopes[0]),
        hidden=None if graded is None else passes(graded, scopes[1]),
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
