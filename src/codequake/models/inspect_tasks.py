"""Our experiments as tasks of Inspect: ``inspect eval codequake/cocc --model ...``.

A task asks for the same prompts as a study with the same settings, and grades with the same
grader.  Inspect's own metrics stand in its log; ``codequake import`` makes a study of the log.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Metric, accuracy, grouped, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from codequake.canonical import canonical_json
from codequake.codec import to_plain
from codequake.errors import CodequakeError, NothingToReturnError, UsageError
from codequake.grading import SandboxOracle
from codequake.keys import new_request
from codequake.models.asking import CONTEXT, SAMPLE
from codequake.models.inspect_grading import load_problems, verdict
from codequake.models.logs import ENGINE, Call, calls_metadata, sample_id, sample_metadata
from codequake.models.outputs import chat_of, reply_from
from codequake.models.prompts import render_messages, render_stages
from codequake.models.simulate import SimContext
from codequake.models.stages import Stage, fill_stage
from codequake.perturb import PERTURBATIONS, PerturbationSpec, make_variants
from codequake.records import JsonText, Problem, TaskKind, Variant
from codequake.sandbox import open_backend
from codequake.store import read_parquet

__all__ = ["cocc", "syntactic_robustness"]

_COCC = (
    "clean",
    "repeat",
    "storytelling",
    "gamification",
    "domain_shift",
    "distracting_constraints",
    "example_perturbation",
    "hard_negation",
    "soft_negation",
)
_REPEAT = "repeat"
_MAX_TOKENS = 1024


@task(name="cocc")
def cocc(
    problems: str | list[str] = "quake-100",
    perturbations: str | list[str | dict[str, Any]] | None = None,
    folder: str = "",
    seed: int = 0,
    limit: int = 0,
    samples: int = 1,
    style: str = "plain",
    timeout: float = 5.0,
    sandbox: str = "bwrap",
    workers: int = 0,
) -> Task:
    """Ask for programs while the words of whole problems change.

    Args:
        problems: Names of problem sets, or files as ``codequake grade --problems`` takes them.
        perturbations: Names, or objects with a ``name`` and arguments; by default those of *Chain
            of Code Collapse* whose variants the tests of the problem itself judge, and the clean
            prompt twice.  A study folder may hold the others too.
        folder: A study folder, whose variants are asked for in place of new ones.
        seed: Seed of the variants.
        limit: The first so many problems of each set; 0 means all.
        samples: Replies to each prompt.
        style: Prompt style.
        timeout: Seconds of processor time for one test.
        sandbox: ``bwrap``, ``bwrap:ubsan`` or ``none``.
        workers: Programs that run at a time; 0 means one for each processor.
    """
    wanted = perturbations
    if wanted is None:
        wanted = [name for name in _COCC if _stands_alone(name)]
    grading = {"timeout": timeout, "sandbox": sandbox, "workers": workers}
    with _told_as_inspect_does():
        settings = _settings("cocc", problems, wanted, seed, limit, samples, style)
        return _task(settings, folder, grading)


def _stands_alone(name: str) -> bool:
    """Tell whether this version makes a perturbation whose variants need no tests of their own."""
    if name not in PERTURBATIONS:
        return False
    found = PERTURBATIONS[name]
    return found.task is TaskKind.KEPT and not found.draws


@task(name="syntactic-robustness")
def syntactic_robustness(
    problems: str | list[str] = "formulas-20",
    distances: str | int | list[int] = "1,2,3",
    folder: str = "",
    seed: int = 0,
    limit: int = 0,
    samples: int = 1,
    style: str = "plain",
    timeout: float = 5.0,
    sandbox: str = "bwrap",
    workers: int = 0,
) -> Task:
    """Ask for programs while the formula of a prompt is written in other ways.

    Args:
        problems: Names of problem sets, or files as ``codequake grade --problems`` takes them.
        distances: Numbers of formula mutations; each is asked for as it is and reduced again.
        folder: A study folder, whose variants are asked for in place of new ones.
        seed: Seed of the variants.
        limit: The first so many problems of each set; 0 means all.
        samples: Replies to each prompt.
        style: Prompt style.
        timeout: Seconds of processor time for one test.
        sandbox: ``bwrap``, ``bwrap:ubsan`` or ``none``.
        workers: Programs that run at a time; 0 means one for each processor.
    """
    wanted: list[str | dict[str, Any]] = ["clean", "repeat"]
    grading = {"timeout": timeout, "sandbox": sandbox, "workers": workers}
    with _told_as_inspect_does():
        found = _numbers(distances)
        wanted += [{"name": "formula", "distance": number} for number in found]
        wanted += [{"name": "reduced", "of": {"distance": number}} for number in found]
        settings = _settings("syntactic-robustness", problems, wanted, seed, limit, samples, style)
        return _task(settings, folder, grading)


@contextlib.contextmanager
def _told_as_inspect_does() -> Iterator[None]:
    """Turn our errors into the one that Inspect's command line tells without a traceback."""
    from inspect_ai._util.error import PrerequisiteError

    try:
        yield
    except CodequakeError as error:
        raise PrerequisiteError(f"codequake: {error}") from error


def _numbers(distances: str | int | Sequence[Any]) -> list[int]:
    parts = str(distances).split(",") if isinstance(distances, str | int) else list(distances)
    found = [str(part).strip() for part in parts]
    if not found or not all(part.isdecimal() and int(part) > 0 for part in found):
        raise UsageError(f"distances is {distances!r}; allowed: whole numbers from 1")
    return [int(part) for part in found]


def _settings(
    name: str,
    problems: str | Sequence[str],
    perturbations: str | Sequence[str | dict[str, Any]],
    seed: int,
    limit: int,
    samples: int,
    style: str,
) -> dict[str, Any]:
    """Return the fields of a study file that a log must hold to become a study."""
    for key, number, least in (("seed", seed, 0), ("limit", limit, 0), ("samples", samples, 1)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise UsageError(f"{key} is {number!r}; allowed: a whole number from {least}")
    sets = problems.split(",") if isinstance(problems, str) else list(problems)
    listed = perturbations.split(",") if isinstance(perturbations, str) else perturbations
    return {
        "name": name,
        "title": name,
        "problems": [str(item).strip() for item in sets],
        "perturbations": [to_plain(_spec(item)) for item in listed],
        "seed": seed,
        "limit": limit or None,
        "samples": samples,
        "style": style,
    }


def _spec(item: str | Mapping[str, Any]) -> PerturbationSpec:
    fields: dict[str, Any] = {"name": item.strip()} if isinstance(item, str) else dict(item)
    name, count = fields.pop("name", None), fields.pop("count", 1)
    if not isinstance(name, str):
        raise UsageError(f"perturbation {item!r} has no name")
    PERTURBATIONS[name]  # an unknown name is an error with near names
    return PerturbationSpec(name, JsonText(canonical_json(fields)), count)


def _task(settings: dict[str, Any], folder: str, grading: dict[str, Any]) -> Task:
    oracle = SandboxOracle(open_backend(grading["sandbox"]))
    sets, limit = settings["problems"], settings["limit"] or 0
    problems = load_problems(sets, oracle, folder, limit)
    if folder:
        variants = read_parquet(Path(folder) / "variants.parquet", Variant)
    else:
        specs = [
            PerturbationSpec(item["name"], JsonText(item["arguments"]), item["count"])
            for item in settings["perturbations"]
        ]
        batches = [
            make_variants(problem, specs, seed=settings["seed"], oracle=oracle)
            for problem in problems.values()
        ]
        if any(batch.oracles for batch in batches):
            raise UsageError(
                "a perturbation makes problems with tests of their own, which a task cannot hold; "
                "allowed: -T folder=DIR, where `codequake perturb` wrote them"
            )
        variants = tuple(variant for batch in batches for variant in batch.variants)
    if not variants:
        raise NothingToReturnError("no perturbation applies to any of the problems")
    asked = {"samples": settings["samples"], "style": settings["style"]}
    samples = [_sample(problems[item.problem_id], item, settings["style"]) for item in variants]
    metrics: list[Metric] = [
        grouped(accuracy(), "family", all=False),
        grouped(
            stderr(cluster="problem_id"),
            "family",
            all=False,
            name_template="{group_name} (standard error)",
        ),
    ]
    return Task(
        dataset=MemoryDataset(samples, name=settings["name"]),
        solver=_asker(
            SimContext(tuple(problems.values()), variants), settings["samples"], settings["style"]
        ),
        scorer=verdict(sets, folder, limit, **grading),
        metrics=[*metrics],
        epochs=settings["samples"],
        config=GenerateConfig(temperature=0.0, max_tokens=_MAX_TOKENS),
        # A provider that fails leaves a sample pending; the others have their replies.
        fail_on_error=False,
        metadata={"codequake": {"folder": folder, **asked} if folder else settings},
    )


def _engine() -> str:
    """Return the engine of the model that is being evaluated, where it is in this process.

    An import then gives its replies the keys that a study of the same model would.  It is known
    only while samples run, since tasks are made before models are.
    """
    local = getattr(get_model().api, "local", None)
    return "" if local is None else str(local.engine)


def _sample(problem: Problem, variant: Variant, style: str) -> Sample:
    return Sample(
        input=chat_of(render_messages(problem, variant, style)),
        id=sample_id(variant),
        metadata=sample_metadata(variant),
    )


def _asker(context: SimContext, samples: int, style: str) -> Solver:
    problems = {problem.problem_id: problem for problem in context.problems}
    variants = {variant.variant_id: variant for variant in context.variants}

    @solver(name="ask")
    def ask() -> Solver:
        """Ask as the style says, and let the models of this process know which sample it is."""

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            first = samples if state.metadata.get("family") == _REPEAT else 0
            SAMPLE.set(first + state.epoch - 1)
            CONTEXT.set(context)
            state.metadata[ENGINE] = _engine()
            variant = variants[state.metadata["variant_id"]]
            stages = render_stages(problems[variant.problem_id], variant, style)
            if len(stages) == 1:
                return await generate(state)
            return await _ask_in_stages(stages, state, generate)

        return solve

    return ask()


async def _ask_in_stages(
    stages: Sequence[Stage], state: TaskState, generate: Generate
) -> TaskState:
    """Ask each stage in a conversation of its own; every call is noted in the sample's metadata."""
    calls: list[Call] = []
    for stage in stages:
        messages = fill_stage(stage, [call.reply.text for call in calls])
        state.messages = [*chat_of(messages)]
        state = await generate(state)
        request = new_request(str(state.model), "", messages, JsonText("{}"), state.epoch - 1)
        calls.append(Call(messages, reply_from(request, state.output)))
        state.metadata |= calls_metadata(calls)
    return state
