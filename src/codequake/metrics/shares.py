"""Shares of one arm: Pass@1, endings, rejections and the worst case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from codequake.metrics.arms import Arm, Bounds, build_arm, cell_bounds
from codequake.metrics.making import (
    Context,
    Label,
    count_estimate,
    left_out,
    pending_note,
    share_estimate,
)
from codequake.metrics.rows import Cell
from codequake.metrics.scopes import ALL_TESTS, SCOPES
from codequake.records import Estimate, Status, TaskKind, Variant

__all__ = [
    "CLEAN",
    "REPEAT",
    "groups_of",
    "in_group",
    "pass_estimates",
    "rejection_estimates",
    "robust_estimates",
    "status_estimates",
]

CLEAN = "clean"
REPEAT = "repeat"


def groups_of(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Return the groups of a family: all of it, then each formula distance."""
    distances = {cell.variant.distance for cell in cells if cell.variant.distance is not None}
    return ("", *(f"distance={distance}" for distance in sorted(distances)))


def in_group(cells: Sequence[Cell], group: str) -> list[Cell]:
    """Return the cells of a group."""
    return [cell for cell in cells if not group or f"distance={cell.variant.distance}" == group]


def pass_estimates(
    context: Context, model: str, family: str, cells: Sequence[Cell]
) -> Iterator[Estimate]:
    """Yield Pass@1 of a family, by distance and scope; with rejected variants where there are."""
    for group in groups_of(cells):
        chosen = in_group(cells, group)
        gated = [cell for cell in chosen if cell.variant.gated]
        rejected = [cell for cell in chosen if not cell.variant.gated]
        for scope in SCOPES:
            label = Label("pass_at_1", model, family, group, scope)
            yield _pass_at_1(context, label, gated, rejected)
            if rejected:
                every = Label("pass_at_1_all_variants", model, family, group, scope)
                yield _pass_at_1(context, every, chosen, [])
                only = Label("pass_at_1_rejected_variants", model, family, group, scope)
                yield _pass_at_1(context, only, rejected, [])


def _pass_at_1(
    context: Context, label: Label, cells: Sequence[Cell], rejected: Sequence[Cell]
) -> Estimate:
    arm = build_arm(cells, label.scope)
    attempted = {cell.variant.problem_id for cell in cells}
    lost = {cell.variant.problem_id for cell in rejected} - attempted
    values = list(arm.values.values())
    out = left_out(
        values,
        {
            "problems with rejected variants only": len(lost),
            f"problems without {label.scope} tests": len(arm.without_tests),
        },
    )
    notes = [pending_note(arm.cells)]
    if label.scope == ALL_TESTS:
        bare = {cell.variant.problem_id for cell in cells if not cell.has_hidden}
        if bare:
            notes.append(f"{len(bare)} of {len(attempted)} problems have no hidden tests.")
    if rejected:
        apart = sum(len(cell.outcomes) for cell in rejected)
        notes.append(f"Replies to rejected variants, counted apart: {apart}.")
    if any(cell.variant.task is TaskKind.CHANGED for cell in cells):
        notes.append("The task is changed; its own oracle judges it.")
    empty = "no problem was attempted"
    if rejected and not cells:
        empty = "every variant failed a preservation check"
    elif arm.without_tests:
        empty = f"no problem has {label.scope} tests"
    note = " ".join(filter(None, notes))
    return share_estimate(context, label, values, out=out, note=note, empty=empty)


def status_estimates(
    context: Context, model: str, family: str, cells: Sequence[Cell]
) -> Iterator[Estimate]:
    """Yield the share of each ending among the replies to accepted variants."""
    for group in groups_of(cells):
        chosen = [cell for cell in in_group(cells, group) if cell.variant.gated]
        counts: Counter[str] = Counter()
        for cell in chosen:
            for outcome in cell.outcomes:
                # Errors that are not the model's keep their name; nothing graded is "pending".
                counts[outcome.status.value if outcome.status else outcome.pending or ""] += 1
        total = sum(counts.values())
        problems = len({cell.variant.problem_id for cell in chosen})
        order = [status.value for status in Status]
        for name in sorted(counts, key=lambda item: (item not in order, item)):
            label = Label("status_share", model, family, _joined(group, f"status={name}"))
            yield count_estimate(context, label, counts[name], total, problems=problems)


def _joined(group: str, last: str) -> str:
    return f"{group},{last}" if group else last


def rejection_estimates(context: Context, variants: Sequence[Variant]) -> Iterator[Estimate]:
    """Yield the share of rejected variants of every family that has checks to fail."""
    families: dict[str, list[Variant]] = {}
    for variant in variants:
        if variant.family not in (CLEAN, REPEAT):
            families.setdefault(variant.family, []).append(variant)
    for family, found in sorted(families.items()):
        rejected = sum(not variant.gated for variant in found)
        problems = len({variant.problem_id for variant in found})
        label = Label("rejected_variants", "", family)
        yield count_estimate(context, label, rejected, len(found), problems=problems)


def robust_estimates(context: Context, model: str, cells: Sequence[Cell]) -> Iterator[Estimate]:
    """Yield Robust Pass@1, and beside it what plain repeats do to a minimum."""
    clean = [cell for cell in cells if cell.variant.family == CLEAN]
    repeat = [cell for cell in cells if cell.variant.family == REPEAT]
    wordings = [cell for cell in cells if _is_wording(cell.variant)]
    for scope in SCOPES:
        base = build_arm(clean, scope)
        worst = Label("robust_pass_at_1", model, scope=scope)
        yield _worst(context, worst, base, wordings, "accepted variant")
        if repeat:
            again = Label("worst_of_repeats", model, scope=scope)
            yield _worst(context, again, base, repeat, "repeat")


def _is_wording(variant: Variant) -> bool:
    return (
        variant.family not in (CLEAN, REPEAT)
        and variant.gated
        and variant.task is TaskKind.KEPT
        and variant.base_id is None
    )


def _worst(
    context: Context, label: Label, base: Arm, others: Sequence[Cell], name: str
) -> Estimate:
    """The mean over problems of the worst cell; a problem needs its clean prompt."""
    cells: dict[str, list[Cell]] = {}
    for cell in others:
        problem = cell.variant.problem_id
        if problem in base.values and cell.has_tests(label.scope):
            cells.setdefault(problem, []).append(cell)
    values, sizes = [], []
    for problem, value in base.values.items():
        found = [value, *(cell_bounds(cell, label.scope) for cell in cells.get(problem, []))]
        values.append(_minimum(found))
        sizes.append(len(found) - 1)
    used = [*base.cells, *(cell for found in cells.values() for cell in found)]
    notes = [pending_note(used)]
    if sizes:
        count = str(max(sizes))
        if min(sizes) != max(sizes):
            count = f"{min(sizes)} to {max(sizes)}"
        many = "" if count == "1" else "s"
        notes.append(
            f"Worst of the clean prompt and {count} {name}{many} a problem, {sum(sizes)} in all."
        )
    out = left_out(values, {f"problems without {label.scope} tests": len(base.without_tests)})
    empty = "the clean prompt was not asked"
    note = " ".join(filter(None, notes))
    return share_estimate(context, label, values, out=out, note=note, empty=empty)


def _minimum(found: Sequence[Bounds]) -> Bounds:
    """Return the worst of several; a sure failure settles it, whatever is still pending."""
    low, high = min(item.low for item in found), min(item.high for item in found)
    values = [item.value for item in found if item.value is not None]
    settled = low == high
    value = min(values) if len(values) == len(found) else None
    return Bounds(low, high, low if settled else value)
