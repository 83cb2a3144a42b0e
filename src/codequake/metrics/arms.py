"""One side of a comparison: a value a problem, with bounds while replies are pending."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from codequake.errors import UsageError
from codequake.metrics.rows import Cell

__all__ = ["Arm", "Bounds", "build_arm", "cell_bounds", "check_comparable", "mean_bounds"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """A problem's mean outcome if all pending replies failed (low) or passed (high).

    ``value`` is the mean over the replies that are there; ``None`` while there is none.
    """

    low: float
    high: float
    value: float | None


@dataclass(frozen=True, slots=True)
class Arm:
    """The values of one family of prompts under one model, by problem.

    ``cells`` are those that the values rest on; ``without_tests`` names the problems that have no
    test in the scope.
    """

    values: Mapping[str, Bounds]
    cells: tuple[Cell, ...]
    without_tests: frozenset[str]


def cell_bounds(cell: Cell, scope: str) -> Bounds:
    """Return the mean outcome of a cell over its samples."""
    found = [outcome.in_scope(scope) for outcome in cell.outcomes]
    passed, pending = found.count(True), found.count(None)
    finished = len(found) - pending
    value = passed / finished if finished else None
    return Bounds(passed / len(found), (passed + pending) / len(found), value)


def build_arm(cells: Iterable[Cell], scope: str) -> Arm:
    """Average cells within each problem: samples within a variant, then variants.

    A problem without tests in the scope has no value and is counted instead.
    """
    kept: list[Cell] = []
    without: set[str] = set()
    grouped: dict[str, list[Bounds]] = {}
    for cell in cells:
        if not cell.has_tests(scope):
            without.add(cell.variant.problem_id)
            continue
        kept.append(cell)
        grouped.setdefault(cell.variant.problem_id, []).append(cell_bounds(cell, scope))
    values = {problem: mean_bounds(found) for problem, found in sorted(grouped.items())}
    return Arm(values, tuple(kept), frozenset(without))


def mean_bounds(bounds: Sequence[Bounds]) -> Bounds:
    """Return the mean of bounds; the caller makes sure that there is one."""
    values = [item.value for item in bounds if item.value is not None]
    return Bounds(
        math.fsum(item.low for item in bounds) / len(bounds),
        math.fsum(item.high for item in bounds) / len(bounds),
        math.fsum(values) / len(values) if values else None,
    )


def check_comparable(first: Arm, second: Arm, *, model: str, what: str) -> None:
    """Raise ``UsageError`` unless both arms were asked and graded in the same way.

    Over all their common problems the model must have reported one id; on each problem decoding,
    number of samples a variant, and grader must be the same.
    """
    common = set(first.values) & set(second.values)
    reported: set[str] = set()
    by_problem: dict[str, list[Cell]] = {}
    for cell in (*first.cells, *second.cells):
        if cell.variant.problem_id in common:
            by_problem.setdefault(cell.variant.problem_id, []).append(cell)
            reported.update(outcome.reported for outcome in cell.outcomes if outcome.reported)
    if len(reported) > 1:
        raise _mixed(model, what, "model ids reported by the provider", reported)
    for problem, cells in sorted(by_problem.items()):
        outcomes = [outcome for cell in cells for outcome in cell.outcomes]
        where = f"{what}, problem {problem!r}"
        for name, found in (
            ("decodings", {str(outcome.decoding) for outcome in outcomes}),
            ("numbers of samples", {str(len(cell.outcomes)) for cell in cells}),
            ("graders", {outcome.grader for outcome in outcomes if outcome.grader}),
        ):
            if len(found) > 1:
                raise _mixed(model, where, name, found)


def _mixed(model: str, where: str, name: str, found: set[str]) -> UsageError:
    shown = ", ".join(repr(item) for item in sorted(found)[:3])
    return UsageError(
        f"model {model!r}, {where}: two {name} ({shown}) are mixed; a difference needs one"
    )
