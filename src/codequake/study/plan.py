"""Which requests a study asks, worked out from its files alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codequake.canonical import canonical_json
from codequake.codec import to_plain
from codequake.journal import Entry
from codequake.keys import new_request
from codequake.models import render_messages
from codequake.records import (
    Completion,
    JsonText,
    Planned,
    Problem,
    Request,
    StopReason,
    Variant,
)
from codequake.study.config import Decoding, StudyConfig

__all__ = ["completions_of", "decoding_text", "plan_requests", "unanswered"]

_REPEAT = "repeat"


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
) -> tuple[tuple[Planned, ...], dict[str, Request]]:
    """Return every completion of one model in the order of the variants, and the requests by key.

    ``clean`` and all changed prompts take sample indices 0 .. n-1, ``repeat`` takes n .. 2n-1 of
    the clean prompt, so that it is asked anew.  Variants with equal messages share a request.
    """
    decoding = decoding_text(config.decoding)
    planned: list[Planned] = []
    requests: dict[str, Request] = {}
    for variant in variants:
        problem = problems[variant.problem_id]
        messages = render_messages(problem, variant, config.style)
        first = config.samples if variant.family == _REPEAT else 0
        for sample in range(first, first + config.samples):
            request = new_request(model, engine, messages, decoding, sample)
            requests[request.key] = request
            planned.append(
                Planned(
                    problem.problem_id, variant.variant_id, model, sample, decoding, request.key
                )
            )
    return tuple(planned), requests


def unanswered(requests: Mapping[str, Request], known: Mapping[str, Entry]) -> tuple[Request, ...]:
    """Return the requests without a reply; a reply that is an error is asked for again."""
    return tuple(
        request
        for key, request in requests.items()
        if key not in known or known[key].reply.stop_reason is StopReason.ERROR
    )


def completions_of(
    planned: Iterable[Planned], known: Mapping[str, Entry]
) -> tuple[Completion, ...]:
    """Return the completions that are there; what is missing stays out and counts as pending."""
    found = []
    for row in planned:
        if row.key not in known:
            continue
        reply = known[row.key].reply
        found.append(
            Completion(
                problem_id=row.problem_id,
                variant_id=row.variant_id,
                model=row.model,
                sample=row.sample,
                key=row.key,
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
