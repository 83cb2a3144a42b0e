"""``codequake run --dry-run``: what a study would ask, counted without asking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codequake.perturb import make_variants
from codequake.study.config import Study
from codequake.study.plan import plan_requests
from codequake.study.progress import Notify
from codequake.study.sandboxes import SandboxWhenAsked
from codequake.study.stages import load_problems, ready_made

__all__ = ["ModelCount", "StudyCount", "count_study"]

# Tokenizers of the models that write code give 3 to 4.5 characters a token on English and code;
# the low end keeps the count on the safe side.
_CHARACTERS_PER_TOKEN = 3.0


@dataclass(frozen=True, slots=True)
class ModelCount:
    """Requests and tokens of one model; output tokens are the most that may come back."""

    model: str
    requests: int
    input_tokens: int
    output_tokens_at_most: int | None


@dataclass(frozen=True, slots=True)
class StudyCount:
    """What a study would make and ask."""

    problems: int
    variants: int
    skipped: int
    completions: int
    models: tuple[ModelCount, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the counts as a JSON value; ``cost`` is null, since prices are not known here."""
        return {
            "problems": self.problems,
            "variants": self.variants,
            "skipped": self.skipped,
            "completions": self.completions,
            "cost": None,
            "models": [
                {
                    "model": item.model,
                    "requests": item.requests,
                    "input_tokens_estimate": item.input_tokens,
                    "output_tokens_at_most": item.output_tokens_at_most,
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
            lines.append(
                f"{item.model}: {item.requests} requests, "
                f"about {item.input_tokens:,} tokens in, {ceiling}"
            )
        lines.append(
            "Variants are counted before their examples are executed. "
            "Cost is not estimated: this version has no price table."
        )
        return "\n".join(lines)


def count_study(study: Study, notify: Notify) -> StudyCount:
    """Count a study: makes its variants without executing their examples and opens no model.

    It needs no key and no package of a provider, and a sandbox only for sets whose expected outputs
    their references have to give.
    """
    config = study.config
    problems = load_problems(study, SandboxWhenAsked(config.grader.sandbox, notify)).problems
    batches = [
        make_variants(problem, config.perturbations, seed=config.seed, oracle=None)
        for problem in problems
    ]
    batches += ready_made(config, problems, None, study.base)
    variants = [variant for batch in batches for variant in batch.variants]
    by_id = {problem.problem_id: problem for problem in problems}
    counts = []
    completions = 0
    for name in config.models:
        # The engine is part of a request's key and changes no count.
        planned, requests = plan_requests(config, name, "", by_id, variants)
        completions += len(planned)
        characters = sum(
            len(message.content) for request in requests.values() for message in request.messages
        )
        most = config.decoding.max_tokens
        counts.append(
            ModelCount(
                name,
                len(requests),
                round(characters / _CHARACTERS_PER_TOKEN),
                None if most is None else most * len(requests),
            )
        )
    skipped = sum(len(batch.skipped) for batch in batches)
    return StudyCount(len(problems), len(variants), skipped, completions, tuple(counts))
