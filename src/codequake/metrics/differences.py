"""Differences paired by problem: change against clean, flips, floors, and recovery."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from codequake.metrics.arms import (
    Arm,
    Bounds,
    build_arm,
    cell_bounds,
    check_comparable,
    mean_bounds,
)
from codequake.metrics.making import (
    Context,
    Label,
    Pair,
    left_out,
    paired_estimate,
    plain_estimate,
    share_estimate,
)
from codequake.metrics.rows import Cell
from codequake.metrics.scopes import ALL_TESTS, SCOPES
from codequake.metrics.shares import groups_of, in_group
from codequake.records import Estimate, LeftOut, TaskKind
from codequake.stats import (
    Missing,
    PairCounts,
    count_pairs,
    mcnemar_exact,
    minimum_detectable_effect,
)

__all__ = [
    "delta_estimates",
    "flip_bounds",
    "floor_estimates",
    "p_estimate",
    "recovery_estimates",
]

_PENDING = "replies are pending"


def delta_estimates(
    context: Context, model: str, family: str, cells: Sequence[Cell], clean: Sequence[Cell]
) -> Iterator[Estimate]:
    """Yield what a family does to the outcomes of the clean prompt, by distance and scope.

    Only accepted variants of a kept task are compared.  Raises ``UsageError`` when the two arms
    were not asked and graded alike.
    """
    kept = [cell for cell in cells if cell.variant.gated and cell.variant.task is TaskKind.KEPT]
    for group in groups_of(cells):
        for scope in SCOPES:
            arm, base = build_arm(in_group(kept, group), scope), build_arm(clean, scope)
            check_comparable(base, arm, model=model, what=f"family {family!r} against 'clean'")
            yield from _deltas(context, Label("", model, family, group, scope), base, arm)


def _deltas(context: Context, label: Label, base: Arm, arm: Arm) -> Iterator[Estimate]:
    problems = [problem for problem in arm.values if problem in base.values]
    pairs = [Pair(base.values[problem], arm.values[problem]) for problem in problems]
    used = _used(problems, base, arm)
    unpaired = LeftOut("problems without the clean prompt", len(arm.values) - len(problems))
    out = left_out(used, [unpaired])
    firsts = [pair.first for pair in pairs]
    note = _shared_note(base, arm, problems)
    yield share_estimate(
        context, _named(label, "pass_at_1_clean"), firsts, out=out, empty="no problem has both"
    )
    yield paired_estimate(context, _named(label, "delta_to_clean"), pairs, out=out, note=note)
    for metric, index in (("flips_down", 0), ("flips_up", 1)):
        values = [flip_bounds(pair)[index] for pair in pairs]
        empty = "no problem has both prompts"
        yield share_estimate(context, _named(label, metric), values, out=out, empty=empty)
    if label.scope == ALL_TESTS:
        yield p_estimate(context, _named(label, "delta_p"), pairs)
        yield _detectable(context, _named(label, "minimum_detectable_effect"), pairs)


def _named(label: Label, metric: str) -> Label:
    return Label(metric, label.model, label.family, label.group, label.scope)


def _used(problems: Sequence[str], *arms: Arm) -> list[Cell]:
    wanted = set(problems)
    return [cell for arm in arms for cell in arm.cells if cell.variant.problem_id in wanted]


def _shared_note(base: Arm, arm: Arm, problems: Sequence[str]) -> str:
    """Say how many replies are the clean prompt's own: they cannot differ from it."""
    wanted = set(problems)
    keys = {outcome.key for cell in base.cells for outcome in cell.outcomes if outcome.key}
    asked = [
        outcome
        for cell in arm.cells
        if cell.variant.problem_id in wanted
        for outcome in cell.outcomes
    ]
    shared = sum(outcome.key in keys for outcome in asked)
    if not shared:
        return ""
    return f"{shared} of {len(asked)} replies are the clean prompt's own, as the text is the same."


def flip_bounds(pair: Pair) -> tuple[Bounds, Bounds, Bounds]:
    """Return the chance that one reply each falls, rises, or differs, within their bounds."""
    first, second = pair.first, pair.second
    down = Bounds(first.low * (1.0 - second.high), first.high * (1.0 - second.low))
    up = Bounds((1.0 - first.high) * second.low, (1.0 - first.low) * second.high)
    # Linear in each value, so the extremes lie at corners.
    corners = [
        one * (1.0 - two) + (1.0 - one) * two
        for one in (first.low, first.high)
        for two in (second.low, second.high)
    ]
    return down, up, Bounds(min(corners), max(corners))


def _counts(pairs: Sequence[Pair]) -> PairCounts | Missing:
    if not pairs:
        return Missing("no problem has both prompts")
    if any(value.low != value.high for pair in pairs for value in (pair.first, pair.second)):
        return Missing(_PENDING)
    return count_pairs([pair.first.low for pair in pairs], [pair.second.low for pair in pairs])


def p_estimate(context: Context, label: Label, pairs: Sequence[Pair]) -> Estimate:
    """Return the exact p value that falls and rises are equally likely."""
    counts = _counts(pairs)
    if isinstance(counts, Missing):
        waits = counts.reason == _PENDING
        return plain_estimate(
            context,
            label,
            None,
            problems=len(pairs),
            missing=counts.reason,
            incomplete=waits,
        )
    binary = all(value.low in (0.0, 1.0) for pair in pairs for value in (pair.first, pair.second))
    return plain_estimate(
        context,
        label,
        mcnemar_exact(counts.down, counts.up),
        problems=len(pairs),
        method="exact McNemar test" if binary else "exact sign test over problems",
        note=f"{counts.down} problems fell, {counts.up} rose, {counts.same} stayed.",
    )


def _detectable(context: Context, label: Label, pairs: Sequence[Pair]) -> Estimate:
    counts = _counts(pairs)
    found: float | Missing = counts if isinstance(counts, Missing) else 0.0
    if not isinstance(counts, Missing):
        share = (counts.down + counts.up) / len(pairs)
        found = minimum_detectable_effect(len(pairs), discordance=share, level=context.level)
    if isinstance(found, Missing):
        waits = found.reason == _PENDING
        return plain_estimate(
            context, label, None, problems=len(pairs), missing=found.reason, incomplete=waits
        )
    method = "power 80 % of the exact McNemar test"
    return plain_estimate(context, label, found, problems=len(pairs), method=method)


def floor_estimates(
    context: Context,
    model: str,
    families: Mapping[str, Sequence[Cell]],
    arms: tuple[Sequence[Cell], Sequence[Cell]],
    note: str,
) -> Iterator[Estimate]:
    """Yield the noise floor and what each family does beyond it.

    ``arms`` are the cells of the clean prompt and of its repeat; ``note`` says what the floor is
    worth.  Raises ``UsageError`` when the arms were not asked and graded alike.
    """
    for scope in SCOPES:
        clean, repeat = build_arm(arms[0], scope), build_arm(arms[1], scope)
        what = "family 'repeat' against 'clean'"
        check_comparable(clean, repeat, model=model, what=what)
        both = [problem for problem in repeat.values if problem in clean.values]
        pairs = [Pair(clean.values[problem], repeat.values[problem]) for problem in both]
        label = Label("noise_floor", model, "repeat", "", scope)
        flips = [flip_bounds(pair)[2] for pair in pairs]
        out = left_out(_used(both, clean, repeat))
        yield share_estimate(context, label, flips, out=out, note=note)
        for family, cells in families.items():
            kept = [cell for cell in cells if cell.variant.gated]
            for group in groups_of(cells):
                arm = build_arm(in_group(kept, group), scope)
                yield from _beyond(
                    context, Label("", model, family, group, scope), (clean, repeat, arm), note
                )


def _beyond(
    context: Context, label: Label, arms: tuple[Arm, Arm, Arm], note: str
) -> Iterator[Estimate]:
    clean, repeat, arm = arms
    problems = [name for name in arm.values if name in clean.values and name in repeat.values]
    out = left_out(_used(problems, *arms))
    empty = "no problem has the clean prompt, its repeat and a variant"
    deltas = [Pair(repeat.values[name], arm.values[name]) for name in problems]
    flips = [
        Pair(
            flip_bounds(Pair(clean.values[name], repeat.values[name]))[2],
            flip_bounds(Pair(clean.values[name], arm.values[name]))[2],
        )
        for name in problems
    ]
    for metric, pairs in (("delta_beyond_floor", deltas), ("flips_beyond_floor", flips)):
        named = _named(label, metric)
        yield paired_estimate(context, named, pairs, out=out, note=note, empty=empty)


def recovery_estimates(
    context: Context, model: str, cells: Sequence[Cell], find: Callable[[str], Cell | None]
) -> Iterator[Estimate]:
    """Yield what a repair gives back against the very variants that it was applied to.

    ``cells`` are those of repaired prompts, ``find`` looks up the cell of a variant.  Raises
    ``UsageError`` when the two were not asked and graded alike.
    """
    for group in groups_of(cells):
        chosen = in_group(cells, group)
        couples = [(find(cell.variant.base_id or ""), cell) for cell in chosen]
        good = [
            (base, cell)
            for base, cell in couples
            if base is not None and base.variant.gated and cell.variant.gated
        ]
        lost = LeftOut("repaired variants without an accepted base", len(couples) - len(good))
        for scope in SCOPES:
            bases = build_arm([base for base, _ in good], scope)
            repaired = build_arm([cell for _, cell in good], scope)
            check_comparable(bases, repaired, model=model, what="repair against its base")
            pairs = [
                Pair(
                    mean_bounds([cell_bounds(b, scope) for b, c in good if _of(c, name)]),
                    mean_bounds([cell_bounds(c, scope) for _, c in good if _of(c, name)]),
                )
                for name in repaired.values
            ]
            label = Label("reduction_recovery", model, cells[0].variant.family, group, scope)
            out = left_out((*bases.cells, *repaired.cells), [lost])
            empty = "no repaired variant has an accepted base"
            yield paired_estimate(context, label, pairs, out=out, empty=empty)
            if scope == ALL_TESTS:
                yield p_estimate(context, _named(label, "reduction_recovery_p"), pairs)


def _of(cell: Cell, problem: str) -> bool:
    return cell.variant.problem_id == problem
