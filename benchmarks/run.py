"""What the pipeline costs for each completion when the model costs nothing.

    python benchmarks/run.py [--count 600] [--rounds 3] [--large 100000] [--json]

The same prompts are answered by the same coder, which hands out right programs that all differ,
and the same grader judges them in the same sandbox: once by ``codequake run`` with all its stages
and its report, once by Inspect's own eval loop with a scorer for each sample.  Each runs in a
process of its own, after a warm-up, in turn.  Counted is the processor time of that process; what
the sandboxes use is the same work on both sides and is shown apart.

``ms_pipeline`` and ``ms_inspect`` are milliseconds for one completion, ``ratio_inspect`` is the
second over the first.  With ``--large N`` a simulated coder answers N more, whose programs repeat,
and the largest memory (MiB) and the size of the journal (bytes for a completion) are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 - this is its name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate
from inspect_ai.tool import ToolChoice, ToolInfo

from codequake.grading import Grader
from codequake.models import render_messages
from codequake.perturb import make_variants
from codequake.problems import load_set
from codequake.records import Completion, Problem, Status, StopReason, Variant, Verdict
from codequake.store import read_parquet
from codequake.study.config import Study, StudyConfig, parse_study
from codequake.study.progress import Silent
from codequake.study.run import open_grader, run_study

SET = "starter-12"
CONNECTIONS = 8
NUMBERS = itertools.count()


def clean_of(problem: Problem) -> Variant:
    """Return the prompt as written."""
    perturbations = study_of("bench/coder", 12).config.perturbations
    return make_variants(problem, perturbations, seed=1, oracle=None).variants[0]


class BenchAPI(ModelAPI):
    """Answers at once with a reference; no two programs are equal."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self._codes = {
            clean_of(problem).text: problem.references[0].code for problem in load_set(SET)
        }

    def max_connections(self) -> int:
        """Return how many requests are open at once."""
        return CONNECTIONS

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect passes it by this name
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer a chat."""
        code = self._codes[input[-1].text]
        text = f"```python\n# {next(NUMBERS)}\n{code}\n```\n"
        output = ModelOutput.from_content("bench/coder", text)
        output.usage = ModelUsage(input_tokens=100, output_tokens=100, total_tokens=200)
        return output


modelapi(name="bench")(BenchAPI)


def study_of(model: str, count: int) -> Study:
    """Return a study of about ``count`` completions: the clean prompts, asked again and again."""
    config: StudyConfig = parse_study(
        f'seed = 1\nproblems = ["{SET}"]\nmodels = ["{model}"]\nsamples = {max(1, count // 12)}\n'
        '[[perturbations]]\nname = "clean"\n[decoding]\ntemperature = 0.8\n',
        place="benchmark.toml",
    )
    return Study(config)


def pipeline(model: str, count: int, folder: Path) -> int:
    """Run all stages; return the number of completions."""
    result = run_study(study_of(model, count), folder, workers=2, notify=Silent())
    assert result.pending == 0, result.waits_for
    return result.planned


def check(folder: Path, count: int, *, passing: bool) -> None:
    """Read the verdicts of a run back and compare them with what must have come out."""
    verdicts = read_parquet(folder / "verdicts.parquet", Verdict)
    assert len(verdicts) == count
    if passing:
        assert all(item.status is Status.PASSED for item in verdicts)


def judge(grader: Grader, problem: Problem, text: str) -> Status:
    """Grade one reply as a scorer would."""
    completion = Completion(
        problem.problem_id, "v", "bench/coder", 0, "k", text, None, "bench/coder",
        StopReason.STOP, None, None, None,
    )  # fmt: skip
    return grader.grade(problem, completion, problem.entry_point).status


def inspect_loop(count: int, folder: Path) -> int:
    """Run Inspect's eval with the settings that measured fastest; return its completions."""
    config = study_of("bench/coder", count).config
    problems = {problem.problem_id: problem for problem in load_set(SET)}
    grader = open_grader(config.grader, Silent())
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}

    @scorer(metrics=[accuracy()], name="bench_score")
    def grade_each() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            problem = problems[state.metadata["problem"]]
            status = await asyncio.to_thread(judge, grader, problem, state.output.completion)
            return Score(
                value=CORRECT if status is Status.PASSED else INCORRECT, explanation=status
            )

        return score

    samples = []
    for problem in problems.values():
        messages: list[Any] = [
            kinds[part.role](content=part.content)
            for part in render_messages(problem, clean_of(problem), config.style)
        ]
        samples.append(Sample(input=messages, metadata={"problem": problem.problem_id}))
    task = Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=grade_each(),
        epochs=config.samples,
        config=GenerateConfig(temperature=0.8, max_tokens=1024, max_connections=CONNECTIONS),
        name="bench",
    )
    log = eval(
        task,
        model=get_model("bench/coder"),
        log_dir=str(folder),
        display="none",
        log_realtime=False,
        score_display=False,
    )[0]
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0, log.results.scores[0]
    return log.results.completed_samples


def child(kind: str, count: int) -> dict[str, float]:
    """Warm up, run once, and return what it took."""
    with tempfile.TemporaryDirectory() as place:
        for name, number in (("warm", 24), ("run", count)):
            folder = Path(place, name)
            before, started = usage(), time.perf_counter()
            match kind:
                case "pipeline":
                    done = pipeline("bench/coder", number, folder)
                case "inspect":
                    done = inspect_loop(number, folder)
                case _:
                    done = pipeline("codequake/sim", number, folder)
        after, ended = usage(), time.perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        if kind != "inspect":
            check(folder, done, passing=kind == "pipeline")
        journal = sum(path.stat().st_size for path in folder.rglob("*-*.jsonl"))
        return {
            "completions": done,
            "ms": 1000 * (after[0] - before[0]) / done,
            "ms_sandboxes": 1000 * (after[1] - before[1]) / done,
            "ms_wall": 1000 * (ended - started) / done,
            "peak_mib": peak,
            "journal_bytes": journal / done,
        }


def usage() -> tuple[float, float]:
    """Return the processor seconds of this process and of its finished children."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


def in_process(kind: str, count: int) -> dict[str, float]:
    """Run ``child`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", kind, "--count", str(count)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Run the rounds and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=600, help="completions of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", type=int, default=0, help="completions of the memory run")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=("pipeline", "inspect", "large"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child, options.count)))
        return 0
    rounds: dict[str, list[dict[str, float]]] = {"pipeline": [], "inspect": []}
    for _ in range(options.rounds):
        for kind, found in rounds.items():
            found.append(in_process(kind, options.count))

    def median(kind: str, name: str) -> float:
        return statistics.median(found[name] for found in rounds[kind])

    figures = {
        "ms_pipeline": median("pipeline", "ms"),
        "ms_inspect": median("inspect", "ms"),
        "ratio_inspect": median("inspect", "ms") / median("pipeline", "ms"),
        "ms_pipeline_sandboxes": median("pipeline", "ms_sandboxes"),
        "ms_inspect_sandboxes": median("inspect", "ms_sandboxes"),
        "ms_pipeline_wall": median("pipeline", "ms_wall"),
        "ms_inspect_wall": median("inspect", "ms_wall"),
        "peak_mib_pipeline": median("pipeline", "peak_mib"),
        "peak_mib_inspect": median("inspect", "peak_mib"),
        "journal_bytes": median("pipeline", "journal_bytes"),
        "completions": rounds["pipeline"][0]["completions"],
        "rounds": options.rounds,
        "load_average": os.getloadavg()[0],
    }
    if options.large:
        large = in_process("large", options.large)
        figures.update({f"large_{name}": value for name, value in large.items()})
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name:26} {value:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
