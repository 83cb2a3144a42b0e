"""Source and licence in every format, and texts that may not be passed on."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from tests.report.synthetic import synthetic_study

from codequake.report import StudyTables, write_report
from codequake.report.origins import origin_rows

LICENCE = "the problem text belongs to the contest site"
SECRET = "Return a text that nobody may pass on."


@pytest.fixture(scope="module")
def study() -> StudyTables:
    """Of the first two problems one is closed: its text stands in prompts, chains and checks."""
    whole = synthetic_study(rejected=3)
    first = whole.problems[0].problem_id
    problems = tuple(
        dataclasses.replace(
            item,
            redistributable=False,
            licence=LICENCE,
            source="LiveCodeBench v1, leetcode, contest-7, 2024-01-01",
            statement=SECRET,
        )
        if item.problem_id == first
        else item
        for item in whole.problems
    )
    variants = tuple(
        dataclasses.replace(
            item,
            text=f"{SECRET} {item.text}",
            chain=tuple(
                dataclasses.replace(step, arguments=json.dumps({"words": SECRET}))
                for step in item.chain
            ),
            checks=tuple(dataclasses.replace(one, detail=SECRET) for one in item.checks),
        )
        if item.problem_id == first
        else item
        for item in whole.variants
    )
    return dataclasses.replace(whole, problems=problems, variants=variants)


@pytest.fixture(scope="module")
def written(study: StudyTables, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("report")
    paths = write_report(study, folder, ("html", "md", "csv", "json"))
    return {path.suffix: path.read_text("utf-8") for path in paths}


@pytest.mark.parametrize("suffix", [".html", ".md", ".csv", ".json"])
def test_a_closed_text_stands_in_no_format(written: dict[str, str], suffix: str) -> None:
    assert "nobody may pass on" not in written[suffix]


def test_what_stands_in_its_place(written: dict[str, str], study: StudyTables) -> None:
    html = written[".html"]
    assert html.count("The text of this prompt is not shown here") >= 2
    assert f"Licence: {LICENCE}." in html
    # Other problems show theirs.
    assert study.variants[-1].text.split()[0] in html


def test_source_and_licence_travel(written: dict[str, str], study: StudyTables) -> None:
    rows = json.loads(written[".json"])["problems"]
    assert len(rows) == len(study.problems)
    assert rows == sorted(rows, key=lambda row: row["problem_id"])
    (closed,) = [row for row in rows if not row["redistributable"]]
    assert closed["source"] == "LiveCodeBench v1, leetcode, contest-7, 2024-01-01"
    assert closed["licence"] == LICENCE
    assert all(row["licence"] and row["source"] for row in rows)
    for suffix in (".html", ".md"):
        assert LICENCE in written[suffix]
        assert "written for the test" in written[suffix]
        assert "not shown" in written[suffix]


def test_rows_by_set_source_and_licence(study: StudyTables) -> None:
    rows = origin_rows(study.problems)
    assert sum(row.problems for row in rows) == len(study.problems)
    closed = [row for row in rows if row.withheld]
    assert [(row.name, row.source, row.problems) for row in closed] == [
        ("starter-12", "LiveCodeBench v1", 1)
    ]
    assert origin_rows(reversed(study.problems)) == rows
    assert origin_rows(()) == ()


def test_verdicts_carry_source_and_licence(test_data: Path, tmp_path: Path) -> None:
    from codequake.study.config import GraderSettings
    from codequake.study.progress import Silent
    from codequake.study.regrade import grade_file

    out = tmp_path / "verdicts.jsonl"
    grade_file(
        test_data / "fixtures/humaneval_samples.jsonl",
        f"humaneval:{test_data}/fixtures/humaneval_problems.jsonl",
        out,
        workers=1,
        settings=GraderSettings(),
        notify=Silent(),
    )
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows
    assert {(row["source"], row["licence"]) for row in rows} == {
        ("HumanEval (Chen et al., 2021)", "MIT")
    }
