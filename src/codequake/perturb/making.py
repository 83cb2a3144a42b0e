"""Variants of a problem: drafts, through the gate, into records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codequake.errors import UsageError
from codequake.keys import variant_key
from codequake.perturb.gate import check_draft
from codequake.perturb.spec import (
    PERTURBATIONS,
    Draft,
    NotApplicableError,
    Perturbation,
    PerturbationSpec,
    Request,
)
from codequake.ports import Answer, Oracle
from codequake.problems import shown_tests
from codequake.records import JsonText, Problem, Reference, Variant

__all__ = ["NO_OP", "Skipped", "VariantBatch", "make_variants"]

NO_OP = "no-op"
"""The beginning of the reason of a skipped variant whose prompt would have been the clean one."""

_DRAFTS_A_VARIANT = 20


@dataclass(frozen=True, slots=True)
class Skipped:
    """A perturbation that gave no variant, or fewer than asked for, and why."""

    problem_id: str
    perturbation: str
    reason: str


@dataclass(frozen=True, slots=True)
class VariantBatch:
    """The variants of one problem in the order of the specs, and what was skipped."""

    variants: tuple[Variant, ...]
    skipped: tuple[Skipped, ...]


def make_variants(
    problem: Problem,
    specs: Sequence[PerturbationSpec],
    *,
    seed: int,
    oracle: Oracle | None,
) -> VariantBatch:
    """Make the variants that ``specs`` ask for.

    Each draft goes through the gate; one that fails is kept with ``gated`` false.  A draft whose
    text is that of the clean prompt, or of an earlier draft of its spec, changed nothing and is
    dropped, except where the perturbation says that this is meant.  Equal arguments give equal
    variants, whatever else is asked for.

    Raises ``UsageError`` for a count below 1, a spec that stands twice or wrong arguments,
    ``UnknownNameError`` for an unknown perturbation, ``MachineError`` when the oracle cannot run.
    """
    variants: list[Variant] = []
    skipped: list[Skipped] = []
    remembering = None if oracle is None else _Remembering(oracle)
    if len({(spec.name, spec.arguments) for spec in specs}) != len(specs):
        raise UsageError("a perturbation stands twice with the same arguments; allowed: once")
    for spec in specs:
        if spec.count < 1:
            raise UsageError(f"count of {spec.name!r} is {spec.count}; allowed: 1 or more")
        perturbation = PERTURBATIONS[spec.name]
        try:
            drafts = _drafts(problem, perturbation, Request(spec, seed))
        except NotApplicableError as error:
            skipped.append(Skipped(problem.problem_id, spec.name, str(error)))
            continue
        if len(drafts) < spec.count:
            reason = f"{len(drafts)} of {spec.count} variants that change the prompt differently"
            skipped.append(Skipped(problem.problem_id, spec.name, _reason(drafts, reason)))
        variants += [_variant(problem, perturbation, draft, seed, remembering) for draft in drafts]
    return VariantBatch(tuple(variants), tuple(skipped))


class _Remembering:
    """An oracle for one problem that runs each input once: variants mostly share examples."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._known: dict[tuple[str, JsonText], Answer] = {}

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        keys = [(reference.name, one) for one in inputs]
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        if new:
            asked = self._oracle.answers(problem, reference, [one for _, one in new])
            self._known.update(zip(new, asked, strict=True))
        return tuple(self._known[key] for key in keys)

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        return self._oracle.generate(problem, seed, count)


def _reason(drafts: list[Draft], reason: str) -> str:
    return f"only {reason} exist" if drafts else f"{NO_OP}: no draft changes the prompt"


def _drafts(problem: Problem, perturbation: Perturbation, request: Request) -> list[Draft]:
    """Take drafts until there are enough that differ from the clean text and from each other."""
    kept: list[Draft] = []
    taken = {problem.statement}
    source = perturbation.make(problem, request)
    for number, draft in enumerate(source):
        if perturbation.may_repeat or draft.text not in taken:
            kept.append(draft)
            taken.add(draft.text)
        if len(kept) == request.spec.count or number >= _DRAFTS_A_VARIANT * request.spec.count:
            break
    return kept


def _variant(
    problem: Problem, perturbation: Perturbation, draft: Draft, seed: int, oracle: Oracle | None
) -> Variant:
    checks = (*draft.checks, *check_draft(problem, draft, oracle))
    base = draft.base
    return Variant(
        variant_id=_key(problem, draft, seed),
        problem_id=problem.problem_id,
        family=perturbation.name,
        task=perturbation.task,
        chain=draft.chain,
        seed=seed,
        text=draft.text,
        entry_point=draft.entry_point or problem.entry_point,
        oracle_id=problem.problem_id,
        base_id=None if base is None else _key(problem, base, seed),
        formula=draft.formula,
        distance=draft.distance,
        distance_proved=draft.distance_proved,
        assumptions=draft.assumptions,
        checks=checks,
        gated=all(check.passed for check in checks),
        shown_tests=shown_tests(problem, draft.text, problem.entry_point),
    )


def _key(problem: Problem, draft: Draft, seed: int) -> str:
    return variant_key(problem.problem_id, draft.chain, seed, draft.text)
