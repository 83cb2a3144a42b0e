"""Two folders become one, and a folder that grows asks only for what it lacks."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest
from tests.running import RunCommand
from tests.study.small_study import SMALL, journal_keys, results, run_small

from codequake.errors import UsageError
from codequake.journal import Journal, read_journal
from codequake.records import Planned, Status, StopReason, Verdict
from codequake.store import read_parquet, write_parquet
from codequake.study.merging import Merged, merge_studies
from codequake.study.progress import Silent

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.xdist_group("pipeline")

SIM, FRAGILE = "codequake/sim", "codequake/sim-fragile"


def merge(first: Path, second: Path, out: Path) -> Merged:
    return merge_studies(first, second, out, workers=2, notify=Silent())


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same study of one model, of the other, and of both."""
    place = tmp_path_factory.mktemp("folders")
    for name, models in (("a", (SIM,)), ("b", (FRAGILE,)), ("both", (SIM, FRAGILE))):
        assert run_small(place / name, models=models).pending == 0
    return {name: place / name for name in ("a", "b", "both")}


def test_a_merge_equals_one_run_of_all_models(folders: dict[str, Path], tmp_path: Path) -> None:
    before = {name: results(folders[name]) for name in ("a", "b")}
    out = tmp_path / "out"
    merged = merge(folders["a"], folders["b"], out)
    assert (merged.run.asked, merged.run.pending, merged.shared, merged.differing) == (0, 0, 0, 0)
    assert merged.replies == len(read_journal(folders["both"] / "completions")) == 12
    assert results(out) == results(folders["both"])
    assert (out / "notes.json").read_bytes() == (folders["a"] / "notes.json").read_bytes()
    assert (out / "report" / "report.html").read_bytes() == (
        folders["both"] / "report" / "report.html"
    ).read_bytes()
    assert {name: results(folders[name]) for name in ("a", "b")} == before
    again = run_small(out, models=(SIM, FRAGILE))
    assert (again.asked, again.reused) == (0, 12)
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "nothing is left beside it"


def test_a_folder_merges_with_its_own_copy(folders: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folders["a"], copy)
    merged = merge(folders["a"], copy, tmp_path / "out")
    assert (merged.shared, merged.differing) == (6, 0)
    assert len(journal_keys(tmp_path / "out")) == 6, "a segment of both is kept once"
    assert results(tmp_path / "out") == results(folders["a"])


def rewritten(folder: Path, out: Path) -> Path:
    """The same study whose first reply is another one, that is wrong."""
    shutil.copytree(folder, out)
    entries = list(read_journal(out / "completions").values())
    clean = read_parquet(out / "plan.parquet", Planned)[0]
    shutil.rmtree(out / "completions")
    with Journal(out / "completions") as journal:
        for entry in entries:
            if entry.request.key == clean.key:
                entry.reply = dataclasses.replace(entry.reply, text="No.")
            journal.append(entry)
    verdicts = read_parquet(out / "verdicts.parquet", Verdict)
    changed = [
        dataclasses.replace(item, status=Status.NO_CODE, tests=(), program="", failure=None)
        if (item.variant_id, item.sample) == (clean.variant_id, clean.sample)
        else item
        for item in verdicts
    ]
    assert changed != list(verdicts)
    write_parquet(out / "verdicts.parquet", Verdict, changed)
    return out


def test_of_two_answers_one_is_kept_with_its_own_verdict(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    other = rewritten(folders["a"], tmp_path / "other")
    one = merge(folders["a"], other, tmp_path / "one")
    two = merge(other, folders["a"], tmp_path / "two")
    assert (one.shared, one.differing, two.differing) == (6, 1, 1)
    assert "1 of these differ" in one.as_text()
    assert results(tmp_path / "one") == results(tmp_path / "two")
    clean = read_parquet(tmp_path / "one" / "plan.parquet", Planned)[0]
    kept = read_journal(tmp_path / "one" / "completions")[clean.key].reply
    verdict = next(
        item
        for item in read_parquet(tmp_path / "one" / "verdicts.parquet", Verdict)
        if (item.variant_id, item.sample) == (clean.variant_id, clean.sample)
    )
    assert (verdict.status is Status.NO_CODE) == (kept.text == "No.")


def test_an_answer_wins_over_an_error(folders: dict[str, Path], tmp_path: Path) -> None:
    failed = tmp_path / "failed"
    shutil.copytree(folders["a"], failed)
    entries = list(read_journal(failed / "completions").values())
    shutil.rmtree(failed / "completions")
    with Journal(failed / "completions") as journal:
        for entry in entries[:2]:
            entry.reply = dataclasses.replace(
                entry.reply, text="", stop_reason=StopReason.ERROR, error="busy"
            )
            journal.append(entry)
    merged = merge(failed, folders["a"], tmp_path / "out")
    assert (merged.run.pending, merged.shared, merged.differing) == (0, 2, 2)
    assert results(tmp_path / "out") == results(folders["a"])


def test_other_studies_are_refused_by_name(folders: dict[str, Path], tmp_path: Path) -> None:
    run_small(tmp_path / "c", seed=6)
    with pytest.raises(UsageError, match=r"has seed = 5, .* has 6; only folders of one study"):
        merge(folders["a"], tmp_path / "c", tmp_path / "out")
    with pytest.raises(UsageError, match="is not a study folder"):
        merge(folders["a"], tmp_path, tmp_path / "out")
    with pytest.raises(UsageError, match="is there already; name a new folder"):
        merge(folders["a"], folders["b"], folders["both"])
    assert not (tmp_path / "out").exists()


def test_one_name_with_two_engines_is_two_models(folders: dict[str, Path], tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(folders["a"], other)
    planned = read_parquet(other / "plan.parquet", Planned)
    moved = [dataclasses.replace(row, key=row.key[::-1]) for row in planned]
    write_parquet(other / "plan.parquet", Planned, moved)
    with pytest.raises(UsageError, match="codequake/sim was asked with another engine"):
        merge(folders["a"], other, tmp_path / "out")


def test_more_models_and_samples_ask_only_for_what_is_missing(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "grown"
    shutil.copytree(folders["a"], out)
    first = set(journal_keys(out))
    more = run_small(out, models=(FRAGILE,))
    assert (more.asked, more.reused) == (6, 6)
    assert results(out) == results(folders["both"])
    grown = run_small(out, models=(SIM, FRAGILE), samples=3)
    # 2 problems x 2 models: clean has samples 0-2, repeat 3-5, the story 0-2; what was sample 1 of
    # the clean prompt for `repeat` is now a sample of `clean`.
    assert (grown.asked, grown.reused, grown.pending) == (36 - 12, 12, 0)
    keys = journal_keys(out)
    assert len(keys) == len(set(keys)) == 36
    assert first <= set(keys)
    whole = tmp_path / "whole"
    run_small(whole, models=(SIM, FRAGILE), samples=3)
    assert results(out) == results(whole)
    with pytest.raises(UsageError, match="samples = 3, this one has 1; allowed: 3 or more"):
        run_small(out)


def test_the_command_says_what_it_joined(
    folders: dict[str, Path], tmp_path: Path, run_command: RunCommand
) -> None:
    done = run_command("merge", folders["a"], folders["b"], "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "12 replies, 0 of them in both folders" in done.stdout
    assert str(tmp_path / "out" / "report" / "report.html") in done.stdout
    study = tmp_path / "other.toml"
    study.write_text(SMALL.replace("seed = 5", "seed = 6"))
    assert run_command("run", study, "--out", tmp_path / "c").returncode == 0
    refused = run_command("merge", folders["a"], tmp_path / "c", "--out", tmp_path / "d")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1
