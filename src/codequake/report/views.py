"""The rows that every format shows: looked up from the estimates, never computed anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codequake.metrics import ALL_TESTS, HEADLINE, VISIBLE
from codequake.records import Estimate, Status
from codequake.report.numbers import percent, points
from codequake.report.tables import StudyTables

__all__ = [
    "ENDINGS",
    "FamilyRow",
    "Lookup",
    "ModelView",
    "StatusRow",
    "headline",
    "model_views",
    "row_label",
]

_FAMILY_ORDER = ("clean", "repeat", "storytelling", "distracting_constraints", "formula", "reduced")
ALPHA = 0.05
ENDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("passed", ("passed",)),
    ("wrong answer", ("wrong_answer",)),
    ("crashed or hit a limit", ("runtime_error", "timeout", "memory_limit", "output_limit")),
    (
        "no usable program",
        (
            "compile_error",
            "missing_entry_point",
            "no_code",
            "wrong_language",
            "ignores_input",
            "truncated",
            "refused",
        ),
    ),
    ("pending", ("provider_error", "harness_error", "no reply yet", "not graded yet")),
)


class Lookup:
    """Estimates by metric, model, family, group and scope."""

    def __init__(self, estimates: Sequence[Estimate]) -> None:
        self._found = {
            (item.metric, item.model, item.family, item.group, item.scope): item
            for item in estimates
        }

    def __call__(
        self,
        metric: str,
        model: str,
        family: str = "",
        group: str = "",
        scope: str = HEADLINE,
    ) -> Estimate | None:
        """Return the estimate, or ``None`` when the study has no such number."""
        return self._found.get((metric, model, family, group, scope))


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One family, at one distance where there are distances, under one model."""

    label: str
    family: str
    group: str
    passed: Estimate
    every: Estimate | None
    visible: Estimate | None
    clean: Estimate | None
    delta: Estimate | None
    p: Estimate | None
    holm: Estimate | None
    down: Estimate | None
    up: Estimate | None
    beyond: Estimate | None
    smallest: Estimate | None
    recovery: Estimate | None
    recovery_p: Estimate | None
    reading: str


@dataclass(frozen=True, slots=True)
class StatusRow:
    """How the replies of one family ended: count by status, in the order of the statuses."""

    label: str
    total: int
    counts: tuple[tuple[str, int], ...]

    def ending(self, name: str) -> int:
        """Return the count of a group of statuses (a name in ``ENDINGS``)."""
        wanted = dict(ENDINGS)[name]
        return sum(count for status, count in self.counts if status in wanted)


@dataclass(frozen=True, slots=True)
class ModelView:
    """Everything that is shown of one model."""

    name: str
    clean: Estimate | None
    robust: Estimate | None
    repeats: Estimate | None
    floor: Estimate | None
    rows: tuple[FamilyRow, ...]
    statuses: tuple[StatusRow, ...]

    @property
    def measured_floor(self) -> bool:
        """Whether the noise floor was measured; under deterministic decoding it cannot be."""
        return any(row.beyond is not None and row.beyond.value is not None for row in self.rows)

    def changed(self) -> tuple[FamilyRow, ...]:
        """Return the rows of changed prompts: all but clean and repeat."""
        return tuple(row for row in self.rows if row.family not in ("clean", "repeat"))


Key = tuple[str, str]
"""Family and group of a row."""


def row_label(family: str, distance: int | str | None) -> str:
    """Return the name of a row as people read it."""
    name = family.replace("_", " ")
    return name if distance in (None, "") else f"{name}, distance {distance}"


def _rank(family: str, group: str) -> tuple[int, str, int]:
    order = _FAMILY_ORDER.index(family) if family in _FAMILY_ORDER else len(_FAMILY_ORDER)
    digits = group.removeprefix("distance=")
    return (order, family, int(digits) if digits.isdecimal() else -1)


def model_views(tables: StudyTables) -> tuple[ModelView, ...]:
    """Return the view of each model, by name."""
    find = Lookup(tables.estimates)
    names = sorted({item.model for item in tables.estimates if item.metric == "pass_at_1"})
    return tuple(_model_view(find, name, tables.estimates) for name in names)


def _model_view(find: Lookup, model: str, estimates: Sequence[Estimate]) -> ModelView:
    keys = {
        (item.family, item.group)
        for item in estimates
        if item.metric == "pass_at_1" and item.model == model
    }
    counts = _reply_counts(estimates, model)
    leaves = sorted(_leaves(keys, counts), key=lambda key: _rank(*key))
    return ModelView(
        name=model,
        clean=find("pass_at_1", model, "clean"),
        robust=find("robust_pass_at_1", model),
        repeats=find("worst_of_repeats", model),
        floor=find("noise_flips", model, "repeat"),
        rows=tuple(_family_row(find, model, family, group) for family, group in leaves),
        statuses=tuple(_status_row(estimates, model, family, group) for family, group in leaves),
    )


def _leaves(keys: set[Key], replies: Mapping[Key, int]) -> set[Key]:
    """Return the rows of the table: a family, or its formula distances where they differ.

    Clean prompts and repeats have distance 0 where there is a formula and none elsewhere; they are
    one row.  A family whose distances do not cover all of its replies keeps its whole row beside
    them.  So no problem is missing from the table.
    """
    found: set[Key] = set()
    for family in {family for family, _ in keys}:
        groups = {group for name, group in keys if name == family and group}
        covered = sum(replies.get((family, group), 0) for group in groups)
        if groups <= {"distance=0"}:
            groups = {""}
        elif covered < replies.get((family, ""), 0):
            groups.add("")
        found |= {(family, group) for group in groups}
    return found & keys


def _reply_counts(estimates: Sequence[Estimate], model: str) -> dict[Key, int]:
    """Return how many replies stand behind each family and distance."""
    return {
        (item.family, item.group.rpartition("status=")[0].rstrip(",")): item.denominator
        for item in estimates
        if item.metric == "status_share" and item.model == model
    }


def _family_row(find: Lookup, model: str, family: str, group: str) -> FamilyRow:
    def get(metric: str, scope: str = HEADLINE) -> Estimate | None:
        return find(metric, model, family, group, scope)

    passed = get("pass_at_1")
    assert passed is not None
    delta, holm, smallest = (
        # The repeat's change is the noise floor, which knows when it is so by construction.
        get("noise_floor" if family == "repeat" else "delta_to_clean"),
        get("delta_p_holm"),
        get("minimum_detectable_effect"),
    )
    return FamilyRow(
        label=row_label(family, group.removeprefix("distance=")),
        family=family,
        group=group,
        passed=passed,
        every=get("pass_at_1", ALL_TESTS),
        visible=get("pass_at_1", VISIBLE),
        clean=get("pass_at_1_clean"),
        delta=delta,
        p=get("delta_p"),
        holm=holm,
        down=get("flips_down"),
        up=get("flips_up"),
        beyond=get("flips_beyond_floor"),
        smallest=smallest,
        recovery=get("reduction_recovery"),
        recovery_p=get("reduction_recovery_p"),
        reading=_reading(family, passed, delta, (get("delta_p"), holm, smallest)),
    )


def _reading(
    family: str,
    passed: Estimate,
    delta: Estimate | None,
    tests: tuple[Estimate | None, Estimate | None, Estimate | None],
) -> str:
    """Say in words what a row shows; ``tests``: p value, corrected p value, smallest effect."""
    if family == "clean":
        return "The prompts as they were written."
    if family == "repeat":
        return "The clean prompts asked again: what differs here is noise."
    if delta is None:
        return passed.missing or "Not compared with the clean prompt."
    if delta.incomplete:
        return "Open: replies are pending."
    if delta.value is None:
        return f"No comparison: {delta.missing}."
    p, holm, smallest = tests
    if holm is not None and holm.value is not None and holm.value < ALPHA:
        kind = "A fall" if delta.value < 0 else "A gain"
        return f"{kind} beyond chance, also after correction."
    parts = ["No difference beyond chance."]
    if p is not None and p.note:
        parts.append(p.note)
    if smallest is not None and smallest.value is not None:
        size = f"{100 * smallest.value:.0f}"
        parts.append(f"Changes of less than {size} points would often be missed.")
    elif smallest is not None and smallest.missing:
        parts.append(f"{smallest.missing[0].upper()}{smallest.missing[1:]}.")
    return " ".join(parts)


def _status_row(estimates: Sequence[Estimate], model: str, family: str, group: str) -> StatusRow:
    lead = f"{group}," if group else ""
    counts: dict[str, int] = {}
    total = 0
    for item in estimates:
        same = (item.metric, item.model, item.family) == ("status_share", model, family)
        if same and item.group.startswith(f"{lead}status="):
            counts[item.group.removeprefix(f"{lead}status=")] = int(item.numerator or 0)
            total = item.denominator
    order = [status.value for status in Status]
    ordered = sorted(
        counts.items(), key=lambda pair: (pair[0] not in order, _place(order, pair[0]))
    )
    return StatusRow(row_label(family, group.removeprefix("distance=")), total, tuple(ordered))


def _place(order: list[str], name: str) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def headline(view: ModelView) -> str:
    """Return what one model did, in at most three sentences."""
    if view.clean is None or (view.clean.value is None and not view.clean.incomplete):
        return "The clean prompts were not answered, so there is nothing to compare."
    if view.clean.value is None:
        return "All replies are pending, so there is no figure yet."
    far = "So far it" if view.clean.incomplete else "It"
    parts = [f"{far} solves {percent(view.clean.value)} of {view.clean.problems} clean prompts."]
    falls = [
        (row.delta.value, row, row.delta)
        for row in view.changed()
        if row.delta is not None and row.delta.value is not None and row.family != "reduced"
    ]
    if falls:
        value, row, delta = min(falls, key=lambda item: item[0])
        if value >= 0:
            parts.append("No kind of rewording lowered the share of solved problems.")
        else:
            parts.append(
                f"The largest fall is under {row.label}: {points(value)} points on "
                f"{delta.problems} problems, {_certainty(row)}."
            )
    if view.robust is not None and view.robust.value is not None:
        share = percent(view.robust.value)
        parts.append(f"Under the worst of the wordings tried it solves {share}.")
    return " ".join(parts)


def _certainty(row: FamilyRow) -> str:
    if row.holm is None or row.holm.value is None:
        return "with replies still pending"
    return "beyond chance" if row.holm.value < ALPHA else "not beyond what chance can do"
