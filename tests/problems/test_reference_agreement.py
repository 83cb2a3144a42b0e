"""The references of a formula prompt, in C and in Python, agree on inputs nobody has seen."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random

import pytest

from codequake.canonical import canonical_json
from codequake.grading import SandboxOracle, outputs_agree
from codequake.grading.together import LANGUAGES, answers_in, job_of
from codequake.problems import FORMULA_INPUTS, check_problems, find_problem, load_set, sample_inputs
from codequake.records import JsonText, Language, Problem, Reference
from codequake.sandbox import BubblewrapBackend, Ending, Limits, Run

PROMPTS = load_set("formulas-20")
ENERGY = find_problem("formulas-20/kinetic-energy")


@pytest.fixture(scope="module")
def oracle() -> SandboxOracle:
    return SandboxOracle(BubblewrapBackend())


def findings(problem: Problem, oracle: SandboxOracle, inputs: int, seed: int = 0) -> list[str]:
    (report,) = check_problems(
        [problem], oracle, agree=outputs_agree, formula_inputs=inputs, seed=seed
    )
    return [f"{one.check}: {one.message}" for one in report.findings]


@pytest.mark.parametrize("problem", random.Random(4).sample(PROMPTS, 2), ids=lambda it: it.title)
def test_references_agree_on_a_sample(problem: Problem, oracle: SandboxOracle) -> None:
    assert findings(problem, oracle, 400) == []


@pytest.mark.quality
@pytest.mark.timeout(600)
@pytest.mark.parametrize("problem", PROMPTS, ids=lambda item: item.title)
def test_references_agree_before_a_prompt_is_admitted(
    problem: Problem, oracle: SandboxOracle
) -> None:
    assert FORMULA_INPUTS == 10_000
    assert findings(problem, oracle, FORMULA_INPUTS) == []


def test_a_planted_disagreement_is_found(oracle: SandboxOracle) -> None:
    """One reference is wrong on one percent of the domain, and right on every test."""
    speeds = sorted(float(json.loads(test.input).split()[1]) for test in ENERGY.tests)
    low = next(one for one, two in itertools.pairwise(speeds) if two - one > 0.9)
    planted = tuple(
        dataclasses.replace(
            one, code=one.code.replace("\nprint(", f"\nif {low} < b < {low} + 0.9: a += 1\nprint(")
        )
        if one.language is Language.PYTHON
        else one
        for one in ENERGY.references
    )
    assert planted != ENERGY.references
    (found,) = findings(dataclasses.replace(ENERGY, references=planted), oracle, 600)
    assert "on the fresh input" in found
    assert "they differ on" in found


# -- many inputs in one process -------------------------------------------------------------------

STATIC = (
    "#include <stdio.h>\n#include <math.h>\n\nint main(int argc, char **argv) {\n"
    '    double x;\n    if (scanf("%lf", &x) != 1) return 4;\n'
    '    puts("x"); putchar(65); printf("%.3f %s", sqrt(x), ""); fprintf(stdout, "|\\n");\n'
    "    return 0;\n}\n"
)


def both(
    reference: Reference, inputs: list[str], backend: BubblewrapBackend
) -> tuple[list[object], list[object]]:
    """The answers in one process, and in a process for each."""
    given = [JsonText(canonical_json(item)) for item in inputs]
    problem = dataclasses.replace(ENERGY, references=(reference,))
    apart = SandboxOracle(backend).answers(problem, reference, given)
    outcome = backend.run(job_of(reference, given, Limits()))
    together = answers_in(reference, outcome.runs[0], len(given))
    assert together is not None
    return [one.output for one in together], [one.output for one in apart]


def test_one_process_gives_the_answers_of_many(oracle: SandboxOracle) -> None:
    backend = BubblewrapBackend()
    assert {reference.language for reference in ENERGY.references} == LANGUAGES
    for reference in (
        *ENERGY.references,
        Reference("static", Language.C, STATIC),
        Reference("exits", Language.PYTHON, "import sys\nprint(input())\nsys.exit(0)\n"),
    ):
        texts = ["2 3\n", "0.5 -30\n", "-1 1\n", "7 7"]
        together, apart = both(reference, texts, backend)
        assert together == apart
        assert None not in together[:2]
    failing = Reference("fails", Language.PYTHON, "print(1 / (float(input()) - 2))\n")
    together, apart = both(failing, ["2\n", "4\n"], backend)
    assert together == apart == [None, '"0.5\\n"']


def test_a_program_that_ends_the_process_runs_in_many(oracle: SandboxOracle) -> None:
    code = "#include <stdlib.h>\n" + STATIC.replace("return 0;", "exit(0);")
    formula = ENERGY.formula
    assert formula is not None
    given = sample_inputs(formula, random.Random(1), 210)
    answers = oracle.answers(ENERGY, Reference("exits", Language.C, code), given)
    assert len(answers) == 210
    assert all(one.output is not None for one in answers)


@pytest.mark.parametrize("told", ["", "0 3 ab", "x 1 a", "0 1 a0", "-1 1 a", "0 99999999999 a"])
def test_what_the_driver_did_not_write_is_no_answer(told: str) -> None:
    reference = Reference("c", Language.C, "")
    run = Run(Ending.RETURNED, json.dumps(told), "", 0.0, True)
    assert answers_in(reference, run, 1) is None
