"""For maintainers: the hidden tests of a problem file, made again from its own programs.

Tests are never written by hand.  ``rebuild_file`` draws the inputs (edge cases first, then what the
generator or the sampler gives for a fixed seed), lets the first reference answer them, and writes
both into the file.  ``codequake.problems.check_problems`` then shows that they deserve trust.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.errors import CheckFailedError, DataError
from codequake.files import read_text, write_text
from codequake.ports import Oracle
from codequake.problems.authoring import VERSIONS, Authored, read_authored
from codequake.problems.drawing import fresh_inputs, large_inputs, valid_inputs
from codequake.problems.rendering import input_stands_in
from codequake.records import JsonText, Problem, Test
from codequake.seeding import seed_for

__all__ = [
    "BUILD_SEED",
    "DISCRIMINATING",
    "FORMULA_TESTS",
    "build_tests",
    "choose_tests",
    "rebuild_file",
]

BUILD_SEED = 20
FORMULA_TESTS = 100
"""Hidden tests of a formula prompt: as many as the paper on syntactic robustness draws (7)."""
DISCRIMINATING = 10
"""Hidden tests of a changed problem that the original's reference must fail."""

_NOTE = "# Written by codequake.problems.building from the inputs above; change those instead."


def choose_tests(
    problem: Problem,
    edges: Sequence[JsonText],
    oracle: Oracle,
    *,
    count: int,
    original: Problem | None = None,
    seed: int = BUILD_SEED,
) -> tuple[Test, ...]:
    """Return ``count`` hidden tests: edge cases first, no input twice, none that is visible.

    Inputs that the validator refuses are left out.  Of a changed problem at least 10 have another
    answer by the reference of the ``original``.  The large inputs of a problem come last, beside
    the ``count``.  Raises ``CheckFailedError`` when there are too few inputs of a kind, or when the
    reference gives no output for one.
    """
    # Those of a generator may repeat; of a formula only the visible ones have to go.
    visible = sum(test.visible for test in problem.tests)
    spare = count + visible if problem.generator is None else 2 * count
    if original is not None:
        spare *= 2
    drawn = fresh_inputs(problem, oracle, seed_for(seed, "tests", problem.problem_id), spare)
    inputs = list(valid_inputs(problem, dict.fromkeys((*edges, *drawn)), oracle))
    inputs = [item for item in inputs if not input_stands_in(problem, item, problem.statement)]
    if len(inputs) < count:
        raise CheckFailedError(
            f"problem {problem.problem_id!r}: edge cases and generator give {len(inputs)} hidden "
            f"inputs; allowed: {count} or more"
        )
    if original is not None:
        inputs = _discriminating_first(problem, original, inputs, oracle, count)
    inputs = inputs[:count]
    seed = seed_for(seed, "large", problem.problem_id)
    large = large_inputs(problem, oracle, seed)
    if len({*inputs, *large}) < len(inputs) + len(large):
        raise CheckFailedError(
            f"problem {problem.problem_id!r}: its second generator gives an input twice, or one "
            "that is tested already"
        )
    inputs += large
    return tuple(_answered(problem, inputs, oracle))


def _answered(problem: Problem, inputs: Sequence[JsonText], oracle: Oracle) -> list[Test]:
    reference = problem.references[0]
    tests = []
    for item, answer in zip(inputs, oracle.answers(problem, reference, inputs), strict=True):
        if answer.output is None:
            raise CheckFailedError(
                f"problem {problem.problem_id!r}: reference {reference.name!r} gives no output for "
                f"{item[:200]}: {answer.problem}"
            )
        tests.append(Test(item, answer.output, visible=False))
    return tests


def _discriminating_first(
    problem: Problem, original: Problem, inputs: list[JsonText], oracle: Oracle, count: int
) -> list[JsonText]:
    """Order inputs so that enough of the first ``count`` tell the two problems apart."""
    new = oracle.answers(problem, problem.references[0], inputs)
    old = oracle.answers(original, original.references[0], inputs)
    differ = [one.output != two.output for one, two in zip(new, old, strict=True)]
    found = [item for item, differs in zip(inputs, differ, strict=True) if differs]
    if len(found) < DISCRIMINATING:
        raise CheckFailedError(
            f"problem {problem.problem_id!r}: of {len(inputs)} inputs {len(found)} have another "
            f"answer than in {original.problem_id!r}; allowed: {DISCRIMINATING} or more"
        )
    missing = DISCRIMINATING - sum(differ[:count])
    if missing <= 0:
        return inputs
    late = [item for item in inputs[count:] if item in set(found)][:missing]
    same = [item for item in inputs[:count] if item not in set(found)]
    out = set(same[-missing:])
    return [item for item in inputs[:count] if item not in out] + late


def rebuild_file(path: Path, oracle: Oracle, *, seed: int = BUILD_SEED) -> bool:
    """Write the hidden tests of a problem file anew; tell whether the file changed.

    Everything from the line ``[tests]`` on is replaced; equal programs and seeds give equal bytes.
    """
    authored = read_authored(path)
    tables = {"hidden": build_tests(authored, oracle, seed=seed)}
    for version in authored.versions:
        key = version.problem.problem_id.rpartition("~")[2]
        assert key in VERSIONS
        tables[key] = build_tests(version, oracle, original=authored.problem, seed=seed)
    old = read_text(path)
    body = re.split(r"^\[tests\]$", old, maxsplit=1, flags=re.MULTILINE)[0].rstrip("\n")
    written = "".join(
        f"{name} = '''\n{chr(10).join(_row(test) for test in tests)}\n'''\n"
        for name, tests in tables.items()
    )
    new = f"{body}\n\n[tests]\n{_NOTE}\n{written}"
    if new == old:
        return False
    if _without_tests(new) != _without_tests(old):
        raise DataError("[tests] is not the last table, or not a line of its own", place=str(path))
    write_text(path, new)
    return True


def _without_tests(text: str) -> dict[str, Any] | None:
    """Return all that an author wrote in a file; ``None`` for a file that is broken."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    return {name: value for name, value in values.items() if name != "tests"}


def build_tests(
    authored: Authored,
    oracle: Oracle,
    *,
    original: Problem | None = None,
    seed: int = BUILD_SEED,
) -> tuple[Test, ...]:
    """Return the hidden tests that a file's problem, or a changed version of it, should have."""
    problem = authored.problem
    count = authored.hidden if problem.formula is None else FORMULA_TESTS
    return choose_tests(problem, authored.edges, oracle, count=count, original=original, seed=seed)


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
