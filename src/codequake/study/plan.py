"""Which requests a study asks, worked out from its files alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from codequake.models import render_messages

from codequake.canonical import canonical_json
from codequake.codec import to_plain
from codequake.journal import Entry
from codequake.keys import new_request
from codequake.records import (
    Completion,
    JsonText,
    Problem,
    Request,
    StopReason,
    Variant,
)
from codequake.study.config import Decoding, StudyConfig

__all__ = ["Planned", "completions_of", "decoding_text", "plan_requests", "unanswered"]

REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class Planned:
    """One completion that the study will have: which variant, which model, which sample."""

    problem: Problem
    variant: Variant
    sample: int
    request: Request


def decoding_text(decoding: Decoding) -> JsonText:
    """Return the decoding parameters that are set, as canonical JSON."""
    given = {key: value for key, value in to_plain(decoding).items() if value is not None}
    return JsonText(canonical_json(given))


def plan_requests(
    config: StudyConfig,
    model: str,
    engine: str,
    problems: Mapping[str, Problem],
    variants: Iterable[Variant],
) -> tuple[Planned, ...]:
    """Return every completion of one model, in the order of the variants.

    ``clean`` and all changed prompts take sample indices 0 .. n-1, ``repeat`` takes n .. 2n-1 of
    the clean prompt, so that it is asked anew.  Variants with equal messages share a request.
    """
    decoding = decoding_text(config.decoding)
    planned = []
    for variant in variants:
        problem = problems[variant.problem_id]
        messages = render_messages(problem, variant, config.style)
        first = config.samples if variant.family == REPEAT else 0
        for sample in range(first, first + config.samples):
            request = new_request(model, engine, messages, decoding, sample)
            planned.append(Planned(problem, variant, sample, request))
    return tuple(planned)


def unanswered(planned: Iterable[Planned], known: Mapping[str, Entry]) -> tuple[Request, ...]:
    """Return the requests without a reply, each once; replies that are errors are asked again."""
    missing: dict[str, Request] = {}
    for item in planned:
        entry = known.get(item.request.key)
        if entry is None or entry.reply.stop_reason is StopReason.ERROR:
            missing[item.request.key] = item.request
    return tuple(missing.values())


def completions_of(
    planned: Sequence[Planned], known: Mapping[str, Entry]
) -> tuple[Completion, ...]:
    """Return the completions that are there; what is missing stays out and counts as pending."""
    found = []
    for item in planned:
        entry = known.get(item.request.key)
        if entry is None:
            continue
        reply = entry.reply
        found.append(
            Completion(
                problem_id=item.problem.problem_id,
                variant_id=item.variant.variant_id,
                model=item.request.model,
                sample=item.sample,
                key=reply.key,
                text=reply.text,
                reasoning=reply.reasoning,
                model_reported=reply.model_reported,
                stop_reason=reply.stop_reason,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                error=reply.error,
            )
        )
    return tuple(found)
