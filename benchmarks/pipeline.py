"""What each stage of a study costs without a model: interleaved rounds, medians, ratios.

    python benchmarks/pipeline.py [--rounds 3] [--limit 6] [--json]

The same small study is asked of a simulated coder and graded by one and by two workers in turn.
``ratio_two_workers`` is grading time with one worker over grading time with two (2 is the best
that two cores can give).  ``ms_per_reply`` is the cost of planning, asking and journaling a reply
that costs the model itself nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codequake.ports import Progress
from codequake.study.run import configure, run_study

STAGES = ("variants", "asking", "grading")


class Watch:
    """Measures the stages of a study as they open and close."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.items: dict[str, int] = {}

    @contextmanager
    def stage(self, title: str, total: int) -> Iterator[Progress]:
        """Time a stage."""
        started = time.perf_counter()
        yield lambda done, total: None
        name = title.split(maxsplit=1)[0]
        self.seconds[name] = time.perf_counter() - started
        self.items[name] = total

    def say(self, text: str) -> None:
        """Say nothing."""


def one_round(limit: int, workers: int) -> Watch:
    """Run the study once in a folder of its own."""
    config = configure("preset:demo", ("codequake/sim",), limit)
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder:
        run_study(config, Path(folder, "study"), workers=workers, notify=watch)
    return watch


def main() -> int:
    """Run the rounds and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=6, help="problems of each set")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    one_round(2, 1)  # warm-up: imports, the sandbox's interpreter, the page cache
    rounds: dict[int, list[Watch]] = {1: [], 2: []}
    for _ in range(options.rounds):
        for workers in (1, 2):
            rounds[workers].append(one_round(options.limit, workers))

    def per_item(stage: str, workers: int) -> float:
        return 1000 * statistics.median(
            watch.seconds[stage] / watch.items[stage] for watch in rounds[workers]
        )

    figures = {
        "ratio_two_workers": per_item("grading", 1) / per_item("grading", 2),
        "ms_per_reply": per_item("asking", 1),
        "ms_per_graded_reply_one_worker": per_item("grading", 1),
        "ms_per_graded_reply_two_workers": per_item("grading", 2),
        "ms_per_problem_of_variants": per_item("variants", 1),
        "replies": rounds[1][0].items["asking"],
        "rounds": options.rounds,
        "load_average": os.getloadavg()[0],
    }
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name:34} {value:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
