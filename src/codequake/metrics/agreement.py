"""Do the programs of one problem's prompts give the same, right or wrong?

A model may fail because it reads every wording in one wrong way, or because each wording sends it
somewhere else.  What the programs gave on each test tells the two apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codequake.errors import DataError
from codequake.grading.digests import RIGHT
from codequake.metrics.arms import Bounds
from codequake.metrics.behaviour_catalogue import AGREEING_PAIRS, CONSISTENT_BUT_WRONG
from codequake.metrics.making import Context, Label, share_estimate
from codequake.metrics.program_pairs import vector_of
from codequake.records import Estimate, LeftOut, Status, Variant, Verdict

__all__ = ["Agreement", "agreement_estimates", "agreements"]

_PENDING = frozenset({Status.PROVIDER_ERROR, Status.HARNESS_ERROR})


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts over the programs of one model for the prompts that one problem judges.

    Programs are compared within a sample, so never two of one prompt.  ``pairs`` are those of which
    both outputs are known, ``equal`` those that give the same on every test.  Of the failing
    programs with known outputs ``consistent`` ones give the same as another prompt's, which so is
    wrong in the same way, ``inconsistent`` ones as none, and ``alone`` ones had none beside them.
    ``unknown`` programs gave no output that is known, ``pending`` replies no verdict;
    ``possible`` pairs there would be if all pending ones gave an output.
    """

    model: str
    oracle_id: str
    pairs: int
    equal: int
    consistent: int
    inconsistent: int
    alone: int
    unknown: int
    pending: int
    possible: int


def agreements(variants: Iterable[Variant], verdicts: Iterable[Verdict]) -> tuple[Agreement, ...]:
    """Compare the programs for these variants, sorted by model and the problem that judges.

    ``variants`` are the prompts to compare; verdicts on others are passed over.  The samples of a
    variant are ranked by their number, since a repeat begins to count where the clean prompt ends.
    Raises ``DataError`` where two verdicts of a problem have different numbers of tests.
    """
    made = {item.variant_id: item for item in variants}
    grouped: dict[tuple[str, str], dict[str, list[Verdict]]] = {}
    for verdict in sorted(verdicts, key=lambda item: (item.model, item.variant_id, item.sample)):
        variant = made.get(verdict.variant_id)
        if variant is not None:
            rows = grouped.setdefault((verdict.model, variant.oracle_id), {})
            rows.setdefault(verdict.variant_id, []).append(verdict)
    return tuple(
        _agreement(model, oracle, list(rows.values()))
        for (model, oracle), rows in sorted(grouped.items())
    )


def _agreement(model: str, oracle: str, variants: Sequence[Sequence[Verdict]]) -> Agreement:
    found: Counter[str] = Counter()
    for rank in range(max(map(len, variants))):
        found.update(_of_rank([rows[rank] for rows in variants if rank < len(rows)], oracle))
    return Agreement(
        model,
        oracle,
        pairs=found["pairs"],
        equal=found["equal"],
        consistent=found["consistent"],
        inconsistent=found["inconsistent"],
        alone=found["alone"],
        unknown=found["unknown"],
        pending=found["pending"],
        possible=found["possible"],
    )


def _of_rank(verdicts: Sequence[Verdict], oracle: str) -> Counter[str]:
    """The counts over the programs of one sample."""
    pending = sum(item.status in _PENDING for item in verdicts)
    known = [
        vector
        for item in verdicts
        if item.status not in _PENDING and (vector := vector_of(item)) is not None
    ]
    if len({len(vector) for vector in known}) > 1:
        raise DataError(f"verdicts of problem {oracle!r} have different numbers of tests")
    alike = Counter(known)
    found: Counter[str] = Counter(
        pending=pending,
        unknown=len(verdicts) - pending - len(known),
        pairs=_choose_two(len(known)),
        possible=_choose_two(len(known) + pending),
        equal=sum(map(_choose_two, alike.values())),
    )
    for vector, count in alike.items():
        if all(mark == RIGHT for mark in vector):
            continue
        name = "alone" if len(known) == 1 else "consistent" if count > 1 else "inconsistent"
        found[name] += count
    return found


def _choose_two(count: int) -> int:
    return count * (count - 1) // 2


def agreement_estimates(
    context: Context, model: str, family: str, rows: Sequence[Agreement]
) -> tuple[Estimate, ...]:
    """Return the shares of agreeing pairs and of consistent failures, means over problems.

    ``rows`` are those of one model; ``family`` names the prompts that were compared.  While replies
    are pending, the bounds cover whatever their programs may give: they may agree with each other,
    with any that is there, or with none.
    """
    pairs = [_pair_bounds(item) for item in rows if item.possible]
    failing = [bounds for item in rows if (bounds := _failure_bounds(item)) is not None]
    unknown = {"programs without known outputs": sum(item.unknown for item in rows)}
    alone = {"failing programs with none beside them": sum(item.alone for item in rows)}
    return (
        _estimate(context, Label(AGREEING_PAIRS, model, family), pairs, unknown),
        _estimate(context, Label(CONSISTENT_BUT_WRONG, model, family), failing, unknown | alone),
    )


def _pair_bounds(item: Agreement) -> Bounds:
    free = item.possible - item.pairs
    value = item.equal / item.pairs if item.pairs else None
    return Bounds(item.equal / item.possible, (item.equal + free) / item.possible, value)


def _failure_bounds(item: Agreement) -> Bounds | None:
    """A pending program may fail as no other does, or as one that is wrong in its own way."""
    single = item.inconsistent + item.alone
    known = item.consistent + item.inconsistent
    value = item.consistent / known if known else None
    if not item.pending:
        return None if value is None else Bounds(value, value, value)
    most = item.consistent + single + item.pending
    joined = item.consistent + min(single, item.pending) + item.pending
    return Bounds(item.consistent / most, joined / most, value)


def _estimate(
    context: Context, label: Label, values: Sequence[Bounds], out: dict[str, int]
) -> Estimate:
    return share_estimate(
        context,
        label,
        values,
        out=tuple(LeftOut(reason, count) for reason, count in sorted(out.items()) if count),
        empty="no problem has two programs whose outputs are known",
    )
