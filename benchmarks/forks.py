"""Main programs and tests by statements: a copy of process 1 beside a sandbox of its own.

    python benchmarks/forks.py [--humaneval FILE] [--programs 60] [--rounds 3] [--json]

The same programs are graded both ways in interleaved rounds, after one warm-up round, the start of
the workers included.  Main programs are references and mistakes of the bundled problems, with all
of their tests and with the first one only.  Tests by statements are those of HumanEval, with its
own solutions; without ``--humaneval`` they are one statement for each bundled function.

``ratio_stdin_alone``: the time alone over the time in copies, with one input a program;
``ratio_stdin_alone_all`` with all inputs; ``ratio_assert_alone`` for tests by statements.  All are
medians over the rounds; every program must get the same status both ways.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

from codequake.canonical import canonical_json
from codequake.grading import Grader, Program, grade_programs
from codequake.problems import load_set
from codequake.records import Interface, JsonText, Problem, Status, Test
from codequake.sandbox import BubblewrapBackend, Care
from codequake.tasks import Language


def main_programs(count: int, *, tests: int | None) -> list[Program]:
    """Distinct main programs of the bundled set, one of four wrong, with so many tests each."""
    problems = [
        replace(problem, tests=problem.tests[:tests])
        for problem in load_set("starter-12")
        if problem.interface is Interface.STDIN and problem.language is Language.PYTHON
    ]
    return _numbered(problems, count)


def tested_programs(count: int, humaneval: Path | None) -> list[Program]:
    """Functions that are tested by statements: HumanEval's solutions, or bundled functions."""
    if humaneval is not None:
        return [
            Program(problem, problem.references[0].code, None)
            for problem in load_set(f"humaneval:{humaneval}")
        ]
    functions = [item for item in load_set("starter-12") if item.interface is Interface.FUNCTION]
    return _numbered([_asserted(item) for item in functions], count)


def _asserted(problem: Problem) -> Problem:
    test = problem.tests[0]
    statement = f"import json\nx = json.loads({test.input!r})\ncandidate(*x)"
    given = Test(JsonText(canonical_json(statement)), JsonText("null"), visible=False)
    return replace(problem, tests=(given,), assertions="")


def _numbered(problems: list[Problem], count: int) -> list[Program]:
    chosen = []
    for number in range(count):
        problem = problems[number % len(problems)]
        turn = number // len(problems)
        source = problem.wrong if number % 4 == 3 and problem.wrong else problem.references
        text = source[turn % len(source)].code
        chosen.append(Program(problem, f"{text}\nNUMBER = {number}\n", None))
    return chosen


def one_round(programs: list[Program], care: Care, workers: int) -> tuple[float, list[Status]]:
    """Grade the programs and return the seconds, the start of the workers included."""
    started = time.perf_counter()
    grader = Grader(BubblewrapBackend())
    found = list(grade_programs(grader, programs, workers=workers, care=care, group=16))
    return time.perf_counter() - started, [item.status for item in found]


def measure(name: str, programs: list[Program], rounds: int, workers: int) -> dict[str, float]:
    """Run both ways in turn; return the median ratio and programs a second."""
    times: dict[Care, list[float]] = {Care.FORKED: [], Care.ALONE: []}
    for turn in range(rounds + 1):
        statuses = {}
        for care, seconds_of in times.items():
            seconds, statuses[care] = one_round(programs, care, workers)
            rate, load = len(programs) / seconds, os.getloadavg()[0]
            print(
                f"{name} round {turn} {care}: {seconds:.2f} s, {rate:.0f} programs/s, "
                f"load {load:.1f}",
                file=sys.stderr,
            )
            if turn:  # the first is the warm-up
                seconds_of.append(seconds)
        if statuses[Care.FORKED] != statuses[Care.ALONE]:
            raise SystemExit(f"{name}: a program got another status in a copy than alone")
    pairs = zip(times[Care.ALONE], times[Care.FORKED], strict=True)
    return {
        f"ratio_{name}": statistics.median(alone / forked for alone, forked in pairs),
        f"programs_per_second_{name}": len(programs) / statistics.median(times[Care.FORKED]),
    }


def main() -> int:
    """Run the rounds and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--humaneval", type=Path, help="HumanEval.jsonl.gz, for its 164 solutions")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    work = {
        "stdin_alone": main_programs(options.programs, tests=1),
        "stdin_alone_all": main_programs(options.programs, tests=None),
        "assert_alone": tested_programs(options.programs, options.humaneval),
    }
    figures: dict[str, float] = {"load_average": os.getloadavg()[0]}
    for name, programs in work.items():
        figures |= measure(name, programs, options.rounds, options.workers)
    if options.json:
        print(json.dumps(figures, indent=2, sort_keys=True))
    else:
        for key, value in sorted(figures.items()):
            print(f"{key:40} {value:10.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
