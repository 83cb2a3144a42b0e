"""A verdict names the reply it judges: it holds for that one, and for no other in its place."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.study.small_study import results, run_small

from codequake.journal import Entry, Journal, read_journal
from codequake.keys import reply_key
from codequake.records import Planned, Status, Verdict
from codequake.store import read_parquet, write_parquet

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.xdist_group("pipeline")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "out"
    run_small(out)
    return out


@pytest.fixture
def out(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "out")
    return tmp_path / "out"


def verdicts(folder: Path) -> dict[tuple[str, int], Verdict]:
    found = read_parquet(folder / "verdicts.parquet", Verdict)
    return {(item.variant_id, item.sample): item for item in found}


def passing(folder: Path) -> Planned:
    """A row of the plan whose reply passes."""
    known = verdicts(folder)
    rows = read_parquet(folder / "plan.parquet", Planned)
    return next(r for r in rows if known[r.variant_id, r.sample].status is Status.PASSED)


def mark_all_wrong(folder: Path) -> None:
    """Write lies into all verdicts: what is graded again is known by its right status."""
    path = folder / "verdicts.parquet"
    lies = [
        dataclasses.replace(item, status=Status.WRONG_ANSWER)
        for item in read_parquet(path, Verdict)
    ]
    write_parquet(path, Verdict, lies)


def test_every_verdict_names_its_reply(whole: Path) -> None:
    replies = read_journal(whole / "completions")
    for row in read_parquet(whole / "plan.parquet", Planned):
        expected = reply_key(replies[row.key].reply)
        assert verdicts(whole)[row.variant_id, row.sample].reply_key == expected


def test_a_segment_copied_in_by_hand_is_graded(out: Path) -> None:
    row = passing(out)
    entry = read_journal(out / "completions")[row.key]
    # Of two replies the one with the smaller text in JSON is kept, where input_tokens come early.
    other = dataclasses.replace(entry.reply, text="No.", input_tokens=0)
    with Journal(out / "completions") as journal:
        journal.append(Entry(entry.request, other, entry.measurement))
    assert read_journal(out / "completions")[row.key].reply == other
    before = verdicts(out)
    done = run_small(out)
    assert (done.asked, done.pending) == (0, 0)
    after = verdicts(out)
    changed = [key for key in before if before[key] != after[key]]
    assert changed == [(row.variant_id, row.sample)]
    assert after[changed[0]].status is Status.NO_CODE
    assert after[changed[0]].reply_key == reply_key(other)


def test_verdicts_that_name_their_reply_stay(out: Path) -> None:
    mark_all_wrong(out)
    run_small(out)
    assert {item.status for item in verdicts(out).values()} == {Status.WRONG_ANSWER}


def test_verdicts_of_before_replies_were_named_are_read_and_made_again(
    whole: Path, out: Path
) -> None:
    mark_all_wrong(out)
    path = out / "verdicts.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["reply_key"]), path)
    assert {item.reply_key for item in read_parquet(path, Verdict)} == {""}
    run_small(out)
    assert results(out) == results(whole)
