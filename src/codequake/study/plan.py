"""Which requests a study asks, worked out from its files alone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from codequake.canonical import canonical_json
from codequake.codec import to_plain
from codequake.journal import Replies
from codequake.keys import new_request
from codequake.models import fill_stage, render_stages
from codequake.records import (
    Completion,
    JsonText,
    Planned,
    Problem,
    Reply,
    Request,
    Variant,
)
from codequake.study.config import Decoding, StudyConfig, settings_of, styles_of
from codequake.study.staged import Chain, calls_of, new_chain, next_call

__all__ = [
    "Plan",
    "answered_calls",
    "arms_of",
    "completion_of",
    "completions_of",
    "decoding_of",
    "decoding_text",
    "plan_requests",
    "unanswered",
]

_REPEAT = "repeat"


def decoding_text(decoding: Decoding) -> JsonText:
    """Return the decoding parameters that are set, as canonical JSON."""
    given = {key: value for key, value in to_plain(decoding).items() if value is not None}
    return JsonText(canonical_json(given))


def decoding_of(config: StudyConfig, model: str) -> Decoding:
    """Return the decoding that a model is asked with: its own, else that of the study."""
    return settings_of(config, model).decoding or config.decoding


def _arm(config: StudyConfig, model: str, style: str) -> str:
    """Return the name under which a model asked in a style stands in every table.

    Where a study has several styles, each is an arm of its own: a difference is taken inside one
    arm, so clean and changed prompts of it were asked in the same way.
    """
    return f"{model} [{style}]" if len(styles_of(config, model)) > 1 else model


def arms_of(config: StudyConfig) -> dict[str, tuple[str, str]]:
    """Return the arms of a study in their order: name -> the model and the style of its prompts."""
    return {
        _arm(config, model, style): (model, style)
        for model in config.models
        for style in styles_of(config, model)
    }


@dataclass(frozen=True, slots=True)
class Plan:
    """Every completion of one model, and what is asked for it.

    ``requests`` are those of one call by ``Planned.key``, ``chains`` those of several.
    """

    rows: tuple[Planned, ...]
    requests: dict[str, Request] = field(default_factory=dict)
    chains: dict[str, Chain] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """How often the model has to be asked, one call after the other, until all is there."""
        return max((len(chain.stages) for chain in self.chains.values()), default=1)


def plan_requests(
    config: StudyConfig,
    model: str,
    engine: str,
    problems: Mapping[str, Problem],
    variants: Sequence[Variant],
) -> Plan:
    """Return every completion of one model in the order of the variants, and what it asks for.

    ``clean`` and all changed prompts take sample indices 0 .. n-1, ``repeat`` takes n .. 2n-1 of
    the clean prompt, so that it is asked anew.  Variants with equal messages share a request.  Each
    style of a study is an arm with a name of its own; the requests carry the name of the model.
    """
    decoding = decoding_text(decoding_of(config, model))
    planned: list[Planned] = []
    requests: dict[str, Request] = {}
    chains: dict[str, Chain] = {}
    asked = [(style, variant) for style in styles_of(config, model) for variant in variants]
    for style, variant in asked:
        problem = problems[variant.problem_id]
        arm = _arm(config, model, style)
        stages = render_stages(problem, variant, style, config.templates)
        messages = fill_stage(stages[0], ())
        first = config.samples if variant.family == _REPEAT else 0
        for sample in range(first, first + config.samples):
            if len(stages) == 1:
                request = new_request(model, engine, messages, decoding, sample)
                requests[request.key] = request
                key = request.key
            else:
                chain = new_chain(model, engine, stages, decoding, sample)
                chains[chain.key] = chain
                key = chain.key
            planned.append(
                Planned(problem.problem_id, variant.variant_id, arm, sample, decoding, key)
            )
    return Plan(tuple(planned), requests, chains)


def unanswered(plan: Plan, known: Replies) -> tuple[Request, ...]:
    """Return the requests that can be asked now and have no reply.

    A reply that is an error is asked for again.  Of a chain this is one call, the next.
    """
    found = {
        key: request
        for key, request in plan.requests.items()
        if key not in known or known.failed(key)
    }
    for chain in plan.chains.values():
        call = next_call(chain, known)
        if call is not None:
            found[call.key] = call
    return tuple(found.values())


def answered_calls(plan: Plan, known: Replies) -> int:
    """Return how many different requests of a plan have a reply, all calls of chains counted."""
    calls = {call.key for chain in plan.chains.values() for call in calls_of(chain, known)}
    return sum(key in known and not known.failed(key) for key in {*plan.requests, *calls})


def completions_of(
    planned: Iterable[Planned], known: Replies, *, texts_of: Container[str] | None = None
) -> tuple[Completion, ...]:
    """Return the completions that are there; what is missing stays out and counts as pending.

    Where ``texts_of`` is given, the completions of models that are not in it are bare: without
    text, reasoning and token scores, which in a large study are more than memory may hold.
    """
    return tuple(
        completion_of(
            row,
            known[row.key].reply
            if texts_of is None or row.model in texts_of
            else known.bare(row.key),
        )
        for row in planned
        if row.key in known
    )


def completion_of(row: Planned, reply: Reply) -> Completion:
    """Return the completion that a reply is for a row of the plan."""
    return Completion(
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
        reasoning_tokens=reply.reasoning_tokens,
        tokens=reply.tokens,
        refused=reply.refused,
    )
