"""LiveCodeBench (code generation, also "lite"): functions of LeetCode and programs on stdin.

Fields: ``question_id``, ``question_title``, ``question_content``, ``starter_code``, ``difficulty``,
``platform``, ``contest_id``, ``contest_date``, ``public_test_cases`` (visible),
``private_test_cases`` (hidden: JSON, or packed as in ``codequake.problems.packed_tests``) and
``metadata`` with the name of the function.  The arguments of a call stand one a line, in JSON.

A release is several files: ``test.jsonl``, ``test2.jsonl`` and so on, one a version.  A folder
stands for all of them, in this order, or for those of the filter's ``release``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.canonical import parse_json
from codequake.errors import DataError, UsageError
from codequake.ports import Oracle
from codequake.problems.errata import Erratum, comparison_in, erratum_in_text, known_erratum
from codequake.problems.foreign import Format, ProblemFile, Row, canonical_text, read_foreign
from codequake.problems.foreign_statements import leetcode_statement
from codequake.problems.packed_tests import unpack_text
from codequake.problems.python_prompts import annotations_of, parse_python, signature_of
from codequake.problems.scraped import restore_powers, scraped_value
from codequake.problems.selection import Facts, Selection
from codequake.records import Difficulty, Interface, Language, Problem, Test

__all__ = [
    "STARTER_LEAD",
    "read_difficulty",
    "read_livecodebench",
    "release_files",
    "release_names",
    "with_starter",
]

STARTER_LEAD = "Start from this code:"
"""What stands in a statement between the text of the task and the code to start from."""

_KINDS = {"functional": Interface.FUNCTION, "stdin": Interface.STDIN}
_VERSION_FILE = re.compile(r"test([2-9]?)\.jsonl(?:\.gz)?")
_EVERYTHING = Selection()


def read_livecodebench(
    path: Path, oracle: Oracle | None = None, wanted: Selection = _EVERYTHING
) -> ProblemFile:
    """Read a LiveCodeBench file, or a folder of them; ``oracle`` is not used.

    Problems with known defects are left out unless the filter takes them.  Raises ``DataError``,
    and ``UsageError`` for a release of what is no folder.
    """
    return read_foreign(
        release_files(path, wanted.release),
        Format(_problem, facts=_facts, erratum=_erratum),
        wanted,
    )


def release_files(path: Path, release: str | None) -> tuple[Path, ...]:
    """Return the files of a release (in LiveCodeBench's words) in a folder, or the one file.

    Without a release these are all versions that are there, from the first on.  Raises
    ``DataError`` when one is missing, ``UsageError`` for a release of one file.
    """
    if not path.is_dir():
        if release is not None:
            raise UsageError(f"release={release} needs a folder with test.jsonl, not {path}")
        return (path,)
    there = {name: found for name in release_names("release_v6") if (found := _file(path, name))}
    wanted = release_names(release)
    if not wanted:
        every = release_names("release_v6")
        wanted = every[: max((every.index(name) + 1 for name in there), default=1)]
    missing = [name for name in wanted if name not in there]
    if missing or not wanted:
        names = ", ".join(missing) or "of a version"
        raise DataError(f"cannot be read: the folder has no file {names}", place=str(path))
    return tuple(there[name] for name in wanted)


def release_names(release: str | None) -> tuple[str, ...]:
    """Return the names of a release's files; empty for the latest, whichever that is."""
    if release is None or release == "release_latest":
        return ()
    numbers = [int(digit) for digit in re.findall(r"v([1-6])", release)]
    first = 1 if release.startswith("release_") else numbers[0]
    return tuple(
        f"test{'' if number == 1 else number}.jsonl" for number in range(first, numbers[-1] + 1)
    )


def _file(folder: Path, name: str) -> Path | None:
    names = (name, f"{name}.gz")
    return next((folder / one for one in names if (folder / one).is_file()), None)


def _facts(row: Row) -> Facts:
    platform = row.optional_text("platform").strip().lower() or None
    return Facts(platform, row.day("contest_date"), read_difficulty(row))


def _erratum(row: Row, problem: Problem) -> Erratum | None:
    name = row.identity("question_id")
    known = known_erratum(name, row.optional_text("question_title").strip())
    return known or erratum_in_text(name, problem.statement)


def _problem(row: Row) -> Problem:
    question = row.identity("question_id")
    public = _cases(row, "public_test_cases")
    private = _cases(row, "private_test_cases")
    interface = _interface(row, (*public, *private))
    starter = row.optional_text("starter_code")
    call = _Call(None, (), (), None)
    if interface is Interface.FUNCTION:
        call = _function(row, starter)
    tests = (
        *_tests(row, public, call, visible=True),
        *_tests(row, private, call, visible=False),
    )
    text = row.text("question_content")
    # Parsed only where a bound looks as if it lost something: tests may be megabytes.
    inputs = (parse_json(test.input) for test in (tests if call.name else ()))
    powers = restore_powers(text, call.parameters, inputs)
    for bound in powers.restored:
        row.note(f"the bound {bound} was put back, which a test proves")
    for bound in powers.doubtful:
        row.note(f"the bound {bound} may be a power whose raised digit was lost")
    statement = with_starter(powers.text, starter)
    title = row.optional_text("question_title")
    lists = all(test.expected.startswith("[") for test in tests)
    return Problem(
        problem_id=f"lcb/{question}",
        title=title or question,
        language=Language.PYTHON,
        interface=interface,
        entry_point=call.name,
        parameters=call.parameters,
        statement=statement,
        structure=leetcode_statement(statement, STARTER_LEAD.rstrip(":")),
        tests=tests,
        references=(),
        wrong=(),
        generator=None,
        comparison=comparison_in(text, known_erratum(question, title.strip()), lists=lists),
        formula=None,
        difficulty=read_difficulty(row),
        topics=(),
        source=_source(row),
        licence="the problem text belongs to the contest site",
        redistributable=False,
    )


def _source(row: Row) -> str:
    file = row.place.rpartition("/")[2].partition(":")[0]
    match = _VERSION_FILE.fullmatch(file)
    version = "" if match is None else f" v{match[1] or 1}"
    told = [row.optional_text(name) for name in ("platform", "contest_id", "contest_date")]
    return ", ".join([f"LiveCodeBench{version}", *filter(None, told)])


def with_starter(text: str, starter: str) -> str:
    """Return a statement that ends in the code to start from, where there is some."""
    if not starter.strip():
        return text.rstrip()
    return f"{text.rstrip()}\n\n{STARTER_LEAD}\n```python\n{starter.rstrip()}\n```"


def read_difficulty(row: Row) -> Difficulty | None:
    """Return the difficulty, in any case; ``None`` when it is missing or another word."""
    name = row.optional_text("difficulty").strip().lower()
    return Difficulty(name) if name in set(Difficulty) else None


@dataclass(frozen=True, slots=True)
class _Call:
    """How the program of a row is called; no name means standard input."""

    name: str | None
    parameters: tuple[str, ...]
    annotations: tuple[str | None, ...]
    returns: str | None


def _function(row: Row, starter: str) -> _Call:
    """Return the name to call, from the metadata, and its parameters, from the starter code."""
    metadata = row.value("metadata")
    if isinstance(metadata, str):
        metadata = _json(metadata, row, "metadata") if metadata.strip() else {}
    name = metadata.get("func_name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise row.fault("metadata names no func_name, and the tests call a function")
    if not starter.strip():
        raise row.fault("starter_code is empty, and the tests call a function")
    tree: ast.Module = parse_python(f"{starter.rstrip()}\n        pass\n", row, "starter_code")
    annotations, returns = annotations_of(tree, name)
    return _Call(name, signature_of(tree, name, row)[0], annotations, returns)


def _cases(row: Row, name: str) -> tuple[dict[str, Any], ...]:
    found = row.value(name)
    if isinstance(found, str):
        text = found
        if text.strip() and not text.lstrip().startswith("["):
            try:
                text = unpack_text(text)
            except DataError as error:
                raise row.fault(f"{name} is {error}") from error
        found = _json(text, row, name) if text.strip() else []
    if not isinstance(found, list) or not all(isinstance(case, dict) for case in found):
        raise row.wrong(name, found, "a list of tests")
    for case in found:
        for field in ("input", "output", "testtype"):
            if not isinstance(case.get(field), str):
                raise row.fault(f"{name} has a test whose {field} is no string")
    return tuple(found)


def _json(text: str, row: Row, what: str) -> Any:
    try:
        return parse_json(text)
    except DataError as error:
        raise row.fault(f"{what} is {error}") from error


def _interface(row: Row, cases: Sequence[dict[str, Any]]) -> Interface:
    kinds = sorted({case["testtype"] for case in cases})
    if not kinds:
        raise row.fault("there is no test")
    if len(kinds) > 1 or kinds[0] not in _KINDS:
        raise row.fault(f"the tests are of type {', '.join(kinds)}; allowed: functional or stdin")
    return _KINDS[kinds[0]]


def _tests(row: Row, cases: Sequence[dict[str, Any]], call: _Call, *, visible: bool) -> list[Test]:
    tests = []
    for number, case in enumerate(cases, start=1):
        what = f"{'public' if visible else 'private'} test {number}"
        given, output = (case[name].replace("\r\n", "\n") for name in ("input", "output"))
        if call.name is not None:
            given = _arguments(given, row, call, what)
            output = _value(output, call.returns, row, f"the output of {what}")
        tests.append(
            Test(
                canonical_text(given, row, f"the input of {what}"),
                canonical_text(output, row, f"the output of {what}"),
                visible,
            )
        )
    return tests


def _arguments(text: str, row: Row, call: _Call, what: str) -> list[Any]:
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines and call.annotations == ("str",):
        lines = ['""'] if not text else [text]
    annotations = call.annotations if len(lines) == len(call.parameters) else (None,) * len(lines)
    return [
        _value(line, annotation, row, f"an input of {what}")
        for line, annotation in zip(lines, annotations, strict=True)
    ]


def _value(text: str, annotation: str | None, row: Row, what: str) -> Any:
    try:
        found = scraped_value(text, annotation)
    except DataError as error:
        raise row.fault(f"{what} is {error}") from error
    if found.unquoted:
        row.note("strings that stood without quotes in the tests were taken as text")
    return found.value
