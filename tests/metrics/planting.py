"""Studies planted from one letter a reply, so that their numbers can be worked out by hand."""

from __future__ import annotations

import dataclasses

from codequake.metrics import StudyFacts, StudyRows
from codequake.records import (
    Comparison,
    Completion,
    Interface,
    JsonText,
    Language,
    Planned,
    Problem,
    Status,
    StopReason,
    TaskKind,
    Test,
    TestOutcome,
    TestStatus,
    Variant,
    Verdict,
)

DECODING = JsonText('{"max_tokens":256,"temperature":0}')
# One letter a reply: what was planned and what came of it.
LETTERS = {
    "P": Status.PASSED,
    "F": Status.WRONG_ANSWER,  # visible tests fail too
    "V": Status.WRONG_ANSWER,  # visible tests pass, a hidden one fails
    "N": Status.NO_CODE,
    "T": Status.TRUNCATED,
    "E": Status.PROVIDER_ERROR,
    "H": Status.HARNESS_ERROR,
    ".": None,  # no completion
    "?": None,  # a completion without a verdict
}


def problem(name: str, *, visible: bool = True) -> Problem:
    tests = (
        Test(JsonText("[1]"), JsonText("1"), visible),
        Test(JsonText("[2]"), JsonText("2"), False),
    )
    return Problem(
        problem_id=name,
        title=name,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point="f",
        parameters=("x",),
        statement="Return x.",
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


def variant(problem_id: str, arm: str) -> Variant:
    """``arm`` is ``family``, ``family@distance``, with ``!`` at the end when rejected.

    ``reduced@1`` is the repair of ``formula@1``.
    """
    name = arm.rstrip("!")
    family, _, distance = name.split("#")[0].partition("@")
    base = f"{problem_id}|formula@{distance}" if family == "reduced" else None
    return Variant(
        variant_id=f"{problem_id}|{arm}",
        problem_id=problem_id,
        family=family,
        task=TaskKind.KEPT,
        chain=(),
        seed=1,
        text=arm,
        entry_point="f",
        oracle_id=problem_id,
        base_id=base,
        formula=None,
        distance=int(distance) if distance else None,
        distance_proved=None,
        assumptions=(),
        checks=(),
        gated=not arm.endswith("!"),
    )


def outcomes(letter: str, visible: bool) -> tuple[TestOutcome, ...]:
    if letter == "P":
        shown = hidden = TestStatus.PASSED
    elif letter in "FV":
        shown = TestStatus.PASSED if letter == "V" else TestStatus.WRONG_ANSWER
        hidden = TestStatus.WRONG_ANSWER
    else:
        return ()
    return (TestOutcome(visible, shown), TestOutcome(False, hidden))


def plant(
    table: dict[str, dict[str, str]],
    *,
    model: str = "m",
    deterministic: bool = False,
    without_visible: tuple[str, ...] = (),
) -> StudyRows:
    """``table[problem][arm]`` is a string with one letter a sample."""
    problems = tuple(problem(name, visible=name not in without_visible) for name in table)
    variants, planned, completions, verdicts = [], [], [], []
    for name, arms in table.items():
        for arm, letters in arms.items():
            made = variant(name, arm)
            variants.append(made)
            first = len(letters) if made.family == "repeat" else 0
            for sample, letter in enumerate(letters, start=first):
                planned.append(
                    Planned(made.problem_id, made.variant_id, model, sample, DECODING, "")
                )
                if letter == ".":
                    continue
                wrong = letter == "E"
                completions.append(
                    Completion(
                        problem_id=name,
                        variant_id=made.variant_id,
                        model=model,
                        sample=sample,
                        key=f"{made.variant_id}{sample}",
                        text=f"{name}{letter}",
                        reasoning=None,
                        model_reported="" if wrong else "m-2024",
                        stop_reason=StopReason.ERROR if wrong else StopReason.STOP,
                        input_tokens=None,
                        output_tokens=None,
                        error="down" if wrong else None,
                    )
                )
                status = LETTERS[letter]
                if status is not None:
                    verdicts.append(
                        Verdict(
                            problem_id=name,
                            variant_id=made.variant_id,
                            model=model,
                            sample=sample,
                            status=status,
                            tests=outcomes(letter, name not in without_visible),
                            message="",
                            program="",
                            extraction="",
                            failure=None,
                            grader="g1",
                        )
                    )
    facts = StudyFacts((model,) if deterministic else ())
    return StudyRows(
        problems, tuple(variants), tuple(planned), tuple(completions), tuple(verdicts), facts
    )


def with_reported(rows: StudyRows, arm: str, reported: str) -> StudyRows:
    """The same study, in which one arm was answered by another model id."""
    changed = tuple(
        dataclasses.replace(item, model_reported=reported)
        if item.variant_id.endswith(f"|{arm}")
        else item
        for item in rows.completions
    )
    return dataclasses.replace(rows, completions=changed)
