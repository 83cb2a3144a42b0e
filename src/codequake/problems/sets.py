"""Sets of problems: the bundled ones by name, people's own from JSON Lines files."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codequake.canonical import parse_json
from codequake.codec import from_plain
from codequake.errors import DataError
from codequake.problems.authoring import Authored, read_authored
from codequake.problems.shape import refuse_malformed
from codequake.records import Problem
from codequake.registry import Table

__all__ = [
    "PROBLEM_SETS",
    "ProblemFile",
    "find_problem",
    "load_set",
    "problem_set",
    "read_authored_folder",
    "read_problem_file",
    "set_names",
]

PROBLEM_SETS: Table[Callable[[], tuple[Problem, ...]]] = Table("problem set")
"""Name of a set -> what loads it.  Other packages add theirs: ``codequake.problem_set``."""

problem_set = PROBLEM_SETS.add

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """What a file of problems holds: the good ones, and a sentence for each bad line."""

    problems: tuple[Problem, ...]
    faults: tuple[str, ...]


@problem_set("starter-12")
@functools.cache
def _starter() -> tuple[Problem, ...]:
    return tuple(item.problem for item in read_authored_folder(_HERE / "starter", "starter-12"))


@problem_set("formulas-20")
@functools.cache
def _formulas() -> tuple[Problem, ...]:
    return tuple(item.problem for item in read_authored_folder(_HERE / "formulas", "formulas-20"))


def set_names() -> tuple[str, ...]:
    """Return the names of the sets that are known, sorted."""
    return tuple(PROBLEM_SETS)


def load_set(name_or_path: str) -> tuple[Problem, ...]:
    """Return the problems of a bundled set, or of a JSON Lines file of ``Problem`` records.

    A bundled set is sorted by id, a file keeps its order.  Raises ``UnknownNameError`` for a name
    that is neither, ``DataError`` for the first bad line of a file, for an id that stands twice,
    and for a file without problems.
    """
    if name_or_path not in PROBLEM_SETS and _looks_like_path(name_or_path):
        found = read_problem_file(Path(name_or_path))
        if found.faults:
            more = len(found.faults) - 1
            raise DataError(found.faults[0] + (f" (and {more} more)" if more else ""))
        if not found.problems:
            raise DataError("holds no problem", place=name_or_path)
        return found.problems
    return PROBLEM_SETS[name_or_path]()


def _looks_like_path(name: str) -> bool:
    return "/" in name or name.endswith((".jsonl", ".json")) or Path(name).is_file()


def read_problem_file(path: Path) -> ProblemFile:
    """Read a JSON Lines file of ``Problem`` records: good lines are kept, bad ones reported.

    The first line of an id counts, later ones are bad.  A fault is one sentence with file and
    line.  Raises ``DataError`` when the file cannot be read at all.
    """
    problems: list[Problem] = []
    faults: list[str] = []
    first: dict[str, str] = {}
    for place, item in _lines(path):
        if isinstance(item, DataError):
            faults.append(str(item))
        elif item.problem_id in first:
            faults.append(
                f"{place}: id {item.problem_id!r} stands twice, first at {first[item.problem_id]}"
            )
        else:
            first[item.problem_id] = place
            problems.append(item)
    return ProblemFile(tuple(problems), tuple(faults))


def _lines(path: Path) -> Iterator[tuple[str, Problem | DataError]]:
    """Yield (place, problem or what is wrong) of each line that is not blank."""
    try:
        rows = path.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=str(path)) from error
    for number, row in enumerate(rows, start=1):
        place = f"{path}:{number}"
        if row.strip():
            try:
                yield place, _problem(row, place)
            except DataError as error:
                yield place, error


def _problem(row: bytes, place: str) -> Problem:
    try:
        text = row.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", place=place) from error
    problem = from_plain(Problem, parse_json(text, place=place), place=place)
    refuse_malformed(problem, place=place)
    return problem


def find_problem(problem_id: str) -> Problem:
    """Return a problem of a known set by its id, ``<set>/<slug>``.

    Raises ``UnknownNameError`` with the names that are near.
    """
    name, _, _ = problem_id.partition("/")
    table: Table[Problem] = Table(f"problem of {name}")
    for problem in PROBLEM_SETS[name]():
        table.add(problem.problem_id)(problem)
    return table[problem_id]


def read_authored_folder(folder: Path, name: str) -> tuple[Authored, ...]:
    """Read the problem files of a set, sorted by id.

    Raises ``DataError`` for the first thing that is wrong, an id of another set or an id that
    stands twice among them.
    """
    authored = [read_authored(path) for path in sorted(folder.glob("*.toml"))]
    if not authored:
        raise DataError("holds no problem file (*.toml)", place=str(folder))
    _refuse_other_sets(authored, name)
    return tuple(sorted(authored, key=lambda item: item.problem.problem_id))


def _refuse_other_sets(authored: Iterable[Authored], name: str) -> None:
    for item in authored:
        problem_id = item.problem.problem_id
        if not problem_id.startswith(f"{name}/"):
            raise DataError(
                f"id is {problem_id!r}; allowed in this folder: {name}/...", place=str(item.path)
            )
