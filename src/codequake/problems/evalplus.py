"""EvalPlus: HumanEval+ and MBPP+ as inputs, whose outputs its own reference gives.

Fields: ``task_id``, ``prompt``, ``entry_point``, ``canonical_solution`` (the reference is the
prompt followed by it), ``base_input``, ``plus_input`` (lists of argument lists) and ``atol``.  The
reference is run in the sandbox on all inputs.  A test is visible when the prompt shows a call with
its arguments.  The tolerance is EvalPlus's: 1e-7 of the number or ``atol``, which is 1e-6 for
floats where the file says 0; another ``atol`` than a power of ten becomes the next larger one.
Inputs are taken as the file has them: lists that only EvalPlus's own code turns into tuples or
sets stay lists, and a problem whose reference then fails is told.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codequake.errors import UsageError
from codequake.ports import Oracle
from codequake.problems.code_prompts import code_statement
from codequake.problems.foreign import (
    Format,
    Origin,
    ProblemFile,
    Row,
    canonical_text,
    read_foreign,
)
from codequake.problems.python_prompts import parse_python, shown_calls, signature_of
from codequake.problems.selection import Selection
from codequake.records import Comparison, Interface, JsonText, Language, Problem, Reference, Test

__all__ = ["read_evalplus"]

_EVERYTHING = Selection()
_RELATIVE = 1e-7
_DIGITS_OF_FLOATS = 6
_ROOT = "find_zero"
# EvalPlus accepts any root here: the polynomial has to be near zero, whatever the root is.
_ROOT_CHECKER = """\
def accepts(arguments, output, expected):
    value = sum(factor * output**power for power, factor in enumerate(arguments[0]))
    return abs(value) <= {tolerance}
"""


def read_evalplus(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read an EvalPlus file.

    Raises ``UsageError`` without an oracle, and ``MachineError`` when it cannot run.
    """
    if oracle is None:
        raise UsageError(
            f"evalplus:{path} has no expected outputs, and here is no sandbox that could run its "
            "references; allowed: sets that carry their outputs"
        )
    form = Format(lambda row: _problem(row, oracle), Origin.ANSWERED)
    return read_foreign(path, form, wanted)


def _problem(row: Row, oracle: Oracle) -> Problem:
    prompt, entry_point = row.text("prompt"), row.text("entry_point")
    source = prompt + row.text("canonical_solution")
    tree = parse_python(source, row, "the prompt with its solution")
    parameters, needed = signature_of(tree, entry_point, row)
    inputs = (*_inputs(row, "base_input"), *_inputs(row, "plus_input"))
    if not inputs:
        raise row.fault("base_input and plus_input hold no input")
    parameters = parameters[: _given(row, inputs, len(parameters), needed)]
    texts = [canonical_text(item, row, "an input") for item in inputs]
    tolerance = _tolerance(row)
    problem = Problem(
        problem_id=f"evalplus/{row.identity('task_id')}",
        title=entry_point,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point=entry_point,
        parameters=parameters,
        statement=prompt,
        structure=code_statement(prompt),
        tests=(),
        references=(Reference("canonical_solution", Language.PYTHON, source),),
        wrong=(),
        generator=None,
        comparison=Comparison(digits=tolerance, relative=_RELATIVE),
        formula=None,
        difficulty=None,
        topics=(),
        source="EvalPlus (Liu et al., 2023)",
        licence="Apache-2.0",
        checker=_checker(prompt, entry_point, tolerance),
    )
    return dataclasses.replace(problem, tests=_tests(row, problem, texts, oracle))


def _inputs(row: Row, name: str) -> list[list[Any]]:
    found = row.value(name) or []  # an empty table stands for no inputs in some releases
    if not isinstance(found, list) or not all(isinstance(item, list) for item in found):
        raise row.wrong(name, found, "a list of argument lists")
    return found


def _given(row: Row, inputs: Sequence[list[Any]], known: int, needed: int) -> int:
    """How many arguments each input gives; parameters with defaults may be left out by all."""
    counts = {len(item) for item in inputs}
    if len(counts) > 1 or not all(needed <= count <= known for count in counts):
        shown = ", ".join(map(str, sorted(counts)))
        raise row.fault(f"inputs have {shown} arguments; allowed: {needed} to {known}, all alike")
    return counts.pop()


def _tolerance(row: Row) -> int:
    atol = row.value("atol") if row.has("atol") else 0
    if not isinstance(atol, int | float) or isinstance(atol, bool) or not 0 <= atol <= 1:
        raise row.wrong("atol", atol, "0 to 1")
    return min(math.floor(-math.log10(atol) + 1e-9), 15) if atol else _DIGITS_OF_FLOATS


def _checker(prompt: str, entry_point: str, digits: int) -> str | None:
    if entry_point == _ROOT and "def poly(" in prompt:
        return _ROOT_CHECKER.format(tolerance=f"1e-{digits}")
    return None


def _tests(
    row: Row, problem: Problem, inputs: Sequence[JsonText], oracle: Oracle
) -> tuple[Test, ...]:
    assert problem.entry_point is not None
    shown = shown_calls(problem.statement, problem.entry_point)
    answers = oracle.answers(problem, problem.references[0], inputs)
    tests = []
    for number, (given, answer) in enumerate(zip(inputs, answers, strict=True), start=1):
        if answer.output is None:
            raise row.fault(f"the reference gives nothing for input {number}: {answer.problem}")
        tests.append(Test(given, answer.output, given in shown))
    return tuple(tests)
