"""Programs whose verdict is known: when one comes out otherwise, nothing may be graded."""

from __future__ import annotations

import dataclasses

from codequake.canonical import canonical_json
from codequake.errors import MachineError
from codequake.grading.grader import Grader
from codequake.grading.running import Program, grade_programs
from codequake.records import (
    Comparison,
    Interface,
    JsonText,
    Language,
    Problem,
    Status,
    Test,
)
from codequake.sandbox import Mode

__all__ = ["self_test"]

_ADD = "def add(a, b):\n    return a + b\n"
_ADD_WRONG = "def add(a, b):\n    return a - b\n"
_EQUAL_TO_ALL = (
    "class Same:\n    def __eq__(self, other):\n        return True\n\n"
    "def add(a, b):\n    return Same()\n"
)
_LEAVES = "import os\n\ndef add(a, b):\n    os._exit(0)\n"
_STATEMENT = "assert add(2, 3) == 5 and add(-4, 9) == 5"
_MAIN = "a, b = map(int, input().split())\nprint(a + b)\n"
_EARLY_EXIT = "import sys\nsys.exit(0)\n"
_C_MAIN = (
    "#include <math.h>\n#include <stdio.h>\n\nint main(void) {\n    double a, b;\n"
    '    if (scanf("%lf %lf", &a, &b) != 2) return 1;\n'
    '    printf("%.6f\\n", pow(a, 1.0) + b);\n    return 0;\n}\n'
)
_C_WRONG = _C_MAIN.replace("+ b", "- b")
_WORKERS = 2
_GROUP = 3  # so that both workers have something to do


def self_test(grader: Grader, *, with_c: bool = True) -> None:
    """Grade known-good and known-bad programs, the way that a batch will be graded.

    ``with_c`` includes C, for which a compiler must be there.  Raises ``MachineError`` naming the
    first program whose verdict is not the known one.
    """
    expectations = [
        row
        for row in _expectations(with_c=with_c)
        if row[1].assertions is None or Mode.ASSERT in grader.backend.modes
    ]
    given = [Program(problem, code, None) for _, problem, code, _ in expectations]
    judged = grade_programs(grader, given, workers=_WORKERS, group=_GROUP)
    for (name, _, _, expected), judgement in zip(expectations, judged, strict=True):
        if judgement.status is not expected:
            said = f" ({judgement.message})" if judgement.message else ""
            raise MachineError(
                f"self-test of the grader: {name} came out as {judgement.status}{said} instead of "
                f"{expected}; nothing is graded, `codequake doctor` says more"
            )


def _expectations(*, with_c: bool) -> list[tuple[str, Problem, str, Status]]:
    function, program = _problem(Interface.FUNCTION), _problem(Interface.STDIN)
    tested = dataclasses.replace(
        function,
        tests=(Test(JsonText(canonical_json(_STATEMENT)), JsonText("null"), visible=False),),
        assertions="",
    )
    found = [
        ("a right function", function, _ADD, Status.PASSED),
        ("a wrong function", function, _ADD_WRONG, Status.WRONG_ANSWER),
        ("an object equal to everything", function, _EQUAL_TO_ALL, Status.WRONG_ANSWER),
        ("a function that leaves", function, _LEAVES, Status.RUNTIME_ERROR),
        ("a right main program", program, _MAIN, Status.PASSED),
        ("a main program that leaves early", program, _EARLY_EXIT, Status.IGNORES_INPUT),
        ("a right function tested by a statement", tested, _ADD, Status.PASSED),
        ("a wrong function tested by a statement", tested, _ADD_WRONG, Status.WRONG_ANSWER),
    ]
    if with_c:
        in_c = _problem(Interface.STDIN, Language.C)
        found += [
            ("a right C program", in_c, _C_MAIN, Status.PASSED),
            ("a wrong C program", in_c, _C_WRONG, Status.WRONG_ANSWER),
        ]
    return found


def _problem(interface: Interface, language: Language = Language.PYTHON) -> Problem:
    stdin = interface is Interface.STDIN
    real = language is Language.C
    tests = tuple(
        Test(
            JsonText(f'"{a} {b}\\n"' if stdin else f"[{a},{b}]"),
            JsonText((f'"{a + b:.6f}\\n"' if real else f'"{a + b}\\n"') if stdin else f"{a + b}"),
            visible=False,
        )
        for a, b in ((2, 3), (-4, 9))
    )
    return Problem(
        problem_id=f"self-test/{language}-{interface}",
        title="Sum of two numbers",
        language=language,
        interface=interface,
        entry_point=None if stdin else "add",
        parameters=() if stdin else ("a", "b"),
        statement="",
        structure=None,
        tests=tests,
        references=(),
        wrong=(),
        generator=None,
        comparison=Comparison(digits=6 if real else None),
        formula=None,
        difficulty=None,
        topics=(),
        source="codequake",
        licence="Apache-2.0",
    )
