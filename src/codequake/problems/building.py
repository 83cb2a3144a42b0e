"""For maintainers: the hidden tests of a problem file, made again from its own programs.

Tests are never written by hand.  ``rebuild_file`` draws the inputs (edge cases first, then what the
generator or the sampler gives for a fixed seed), lets the first reference answer them, and writes
both into the file.  ``codequake.problems.check_problems`` then shows that they deserve trust.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from codequake.canonical import canonical_json, parse_json
from codequake.errors import CheckFailedError, DataError
from codequake.files import read_text, write_text
from codequake.ports import Oracle
from codequake.problems.authoring import Authored, read_authored
from codequake.problems.rendering import input_stands_in
from codequake.problems.sampling import sample_inputs
from codequake.problems.shape import input_fault
from codequake.records import JsonText, Problem, Test
from codequake.seeding import generator_for, seed_for

__all__ = [
    "BUILD_SEED",
    "FORMULA_TESTS",
    "HIDDEN_TESTS",
    "build_tests",
    "fresh_inputs",
    "rebuild_file",
]

BUILD_SEED = 20
HIDDEN_TESTS = 24
FORMULA_TESTS = 100
"""Hidden tests of a formula prompt: as many as the paper on syntactic robustness draws (7)."""

_NOTE = "# Written by codequake.problems.building from the inputs above; change those instead."


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


def build_tests(
    authored: Authored, oracle: Oracle, *, seed: int = BUILD_SEED, count: int | None = None
) -> tuple[Test, ...]:
    """Return ``count`` hidden tests: edge cases first, no input twice, none that is visible.

    Without ``count`` there are 100 for a formula prompt and 24 for any other problem.  Raises
    ``CheckFailedError`` when there are too few different inputs, or when the reference gives no
    output for one.
    """
    problem = authored.problem
    if count is None:
        count = HIDDEN_TESTS if problem.formula is None else FORMULA_TESTS
    # Those of a generator may repeat; of a formula only the visible ones have to go.
    visible = sum(test.visible for test in problem.tests)
    spare = 2 * count if problem.generator is not None else count + visible
    drawn = fresh_inputs(problem, oracle, seed_for(seed, "tests", problem.problem_id), spare)
    inputs = [
        item
        for item in dict.fromkeys((*authored.edges, *drawn))
        if not input_stands_in(problem, item, problem.statement)
    ][:count]
    if len(inputs) < count:
        raise CheckFailedError(
            f"{authored.path}: edge cases and generator give {len(inputs)} hidden inputs; "
            f"allowed: {count} or more"
        )
    reference = problem.references[0]
    tests = []
    for item, answer in zip(inputs, oracle.answers(problem, reference, inputs), strict=True):
        if answer.output is None:
            raise CheckFailedError(
                f"{authored.path}: reference {reference.name!r} gives no output for {item}: "
                f"{answer.problem}"
            )
        tests.append(Test(item, answer.output, visible=False))
    return tuple(tests)


def rebuild_file(path: Path, oracle: Oracle, *, seed: int = BUILD_SEED) -> bool:
    """Write the hidden tests of a problem file anew; tell whether the file changed.

    Everything from the line ``[tests]`` on is replaced; equal programs and seeds give equal bytes.
    """
    tests = build_tests(read_authored(path), oracle, seed=seed)
    old = read_text(path)
    body = re.split(r"^\[tests\]$", old, maxsplit=1, flags=re.MULTILINE)[0].rstrip("\n")
    rows = "\n".join(_row(test) for test in tests)
    new = f"{body}\n\n[tests]\n{_NOTE}\nhidden = '''\n{rows}\n'''\n"
    if new == old:
        return False
    write_text(path, new)
    return True


def _row(test: Test) -> str:
    """Return a test as one line that a literal TOML string can hold."""
    pair = [parse_json(test.input), parse_json(test.expected)]
    text = json.dumps(pair, ensure_ascii=False, sort_keys=True)
    assert canonical_json(parse_json(text)) == f"[{test.input},{test.expected}]"
    return "".join(
        character if character.isprintable() and character != "'" else _escaped(character)
        for character in text
    )


def _escaped(character: str) -> str:
    """Return a character as JSON spells it; literal TOML strings take no quotes or controls."""
    if character == "'":
        return "\\u0027"
    return json.dumps(character)[1:-1]
