"""For each problem: the prompt and its change side by side, both programs, both verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codequake.canonical import content_key
from codequake.records import Problem, Status, Variant, Verdict
from codequake.report.differences import SideBySide, compare_lines, compare_words
from codequake.report.origins import withheld_text
from codequake.report.tables import StudyTables
from codequake.report.views import row_label

__all__ = ["PairView", "ProblemView", "Side", "problem_views"]

_LONGEST = 20_000  # characters of a prompt or program that the page shows
_PENDING = frozenset({Status.PROVIDER_ERROR, Status.HARNESS_ERROR})
_CHANGES = {
    "down": "passed before, fails now",
    "up": "failed before, passes now",
    "same-pass": "passes both times",
    "same-fail": "fails both times",
    "open": "open: a reply is pending",
}


@dataclass(frozen=True, slots=True)
class Side:
    """One reply: its verdict in words, and what the first failing test showed."""

    title: str
    status: str
    passed: bool
    message: str
    failure: tuple[tuple[str, str], ...]
    note: str


@dataclass(frozen=True, slots=True)
class PairView:
    """A changed prompt beside the one it came from, under one model.

    ``change`` is ``down``, ``up``, ``same-pass``, ``same-fail`` or ``open``.
    """

    anchor: str
    label: str
    family: str
    model: str
    change: str
    change_words: str
    left: Side
    right: Side
    prompts: SideBySide
    programs: SideBySide
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A problem with its pairs; ``marks`` is one (label, status, passed) a prompt and model.

    ``origin`` is its source and its licence.
    """

    anchor: str
    problem_id: str
    title: str
    language: str
    origin: str
    marks: tuple[tuple[str, str, bool], ...]
    pairs: tuple[PairView, ...]


@dataclass(frozen=True, slots=True)
class _Rows:
    variants: Mapping[str, Variant]
    verdicts: Mapping[tuple[str, str], list[Verdict]]
    planned: Mapping[tuple[str, str], int]


def problem_views(tables: StudyTables) -> tuple[ProblemView, ...]:
    """Return the view of each problem that was asked, by id."""
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    planned: dict[tuple[str, str], int] = {}
    for verdict in sorted(tables.verdicts, key=lambda item: item.sample):
        verdicts.setdefault((verdict.model, verdict.variant_id), []).append(verdict)
    for item in tables.planned:
        planned[item.model, item.variant_id] = planned.get((item.model, item.variant_id), 0) + 1
    rows = _Rows({item.variant_id: item for item in tables.variants}, verdicts, planned)
    by_problem: dict[str, list[Variant]] = {}
    for variant in sorted(tables.variants, key=_variant_order):
        by_problem.setdefault(variant.problem_id, []).append(variant)
    models = sorted({item.model for item in tables.planned})
    views = [
        _problem_view(problem, by_problem.get(problem.problem_id, []), models, rows)
        for problem in sorted(tables.problems, key=lambda item: item.problem_id)
    ]
    return tuple(view for view in views if view.marks)


def _variant_order(variant: Variant) -> tuple[bool, bool, bool, str, int, str]:
    family = variant.family
    return (
        family != "clean",
        family != "repeat",
        variant.base_id is not None,
        family,
        -1 if variant.distance is None else variant.distance,
        variant.variant_id,
    )


def _problem_view(
    problem: Problem, variants: list[Variant], models: list[str], rows: _Rows
) -> ProblemView:
    marks: list[tuple[str, str, bool]] = []
    pairs: list[PairView] = []
    clean = next((item for item in variants if item.family == "clean"), None)
    for model in models:
        for variant in variants:
            if (model, variant.variant_id) not in rows.planned:
                continue
            side = _side(variant, model, rows)
            name = _label(variant) if len(models) == 1 else f"{_label(variant)} ({model})"
            marks.append((name, side.status, side.passed))
            base = rows.variants.get(variant.base_id or "", clean)
            if base is not None and base.variant_id != variant.variant_id:
                pairs.append(_pair(problem, base, variant, model, rows))
    return ProblemView(
        anchor=f"problem-{content_key(problem.problem_id, length=10)}",
        problem_id=problem.problem_id,
        title=problem.title,
        language=problem.language.value,
        origin=f"Source: {problem.source}. Licence: {problem.licence}.",
        marks=tuple(marks),
        pairs=tuple(pairs),
    )


def _label(variant: Variant) -> str:
    label = row_label(variant.family, variant.distance)
    return label if variant.gated else f"{label}, rejected"


def _shown(problem: Problem, variant: Variant) -> str:
    """Return the text of a prompt, or why it is withheld."""
    return _cut(variant.text) if problem.redistributable else withheld_text(problem)


def _pair(problem: Problem, base: Variant, variant: Variant, model: str, rows: _Rows) -> PairView:
    left, right = _side(base, model, rows), _side(variant, model, rows)
    if "pending" in (left.status, right.status):
        change = "open"
    elif left.passed != right.passed:
        change = "down" if left.passed else "up"
    else:
        change = "same-pass" if left.passed else "same-fail"
    return PairView(
        anchor=f"pair-{content_key([model, variant.variant_id], length=12)}",
        label=_label(variant),
        family=variant.family,
        model=model,
        change=change,
        change_words=_CHANGES[change],
        left=left,
        right=right,
        prompts=compare_words(_shown(problem, base), _shown(problem, variant)),
        programs=compare_lines(_program(base, model, rows), _program(variant, model, rows)),
        details=_details(problem, variant),
    )


def _details(problem: Problem, variant: Variant) -> tuple[str, ...]:
    # What steps and checks say may hold pieces of the prompt.
    open_ = problem.redistributable
    found = [f"Made by {step.name} {step.arguments if open_ else ''}" for step in variant.chain]
    if variant.formula is not None:
        found.append(f"Formula: {variant.formula}")
    if variant.distance is not None:
        proved = {True: "proved smallest", False: "not proved smallest", None: "not examined"}
        found.append(f"Distance {variant.distance} ({proved[variant.distance_proved]})")
    found += [f"Assumes {relation}" for relation in variant.assumptions]
    found += [
        f"Check {check.name}: {'held' if check.passed else 'failed'}. "
        f"{check.detail if open_ else ''}".strip()
        for check in variant.checks
    ]
    return tuple(found)


def _first(variant: Variant, model: str, rows: _Rows) -> Verdict | None:
    found = rows.verdicts.get((model, variant.variant_id), [])
    return found[0] if found else None


def _program(variant: Variant, model: str, rows: _Rows) -> str:
    verdict = _first(variant, model, rows)
    return "" if verdict is None else _cut(verdict.program)


def _side(variant: Variant, model: str, rows: _Rows) -> Side:
    title = "Clean prompt" if variant.family == "clean" else _label(variant)
    verdict = _first(variant, model, rows)
    if verdict is None or verdict.status in _PENDING:
        message = "no verdict yet" if verdict is None else verdict.status.value.replace("_", " ")
        return Side(title, "pending", False, message, (), "")
    failure = verdict.failure
    shown: list[tuple[str, str]] = []
    if failure is not None:
        got = "nothing" if failure.got is None else failure.got
        shown = [
            (f"Input of test {failure.test + 1}", _cut(failure.input, 600)),
            ("Expected", _cut(failure.expected, 600)),
            ("Got", _cut(got, 600)),
        ]
    every = rows.verdicts[model, variant.variant_id]
    note = ""
    if rows.planned.get((model, variant.variant_id), 1) > 1:
        passed = sum(item.status is Status.PASSED for item in every)
        note = f"The first of {len(every)} replies; {passed} of them pass."
    return Side(
        title,
        verdict.status.value.replace("_", " "),
        verdict.status is Status.PASSED,
        _cut(verdict.message, 600),
        tuple(shown),
        note,
    )


def _cut(text: str, limit: int = _LONGEST) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[{len(text) - limit} more characters stand in the study folder]"
