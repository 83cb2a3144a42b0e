"""The labelled sample of program pairs, and how the rules fare on it.

Labels were given before a rule was run: by construction (another reference of the original task, a
mutant of a reference), or by hand for programs that were written for this file.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.metrics.planting import variant

from codequake.grading import Grader
from codequake.grading.signatures import Signature, signatures_of
from codequake.metrics.behaviour import Behaviour, Labelled, label_pair
from codequake.metrics.program_pairs import NameSets, ProgramPair, Side, name_sets, vector_of
from codequake.metrics.scopes import passes
from codequake.problems import find_problem
from codequake.records import Completion, Problem, Status, StopReason, TaskKind, Variant, Verdict
from codequake.stats import Interval, clopper_pearson

SAMPLE = Path(__file__).parent / "cases" / "behaviour_pairs.jsonl"
FOUND = Path(__file__).parent / "cases" / "behaviour_found.json"

Known = Callable[[str], tuple[Signature, ...]]


@dataclass(frozen=True, slots=True)
class Score:
    """How a rule fares: right, wrong and missed labels; of the missed ones those not asked."""

    right: int
    wrong: int
    missed: int
    unasked: int


def sample_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]


def signatures_by(grader: Grader) -> Known:
    """Return what gives the signatures of a problem, each run once."""

    @functools.cache
    def known(oracle_id: str) -> tuple[Signature, ...]:
        problem = find_problem(oracle_id)
        return signatures_of(grader, problem, _original(problem))

    return known


def _original(problem: Problem) -> Problem | None:
    return None if problem.change is None else find_problem(problem.change.original_id)


def labelled(grader: Grader, row: Mapping[str, Any], known: Known) -> Labelled:
    """Grade the program of a row and ask the rules about it."""
    problem = find_problem(row["oracle"])
    original = _original(problem) or problem
    code = row.get("code") or original.references[row["reference"][1]].code
    made = _variant(problem, original, row)
    reply = f"{row.get('before', '')}\n```python\n{code}```\n{row.get('after', '')}"
    verdict = grader.grade(problem, _completion(problem, made, reply), made.entry_point)
    assert passes(verdict) is False, f"{row['id']}: {verdict.status}"
    names = name_sets(original, made) if "domain" in row else NameSets()
    clean = Side(
        original.statement,
        "",
        original.references[0].code,
        Status.PASSED,
        True,
        ("=",) * len(original.tests),
        tuple(map(bool, row.get("clean", [1]))),
    )
    pair = ProgramPair(
        model="m",
        problem_id=original.problem_id,
        oracle_id=problem.problem_id,
        variant_id=made.variant_id,
        family="f",
        sample=0,
        task=made.task,
        language=problem.language,
        names=names,
        clean=clean,
        changed=_side(made, reply, verdict, tuple(map(bool, row.get("changed", [0])))),
    )
    return label_pair(pair, known(problem.problem_id))


def _variant(problem: Problem, original: Problem, row: Mapping[str, Any]) -> Variant:
    made = dataclasses.replace(
        variant(original.problem_id, "f"),
        text=problem.statement,
        entry_point=problem.entry_point,
        oracle_id=problem.problem_id,
        task=TaskKind.KEPT if problem is original else TaskKind.CHANGED,
    )
    if "domain" not in row:
        return made
    assert original.structure is not None
    renames = {item.old: item.new for item in original.structure.domains[row["domain"]].renames}
    # Only what is marked as code is a name; the article "a" is none.
    text = re.sub(
        r"`[^`]*`",
        lambda code: re.sub(r"\w+", lambda word: renames.get(word[0], word[0]), code[0]),
        original.statement.partition("Examples:")[0],
    )
    return dataclasses.replace(made, text=text, entry_point=renames[original.entry_point or ""])


def _completion(problem: Problem, made: Variant, reply: str) -> Completion:
    return Completion(
        problem_id=problem.problem_id,
        variant_id=made.variant_id,
        model="m",
        sample=0,
        key="k",
        text=reply,
        reasoning=None,
        model_reported="m",
        stop_reason=StopReason.STOP,
        input_tokens=None,
        output_tokens=None,
        error=None,
    )


def _side(made: Variant, reply: str, verdict: Verdict, samples: tuple[bool, ...]) -> Side:
    return Side(
        made.text, reply, verdict.program, verdict.status, False, vector_of(verdict), samples
    )


def said_of(item: Labelled) -> dict[str, list[str]]:
    """What the rules say of a pair, as ``FOUND`` holds it."""
    unasked = [finding.behaviour.value for finding in item.findings if finding.holds is None]
    return {"holding": [name.value for name in item.holding], "unasked": unasked}


def scores(found: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[Behaviour, Score]:
    """Compare what the rules say of each row, by its id, with its labels."""
    result = {}
    rows = sample_rows()
    for name in Behaviour:
        said = [name in found[row["id"]]["holding"] for row in rows]
        true = [name in row["labels"] for row in rows]
        unasked = [name in found[row["id"]]["unasked"] for row in rows]
        result[name] = Score(
            right=sum(a and b for a, b in zip(said, true, strict=True)),
            wrong=sum(a and not b for a, b in zip(said, true, strict=True)),
            missed=sum(b and not a for a, b in zip(said, true, strict=True)),
            unasked=sum(a and b for a, b in zip(unasked, true, strict=True)),
        )
    return result


def table_of(found: Mapping[Behaviour, Score]) -> list[str]:
    """The rows of the table in ``docs/behaviour.md``."""
    return [
        f"| `{name}` | {score.right} | {score.wrong} | {score.missed} | {score.unasked} | "
        f"{_share(score.right, score.right + score.wrong)} | "
        f"{_share(score.right, score.right + score.missed)} |"
        for name, score in found.items()
    ]


def _share(count: int, total: int) -> str:
    interval = clopper_pearson(count, total)
    if not isinstance(interval, Interval):
        return "none"
    return f"{100 * count / total:.0f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f})"
