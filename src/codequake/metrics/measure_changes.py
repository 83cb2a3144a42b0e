"""The mean change of a measure that is no share, from the clean to the changed prompt."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from codequake.grading.counts import Measures, Unmeasured
from codequake.grading.measures import comment_density, measure_program
from codequake.metrics.program_pairs import ProgramPair
from codequake.records import Language, LeftOut
from codequake.seeding import seed_for
from codequake.stats import Interval, Missing, bootstrap_mean

__all__ = ["PROGRAM_MEASURES", "MeasureChange", "PairedValue", "measure_changes", "program_values"]

_Measured = Measures | Unmeasured
_Read = Callable[[Measures], float | None]

PROGRAM_MEASURES: tuple[tuple[str, _Read], ...] = (
    ("code_lines", lambda item: float(item.code_lines)),
    ("tokens", lambda item: float(item.tokens)),
    ("nodes", lambda item: None if item.nodes is None else float(item.nodes)),
    ("complexity", lambda item: float(item.complexity)),
    ("comment_density", comment_density),
)
"""Name -> how it is read off the measures of a program; ``None`` where the language has none."""


@dataclass(frozen=True, slots=True)
class PairedValue:
    """A measure of the clean and of the changed reply of one pair, or why there is none."""

    model: str
    family: str
    problem_id: str
    clean: float | Missing
    changed: float | Missing


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """Means over problems of a measure on both sides, and of its change, with an interval.

    Within a problem, pairs are averaged first.  ``left_out`` counts pairs.  All numbers are
    ``None`` where no pair has both values, and ``missing`` says so.  The interval is a BCa
    bootstrap over problems; where it cannot be had ``method`` is empty and ``note`` says why.
    """

    measure: str
    model: str
    family: str
    problems: int
    clean: float | None
    changed: float | None
    change: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    left_out: tuple[LeftOut, ...]
    missing: str | None
    note: str


def program_values(pairs: Iterable[ProgramPair]) -> dict[str, tuple[PairedValue, ...]]:
    """Measure the programs of all pairs, each distinct text once: measure -> one value a pair."""
    known: dict[tuple[str, Language], _Measured] = {}

    def measured(program: str, language: Language) -> _Measured:
        key = (program, language)
        if key not in known:
            known[key] = measure_program(program, language)
        return known[key]

    found: dict[str, list[PairedValue]] = {name: [] for name, _ in PROGRAM_MEASURES}
    for pair in pairs:
        clean = measured(pair.clean.program, pair.language)
        changed = measured(pair.changed.program, pair.language)
        for name, read in PROGRAM_MEASURES:
            values = _value(clean, read), _value(changed, read)
            found[name].append(PairedValue(pair.model, pair.family, pair.problem_id, *values))
    return {name: tuple(values) for name, values in found.items()}


def _value(measured: _Measured, read: _Read) -> float | Missing:
    if isinstance(measured, Unmeasured):
        # What is said behind the colon differs from program to program.
        return Missing(measured.reason.partition(":")[0])
    value = read(measured)
    return Missing("it is not measured in this language") if value is None else value


def measure_changes(
    measure: str, values: Iterable[PairedValue], *, seed: int, level: float = 0.95
) -> tuple[MeasureChange, ...]:
    """Return the mean change of a measure for each model and family, sorted by both."""
    grouped: dict[tuple[str, str], list[PairedValue]] = {}
    for value in values:
        grouped.setdefault((value.model, value.family), []).append(value)
    return tuple(
        _change(measure, names, found, seed, level) for names, found in sorted(grouped.items())
    )


def _change(
    measure: str, names: tuple[str, str], values: Sequence[PairedValue], seed: int, level: float
) -> MeasureChange:
    sides: dict[str, list[tuple[float, float]]] = {}
    reasons: Counter[str] = Counter()
    for value in values:
        if isinstance(value.clean, Missing):
            reasons[f"clean program: {value.clean.reason}"] += 1
        elif isinstance(value.changed, Missing):
            reasons[f"changed program: {value.changed.reason}"] += 1
        else:
            sides.setdefault(value.problem_id, []).append((value.clean, value.changed))
    out = tuple(LeftOut(reason, count) for reason, count in sorted(reasons.items()))
    if not sides:
        why = "no pair of programs has this measure on both sides"
        nothing = (None, None, None, None, None)
        return MeasureChange(measure, *names, 0, *nothing, level, "", out, why, "")
    means = [
        (_mean([one for one, _ in found]), _mean([other for _, other in found]))
        for _, found in sorted(sides.items())
    ]
    changes = [other - one for one, other in means]
    own = seed_for(seed, "measure", measure, *names)
    interval = bootstrap_mean(changes, seed=own, level=level)
    known = interval if isinstance(interval, Interval) else None
    return MeasureChange(
        measure,
        *names,
        len(means),
        _mean([one for one, _ in means]),
        _mean([other for _, other in means]),
        _mean(changes),
        known.low if known else None,
        known.high if known else None,
        level,
        known.method if known else "",
        out,
        None,
        f"No interval: {interval.reason}." if isinstance(interval, Missing) else "",
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
