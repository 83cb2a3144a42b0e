"""Why our verdict on a program differs from the recorded one: each cause is the end of a new run.

Used by ``parity.py``, which says what the records are.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from codequake.canonical import canonical_json
from codequake.grading import Grader, Program, grade_programs
from codequake.problems.python_prompts import with_check_apart
from codequake.records import JsonText, Problem, Status, Test
from codequake.sandbox import BubblewrapBackend, Care, Limits, bubblewrap
from codequake.sandbox.prelude import prelude_for

__all__ = ["Cause", "Record", "cause_of", "one_test"]

HASH_SEEDS = 10


class Cause(StrEnum):
    """Why a verdict differs from the recorded one, and what was found that says so.

    ``PRELUDE``: the program uses names of the prelude that it neither defines nor imports; when
    they are taken away from it, it fails here too, for lack of them.  ``HIDDEN_CHECK``: the
    recorded test defines a ``check`` that hides the program's and calls itself; that test as it
    stands fails here by itself.  ``EXTRACTION``: the record has more text than the program; as a
    program the whole text fails here too.  ``TIME``: the recorded run was ended, ours came to an
    end twice.  ``HASH_ORDER``: its verdict here, too, depends on the seed of hashes.

    Where only the published verdict differs: ``HELPER``: the test calls a helper of the prompt
    that the program lacks; without that prompt it fails here too.  ``PUBLISHED_ONLY``: the rerun
    that is recorded says the same as we; the published run had other tests, which are not known.
    """

    PRELUDE = "prelude"
    HIDDEN_CHECK = "hidden check"
    EXTRACTION = "extraction"
    TIME = "time"
    HASH_ORDER = "hash order"
    HELPER = "helper"
    PUBLISHED_ONLY = "published only"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Record:
    """A program with its recorded verdicts; ``rerun`` is ``pass``, ``fail`` or ``timeout``.

    ``published`` says whether it passed where its record comes from, by tests that are not all
    known.  ``test`` is the text of its test where the record has one.
    """

    file: str
    task_id: str
    entry_point: str
    code: str
    rerun: str
    published: bool
    test: str | None
    problem: Problem

    @property
    def passed(self) -> bool:
        """Whether the recorded verdict is a pass."""
        return self.rerun == "pass"


def one_test(text: str) -> Test:
    """A hidden test of statements."""
    return Test(JsonText(canonical_json(text)), JsonText("null"), visible=False)


def cause_of(record: Record, program: str, passed: bool) -> tuple[Cause, str]:
    """Return the cause of a difference and what it was seen from; ``passed`` is our verdict."""
    for cause, find in FINDINGS.items():
        if (cause in OF_PUBLISHED) is (passed is record.passed):
            evidence = find(record, program)
            if evidence is not None:
                return cause, evidence
    return Cause.UNEXPLAINED, "no second run tells"


def _again(problem: Problem, program: str) -> tuple[bool, str]:
    """Grade one program in a sandbox of its own; return whether it passed, and the message."""
    program_of = [Program(problem, program, None)]
    (found,) = grade_programs(Grader(BubblewrapBackend()), program_of, workers=1, care=Care.ALONE)
    return found.status is Status.PASSED, f"{found.status.value}: {found.message}"


def _hidden_check(record: Record, program: str) -> str | None:
    """The recorded test as it stands calls its own ``check``: then its own code fails."""
    if record.test is None or with_check_apart(
        record.test, ast.parse(record.test), record.entry_point
    ) == (record.test, "check"):
        return None
    as_recorded = replace(record.problem, tests=(one_test(record.test),))
    ok, message = _again(as_recorded, program)
    return None if ok else f"the recorded test calls itself: {_raised(message)}"


def _prelude(record: Record, program: str) -> str | None:
    """The names that are missing, seen in the text; and the program fails when they are gone."""
    names = sorted(_undefined(program) & set(_preluded(program, record.entry_point)))
    if not names:
        return None
    ok, message = _again(record.problem, f"del {', '.join(names)}\n{program}")
    lacks = [name for name in names if f"NameError: name '{name}' is not defined" in message]
    return f"without {', '.join(names)}: {_raised(message)}" if lacks and not ok else None


def _extraction(record: Record, program: str) -> str | None:
    """There is text around the program that was extracted."""
    if program == record.code:
        return None
    ok, message = _again(record.problem, record.code)
    return None if ok else f"the whole text: {message}"


def _time(record: Record, program: str) -> str | None:
    if record.rerun != "timeout" or not _again(record.problem, program)[0]:
        return None
    return f"ends within {Limits().cpu_seconds:g} s of processor time"


def _helper(record: Record, program: str) -> str | None:
    """The test needs what the prompt has before the function; the program has not copied it."""
    opening = record.problem.assertions or ""
    helpers = [node.name for node in ast.parse(opening).body if isinstance(node, ast.FunctionDef)]
    ok, message = _again(replace(record.problem, assertions=""), program)
    lacks = [name for name in helpers if f"NameError: name '{name}' is not defined" in message]
    return f"without {lacks[0]} of the prompt: {_raised(message)}" if lacks and not ok else None


def _published_only(record: Record, program: str) -> str | None:
    ok, _ = _again(record.problem, program)
    return "the recorded rerun says the same" if ok is record.passed else None


def _hash_order(record: Record, program: str) -> str | None:
    passed = []
    for seed in range(HASH_SEEDS):
        with _hash_seed(seed):
            if _again(record.problem, program)[0]:
                passed.append(seed)
    if len(passed) in (0, HASH_SEEDS):
        return None
    return f"passes with {len(passed)} of {HASH_SEEDS} hash seeds"


@contextmanager
def _hash_seed(seed: int) -> Iterator[None]:
    """Let sandboxes that start now hash strings with another seed."""
    before = bubblewrap.ENVIRONMENT["PYTHONHASHSEED"]
    bubblewrap.ENVIRONMENT["PYTHONHASHSEED"] = str(seed)
    try:
        yield
    finally:
        bubblewrap.ENVIRONMENT["PYTHONHASHSEED"] = before


def _preluded(program: str, entry_point: str) -> Iterable[str]:
    code = compile(program, "program", "exec", dont_inherit=True)
    return prelude_for(code, entry_point=entry_point)


def _undefined(program: str) -> set[str]:
    """The global names that a program uses and nowhere binds, seen from its text alone."""
    used: set[str] = set()
    bound: set[str] = set()
    waiting = [symtable.symtable(program, "program", "exec")]
    while waiting:
        table = waiting.pop()
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if not (top or symbol.is_global()):
                continue
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                bound.add(symbol.get_name())
            elif symbol.is_referenced():
                used.add(symbol.get_name())
        waiting.extend(table.get_children())
    return used - bound - set(dir(builtins))


def _raised(message: str) -> str:
    """What a message says was raised, without the place; it never holds a line of a test."""
    found = message.partition(" (in ")[0].partition(", a name that neither")[0]
    for mark in ("test 1: ", "own code fails: "):
        found = found.rpartition(mark)[2]
    return found


FINDINGS: dict[Cause, Callable[[Record, str], str | None]] = {
    Cause.HIDDEN_CHECK: _hidden_check,
    Cause.EXTRACTION: _extraction,
    Cause.PRELUDE: _prelude,
    Cause.TIME: _time,
    Cause.HASH_ORDER: _hash_order,
    Cause.HELPER: _helper,
    Cause.PUBLISHED_ONLY: _published_only,
}
OF_PUBLISHED = (Cause.HELPER, Cause.PUBLISHED_ONLY)
