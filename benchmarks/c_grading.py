"""How fast C programs are graded, beside gcc with one process for each input.

Sides, in turn, each with two workers, our own start included:

- ours: ``grade_programs`` with isolation on, 50 distinct right programs with 100 inputs each, no
  share confirmed; then with the default share, and with half of the programs wrong;
- plain: gcc, then one ``subprocess.run`` for each input, as a simple harness does;
- native fork: gcc links the program to a loop in C that forks for each input and starts nothing.

The other two have no isolation of their own; all of them run in one sandbox here, since programs
of a benchmark are programs, too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from c_programs import Kind, inputs_of, load_kinds

from codequake.grading import Grader, Program, grade_programs
from codequake.grading.grader import CONFIRMED_SHARE
from codequake.records import Comparison, Interface, JsonText, Language, Problem, Status, Test
from codequake.sandbox import BubblewrapBackend, Care, Job, Limits, Mode

HARNESS = r"""
import json, os, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor

work = json.load(sys.stdin)
os.chdir("/tmp")
LOOP = '''
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int __real_main(void);
int __wrap_main(int count, char **names) {
    for (int i = 1; i < count; i++) {
        int in = open(names[i], O_RDONLY), status;
        char out[4096];
        snprintf(out, sizeof out, "%s.out.%s", names[i], names[0] + 2);
        int to = open(out, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        pid_t pid = fork();
        if (pid == 0) { dup2(in, 0); dup2(to, 1); exit(__real_main()); }
        close(in); close(to);
        if (waitpid(pid, &status, 0) != pid || status) return 1;
    }
    return 0;
}
'''
open("loop.c", "w").write(LOOP)
subprocess.run(["gcc", "-O2", "-c", "loop.c"], check=True)
def names_of(number, inputs):
    names = [f"in{number}_{index}" for index in range(len(inputs))]
    for name, text in zip(names, inputs):
        open(name, "w").write(text)
    return names

def build(number, source, *more):
    name = f"./p{number}"
    open(name + ".c", "w").write(source)
    subprocess.run(["gcc", "-O1", "-o", name, name + ".c", *more, "-lm"], check=True)
    return name

def plain(item):
    number, (source, inputs, expected) = item
    name = build(number, source)
    good = True
    for text, wanted in zip(inputs, expected):
        done = subprocess.run([name], input=text, capture_output=True, text=True, timeout=10)
        good &= done.returncode == 0 and done.stdout.split() == wanted.split()
    return good

def native(item):
    number, (source, inputs, expected) = item
    names = names_of(number, inputs)
    name = build(number, source, "loop.o", "-Wl,--wrap=main")
    subprocess.run([name, *names], check=True)
    return all(
        open(f"{text}.out.{name[2:]}").read().split() == wanted.split()
        for text, wanted in zip(names, expected)
    )

started = time.perf_counter()
with ThreadPoolExecutor(2) as pool:
    side = plain if sys.argv[1] == "plain" else native
    found = list(pool.map(side, enumerate(work["programs"])))
print(json.dumps({"seconds": time.perf_counter() - started, "passed": found}))
"""
BOX = ("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--tmpfs", "/tmp")
_GROUP = 13  # so that both workers have work of 50 programs
Side = Callable[[], tuple[float, list[bool]]]


def problem_of(kind: Kind, inputs: list[str], backend: BubblewrapBackend) -> Problem:
    """Return a problem that asks for what a program prints, as gcc has it."""
    given = tuple(json.dumps(text) for text in inputs)
    job = Job(Language.C, kind.program, Mode.STDIN, None, given)
    (outcome,) = backend.run_all([job], Care.APART)
    tests = tuple(
        Test(JsonText(text), JsonText(run.output or ""), visible=False)
        for text, run in zip(given, outcome.runs, strict=True)
    )
    return Problem(
        problem_id=f"benchmark/{kind.name}",
        title=kind.name,
        language=Language.C,
        interface=Interface.STDIN,
        entry_point=None,
        parameters=(),
        statement="",
        structure=None,
        tests=tests,
        references=(),
        wrong=(),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=None,
        topics=(),
        source="",
        licence="",
    )


def our_side(programs: list[Program], share: float) -> tuple[float, list[bool]]:
    """Grade the programs and return the seconds, the start of the workers included."""
    started = time.perf_counter()
    grader = Grader(BubblewrapBackend(), Limits(), confirmed_share=share)
    found = list(grade_programs(grader, programs, workers=2, group=_GROUP))
    return time.perf_counter() - started, [item.status is Status.PASSED for item in found]


def other_side(name: str, work: dict[str, object]) -> tuple[float, list[bool]]:
    """Run a harness of the other kind in a sandbox; return the seconds that it says."""
    done = subprocess.run(
        [*BOX, "/usr/bin/python3", "-c", HARNESS, name],
        input=json.dumps(work),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    return answer["seconds"], answer["passed"]


def main() -> int:
    """Run the rounds and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    kinds = load_kinds()[: options.programs]
    backend = BubblewrapBackend()
    problems = {
        kind.name: problem_of(kind, inputs_of(kind, options.inputs), backend) for kind in kinds
    }
    backend.kill_all()
    right = [Program(problems[kind.name], kind.program, None) for kind in kinds]
    half = [
        Program(problems[kind.name], kind.wrong if number % 2 else kind.program, None)
        for number, kind in enumerate(kinds)
    ]
    work: dict[str, object] = {
        "programs": [
            (
                kind.program,
                [json.loads(test.input) for test in problems[kind.name].tests],
                [json.loads(test.expected) for test in problems[kind.name].tests],
            )
            for kind in kinds
        ],
    }
    sides: dict[str, Side] = {
        "ours": lambda: our_side(right, 0.0),
        "default_share": lambda: our_side(right, CONFIRMED_SHARE),
        "half_wrong": lambda: our_side(half, 0.0),
        "native_fork": lambda: other_side("native", work),
        "plain": lambda: other_side("plain", work),
    }
    figures = measure(sides, options.rounds, len(kinds))
    if options.json:
        print(json.dumps(figures, indent=2, sort_keys=True))
    else:
        for key, value in sorted(figures.items()):
            print(f"{key:45} {value:10.2f}")
    return 0


def measure(sides: dict[str, Side], rounds: int, count: int) -> dict[str, float]:
    """Run the sides in turn; return the medians and the ratios to ours."""
    times: dict[str, list[float]] = {side: [] for side in sides}
    for turn in range(rounds + 1):
        for side, run in sides.items():
            seconds, passed = run()
            print(
                f"round {turn} {side}: {1000 * seconds / count:.2f} ms a program, "
                f"{sum(passed)} of {count} passed, load {os.getloadavg()[0]:.1f}",
                file=sys.stderr,
            )
            if turn:  # the first is the warm-up
                times[side].append(seconds)
    found = {
        f"milliseconds_{side}": 1000 * statistics.median(seconds) / count
        for side, seconds in times.items()
    }
    for side in ("plain", "native_fork"):
        pairs = zip(times[side], times["ours"], strict=True)
        found[f"ratio_{side}"] = statistics.median(a / b for a, b in pairs)
    return found


if __name__ == "__main__":
    sys.exit(main())
