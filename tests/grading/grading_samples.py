"""Small problems and completions for the tests of grading."""

from __future__ import annotations

import dataclasses

from codequake.records import (
    Comparison,
    Completion,
    Interface,
    JsonText,
    Language,
    Problem,
    StopReason,
    Test,
)
from codequake.sandbox import Limits

LIMITS = Limits(
    cpu_seconds=1.0,
    wall_factor=5.0,
    memory_bytes=512 << 20,
    output_bytes=2 << 20,
    total_output_bytes=8 << 20,
    build_cpu_seconds=3.0,
)

ADD = Problem(
    problem_id="tests/add",
    title="",
    language=Language.PYTHON,
    interface=Interface.FUNCTION,
    entry_point="add",
    parameters=("a", "b"),
    statement="",
    structure=None,
    tests=tuple(
        Test(JsonText(given), JsonText(expected), visible=index == 0)
        for index, (given, expected) in enumerate((("[1,2]", "3"), ("[5,-5]", "0"), ("[2,2]", "4")))
    ),
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
MAIN = dataclasses.replace(
    ADD,
    problem_id="tests/main",
    interface=Interface.STDIN,
    entry_point=None,
    tests=(
        Test(JsonText('"1 2\\n"'), JsonText('"3\\n"'), visible=True),
        Test(JsonText('"5 -5\\n"'), JsonText('"0\\n"'), visible=False),
    ),
)
IN_C = dataclasses.replace(MAIN, problem_id="tests/c", language=Language.C)


def completion(text: str, **fields: object) -> Completion:
    plain = Completion(
        "tests/add", "v", "m", 0, "", text, None, "m", StopReason.STOP, None, None, None
    )
    return dataclasses.replace(plain, **fields)  # type: ignore[arg-type]
