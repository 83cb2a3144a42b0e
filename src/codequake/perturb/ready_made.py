"""Variants that somebody else made: their prompts, through our gate, as records.

``FORMAT:FILE`` names them; the one format here is ``recode``.  A prompt that is the clean one to
the letter changed nothing: it becomes no variant, and is told with the reason ``no-op``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from codequake.canonical import canonical_json
from codequake.errors import DataError, UsageError
from codequake.keys import variant_key
from codequake.perturb.gate import check_draft
from codequake.perturb.making import NO_OP, Skipped, VariantBatch
from codequake.perturb.spec import Draft
from codequake.ports import Oracle
from codequake.problems.recode import ReadyFile, ReadyPrompt, read_recode
from codequake.records import Check, JsonText, Problem, Step, TaskKind, Variant
from codequake.registry import Table

__all__ = ["READY_MADE_FORMATS", "read_ready_made"]

Reader = Callable[[Path, Sequence[Problem]], ReadyFile]

READY_MADE_FORMATS: Table[Reader] = Table("ready-made format")
"""Name before ``:`` in ``FORMAT:FILE`` -> what pairs the prompts of a file with problems.

Other packages add theirs: ``codequake.ready_made_format``.
"""

READY_MADE_FORMATS.add("recode")(read_recode)

_FORMAT = re.compile(r"([A-Za-z][A-Za-z0-9+_-]*):(.+)", re.DOTALL)
_BEGUN = "the prompt holds the beginning of a solution, and the clean prompt does not"


def read_ready_made(
    source: str, problems: Sequence[Problem], oracle: Oracle | None, base: Path = Path()
) -> VariantBatch:
    """Return the variants that a file of ready-made prompts gives to these problems.

    Paths start from ``base``.  Prompts of other problems are passed over.  A prompt that begins
    the solution comes with the one that it was made from, as its base; both fail the check
    ``whole_task``, since they ask for less than the clean prompt.  One that is no Python any more
    fails ``prompt_parses``.  Raises ``UsageError`` for a
    name that is not ``FORMAT:FILE``, ``UnknownNameError`` for another format, ``DataError`` for
    the first bad row and for a file without a prompt of these problems.
    """
    named = _FORMAT.fullmatch(source)
    if named is None:
        raise UsageError(f"ready-made variants are {source!r}; allowed: recode:FILE")
    path = base / named[2]
    found = READY_MADE_FORMATS[named[1]](path, problems)
    if found.faults:
        more = len(found.faults) - 1
        raise DataError(found.faults[0] + (f" (and {more} more)" if more else ""))
    if not found.prompts:
        raise DataError(
            f"none of its {found.others} prompts belongs to a problem here", place=str(path)
        )
    variants: dict[str, Variant] = {}
    skipped: list[Skipped] = []
    for prompt in found.prompts:
        if prompt.text == (prompt.begun or prompt.problem.statement):
            reason = f"{NO_OP}: the prompt is {'as it was begun' if prompt.begun else 'clean'}"
            skipped.append(Skipped(prompt.problem.problem_id, prompt.family, reason))
            continue
        for variant in _variants(prompt, named[1], oracle):
            variants.setdefault(variant.variant_id, variant)  # files share what they began from
    return VariantBatch(tuple(variants.values()), tuple(skipped))


def _variants(prompt: ReadyPrompt, reader: str, oracle: Oracle | None) -> list[Variant]:
    checks: tuple[Check, ...] = (
        Check("prompt_parses", not prompt.fault, prompt.fault or "the prompt is Python"),
    )
    begun: Draft | None = None
    if prompt.begun is not None:
        checks = (Check("whole_task", False, _BEGUN),)
        begun = Draft(prompt.begun, (_step(reader, "begun"),), checks=checks)
    draft = Draft(
        prompt.text,
        (_step(reader, prompt.family),),
        checks=checks,
        base=begun,
        entry_point=prompt.entry_point,
    )
    made = [] if begun is None else [_variant(prompt, f"{reader}_begun", begun, 0, oracle)]
    return [*made, _variant(prompt, prompt.family, draft, prompt.seed, oracle)]


def _step(reader: str, name: str) -> Step:
    return Step("ready_made", JsonText(canonical_json({"format": reader, "name": name})))


def _variant(
    prompt: ReadyPrompt, family: str, draft: Draft, seed: int, oracle: Oracle | None
) -> Variant:
    problem = prompt.problem
    checks = (*draft.checks, *check_draft(problem, draft, oracle))
    base = draft.base
    return Variant(
        variant_id=variant_key(problem.problem_id, draft.chain, seed, draft.text),
        problem_id=problem.problem_id,
        family=family,
        task=TaskKind.KEPT,
        chain=draft.chain,
        seed=seed,
        text=draft.text,
        entry_point=draft.entry_point or problem.entry_point,
        oracle_id=problem.problem_id,
        base_id=None if base is None else variant_key(problem.problem_id, base.chain, 0, base.text),
        formula=None,
        distance=None,
        distance_proved=None,
        assumptions=(),
        checks=checks,
        gated=all(check.passed for check in checks),
    )
