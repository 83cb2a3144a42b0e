"""``codequake run --dry-run``: what a study would ask, counted without asking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from codequake.perturb import PERTURBATIONS, make_variants
from codequake.records import Problem, Variant
from codequake.study.budget import CHARACTERS_PER_TOKEN
from codequake.study.config import Study, StudyConfig, settings_of
from codequake.study.missing import missing_sentences
from codequake.study.plan import Plan, decoding_of, plan_requests
from codequake.study.prices import is_free, named_prices
from codequake.study.progress import Notify
from codequake.study.sandboxes import SandboxWhenAsked
from codequake.study.staged import call_key
from codequake.study.stages import load_problems, ready_made

__all__ = ["ModelCount", "StudyCount", "count_study"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelCount:
    """Requests, tokens and money of one model.

    Output tokens and cost are the most that may come back, where ``max_tokens`` holds at its
    provider; ``None`` where nothing limits them, or where there is no price.  The cost is in the
    unit of the price table.  Every call of a style of several counts as a request; the replies that
    later calls hold are counted among the input with all of ``max_tokens``, or not at all where it
    is not set.
    """

    model: str
    group: str
    completions: int
    requests: int
    input_tokens: int
    output_tokens_at_most: int | None
    priced: bool
    cost_at_most: float | None


@dataclass(frozen=True, slots=True)
class StudyCount:
    """What a study would make and ask.

    ``rate`` is in requests a minute.  ``missing`` are sentences on what cannot be made.
    """

    problems: int
    variants: int
    skipped: int
    models: tuple[ModelCount, ...]
    missing: tuple[str, ...] = ()
    rate: float | None = None

    @property
    def completions(self) -> int:
        """Replies that the tables rest on; equal prompts share one."""
        return sum(item.completions for item in self.models)

    @property
    def cost_at_most(self) -> float | None:
        """The ceiling over all models; ``None`` while one of them has none."""
        costs = [item.cost_at_most for item in self.models if item.cost_at_most is not None]
        return sum(costs) if len(costs) == len(self.models) else None

    @property
    def minutes(self) -> float | None:
        """Time of all requests at the rate; models are asked one after the other."""
        if self.rate is None:
            return None
        return sum(item.requests for item in self.models) / self.rate

    def as_json(self) -> dict[str, Any]:
        """Return the counts as a JSON value; ``cost`` is null while there is no ceiling."""
        return {
            "problems": self.problems,
            "variants": self.variants,
            "skipped": self.skipped,
            "completions": self.completions,
            "cost": self.cost_at_most,
            "minutes": self.minutes,
            "missing": list(self.missing),
            "models": [
                {
                    "model": item.model,
                    "group": item.group,
                    "completions": item.completions,
                    "requests": item.requests,
                    "input_tokens_estimate": item.input_tokens,
                    "output_tokens_at_most": item.output_tokens_at_most,
                    "cost_at_most": item.cost_at_most,
                }
                for item in self.models
            ],
        }

    def as_text(self) -> str:
        """Return the counts as lines of text."""
        lines = [
            f"{self.problems} problems, {self.variants} variants "
            f"({self.skipped} could not be made), {self.completions} completions"
        ]
        for item in self.models:
            most = item.output_tokens_at_most
            ceiling = "no limit is set" if most is None else f"at most {most:,} tokens out"
            cost = f", cost at most {item.cost_at_most:,.2f}" if item.cost_at_most else ""
            group = f" ({item.group})" if item.group else ""
            lines.append(
                f"{item.model}{group}: {item.requests} requests, "
                f"about {item.input_tokens:,} tokens in, {ceiling}{cost}"
            )
        lines.append(self._cost())
        if self.minutes is not None:
            lines.append(f"At {self.rate:g} requests a minute: about {self.minutes:,.0f} minutes.")
        lines += [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in self.missing]
        lines.append("Variants are counted before their examples are executed.")
        return "\n".join(lines)

    def _cost(self) -> str:
        if self.cost_at_most is not None:
            return f"Cost ceiling: {self.cost_at_most:,.2f}, in the unit of the prices."
        without = [item.model for item in self.models if not item.priced]
        if without:
            return (
                f"No cost ceiling: no price of {', '.join(without)}; give [[prices]] in the study "
                "file, or --prices FILE."
            )
        open_ended = [item.model for item in self.models if item.output_tokens_at_most is None]
        return f"No cost ceiling: max_tokens is unset for {', '.join(open_ended)}."


def count_study(study: Study, notify: Notify, rate: float | None = None) -> StudyCount:
    """Count a study: makes its variants without executing their examples and opens no model.

    It needs no key and no package of a provider, and a sandbox only for sets whose expected outputs
    their references have to give, and for perturbations that draw problems anew.  ``rate`` is in
    requests a minute.
    """
    config = study.config
    oracle = SandboxWhenAsked(config.grader.sandbox, notify)
    loaded = load_problems(study, oracle)
    problems = loaded.problems
    drawn = any(PERTURBATIONS[spec.name].draws for spec in config.perturbations)
    batches = [
        make_variants(
            problem,
            config.perturbations,
            seed=config.seed,
            oracle=oracle if drawn else None,
            versions=loaded.versions,
        )
        for problem in problems
    ]
    batches += ready_made(config, problems, None, study.base)
    variants = tuple({item.variant_id: item for one in batches for item in one.variants}.values())
    return StudyCount(
        problems=len(problems),
        variants=len(variants),
        skipped=sum(len(batch.skipped) for batch in batches),
        models=tuple(_count(config, name, problems, variants) for name in config.models),
        missing=missing_sentences(config.unavailable),
        rate=rate,
    )


def _count(
    config: StudyConfig, name: str, problems: Sequence[Problem], variants: Sequence[Variant]
) -> ModelCount:
    by_id = {problem.problem_id: problem for problem in problems}
    # The engine is part of a request's key and changes no count.
    plan = plan_requests(config, name, "", by_id, variants)
    limit = decoding_of(config, name).max_tokens
    read = _texts_of(plan)
    tokens = round(sum(read.characters) / CHARACTERS_PER_TOKEN) + read.replies * (limit or 0)
    requests = len(read.characters)
    most = None if limit is None else limit * requests
    price = next((item for item in named_prices(config) if item.model == name), None)
    cost: float | None = None
    if is_free(config, name):
        cost = 0.0
    elif price is not None and most is not None:
        cost = (price.input * tokens + price.output * most) / _MILLION
    return ModelCount(
        model=name,
        group=settings_of(config, name).group,
        completions=len(plan.rows),
        requests=requests,
        input_tokens=tokens,
        output_tokens_at_most=most,
        priced=price is not None or is_free(config, name),
        cost_at_most=cost,
    )


class _Read(NamedTuple):
    """Characters of each different call, and how many replies stand in the calls besides."""

    characters: tuple[int, ...]
    replies: int


def _texts_of(plan: Plan) -> _Read:
    """Count what is known of every call of a plan before anything is asked.

    A reply in a later call is at most as long as ``max_tokens`` lets it be.  Calls that begin alike
    are one, as they are when they are asked; later ones are told apart by their whole chain.
    """
    characters = {
        request.key: sum(len(part.content) for part in request.messages)
        for request in plan.requests.values()
    }
    replies: dict[str, int] = {}
    for chain in plan.chains.values():
        for number in range(1, len(chain.stages) + 1):
            key = call_key(chain, number)
            parts = [part for one in chain.stages[number - 1].messages for part in one.parts]
            characters[key] = sum(len(part.text) for part in parts)
            replies[key] = sum(part.reply > 0 for part in parts)
    return _Read(tuple(characters.values()), sum(replies.values()))
