"""All estimates of a study, in one pass and one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codequake.metrics.catalogue import METRICS
from codequake.metrics.differences import (
    Floor,
    delta_estimates,
    floor_estimates,
    recovery_estimates,
)
from codequake.metrics.making import Context, Label, plain_estimate
from codequake.metrics.rows import Cell, StudyRows, join_rows
from codequake.metrics.scopes import ALL_TESTS, HIDDEN
from codequake.metrics.shares import (
    CLEAN,
    REPEAT,
    pass_estimates,
    rejection_estimates,
    robust_estimates,
    status_estimates,
)
from codequake.records import Estimate, TaskKind
from codequake.stats import holm

__all__ = ["estimate_study"]


def estimate_study(rows: StudyRows, *, seed: int, level: float = 0.95) -> tuple[Estimate, ...]:
    """Return every estimate of a study, sorted by metric, model, family, group and scope.

    The problem is the unit: samples and variants are averaged within it first.  Denominators are
    what was planned.  Equal rows in any order give equal estimates.  Raises ``DataError`` for rows
    that do not fit together and ``UsageError`` where a difference would mix model ids, decodings,
    budgets or graders.
    """
    context = Context(seed, level)
    by_model: dict[str, list[Cell]] = {}
    for cell in join_rows(rows):
        by_model.setdefault(cell.model, []).append(cell)
    found = list(rejection_estimates(context, rows.variants))
    for model, cells in by_model.items():
        found += _of_model(context, model, cells, model in rows.facts.deterministic)
    for estimate in found:
        assert estimate.metric in METRICS, estimate.metric
    return tuple(sorted(found, key=_order))


def _order(estimate: Estimate) -> tuple[str, ...]:
    item = estimate
    return (item.metric, item.model, item.family, item.group, item.scope)


def _of_model(
    context: Context, model: str, cells: Sequence[Cell], deterministic: bool
) -> Iterator[Estimate]:
    families: dict[str, list[Cell]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.variant.family, cell.variant.variant_id)):
        families.setdefault(cell.variant.family, []).append(cell)
    clean, repeat = families.get(CLEAN, []), families.get(REPEAT, [])
    compared = {
        name: found
        for name, found in families.items()
        if name != CLEAN and any(cell.variant.task is TaskKind.KEPT for cell in found)
    }
    deltas: list[Estimate] = []
    for family, found in families.items():
        yield from pass_estimates(context, model, family, found)
        yield from status_estimates(context, model, family, found)
        if family in compared:
            deltas += delta_estimates(context, model, family, found, clean)
    yield from deltas
    yield from _corrected(context, deltas)
    yield from robust_estimates(context, model, cells)
    if repeat:
        floor = _floor(clean, repeat, deterministic)
        others = {name: found for name, found in compared.items() if name != REPEAT}
        yield from floor_estimates(context, model, others, (clean, repeat), floor)
    by_id = {cell.variant.variant_id: cell for cell in cells}
    for found in families.values():
        repaired = [cell for cell in found if cell.variant.base_id is not None]
        if repaired:
            yield from recovery_estimates(context, model, repaired, by_id.get)


def _corrected(context: Context, deltas: Sequence[Estimate]) -> Iterator[Estimate]:
    """Yield Holm's p values over the families of a model, each at its finest group, by scope.

    A p value that is not there yet still counts as a question asked.
    """
    for scope in (ALL_TESTS, HIDDEN):
        yield from _corrected_in(context, [item for item in deltas if item.scope == scope])


def _corrected_in(context: Context, deltas: Sequence[Estimate]) -> Iterator[Estimate]:
    plain = [item for item in deltas if item.metric == "delta_p" and item.family != REPEAT]
    split = {item.family for item in plain if item.group}
    table = [item for item in plain if item.group or item.family not in split]
    values = holm([1.0 if item.value is None else item.value for item in table])
    for item, value in zip(table, values, strict=True):
        label = Label("delta_p_holm", item.model, item.family, item.group, item.scope)
        yield plain_estimate(
            context,
            label,
            None if item.value is None else value,
            problems=item.problems,
            method=f"{item.method}, Holm over {len(table)}" if item.method else "",
            missing=item.missing,
            incomplete=item.incomplete,
            note=f"One of {len(table)} questions asked of this model.",
        )


def _floor(clean: Sequence[Cell], repeat: Sequence[Cell], deterministic: bool) -> Floor:
    """Say what the floor is worth, and check the claim of determinism against the replies."""
    if not deterministic:
        return Floor(by_construction=False, note="")
    texts = {
        cell.variant.problem_id: {outcome.text for outcome in cell.outcomes if outcome.key}
        for cell in clean
    }
    pairs = [
        (texts[cell.variant.problem_id], outcome.text)
        for cell in repeat
        for outcome in cell.outcomes
        if outcome.key and texts.get(cell.variant.problem_id)
    ]
    differ = sum(text not in known for known, text in pairs)
    if differ:
        note = (
            f"Decoding was said to be deterministic, yet {differ} of {len(pairs)} repeated "
            "replies differ from the first; trust the floor, not the claim."
        )
        return Floor(by_construction=False, note=note)
    note = "Decoding is deterministic: the floor is 0 by construction; nothing is claimed from it."
    return Floor(by_construction=True, note=note)
