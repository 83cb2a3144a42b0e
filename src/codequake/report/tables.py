"""Everything a report is made from; nothing in it depends on when or where it is written."""

from __future__ import annotations

from dataclasses import dataclass

from codequake.perturb import Skipped
from codequake.records import (
    Completion,
    Estimate,
    JsonText,
    Planned,
    Problem,
    Variant,
    Verdict,
)

__all__ = ["ModelRun", "StudyTables", "Version"]


@dataclass(frozen=True, slots=True)
class ModelRun:
    """How one model was asked.

    ``engine`` names weights or engine build and may be empty.  ``demonstration`` marks a model
    that only shows the instrument, such as the bundled one or a simulated coder.
    """

    name: str
    engine: str
    decoding: JsonText
    style: str
    deterministic: bool
    demonstration: bool


@dataclass(frozen=True, slots=True)
class Version:
    """The version of something that the numbers depend on."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class StudyTables:
    """A study as a report shows it; the order of rows has no meaning.

    ``notes`` say what was left out of its sets, repaired or is doubtful.  ``oracles`` are problems
    that judge variants and were not asked themselves.
    """

    title: str
    seed: int
    sets: tuple[str, ...]
    models: tuple[ModelRun, ...]
    problems: tuple[Problem, ...]
    variants: tuple[Variant, ...]
    planned: tuple[Planned, ...]
    completions: tuple[Completion, ...]
    verdicts: tuple[Verdict, ...]
    estimates: tuple[Estimate, ...]
    skipped: tuple[Skipped, ...] = ()
    versions: tuple[Version, ...] = ()
    notes: tuple[str, ...] = ()
    oracles: tuple[Problem, ...] = ()
