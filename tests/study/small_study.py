"""One small study for tests that run it in this process, with any models, samples and budget."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from codequake.study.config import Study, parse_study
from codequake.study.progress import Silent
from codequake.study.run import RunResult, run_study

RESULTS = ("problems", "variants", "plan", "verdicts", "estimates")
SMALL = """\
seed = 5
problems = ["starter-12"]
models = ["codequake/sim"]
limit = 2
[[perturbations]]
name = "clean"
[[perturbations]]
name = "repeat"
[[perturbations]]
name = "storytelling"
"""


def small_study(text: str = SMALL, **changes: Any) -> Study:
    return Study(dataclasses.replace(parse_study(text, place="small.toml"), **changes))


def run_small(out: Path, **changes: Any) -> RunResult:
    return run_study(small_study(**changes), out, workers=2, notify=Silent())


def results(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.parquet").read_bytes() for name in RESULTS}


def journal_keys(folder: Path) -> list[str]:
    """The key of every row of every segment: one that was asked twice stands twice."""
    return [
        json.loads(line)["row"]["request"]["key"]
        for path in sorted((folder / "completions").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
