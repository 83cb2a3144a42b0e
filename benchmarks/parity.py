"""Our verdicts beside recorded ones, on the solutions of four models for HumanEval and MBPP.

    CODEQUAKE_TEST_DATA=DIR python benchmarks/parity.py [--sample N] [--seed S] [--json]

Reads ``ldb_seeds/*.jsonl.gz`` and ``humaneval/HumanEval.jsonl.gz`` of DIR, grades every program (or
N of them, drawn from all files alike) as ``codequake grade`` would, and prints how often the
verdicts agree, with one row for each program on which they do not.  A recorded verdict is whether
the program passed the same tests when it ran with them in one plain Python 3.11 (``rerun``).

A program also stands in the table when only the verdict differs that was published with it.  The
cause of a difference is never guessed: each is what a second run gave, see ``Cause``.  A difference
without one is called ``unexplained``.  Ends with 1 when there is one of those, or a test whose own
code fails (``harness_error``).
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # a script finds only what is beside it

from benchmarks.parity_causes import Cause, Record, cause_of, one_test

from codequake.grading import GradeItem, Grader, grade_items
from codequake.grading.completions import read_completions
from codequake.problems import load_set
from codequake.problems.python_prompts import with_check_apart
from codequake.records import (
    Comparison,
    Interface,
    Language,
    Problem,
    Status,
    Verdict,
)
from codequake.sandbox import BubblewrapBackend
from codequake.seeding import generator_for

__all__ = ["Difference", "FileResult", "compare", "draw", "grade", "read_records", "row_of"]
__all__ += ["table_of_counts"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A program on which the verdicts differ; ``evidence`` is what the cause was seen from."""

    file: str
    task_id: str
    recorded: str
    published: str
    ours: str
    message: str
    cause: Cause
    evidence: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """Counts of one file; ``agree`` counts equal verdicts, pass or not."""

    file: str
    programs: int
    recorded_passed: int
    ours_passed: int
    agree: int
    agree_published: int
    harness_errors: int


def read_records(data: Path) -> tuple[Record, ...]:
    """Return all records of the folder, file by file, in their order."""
    known = {
        problem.problem_id: problem
        for problem in load_set(f"humaneval:{data}/humaneval/HumanEval.jsonl.gz")
    }
    found = []
    for path in sorted((data / "ldb_seeds").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in rows:
            test = row.get("test")
            problem = known[f"humaneval/{row['task_id']}"] if test is None else _by_test(row)
            found.append(
                Record(
                    path.name.removesuffix(".jsonl.gz"),
                    row["task_id"],
                    row["entry_point"],
                    row["solution"],
                    row["rerun"],
                    row["is_solved"],
                    test,
                    problem,
                )
            )
    return tuple(found)


def _by_test(row: dict[str, Any]) -> Problem:
    """The problem of an MBPP record: its test is one text that calls the program by name."""
    test, _ = with_check_apart(row["test"], ast.parse(row["test"]), row["entry_point"])
    return Problem(
        problem_id=f"mbpp/{row['task_id']}",
        title=row["entry_point"],
        language=Language.PYTHON,
        interface=Interface.FUNCTION,
        entry_point=row["entry_point"],
        parameters=(),
        statement=row["prompt"],
        structure=None,
        tests=(one_test(test),),
        references=(),
        wrong=(),
        generator=None,
        comparison=Comparison(),
        formula=None,
        difficulty=None,
        topics=(),
        source="MBPP (Austin et al., 2021)",
        licence="CC-BY-4.0",
        assertions="",
    )


def draw(records: Sequence[Record], count: int, seed: int) -> tuple[Record, ...]:
    """Draw ``count`` records, as evenly from the files as their number allows."""
    files = list(dict.fromkeys(record.file for record in records))
    chosen: list[Record] = []
    for number, file in enumerate(files):
        own = [record for record in records if record.file == file]
        share = count // len(files) + (number < count % len(files))
        drawn = generator_for(seed, "parity", file).sample(own, min(share, len(own)))
        chosen += sorted(drawn, key=own.index)
    return tuple(chosen)


def grade(data: Path, records: Sequence[Record], workers: int = 2) -> list[Verdict]:
    """Return our verdicts: rows are read, extracted from and run as a file of completions is."""
    items = []
    for file in dict.fromkeys(record.file for record in records):
        own = {record.problem.problem_id: record for record in records if record.file == file}
        known = [record.problem for record in own.values()]
        rows = read_completions(data / "ldb_seeds" / f"{file}.jsonl.gz", known).rows
        answers = {row.problem_id: row for row in rows}
        items += [GradeItem(item.problem, answers[name], None) for name, item in own.items()]
    grader = Grader(BubblewrapBackend())
    return [verdict for verdict, _ in grade_items(grader, items, workers=workers)]


def compare(
    records: Sequence[Record], verdicts: Sequence[Verdict]
) -> tuple[list[FileResult], list[Difference]]:
    """Count per file, and explain every difference."""
    pairs = list(zip(records, verdicts, strict=True))
    counts = []
    for file in dict.fromkeys(record.file for record in records):
        own = [(record, verdict) for record, verdict in pairs if record.file == file]
        passed = [verdict.status is Status.PASSED for _, verdict in own]
        counts.append(
            FileResult(
                file,
                len(own),
                sum(record.passed for record, _ in own),
                sum(passed),
                sum(record.passed is ok for (record, _), ok in zip(own, passed, strict=True)),
                sum(record.published is ok for (record, _), ok in zip(own, passed, strict=True)),
                sum(verdict.status is Status.HARNESS_ERROR for _, verdict in own),
            )
        )
    return counts, [
        _explained(record, verdict)
        for record, verdict in pairs
        if {record.passed, record.published} != {verdict.status is Status.PASSED}
    ]


def _explained(record: Record, verdict: Verdict) -> Difference:
    cause, evidence = cause_of(record, verdict.program, verdict.status is Status.PASSED)
    return Difference(
        record.file,
        record.task_id,
        record.rerun,
        "pass" if record.published else "fail",
        verdict.status.value,
        verdict.message,
        cause,
        evidence,
    )


# -- printing --------------------------------------------------------------------------------

HEAD_OF_DIFFERENCES = (
    *("file", "task", "recorded", "published", "ours", "our message", "cause", "seen from"),
)


def row_of(item: Difference) -> str:
    """The row of a difference in a table of Markdown."""
    cells = (item.file, item.task_id, item.recorded, item.published, item.ours, item.message)
    return _row((*cells, item.cause.value, item.evidence))


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def table_of_counts(counts: Sequence[FileResult]) -> list[str]:
    """The table of the files, with a sum."""
    names = list(FileResult.__dataclass_fields__)
    rows = [list(asdict(item).values()) for item in counts]
    rows.append(["all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])])
    head = [name.replace("_", " ") for name in names]
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def main() -> int:
    """Grade, compare, explain, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="programs to draw; all without it")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    place = os.environ.get("CODEQUAKE_TEST_DATA")
    if not place or not (Path(place) / "ldb_seeds").is_dir():
        parser.error(f"CODEQUAKE_TEST_DATA is {place!r}; allowed: a folder that holds ldb_seeds")
    if options.sample is not None and options.sample < 1:
        parser.error(f"--sample is {options.sample}; allowed: 1 or more")
    records = read_records(Path(place))
    if options.sample is not None:
        records = draw(records, options.sample, options.seed)
    started = time.perf_counter()
    verdicts = grade(Path(place), records, options.workers)
    seconds = time.perf_counter() - started
    counts, differences = compare(records, verdicts)
    ms = 1000 * seconds / len(records)
    if options.json:
        answer = {
            "ms_per_program": ms,
            "files": [asdict(item) for item in counts],
            "differences": [asdict(item) for item in differences],
        }
        print(json.dumps(answer, indent=2))
    else:
        head = (_row(HEAD_OF_DIFFERENCES), _row(["---"] * len(HEAD_OF_DIFFERENCES)))
        print("\n".join([*table_of_counts(counts), "", *head, *map(row_of, differences)]))
        print(f"\n{len(records)} programs in {seconds:.1f} s, {ms:.1f} ms each", file=sys.stderr)
    unexplained = any(item.cause is Cause.UNEXPLAINED for item in differences)
    return int(unexplained or any(item.harness_errors for item in counts))


if __name__ == "__main__":
    sys.exit(main())
