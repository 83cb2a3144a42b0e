"""A study as a small model would give it: 12 Python problems, 20 formulas, a fall and a repair.

Nothing in it was run: prompts, programs and verdicts are written here, from fixed seeds.
"""

from __future__ import annotations

import dataclasses
import random

from codequake.canonical import canonical_json
from codequake.metrics import StudyFacts, StudyRows, estimate_study
from codequake.perturb import Skipped
from codequake.records import (
    Check,
    Comparison,
    Completion,
    Failure,
    FormulaKind,
    FormulaSlot,
    Interface,
    JsonText,
    Language,
    Planned,
    Problem,
    PromptClass,
    Status,
    Step,
    StopReason,
    TaskKind,
    Test,
    TestOutcome,
    TestStatus,
    Variant,
    Verdict,
)
from codequake.report import ModelRun, StudyTables, Version

MODEL = "codequake/smollm2"
DECODING = JsonText(canonical_json({"max_tokens": 256, "seed": 1, "temperature": 0.0}))
PYTHON = (
    ("sum-of-digits", "Sum of digits", "the sum of the decimal digits of n"),
    ("reverse-words", "Reverse words", "the words of s in the opposite order"),
    ("second-largest", "Second largest", "the second largest distinct number of the list"),
    ("count-vowels", "Count vowels", "how many vowels the text holds"),
    ("run-length", "Run lengths", "each character of s with the length of its run"),
    ("merge-intervals", "Merge intervals", "the intervals with overlapping ones joined"),
    ("balanced", "Balanced brackets", "whether every bracket of s is closed in order"),
    ("primes-below", "Primes below n", "all primes smaller than n"),
    ("rotate-list", "Rotate a list", "the list turned k places to the right"),
    ("anagrams", "Anagrams", "whether two words use the same letters"),
    ("staircase", "Climbing stairs", "the number of ways to climb n steps"),
    ("two-sum", "Two numbers with a sum", "the two positions whose numbers add up to t"),
)
FORMULAS = tuple(
    (f"formula-{number:02}", text)
    for number, text in enumerate(
        (
            "a*x^2 + b*x + c", "(a + b)*h/2", "m*v^2/2", "p*(1 + r)^n", "sqrt(a^2 + b^2)",
            "pi*r^2*h", "u*t + g*t^2/2", "(f - 32)*5/9", "a/(1 - q)", "n*(n + 1)/2",
            "G*m/(r^2)", "k*q/(d^2)", "V/(R + r)", "2*pi*sqrt(l/g)", "w/(h^2)",
            "a*b*sin(t)", "P*V/(R*T)", "c*(d - e)", "(x - m)/s", "1/(1/a + 1/b)",
        ),
        start=1,
    )
)  # fmt: skip


def text(value: object) -> JsonText:
    return JsonText(canonical_json(value))


def make_problem(name: str, title: str, statement: str, formula: str | None) -> Problem:
    python = formula is None
    tests = tuple(
        Test(text([number]), text(number * number), number < 2) if python
        else Test(text(f"{number} 2"), text(f"{number}.50"), number < 2)
        for number in range(6)
    )  # fmt: skip
    slot = None
    if formula is not None:
        slot = FormulaSlot(formula, FormulaKind.EXPRESSION, PromptClass.TRANSLATION, (), ())
    return Problem(
        problem_id=name,
        title=title,
        language=Language.PYTHON if python else Language.C,
        interface=Interface.FUNCTION if python else Interface.STDIN,
        entry_point="solve" if python else None,
        parameters=("value",) if python else (),
        statement=statement,
        structure=None,
        tests=tests,
        references=(),
        wrong=(),
        generator=None,
        comparison=Comparison(digits=None if python else 2),
        formula=slot,
        difficulty=None,
        topics=(),
        source="written for the test",
        licence="Apache-2.0",
    )


def make_variant(problem: Problem, family: str, words: str, **fields: object) -> Variant:
    distance = fields.get("distance")
    name = f"{problem.problem_id}:{family}:{distance}"
    made = Variant(
        variant_id=f"{random.Random(name).getrandbits(64):016x}",
        problem_id=problem.problem_id,
        family=family,
        task=TaskKind.KEPT,
        chain=() if family == "clean" else (Step(family, text({"distance": distance})),),
        seed=1,
        text=words,
        entry_point=problem.entry_point,
        oracle_id=problem.problem_id,
        base_id=None,
        formula=None,
        distance=None,
        distance_proved=None,
        assumptions=(),
        checks=() if family == "clean" else (Check("numbers unchanged", True, "3 of 3 found"),),
        gated=True,
    )
    return dataclasses.replace(made, **fields)


def mutated(formula: str, distance: int) -> str:
    for number in range(distance):
        formula = f"({formula} + 0)" if number % 2 else f"(1*({formula}))"
    return formula


def variants_of(problem: Problem) -> list[Variant]:
    statement = problem.statement
    found = [make_variant(problem, "clean", statement), make_variant(problem, "repeat", statement)]
    if problem.formula is None:
        story = (
            "Mira keeps the books of a small harbour. Every evening she has to find "
            f"{statement.removeprefix('Return ')} She wants a program that does it for her."
        )
        noise = (
            f"{statement}\nThe harbour was built in 1921 and its lighthouse is 40 metres high. "
            "None of this matters for the result."
        )
        found.append(make_variant(problem, "storytelling", story))
        found.append(make_variant(problem, "distracting_constraints", noise))
        return found
    for distance in (1, 3):
        formula = mutated(problem.formula.text, distance)
        changed = make_variant(
            problem,
            "formula",
            statement.replace(problem.formula.text, formula),
            formula=formula,
            distance=distance,
            distance_proved=distance == 1,
            assumptions=("a != 0",),
        )
        again = make_variant(
            problem, "reduced", statement, distance=distance, base_id=changed.variant_id
        )
        found += [changed, again]
    return found


RATES = {"clean": 0.62, "repeat": 0.62, "storytelling": 0.4, "distracting_constraints": 0.5,
         "formula1": 0.55, "formula3": 0.2, "reduced1": 0.62, "reduced3": 0.62}  # fmt: skip


def answer(
    problem: Problem, variant: Variant, luck: float, words: str, *, sample: int, model: str
) -> tuple[Completion, Verdict]:
    rate = RATES[f"{variant.family}{variant.distance or ''}"]
    passed = luck < rate
    python = problem.formula is None
    trouble = random.Random(variant.text + variant.family).random()
    status = Status.WRONG_ANSWER
    if trouble < 0.15:
        status = Status.NO_CODE
    elif trouble < 0.3:
        status = Status.RUNTIME_ERROR if python else Status.COMPILE_ERROR
    if passed:
        status = Status.PASSED
        program = "def solve(value):\n    return value * value\n"
    else:
        program = "def solve(value):\n    total = 0\n    return total\n"
    if not python:
        value = "a + b" if passed else variant.formula or problem.formula.text
        program = (
            "#include <stdio.h>\n\nint main(void) {\n    double a, b;\n"
            f'    scanf("%lf %lf", &a, &b);\n    printf("%.2f\\n", {value});\n'
            "    return 0;\n}\n"
        )
    ran = status in (Status.PASSED, Status.WRONG_ANSWER, Status.RUNTIME_ERROR)
    outcomes = tuple(
        TestOutcome(
            test.visible,
            TestStatus.PASSED if passed or (test.visible and trouble > 0.7)
            else TestStatus(status.value),
        )
        for test in problem.tests
    ) if ran else ()  # fmt: skip
    failure = None
    if ran and not passed:
        index = next(i for i, item in enumerate(outcomes) if item.status is not TestStatus.PASSED)
        test = problem.tests[index]
        got = text(0 if python else "0.00") if status is Status.WRONG_ANSWER else None
        failure = Failure(index, test.input, test.expected, got)
    common = {
        "problem_id": problem.problem_id,
        "variant_id": variant.variant_id,
        "model": model,
        "sample": sample,
    }
    completion = Completion(
        **common,
        key=f"{model} {words} {sample}",
        text=f"```\n{program}```",
        reasoning=None,
        model_reported=model,
        stop_reason=StopReason.STOP,
        input_tokens=90,
        output_tokens=40,
        error=None,
    )
    verdict = Verdict(
        **common,
        status=status,
        tests=outcomes,
        message="" if passed else f"test 1: {status.value}",
        program="" if status is Status.NO_CODE else program,
        extraction="fence",
        failure=failure,
        grader="grader-1",
    )
    return completion, verdict


def problems_of_study() -> list[Problem]:
    found = [
        make_problem(f"starter-12/{slug}", title, f"Return {what}.", None)
        for slug, title, what in PYTHON
    ]
    found += [
        make_problem(
            f"formulas-20/{slug}",
            f"Evaluate {formula}",
            "Write a C program that reads the values of the symbols from one line of standard "
            f"input and prints {formula} with 2 digits after the point.",
            formula,
        )
        for slug, formula in FORMULAS
    ]
    return found


def synthetic_study(
    *,
    models: tuple[str, ...] = (MODEL,),
    pending: int = 0,
    deterministic: bool = True,
    rejected: int = 0,
    title: str = "Demonstration: starter-12 and formulas-20",
) -> StudyTables:
    """Make the study; ``pending`` replies are missing, ``rejected`` variants failed a check."""
    problems = problems_of_study()
    variants = [variant for problem in problems for variant in variants_of(problem)]
    stories = [number for number, item in enumerate(variants) if item.family == "storytelling"]
    for number in stories[:rejected]:
        check = Check("examples true", False, "example 2 is false")
        variants[number] = dataclasses.replace(variants[number], gated=False, checks=(check,))
    by_id = {problem.problem_id: problem for problem in problems}
    planned, completions, verdicts = [], [], []
    for model in models:
        for variant in variants:
            sample = 1 if variant.family == "repeat" else 0
            problem = by_id[variant.problem_id]
            planned.append(
                Planned(variant.problem_id, variant.variant_id, model, sample, DECODING, "")
            )
            again = variant.family == "repeat" and not deterministic
            luck = random.Random(f"{model} {problem.problem_id} {again}").random()
            words = variant.text
            done = answer(problem, variant, luck, words, sample=sample, model=model)
            completions.append(done[0])
            verdicts.append(done[1])
    lost = {(item.variant_id, item.model) for item in completions[-pending:]} if pending else set()
    completions = [item for item in completions if (item.variant_id, item.model) not in lost]
    verdicts = [item for item in verdicts if (item.variant_id, item.model) not in lost]
    facts = StudyFacts(models if deterministic else ())
    rows = StudyRows(
        tuple(problems), tuple(variants), tuple(planned), tuple(completions), tuple(verdicts), facts
    )
    return StudyTables(
        title=title,
        seed=1,
        sets=("starter-12", "formulas-20"),
        models=tuple(
            ModelRun(name, "weights abc123", DECODING, "two_shot", deterministic, name == MODEL)
            for name in models
        ),
        problems=rows.problems,
        variants=rows.variants,
        planned=rows.planned,
        completions=rows.completions,
        verdicts=rows.verdicts,
        estimates=estimate_study(rows, seed=1),
        skipped=(Skipped("formulas-20/formula-07", "formula", "no rule applies 5 times"),),
        versions=(Version("codequake", "0.1.0"), Version("grader", "grader-1")),
    )
