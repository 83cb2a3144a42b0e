"""Ask a problem's own checker about outputs: some problems have several right ones.

The checker runs in a sandbox of its own, after the program's has ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codequake.errors import DataError
from codequake.grading.compare import parse_output
from codequake.records import Interface, Language, Problem
from codequake.sandbox import Backend, Ending, Job, Limits, Mode, Outcome, Run, run_settled

__all__ = ["Acceptance", "accepted_outputs"]

_ENTRY = "accepts"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What a checker said about each run: ``None`` where there was no output to ask about.

    ``failure`` is given when the checker itself fails; nothing else then counts.
    """

    accepted: tuple[bool | None, ...]
    failure: str | None = None


def accepted_outputs(
    backend: Backend, problem: Problem, outcome: Outcome, limits: Limits
) -> Acceptance:
    """Call ``accepts(arguments, output, expected)`` for each output of a program.

    ``arguments`` is the list of arguments, or the text on standard input.  An output that no
    program gives in good faith (not JSON, a broken tag) is not accepted, and the checker is not
    asked about it.  A checker must say true or false about every other one: it fails when it
    raises, runs out of a limit or returns anything else.
    """
    assert problem.checker is not None
    said: list[bool | None] = [None] * len(outcome.runs)
    asked = []
    for index, (test, run) in enumerate(zip(problem.tests, outcome.runs, strict=False)):
        if run.ending is Ending.RETURNED:
            said[index] = False
            if _is_data(run.output or "", text=problem.interface is Interface.STDIN):
                asked.append((index, f"[{test.input},{run.output},{test.expected}]"))
    if not asked:
        return Acceptance(tuple(said))
    inputs = tuple(text for _, text in asked)
    job = Job(Language.PYTHON, problem.checker, Mode.CALL, _ENTRY, inputs, limits)
    checked = run_settled(backend, job)
    lead = f"the checker of problem {problem.problem_id!r} fails"
    why = _whole_failure(checked, len(inputs))
    if why is not None:
        return Acceptance((), f"{lead}: {why}")
    for (index, _), run in zip(asked, checked.runs, strict=True):
        if run.output not in ("true", "false"):
            return Acceptance((), f"{lead} on test {index + 1}: {_run_failure(run)}")
        said[index] = run.output == "true"
    return Acceptance(tuple(said))


def _whole_failure(outcome: Outcome, count: int) -> str | None:
    if outcome.harness_error is not None:
        return outcome.harness_error
    if not outcome.build.ok:
        return f"it does not compile: {outcome.build.why}"
    if outcome.entry_found is False:
        return f"it does not define {_ENTRY}(arguments, output, expected)"
    return None if len(outcome.runs) == count else "the sandbox lost one of its answers"


def _run_failure(run: Run) -> str:
    if run.output is not None:
        return f"it returned {run.output[:100]}; allowed: True or False"
    return run.detail or run.ending.value


def _is_data(output: str, *, text: bool) -> bool:
    """Whether an output is what the sandbox writes; a program may have put anything there."""
    try:
        value = parse_output(output)
    except DataError:
        return False
    if text:
        return type(value) is str  # not an integer too long to be one
    waiting = [(value, False)]
    while waiting:
        item, is_key = waiting.pop()
        if isinstance(item, list):
            waiting.extend((inner, is_key) for inner in item)
        elif isinstance(item, dict):
            inside = _inside(item, is_key=is_key)
            if inside is None:
                return False
            waiting.extend(inside)
    return True


def _inside(item: dict[str, Any], *, is_key: bool) -> list[tuple[Any, bool]] | None:
    """Return what is in a JSON object, and whether it must be able to be a key.

    ``None`` when the object is no value, or cannot be a key where it stands as one.
    """
    ((tag, inner),) = item.items() if len(item) == 1 else (("", None),)
    if tag == "$float":
        return [] if inner in ("nan", "inf", "-inf") else None
    if tag == "$bytes":
        return [] if type(inner) is str and _is_hex(inner) else None
    if tag == "$set":
        return [(part, True) for part in inner] if isinstance(inner, list) else None
    if is_key:
        return None
    if tag == "$dict":
        if not isinstance(inner, list):
            return None
        pairs = [pair for pair in inner if isinstance(pair, list) and len(pair) == 2]
        if len(pairs) != len(inner):
            return None
        return [(key, True) for key, _ in pairs] + [(value, False) for _, value in pairs]
    return [(part, False) for part in item.values()]


def _is_hex(text: str) -> bool:
    try:
        bytes.fromhex(text)
    except ValueError:
        return False
    return True
