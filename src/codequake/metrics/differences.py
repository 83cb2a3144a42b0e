"""Differences paired by problem: change against clean, flips, floors, and recovery."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
    is_open,
    left_out,
    paired_estimate,
    pending_note,
    plain_estimate,
    share_estimate,
)
from codequake.metrics.rows import Cell
from codequake.metrics.scopes import SCOPES, VISIBLE
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
    "Floor",
    "delta_estimates",
    "flip_bounds",
    "floor_estimates",
    "p_estimate",
    "recovery_estimates",
]

_PENDING = "replies are pending"


@dataclass(frozen=True, slots=True)
class Floor:
    """What a noise floor is worth; ``by_construction``: it is 0 and shows nothing."""

    by_construction: bool
    note: str


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
            asked = {cell.variant.problem_id for cell in in_group(cells, group)}
            yield from _deltas(context, Label("", model, family, group, scope), base, arm, asked)


def _deltas(
    context: Context, label: Label, base: Arm, arm: Arm, asked: set[str]
) -> Iterator[Estimate]:
    problems = [problem for problem in arm.values if problem in base.values]
    pairs = [Pair(base.values[problem], arm.values[problem]) for problem in problems]
    out = _unpaired(base, arm, asked, pairs, label.scope)
    waits = pending_note(_used(problems, base, arm))
    note = " ".join(filter(None, (waits, _shared_note(base, arm, problems))))
    empty = "no problem has both prompts"
    flips = [flip_bounds(pair) for pair in pairs]
    for metric, values in (
        ("pass_at_1_clean", [pair.first for pair in pairs]),
        ("flips_down", [down for down, _, _ in flips]),
        ("flips_up", [up for _, up, _ in flips]),
        ("flips", [both for _, _, both in flips]),
    ):
        named = _named(label, metric)
        yield share_estimate(context, named, values, out=out, note=waits, empty=empty)
    yield paired_estimate(context, _named(label, "delta_to_clean"), pairs, out=out, note=note)
    if label.scope != VISIBLE:
        yield p_estimate(context, _named(label, "delta_p"), pairs)
        yield _detectable(context, _named(label, "minimum_detectable_effect"), pairs)


def _unpaired(
    base: Arm, arm: Arm, asked: set[str], pairs: Sequence[Pair], scope: str
) -> tuple[LeftOut, ...]:
    """Count, once each, the problems that were asked on one side and cannot be compared."""
    bare = base.without_tests | arm.without_tests
    alone = set(arm.values) - set(base.values) - bare
    rest = set(base.values) - set(arm.values) - bare
    return left_out(
        [pair.change for pair in pairs],
        {
            "problems without the clean prompt": len(alone),
            "problems with rejected variants only": len(rest & asked),
            "problems without a variant of this family": len(rest - asked),
            f"problems without {scope} tests": len(bare),
        },
    )


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
    one, two = pair.first, pair.second
    down_value = up_value = both_value = None
    if one.value is not None and two.value is not None:
        down_value, up_value = one.value * (1.0 - two.value), (1.0 - one.value) * two.value
        both_value = down_value + up_value
    down = Bounds(one.low * (1.0 - two.high), one.high * (1.0 - two.low), down_value)
    up = Bounds((1.0 - one.high) * two.low, (1.0 - one.low) * two.high, up_value)
    # Linear in each value, so the extremes lie at corners.
    corners = [
        first * (1.0 - second) + (1.0 - first) * second
        for first in (one.low, one.high)
        for second in (two.low, two.high)
    ]
    return down, up, Bounds(min(corners), max(corners), both_value)


def _counts(pairs: Sequence[Pair]) -> PairCounts | Missing:
    if not pairs:
        return Missing("no problem has both prompts")
    if is_open(value for pair in pairs for value in (pair.first, pair.second)):
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
    floor: Floor,
) -> Iterator[Estimate]:
    """Yield the noise floor and what each family does beyond it.

    ``arms`` are the cells of the clean prompt and of its repeat.  Raises ``UsageError`` when they
    were not asked and graded alike.
    """
    for scope in SCOPES:
        clean, repeat = build_arm(arms[0], scope), build_arm(arms[1], scope)
        check_comparable(clean, repeat, model=model, what="family 'repeat' against 'clean'")
        both = [problem for problem in repeat.values if problem in clean.values]
        pairs = [Pair(clean.values[problem], repeat.values[problem]) for problem in both]
        out = _unpaired(clean, repeat, set(both), pairs, scope)
        note = " ".join(filter(None, (pending_note(_used(both, clean, repeat)), floor.note)))
        label = Label("noise_floor", model, "repeat", "", scope)
        flips = [flip_bounds(pair)[2] for pair in pairs]
        for found in (
            paired_estimate(context, label, pairs, out=out, note=note),
            share_estimate(context, _named(label, "noise_flips"), flips, out=out, note=note),
        ):
            yield _without_interval(found) if floor.by_construction else found
        for family, cells in families.items():
            kept = [cell for cell in cells if cell.variant.gated]
            for group in groups_of(cells):
                named = Label("", model, family, group, scope)
                arm = build_arm(in_group(kept, group), scope)
                yield from _beyond(context, named, (clean, repeat, arm), floor)


def _without_interval(found: Estimate) -> Estimate:
    """What is so by construction is not a sample of anything."""
    return dataclasses.replace(found, low=None, high=None, method="by construction")


def _beyond(
    context: Context, label: Label, arms: tuple[Arm, Arm, Arm], floor: Floor
) -> Iterator[Estimate]:
    clean, repeat, arm = arms
    problems = [name for name in arm.values if name in clean.values and name in repeat.values]
    deltas = [Pair(repeat.values[name], arm.values[name]) for name in problems]
    flips = [
        Pair(
            flip_bounds(Pair(clean.values[name], repeat.values[name]))[2],
            flip_bounds(Pair(clean.values[name], arm.values[name]))[2],
        )
        for name in problems
    ]
    note = " ".join(filter(None, (pending_note(_used(problems, *arms)), floor.note)))
    for metric, pairs in (("delta_beyond_floor", deltas), ("flips_beyond_floor", flips)):
        named = _named(label, metric)
        if floor.by_construction:
            missing = "decoding is deterministic, so there is no floor to exceed"
            yield plain_estimate(context, named, None, missing=missing, note=note)
            continue
        out = left_out([pair.change for pair in pairs], {})
        empty = "no problem has the clean prompt, its repeat and a variant"
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
        lost = {cell.variant.problem_id for cell in chosen} - {
            cell.variant.problem_id for _, cell in good
        }
        for scope in SCOPES:
            bases = build_arm([base for base, _ in good], scope)
            repaired = build_arm([cell for _, cell in good], scope)
            check_comparable(bases, repaired, model=model, what="repair against its base")
            couples_of: dict[str, list[Pair]] = {}
            for base, cell in good:
                if cell.variant.problem_id in repaired.values:
                    pair = Pair(cell_bounds(base, scope), cell_bounds(cell, scope))
                    couples_of.setdefault(cell.variant.problem_id, []).append(pair)
            pairs = [_mean_pair(couples_of[name]) for name in repaired.values]
            label = Label("reduction_recovery", model, cells[0].variant.family, group, scope)
            out = left_out(
                [pair.change for pair in pairs],
                {
                    "problems without an accepted base and repair": len(lost),
                    f"problems without {scope} tests": len(repaired.without_tests),
                },
            )
            note = pending_note((*bases.cells, *repaired.cells))
            empty = "no repaired variant has an accepted base"
            yield paired_estimate(context, label, pairs, out=out, note=note, empty=empty)
            if scope != VISIBLE:
                yield p_estimate(context, _named(label, "reduction_recovery_p"), pairs)


def _mean_pair(pairs: Sequence[Pair]) -> Pair:
    first, second = [pair.first for pair in pairs], [pair.second for pair in pairs]
    return Pair(mean_bounds(first), mean_bounds(second))
