"""An oracle for tests that runs OUR OWN programs in a plain subprocess, never anybody else's."""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.ports import Answer
from codequake.records import (
    Comparison,
    Interface,
    JsonText,
    Language,
    OutputOrder,
    Problem,
    Reference,
)
from codequake.seeding import seed_for

FUNCTION_DRIVER = """
import json, sys
work = json.load(sys.stdin)
out = []
space = {"__name__": "program"}
exec(compile(work["code"], "program.py", "exec"), space)
for arguments in work["inputs"]:
    try:
        out.append([json.dumps(space[work["entry"]](*arguments)), None])
    except Exception as error:
        out.append([None, repr(error)])
print(json.dumps(out))
"""

STDIN_DRIVER = """
import io, json, sys
work = json.load(sys.stdin)
code = compile(work["code"], "program.py", "exec")
out = []
keep = sys.stdout
for text in work["inputs"]:
    sys.stdin, sys.stdout = io.StringIO(text), io.StringIO()
    try:
        exec(code, {"__name__": "__main__"})
        out.append([json.dumps(sys.stdout.getvalue()), None])
    except Exception as error:
        out.append([None, repr(error)])
    finally:
        written, sys.stdout = sys.stdout, keep
print(json.dumps(out))
"""

GENERATOR_DRIVER = """
import json, random, sys
work = json.load(sys.stdin)
space = {"__name__": "generator"}
exec(compile(work["code"], "generator.py", "exec"), space)
out = []
for number, seed in enumerate(work["seeds"]):
    out.append([json.dumps(space["generate"](random.Random(seed), number)), None])
print(json.dumps(out))
"""


def _python(driver: str, **work: Any) -> list[list[str | None]]:
    done = subprocess.run(
        [sys.executable, "-I", "-c", driver],
        input=json.dumps(work),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


class TrustedOracle:
    """Implements the Oracle port for programs that stand in this repository."""

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        values = [parse_json(item) for item in inputs]
        match reference.language:
            case Language.C:
                return _c_answers(reference.code, values)
            case Language.PYTHON if problem.interface is Interface.FUNCTION:
                driver = FUNCTION_DRIVER
            case Language.PYTHON:
                driver = STDIN_DRIVER
        rows = _python(driver, code=reference.code, entry=problem.entry_point, inputs=values)
        return tuple(
            Answer(None if output is None else JsonText(canonical_json(parse_json(output))), fault)
            for output, fault in rows
        )

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        seeds = [seed_for(seed, "generate", number) for number in range(count)]
        rows = _python(GENERATOR_DRIVER, code=problem.generator, seeds=seeds)
        return tuple(JsonText(canonical_json(parse_json(row[0] or ""))) for row in rows)


@functools.cache
def _folder() -> Path:
    folder = tempfile.mkdtemp(prefix="trusted-oracle-")
    atexit.register(shutil.rmtree, folder)
    return Path(folder)


@functools.cache
def _compiled(code: str) -> tuple[Path, str]:
    """Compile a program once; the second is what the compiler says against it."""
    binary = _folder() / hashlib.sha256(code.encode()).hexdigest()
    built = subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Werror", "-x", "c", "-o", binary, "-", "-lm"],
        input=code,
        capture_output=True,
        text=True,
        check=False,
    )
    return binary, built.stderr


def _c_answers(code: str, inputs: Sequence[str]) -> tuple[Answer, ...]:
    binary, fault = _compiled(code)
    if fault:
        return tuple(Answer(None, fault) for _ in inputs)
    return tuple(_c_answer(binary, text) for text in inputs)


def _c_answer(binary: Path, text: str) -> Answer:
    done = subprocess.run([binary], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        return Answer(None, f"exit status {done.returncode}")
    return Answer(JsonText(canonical_json(done.stdout)), None)


def agree(expected: JsonText, got: JsonText, comparison: Comparison, interface: Interface) -> bool:
    """A small comparison, enough for our own programs."""
    want, have = parse_json(expected), parse_json(got)
    if interface is Interface.STDIN:
        wanted, given = want.split(), have.split()
        return len(wanted) == len(given) and all(
            _close(one, other, comparison) for one, other in zip(wanted, given, strict=True)
        )
    if comparison.order is OutputOrder.UNORDERED and isinstance(want, list):
        want, have = sorted(map(json.dumps, want)), sorted(map(json.dumps, have))
    return json.dumps(want) == json.dumps(have)


def _close(one: str, other: str, comparison: Comparison) -> bool:
    if one == other or comparison.digits is None:
        return one == other
    try:
        left, right = Fraction(one), Fraction(other)
    except ValueError:
        return False
    allowed = max(Fraction(1, 10**comparison.digits), Fraction(comparison.relative) * abs(left))
    return abs(left - right) <= allowed
