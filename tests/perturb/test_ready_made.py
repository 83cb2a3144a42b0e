"""Prompts that others perturbed: paired with their problems, counted where they change nothing."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.running import RunCommand

from codequake.errors import DataError, UnknownNameError, UsageError
from codequake.perturb import NO_OP, VariantBatch, read_ready_made
from codequake.problems import load_set
from codequake.records import Problem, TaskKind, Variant
from codequake.store import read_parquet
from codequake.study.config import load_study
from codequake.study.progress import Silent
from codequake.study.run import make_study_variants

PROMPT = 'def add_one(x):\n    """Add one.\n    >>> add_one(1)\n    2\n    """\n'
ROW: dict[str, Any] = {
    "task_id": "Own/0",
    "prompt": PROMPT,
    "entry_point": "add_one",
    "canonical_solution": "    return x + 1\n",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n",
}
# file -> how many prompts are the clean one, by the files' own flag or by comparing names.
# With it, how many are no Python any more: quotes that end a text became other marks.
PUBLISHED = {
    "BackTranslation": (62, 28),
    "ButterFingersPerturbation": (0, 0),
    "ChangeCharCase": (0, 0),
    "FuncRenameCamelCase": (37, 0),
    "SynonymSubstitution": (15, 88),
}


@pytest.fixture
def problems(tmp_path: Path) -> tuple[Problem, ...]:
    path = tmp_path / "problems.jsonl"
    path.write_text("\n".join(json.dumps(ROW | {"task_id": f"Own/{n}"}) for n in range(3)))
    return load_set(f"humaneval:{path}")


def read(path: Path, problems: tuple[Problem, ...], *rows: object) -> VariantBatch:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return read_ready_made(f"recode:{path}", problems, None)


def failed_checks(variant: Variant) -> set[str]:
    return {check.name for check in variant.checks if not check.passed}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_prompts(test_data: Path, name: str) -> None:
    problems = load_set(f"humaneval:{test_data}/humaneval/HumanEval.jsonl.gz")
    path = test_data / f"recode/humaneval_{name}_s0.jsonl.gz"
    made = read_ready_made(f"recode:{path}", problems, None)
    unchanged, broken = PUBLISHED[name]
    assert len(made.skipped) == unchanged
    assert len(made.variants) == 164 - unchanged
    failed = [item for item in made.variants if "prompt_parses" in failed_checks(item)]
    assert len(failed) == broken
    assert not any(item.gated for item in failed)
    assert all(item.reason == "no-op: the prompt is clean" for item in made.skipped)
    ids = [item.problem_id for item in (*made.variants, *made.skipped)]
    assert sorted(ids) == sorted(item.problem_id for item in problems)
    assert {item.family for item in made.variants} == {f"recode_{name}"}
    clean = {item.problem_id: item for item in problems}
    assert all(item.text != clean[item.problem_id].statement for item in made.variants)
    renamed = [
        item for item in made.variants if item.entry_point != clean[item.problem_id].entry_point
    ]
    assert len(renamed) == (127 if name == "FuncRenameCamelCase" else 0)


@pytest.mark.parametrize("name", ["new_lines", "tab_indent"])
def test_begun_solutions_stand_apart(test_data: Path, name: str) -> None:
    problems = load_set(f"humaneval:{test_data}/humaneval/HumanEval.jsonl.gz")
    path = test_data / f"recode/humaneval_{name}_s0.jsonl.gz"
    made = read_ready_made(f"recode:{path}", problems, None)
    by_id = {item.variant_id: item for item in made.variants}
    changed = [item for item in made.variants if item.family == f"recode_{name}"]
    whole = {item.problem_id for item in changed if item.base_id is None}
    assert len(changed) + len(made.skipped) == 164
    for item in changed:
        if item.base_id is not None:
            assert not item.gated
            assert "whole_task" in failed_checks(item)
            assert by_id[item.base_id].family == "recode_begun"
            assert by_id[item.base_id].text != item.text
    # What is too short is not begun, so these prompts are whole; some have no line to change.
    assert len(whole) + len(made.skipped) == 37


def test_a_renamed_function_is_the_one_to_write(
    problems: tuple[Problem, ...], tmp_path: Path
) -> None:
    renamed = ROW | {"prompt": PROMPT.replace("add_one", "addOne"), "entry_point": "addOne"}
    made = read(tmp_path / "humaneval_FuncRenameCamelCase_s0.jsonl", problems, renamed)
    (variant,) = made.variants
    assert variant.entry_point == "addOne"
    assert variant.task is TaskKind.KEPT
    assert (variant.problem_id, variant.oracle_id) == ("humaneval/Own/0", "humaneval/Own/0")
    assert (variant.family, variant.seed) == ("recode_FuncRenameCamelCase", 0)
    assert [(step.name, json.loads(step.arguments)) for step in variant.chain] == [
        ("ready_made", {"format": "recode", "name": "recode_FuncRenameCamelCase"})
    ]


def test_a_prompt_that_is_no_code_any_more_is_kept_and_rejected(
    problems: tuple[Problem, ...], tmp_path: Path
) -> None:
    broken = PROMPT.removesuffix('"""\n') + '" " "\n'
    (variant,) = read(tmp_path / "a.jsonl", problems, ROW | {"prompt": broken}).variants
    assert failed_checks(variant) == {"prompt_parses", "sections", "examples"}
    assert not variant.gated
    assert "unterminated triple-quoted" in next(
        check.detail for check in variant.checks if check.name == "prompt_parses"
    )


def test_no_ops_other_problems_and_seeds(problems: tuple[Problem, ...], tmp_path: Path) -> None:
    changed = PROMPT.replace("Add", "ADD")
    made = read(
        tmp_path / "humaneval_ChangeCharCase_s7.jsonl",
        problems,
        ROW,
        ROW | {"task_id": "Own/1", "prompt": changed},
        ROW | {"task_id": "Own/2", "prompt": changed, "seed": 3},
        ROW | {"task_id": "Other/1", "prompt": changed},
    )
    assert [(item.problem_id, item.seed) for item in made.variants] == [
        ("humaneval/Own/1", 7),
        ("humaneval/Own/2", 3),
    ]
    (skipped,) = made.skipped
    assert (skipped.problem_id, skipped.perturbation) == (
        "humaneval/Own/0",
        "recode_ChangeCharCase",
    )
    assert skipped.reason.startswith(NO_OP)


BAD: list[tuple[object, str]] = [
    ("{", "not JSON"),
    ("[1]", "the row is [1]; allowed: an object"),
    ({}, "the field 'task_id' is missing"),
    ({"task_id": "Own/1"}, "the field 'prompt' is missing"),
    (ROW | {"task_id": "Own/1", "prompt": 3}, "prompt is 3; allowed: a string"),
    (ROW | {"task_id": "Own/1", "entry_point": ""}, "entry_point is empty"),
    (ROW | {"task_id": "Own/1", "entry_point": "other"}, "does not begin the function 'other'"),
    (ROW | {"task_id": "Own/1", "prompt": PROMPT.replace("(x)", "(y)")}, "asks for the parameters"),
    (ROW | {"task_id": "Own/1", "seed": -1}, "seed is -1; allowed: a whole number from 0"),
    (ROW | {"task_id": "Own/1", "seed": "0"}, "seed is '0'; allowed"),
    (ROW | {"task_id": "Own/1", "partial": "x", "prompt": "y"}, "does not begin the function"),
    (ROW, "id 'Own/0' stands twice, first at"),
]


@pytest.mark.parametrize(("row", "message"), BAD)
def test_bad_rows_are_refused_with_their_line(
    problems: tuple[Problem, ...], tmp_path: Path, row: object, message: str
) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path / "recode.jsonl", problems, ROW, row)
    assert str(caught.value).startswith(f"{tmp_path}/recode.jsonl:2: ")
    assert message in str(caught.value)


def test_what_is_no_file_of_prompts(problems: tuple[Problem, ...], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none of its 1 prompts belongs to a problem here"):
        read(tmp_path / "a.jsonl", problems, ROW | {"task_id": "Other/0"})
    with pytest.raises(DataError, match="holds no prompt"):
        read(tmp_path / "a.jsonl", problems, "")
    with pytest.raises(DataError, match=r"none\.jsonl: cannot be read"):
        read_ready_made("recode:none.jsonl", problems, None, tmp_path)
    with pytest.raises(UsageError, match="allowed: recode:FILE"):
        read_ready_made("recode.jsonl", problems, None)
    with pytest.raises(UnknownNameError, match="ready-made format 'recoded' is not known"):
        read_ready_made("recoded:a.jsonl", problems, None)


def test_a_study_takes_them_and_counts_no_ops(test_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    names = ("BackTranslation", "FuncRenameCamelCase")
    for name in names:
        file = f"humaneval_{name}_s0.jsonl.gz"
        shutil.copy(test_data / "recode" / file, tmp_path / file)
    sources = [f'"recode:humaneval_{name}_s0.jsonl.gz"' for name in names]
    (tmp_path / "study.toml").write_text(
        f'problems = ["humaneval:{test_data}/humaneval/HumanEval.jsonl.gz"]\nlimit = 12\n'
        f'variants = [{", ".join(sources)}]\n[[perturbations]]\nname = "clean"\n'
    )
    study = load_study(str(tmp_path / "study.toml"))
    made = make_study_variants(study, tmp_path / "made", Silent())
    families = Counter(item.family for item in made.variants)
    assert families["clean"] == 12
    assert len(made.variants) + len(made.skipped) == 36
    assert made.skipped
    assert all(item.reason.startswith(NO_OP) for item in made.skipped)
    assert read_parquet(tmp_path / "made/variants.parquet", Variant) == made.variants
    # The study has its variants, and goes on without the files that they came from.
    for name in names:
        (tmp_path / f"humaneval_{name}_s0.jsonl.gz").unlink()
    assert make_study_variants(study, tmp_path / "made", Silent()) == made


def test_the_command_takes_them(run_command: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "problems.jsonl").write_text(json.dumps(ROW))
    (tmp_path / "recode.jsonl").write_text(json.dumps(ROW))
    done = run_command(
        *("perturb", "--problems", "humaneval:problems.jsonl", "--out", "made", "--json"),
        *("--ready-made", "recode:recode.jsonl"),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"variants": 1, "gated": 1, "skipped": 1}
