"""The rules on the labelled sample: what they say is stored, and what is published follows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.metrics.behaviour_sample import (
    FOUND,
    labelled,
    said_of,
    sample_rows,
    scores,
    signatures_by,
    table_of,
)

from codequake.grading import Grader
from codequake.metrics.behaviour import Behaviour
from codequake.sandbox import BubblewrapBackend
from codequake.seeding import generator_for

PAGE = Path(__file__).parents[2] / "docs" / "behaviour.md"
ROWS = sample_rows()
# Some programs use up their time on a test; those wait for the whole sample.
QUICK = [row for row in ROWS if "slow" not in row]
SHARE = generator_for(1, "behaviour sample").sample(QUICK, 12)


def stored() -> dict[str, dict[str, list[str]]]:
    found = json.loads(FOUND.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def test_every_label_has_rows_and_every_row_a_label() -> None:
    counts = Counter(label for row in ROWS for label in row["labels"])
    assert set(counts) == set(Behaviour)
    assert len(ROWS) >= 60
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert set(stored()) == {row["id"] for row in ROWS}


def test_the_table_of_the_page_is_that_of_the_sample() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    for line in table_of(scores(stored())):
        assert line in lines
    assert f"{len(ROWS)} programs" in PAGE.read_text("utf-8")


def check(rows: list[dict[str, object]]) -> None:
    backend = BubblewrapBackend()
    grader = Grader(backend)
    known = signatures_by(grader)
    try:
        found = {str(row["id"]): said_of(labelled(grader, row, known)) for row in rows}
    finally:
        backend.kill_all()
    assert found == {name: stored()[name] for name in found}


def test_a_share_of_the_sample() -> None:
    check(SHARE)


@pytest.mark.quality
def test_the_whole_sample() -> None:
    check(ROWS)
