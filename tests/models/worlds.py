"""Small problems and variants for the tests of simulated coders and prompts."""

from __future__ import annotations

import dataclasses

from codequake.records import (
    Comparison,
    Interface,
    JsonText,
    Language,
    Problem,
    Reference,
    TaskKind,
    Test,
    Variant,
)

RIGHT = "def double(n):\n    return n + n\n"
WRONG = "def double(n):\n    return n\n"


def problem(number: int = 0, **changes: object) -> Problem:
    made = Problem(
        problem_id=f"world/p{number}",
        title="Double",
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point="double",
        parameters=("n",),
        statement=f"Double a number, task {number}.",
        structure=None,
        tests=(Test(JsonText("[2]"), JsonText("4"), False),),
        references=(Reference("python", Language.PYTHON, RIGHT),),
        wrong=(Reference("same", Language.PYTHON, WRONG),),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=None,
        topics=(),
        source="test",
        licence="CC0-1.0",
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def variant(
    of: Problem, family: str = "clean", text: str | None = None, **changes: object
) -> Variant:
    shown = text if text is not None else f"{of.statement} ({family})"
    made = Variant(
        variant_id=f"{of.problem_id}:{family}",
        problem_id=of.problem_id,
        family=family,
        task=TaskKind.KEPT,
        chain=(),
        seed=0,
        text=of.statement if family == "clean" and text is None else shown,
        entry_point=of.entry_point,
        oracle_id=of.problem_id,
        base_id=None,
        formula=None,
        distance=None,
        distance_proved=None,
        assumptions=(),
        checks=(),
        gated=True,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]
