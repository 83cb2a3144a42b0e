"""Inputs of a problem: drawn anew by its own generators, and held to its constraints."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from codequake.canonical import canonical_json, parse_json
from codequake.errors import DataError
from codequake.ports import Oracle
from codequake.problems.sampling import sample_inputs
from codequake.problems.shape import input_fault
from codequake.records import Interface, JsonText, Language, Problem, Reference, Test
from codequake.seeding import generator_for

__all__ = ["LARGE_INPUTS", "fresh_inputs", "large_inputs", "ordinary_tests", "valid_inputs"]

LARGE_INPUTS = 2
"""Inputs that are drawn from the second generator of a problem."""


def fresh_inputs(problem: Problem, oracle: Oracle, seed: int, count: int) -> tuple[JsonText, ...]:
    """Return ``count`` inputs of a problem's generator, or of its formula's symbols without one.

    Empty when a problem has neither.  Those of a generator may repeat.  Raises ``DataError`` when
    a generator gives something that is no input of the problem.
    """
    if problem.generator is not None:
        inputs = oracle.generate(problem, seed, count)
        for number, item in enumerate(inputs):
            fault = input_fault(problem, item)
            if fault:
                raise DataError(f"generate(rng, {number}) gives {fault}")
        return inputs
    if problem.formula is not None:
        rng = generator_for(seed, "inputs")
        return sample_inputs(problem.formula, rng, count, problem.comparison)
    return ()


def large_inputs(problem: Problem, oracle: Oracle, seed: int) -> tuple[JsonText, ...]:
    """Return the inputs of a problem's second generator; empty without one."""
    if problem.large is None:
        return ()
    other = dataclasses.replace(problem, generator=problem.large)
    return fresh_inputs(other, oracle, seed, LARGE_INPUTS)


def ordinary_tests(problem: Problem) -> tuple[Test, ...]:
    """Return the tests of a problem without those of its large inputs, which stand last."""
    return problem.tests if problem.large is None else problem.tests[:-LARGE_INPUTS]


def valid_inputs(
    problem: Problem, inputs: Iterable[JsonText], oracle: Oracle
) -> tuple[JsonText, ...]:
    """Return the inputs that keep the constraints of a problem; all of them without a validator.

    Raises ``DataError`` when the validator fails, or says anything but true or false.
    """
    inputs = tuple(inputs)
    if problem.validator is None or not inputs:
        return inputs
    asked = dataclasses.replace(
        problem,
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point="valid",
        parameters=problem.parameters or ("text",),
    )
    given = inputs
    if problem.interface is Interface.STDIN:
        given = tuple(JsonText(canonical_json([parse_json(item)])) for item in inputs)
    program = Reference("validator", Language.PYTHON, problem.validator)
    kept = []
    for item, answer in zip(inputs, oracle.answers(asked, program, given), strict=True):
        if answer.output not in ("true", "false"):
            said = answer.problem or f"it returned {(answer.output or '')[:60]}"
            raise DataError(f"the validator fails on {item[:80]}: {said}; allowed: True or False")
        if answer.output == "true":
            kept.append(item)
    return tuple(kept)
