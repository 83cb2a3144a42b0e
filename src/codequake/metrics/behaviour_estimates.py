"""From labelled pairs to shares of labels, by model and family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from codequake.metrics.arms import Bounds
from codequake.metrics.behaviour import Behaviour, Labelled
from codequake.metrics.behaviour_catalogue import BEHAVIOUR, FIRST_BEHAVIOUR
from codequake.metrics.making import Context, Label, share_estimate
from codequake.records import Estimate, LeftOut

__all__ = ["behaviour_estimates"]

_EMPTY = "no program that failed can be asked"


def behaviour_estimates(context: Context, labelled: Iterable[Labelled]) -> tuple[Estimate, ...]:
    """Return the share of each label among failing programs, for each model and family.

    There is a row for every label, also for those that never hold; a row whose rule can be asked
    about no pair is missing, with the reasons counted in ``left_out``.
    """
    grouped: dict[tuple[str, str], list[Labelled]] = {}
    for item in labelled:
        grouped.setdefault((item.pair.model, item.pair.family), []).append(item)
    found = []
    for (model, family), items in sorted(grouped.items()):
        for name in Behaviour:
            found.append(_all_that_hold(context, Label(BEHAVIOUR, model, family, name), items))
            found.append(_first(context, Label(FIRST_BEHAVIOUR, model, family, name), items))
    return tuple(found)


def _first(context: Context, label: Label, items: Sequence[Labelled]) -> Estimate:
    values = _shares(items, lambda item: item.first is Behaviour(label.group))
    return share_estimate(context, label, values, empty=_EMPTY)


def _all_that_hold(context: Context, label: Label, items: Sequence[Labelled]) -> Estimate:
    name = Behaviour(label.group)
    reasons = Counter(
        finding.why
        for item in items
        for finding in item.findings
        if finding.behaviour is name and finding.holds is None
    )

    def holds(item: Labelled) -> bool | None:
        return next(found.holds for found in item.findings if found.behaviour is name)

    return share_estimate(
        context,
        label,
        _shares(items, holds),
        out=tuple(LeftOut(reason, count) for reason, count in sorted(reasons.items())),
        empty=_EMPTY,
    )


def _shares(items: Sequence[Labelled], holds: Callable[[Labelled], bool | None]) -> list[Bounds]:
    """One share a problem, over its pairs that can be asked."""
    grouped: dict[str, list[bool]] = {}
    for item in items:
        said = holds(item)
        if said is not None:
            grouped.setdefault(item.pair.problem_id, []).append(said)
    shares = [sum(found) / len(found) for _, found in sorted(grouped.items())]
    return [Bounds(share, share, share) for share in shares]
