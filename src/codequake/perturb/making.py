"""Variants of a problem: drafts, through the gate, into records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codequake.errors import UsageError
from codequake.grading import outputs_agree
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
from codequake.problems import DISCRIMINATING, contrast_with, has_new_oracle, shown_tests
from codequake.records import Check, JsonText, Problem, Reference, TaskKind, Variant

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
    """The variants of one problem in the order of the specs, and what was skipped.

    ``oracles`` are the problems that judge them beside the problem itself, and those that tell who
    solved the original task instead, each once.
    """

    variants: tuple[Variant, ...]
    skipped: tuple[Skipped, ...]
    oracles: tuple[Problem, ...] = ()


def make_variants(
    problem: Problem,
    specs: Sequence[PerturbationSpec],
    *,
    seed: int,
    oracle: Oracle | None,
    versions: Sequence[Problem] = (),
) -> VariantBatch:
    """Make the variants that ``specs`` ask for.

    ``versions`` are problems that authors made from problems; those of others are passed over.

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
    made = _Making(problem, seed, remembering)
    own = tuple(one for one in versions if _original_of(one) == problem.problem_id)
    if len({(spec.name, spec.arguments) for spec in specs}) != len(specs):
        raise UsageError("a perturbation stands twice with the same arguments; allowed: once")
    for spec in specs:
        if spec.count < 1:
            raise UsageError(f"count of {spec.name!r} is {spec.count}; allowed: 1 or more")
        perturbation = PERTURBATIONS[spec.name]
        try:
            drafts = _drafts(problem, perturbation, Request(spec, seed, remembering, own))
        except NotApplicableError as error:
            skipped.append(Skipped(problem.problem_id, spec.name, str(error)))
            continue
        if len(drafts) < spec.count:
            reason = f"{len(drafts)} of {spec.count} variants that change the prompt differently"
            skipped.append(Skipped(problem.problem_id, spec.name, _reason(drafts, reason)))
        variants += [made.variant(perturbation, draft) for draft in drafts]
    return VariantBatch(tuple(variants), tuple(skipped), tuple(made.oracles.values()))


def _original_of(version: Problem) -> str | None:
    return None if version.change is None else version.change.original_id


class _Remembering:
    """An oracle that runs each input of a program once: variants mostly share examples."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._known: dict[tuple[str, str, JsonText], Answer] = {}

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        keys = [(problem.problem_id, reference.code, one) for one in inputs]
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        if new:
            asked = self._oracle.answers(problem, reference, [one for _, _, one in new])
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


class _Making:
    """Turns drafts of one problem into variants, and keeps the problems that judge them."""

    def __init__(self, problem: Problem, seed: int, oracle: Oracle | None) -> None:
        self.oracles: dict[str, Problem] = {}
        self._problem = problem
        self._seed = seed
        self._oracle = oracle

    def variant(self, perturbation: Perturbation, draft: Draft) -> Variant:
        judge = draft.judged_by or self._problem
        checks = [
            *draft.checks,
            *check_draft(judge, draft, self._oracle, freedoms=perturbation.freedoms),
        ]
        task, contrast = perturbation.task, None
        if draft.judged_by is not None:
            self.oracles[judge.problem_id] = judge
            if judge.change is not None and has_new_oracle(judge.change.kind):
                task = TaskKind.CHANGED
                contrast = self._contrast(judge, checks)
        base = draft.base
        family = f"{perturbation.name}/{draft.kind}" if draft.kind else perturbation.name
        return Variant(
            variant_id=_key(self._problem, draft, self._seed),
            problem_id=self._problem.problem_id,
            family=family,
            task=task,
            chain=draft.chain,
            seed=self._seed,
            text=draft.text,
            entry_point=draft.entry_point or judge.entry_point,
            oracle_id=judge.problem_id,
            base_id=None if base is None else _key(self._problem, base, self._seed),
            formula=draft.formula,
            distance=draft.distance,
            distance_proved=draft.distance_proved,
            assumptions=draft.assumptions,
            checks=tuple(checks),
            gated=all(check.passed for check in checks),
            shown_tests=shown_tests(judge, draft.text, judge.entry_point),
            contrast_id=contrast,
        )

    def _contrast(self, judge: Problem, checks: list[Check]) -> str | None:
        """Keep the problem with the original's answers; say whether it tells the two apart."""
        if self._oracle is None or not self._problem.references:
            checks.append(Check("discriminating", False, "the references cannot be run"))
            return None
        found = contrast_with(judge, self._problem, self._oracle, outputs_agree)
        count = len(found.tests)
        detail = f"{count} hidden tests tell the changed task from the original"
        checks.append(Check("discriminating", count >= DISCRIMINATING, detail))
        self.oracles[found.problem_id] = found
        return found.problem_id


def _key(problem: Problem, draft: Draft, seed: int) -> str:
    return variant_key(problem.problem_id, draft.chain, seed, draft.text)
