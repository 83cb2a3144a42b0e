"""A clean and a changed program of one model, side by side, with what is known of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from codequake.errors import DataError
from codequake.grading.digests import RIGHT
from codequake.metrics.scopes import passes
from codequake.records import Completion, Language, Problem, Status, TaskKind, Variant, Verdict

__all__ = ["NameSets", "ProgramPair", "Side", "name_sets", "pairs_of", "vector_of"]

_CLEAN = "clean"


@dataclass(frozen=True, slots=True)
class NameSets:
    """Names that only one of two prompts has: that of the original task, or the changed one.

    Both are empty where the change renames nothing.
    """

    original: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Side:
    """One reply to one prompt, and its program.

    ``passed`` is ``None`` while the reply is pending.  ``vector`` has a mark a test, as
    ``vector_of`` gives it.  ``samples`` are the outcomes of all finished replies of the model to
    this prompt.
    """

    prompt: str
    reply: str
    program: str
    status: Status
    passed: bool | None
    vector: tuple[str, ...] | None
    samples: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class ProgramPair:
    """The programs of one model for a problem, from the clean prompt and from another one."""

    model: str
    problem_id: str
    oracle_id: str
    variant_id: str
    family: str
    sample: int
    task: TaskKind
    language: Language
    names: NameSets
    clean: Side
    changed: Side


def vector_of(verdict: Verdict) -> tuple[str, ...] | None:
    """Return a mark a test for what a program gave, equal where it gave the same.

    ``None`` where that is not known: no test ran, the tests are statements, or the verdict was made
    before marks were kept (grading the study again adds them).
    """
    if verdict.status is Status.PASSED:
        return (RIGHT,) * len(verdict.tests)
    return verdict.outputs or None


def name_sets(problem: Problem, variant: Variant) -> NameSets:
    """Return the names of a problem that stand in only one of the two prompts.

    Looked at are the entry points, the parameters, and what the domains of the problem call them.
    A name counts as standing in a text where it stands there as a word.
    """
    renamed = {
        pair.new: pair.old
        for domain in (problem.structure.domains if problem.structure else ())
        for pair in domain.renames
    }
    own = {name for name in (problem.entry_point, *problem.parameters) if name}
    offered = {variant.entry_point} if variant.entry_point else set()
    clean = _words(problem.statement) | ({problem.entry_point} if problem.entry_point else set())
    changed = _words(variant.text) | offered
    return NameSets(
        original=frozenset(name for name in own if name in clean and name not in changed),
        new=frozenset(
            name for name in {*renamed, *offered} if name in changed and name not in clean | own
        ),
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", text))


@dataclass(frozen=True, slots=True)
class _Row:
    variant: Variant
    completion: Completion
    verdict: Verdict


def pairs_of(
    problems: Iterable[Problem],
    variants: Iterable[Variant],
    completions: Iterable[Completion],
    verdicts: Iterable[Verdict],
) -> tuple[ProgramPair, ...]:
    """Return each reply to a prompt that is not clean, beside the clean one of equal rank.

    The first sample of a prompt goes with the first of the clean one (a repeat has other numbers),
    and so on; what has no partner, no reply or no verdict stands in no pair.  Sorted by model,
    problem, variant and sample.  Raises ``DataError`` for a verdict of an unknown variant or
    problem.
    """
    known = {item.problem_id: item for item in problems}
    made = {item.variant_id: item for item in variants}
    replies = {(item.model, item.variant_id, item.sample): item for item in completions}
    grouped: dict[tuple[str, str], list[_Row]] = {}
    for verdict in sorted(verdicts, key=lambda item: (item.model, item.variant_id, item.sample)):
        variant = made.get(verdict.variant_id)
        if variant is None or variant.problem_id not in known:
            raise DataError(f"verdict of unknown variant or problem {verdict.variant_id!r}")
        reply = replies.get((verdict.model, verdict.variant_id, verdict.sample))
        if reply is not None:
            row = _Row(variant, reply, verdict)
            grouped.setdefault((verdict.model, verdict.variant_id), []).append(row)
    clean = {
        (model, rows[0].variant.problem_id): rows
        for (model, _), rows in grouped.items()
        if rows[0].variant.family == _CLEAN
    }
    found = []
    for (model, _), rows in grouped.items():
        variant = rows[0].variant
        if variant.family == _CLEAN:
            continue
        names = name_sets(known[variant.problem_id], variant)
        partners = clean.get((model, variant.problem_id), [])
        for one, other in zip(partners, rows, strict=False):
            found.append(_pair(known, names, (one, partners), (other, rows)))
    found.sort(key=lambda item: (item.model, item.problem_id, item.variant_id, item.sample))
    return tuple(found)


def _pair(
    known: Mapping[str, Problem],
    names: NameSets,
    clean: tuple[_Row, Sequence[_Row]],
    changed: tuple[_Row, Sequence[_Row]],
) -> ProgramPair:
    """Each side is a row with all rows of its prompt."""
    row = changed[0]
    return ProgramPair(
        model=row.verdict.model,
        problem_id=row.variant.problem_id,
        oracle_id=row.variant.oracle_id,
        variant_id=row.variant.variant_id,
        family=row.variant.family,
        sample=row.verdict.sample,
        task=row.variant.task,
        language=known[row.variant.problem_id].language,
        names=names,
        clean=_side(*clean),
        changed=_side(*changed),
    )


def _side(row: _Row, rows: Sequence[_Row]) -> Side:
    outcomes = (passes(item.verdict) for item in rows)
    return Side(
        prompt=row.variant.text,
        reply=row.completion.text,
        program=row.verdict.program,
        status=row.verdict.status,
        passed=passes(row.verdict),
        vector=vector_of(row.verdict),
        samples=tuple(item for item in outcomes if item is not None),
    )
