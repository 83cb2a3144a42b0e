"""Sets of problems: bundled ones by name, people's own files, and files of other projects."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from codequake.canonical import parse_json
from codequake.codec import from_plain
from codequake.documents import numbered_lines, open_document, utf8_text
from codequake.errors import DataError, UsageError
from codequake.ports import Oracle
from codequake.problems.authoring import Authored, read_authored
from codequake.problems.bigcodebench import read_bigcodebench, read_bigcodebench_instruct
from codequake.problems.choosing import chosen
from codequake.problems.evalplus import read_evalplus
from codequake.problems.foreign import MAX_ROW, Origin, ProblemFile
from codequake.problems.hub import expand_hub, is_on_hub, read_from_hub
from codequake.problems.humaneval import read_humaneval
from codequake.problems.leetcode_dataset import read_leetcode_dataset
from codequake.problems.livecodebench import read_livecodebench
from codequake.problems.mbpp import read_mbpp, read_mbpp_with_challenges
from codequake.problems.selection import Selection, split_selection, without_filter
from codequake.problems.shape import refuse_malformed
from codequake.records import Problem
from codequake.registry import Table

__all__ = [
    "CHANGED_VERSIONS",
    "PROBLEM_FORMATS",
    "PROBLEM_SETS",
    "Loader",
    "Origin",
    "ProblemFile",
    "changed_versions",
    "find_problem",
    "load_set",
    "problem_set",
    "read_authored_folder",
    "read_problem_file",
    "read_set",
    "set_from",
    "set_names",
    "whole_set",
]

PROBLEM_SETS: Table[Callable[[], tuple[Problem, ...]]] = Table("problem set")
"""Name of a set -> what loads it.  Other packages add theirs: ``codequake.problem_set``."""

problem_set = PROBLEM_SETS.add

CHANGED_VERSIONS: Table[Callable[[], tuple[Problem, ...]]] = Table("set with changed versions")
"""Name of a set -> what loads the versions of its problems that have a changed task."""

changed_versions = CHANGED_VERSIONS.add

Loader = Callable[[Path, Oracle | None, Selection], ProblemFile]

PROBLEM_FORMATS: Table[Loader] = Table("problem format")
"""Name before ``:`` in ``FORMAT:FILE`` -> what reads the file.

Other packages add theirs: ``codequake.problem_format``.
"""

for _name, _loader in (
    ("bigcodebench", read_bigcodebench),
    ("bigcodebench+instruct", read_bigcodebench_instruct),
    ("evalplus", read_evalplus),
    ("humaneval", read_humaneval),
    ("lcb", read_livecodebench),
    ("leetcode-dataset", read_leetcode_dataset),
    ("mbpp", read_mbpp),
    ("mbpp+challenge", read_mbpp_with_challenges),
):
    PROBLEM_FORMATS.add(_name)(_loader)

_HERE = Path(__file__).parent
_FORMAT = re.compile(r"([A-Za-z][A-Za-z0-9+_-]*):(.*)", re.DOTALL)


@problem_set("starter-12")
@functools.cache
def _starter() -> tuple[Problem, ...]:
    return tuple(item.problem for item in read_authored_folder(_HERE / "starter", "starter-12"))


@problem_set("formulas-20")
@functools.cache
def _formulas() -> tuple[Problem, ...]:
    return tuple(item.problem for item in read_authored_folder(_HERE / "formulas", "formulas-20"))


@functools.cache
def _quake() -> tuple[Authored, ...]:
    return read_authored_folder(_HERE / "quake", "quake-100")


@problem_set("quake-100")
@functools.cache
def _quake_originals() -> tuple[Problem, ...]:
    return tuple(item.problem for item in _quake())


@changed_versions("quake-100")
@functools.cache
def _quake_changed() -> tuple[Problem, ...]:
    return tuple(version.problem for item in _quake() for version in item.versions)


def set_names() -> tuple[str, ...]:
    """Return the names of the sets that are known, sorted."""
    return tuple(PROBLEM_SETS)


def load_set(name_or_path: str, oracle: Oracle | None = None) -> tuple[Problem, ...]:
    """Return the problems of a bundled set, or of a file as ``read_set`` takes it.

    A bundled set is sorted by id, a file keeps its order.  Raises ``UnknownNameError`` for a name
    that is neither, ``UsageError`` for a format that needs an oracle and gets none, ``DataError``
    for the first bad line of a file, for an id that stands twice, and for a file without problems.
    """
    return whole_set(name_or_path, oracle).problems


def whole_set(name_or_path: str, oracle: Oracle | None = None) -> ProblemFile:
    """Return a set without bad lines, with what there is to say of it; raises as ``load_set``."""
    found = read_set(name_or_path, oracle)
    if found.faults:
        more = len(found.faults) - 1
        raise DataError(found.faults[0] + (f" (and {more} more)" if more else ""))
    return found


def read_set(name_or_path: str, oracle: Oracle | None = None) -> ProblemFile:
    """Return the good problems of a set, and a sentence for each bad line of its file.

    Files are JSON Lines of ``Problem`` records, or ``FORMAT:FILE`` with a name of
    ``PROBLEM_FORMATS``.  ``?key=value`` behind any of them is a filter, see
    ``codequake.problems.selection``.  ``oracle`` runs references where a format has no expected
    outputs.  Raises as ``load_set`` does, but not for bad lines.
    """
    bare, wanted = split_selection(name_or_path)
    return chosen(_read_whole(bare, oracle, wanted), wanted, name_or_path)


def _read_whole(name_or_path: str, oracle: Oracle | None, wanted: Selection) -> ProblemFile:
    if name_or_path in PROBLEM_SETS:
        return _bundled(name_or_path)
    named = _FORMAT.fullmatch(name_or_path)
    if named is not None and not Path(name_or_path).is_file():
        found = _read_format(named[1], named[2], oracle, wanted)
    elif _looks_like_path(name_or_path):
        found = read_problem_file(Path(name_or_path))
    else:
        return _bundled(name_or_path)
    return found


def _bundled(name: str) -> ProblemFile:
    changed = CHANGED_VERSIONS[name]() if name in CHANGED_VERSIONS else ()
    return ProblemFile(PROBLEM_SETS[name](), (), changed=changed)


def set_from(name_or_path: str, base: Path) -> str:
    """Return a set's name as ``read_set`` takes it, with a path that starts from ``base``.

    Bundled sets, absolute paths and ``-`` stay as they are.
    """
    bare, sign, rest = without_filter(name_or_path, base)
    if sign:
        return set_from(bare, base) + sign + rest
    named = _FORMAT.fullmatch(name_or_path)
    if named is not None and not (base / name_or_path).is_file():
        stays = named[2] in ("", "-") or is_on_hub(named[1], named[2])
        path = named[2] if stays else str(base / named[2])
        return f"{named[1]}:{path}"
    if name_or_path in PROBLEM_SETS:
        return name_or_path
    is_path = _looks_like_path(name_or_path) or (base / name_or_path).is_file()
    return str(base / name_or_path) if is_path else name_or_path


def _read_format(name: str, path: str, oracle: Oracle | None, wanted: Selection) -> ProblemFile:
    if not path:
        raise UsageError(f"{name}: names no file; allowed: {name}:FILE")
    if is_on_hub(name, path):
        form, place = expand_hub(name, path)
        reader = PROBLEM_FORMATS[form]
        return read_from_hub(place, wanted, lambda found: reader(found, oracle, wanted))
    loader = PROBLEM_FORMATS[name]
    return loader(Path(path), oracle, wanted)


def _looks_like_path(name: str) -> bool:
    return "/" in name or name.endswith((".jsonl", ".json", ".gz")) or Path(name).is_file()


def read_problem_file(path: Path) -> ProblemFile:
    """Read a JSON Lines file of ``Problem`` records: good lines are kept, bad ones reported.

    The first line of an id counts, later ones are bad, as is a changed version whose original is
    not in the file.  A fault is one sentence with file and line.  Raises ``DataError`` when the
    file cannot be read at all.
    """
    good: dict[str, tuple[str, Problem]] = {}
    faults: list[str] = []
    for place, item in _lines(path):
        if isinstance(item, DataError):
            faults.append(str(item))
        elif item.problem_id in good:
            first = good[item.problem_id][0]
            faults.append(f"{place}: id {item.problem_id!r} stands twice, first at {first}")
        else:
            good[item.problem_id] = place, item
    originals = {name for name, (_, item) in good.items() if item.change is None}
    changed = []
    for place, item in good.values():
        if item.change is not None and item.change.original_id in originals:
            changed.append(item)
        elif item.change is not None:
            faults.append(
                f"{place}: {item.problem_id!r} is a changed version of "
                f"{item.change.original_id!r}, which is no problem of this file"
            )
    return ProblemFile(
        tuple(item for _, item in good.values() if item.change is None),
        tuple(faults),
        tuple(place for place, item in good.values() if item.change is None),
        changed=tuple(changed),
    )


def _lines(path: Path) -> Iterator[tuple[str, Problem | DataError]]:
    """Yield (place, problem or what is wrong) of each line that is not blank."""
    with open_document(str(path)) as file:
        for number, row in numbered_lines(file, MAX_ROW):
            place = f"{path}:{number}"
            try:
                if row is None:
                    raise DataError(f"the line has more than {MAX_ROW >> 20} MiB", place=place)
                if row.strip():
                    yield place, _problem(row, place)
            except DataError as error:
                yield place, error


def _problem(row: bytes, place: str) -> Problem:
    problem = from_plain(Problem, parse_json(utf8_text(row, place), place=place), place=place)
    refuse_malformed(problem, place=place)
    return problem


def find_problem(
    problem_id: str, set_name: str | None = None, oracle: Oracle | None = None
) -> Problem:
    """Return a problem by its id: of the known set ``<set>/<slug>``, or of a named set or file.

    Changed versions have the id of their original, ``~`` and ``hard`` or ``soft``.

    Raises ``UnknownNameError`` with the names that are near, ``DataError`` when the problem is not
    there and may be meant by a bad line of the file, and as ``read_set`` does.
    """
    if set_name is None:
        name = problem_id.partition("/")[0]
        found = _bundled(name)
    else:
        name = set_name
        found = read_set(name, oracle)
    for item in found.left_out:
        if item.problem.problem_id == problem_id:
            raise DataError(f"{name}: problem {problem_id!r} is left out: {item.reason}")
    table: Table[Problem] = Table(f"problem of {name}")
    for problem in (*found.problems, *found.changed):
        table.add(problem.problem_id)(problem)
    if problem_id not in table and found.faults:
        raise DataError(
            f"{name} has no right line with problem {problem_id!r}, and {len(found.faults)} bad "
            f"ones: {found.faults[0]}"
        )
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
