"""A disk that is too small, or may only be read: one sentence, nothing damaged, and it goes on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.study.small_study import journal_keys, results, run_small

from codequake.errors import StorageError
from codequake.journal import read_journal
from codequake.study.config import Budget
from codequake.study.merging import merge_studies
from codequake.study.progress import Silent
from codequake.study.regrade import regrade_study
from codequake.study.reporting import report_study
from codequake.study.run import RunResult

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.xdist_group("pipeline")

KIB = 1024


class Disk:
    """A small file system in memory."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self.place], check=True)

    def used(self) -> int:
        found = os.statvfs(self.place)
        return (found.f_blocks - found.f_bfree) * found.f_frsize


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk of 12 KiB; where mounting is not allowed, tests/models covers the journal alone."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", place], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"a disk cannot be mounted here: {made.stderr.strip()}")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", place], check=True)


def run_until_it_fits(disk: Disk, out: Path) -> tuple[RunResult, list[str]]:
    """Run on a disk that grows a little after each failure; the failures in order."""
    size, failures = 12, []
    while True:
        before = set(journal_keys(out)) if (out / "completions").is_dir() else set()
        try:
            return run_small(out), failures
        except StorageError as error:
            failures.append(str(error))
        assert before <= set(journal_keys(out) if before else ()), "a reply was lost"
        read_journal(out / "completions")
        assert not list(disk.place.rglob("*.part")), "half a file was left"
        size += max(4, disk.used() // KIB // 4)
        assert size < 4096, failures
        disk.remount(f"size={size}k")


def test_a_disk_that_is_too_small_again_and_again(disk: Disk, tmp_path: Path) -> None:
    out = disk.place / "out"
    done, failures = run_until_it_fits(disk, out)
    assert done.pending == 0
    assert len(failures) >= 3
    assert all(message.startswith("cannot ") and str(out) in message for message in failures)
    # A disk may take the first part of a row of the journal, which is then cut off again.
    ends = ("No space left on device", "only part of a row was taken")
    assert all(any(end in message for end in ends) for message in failures)
    keys = journal_keys(out)
    assert len(keys) == len(set(keys)) == 6, "a journaled reply was asked for again"
    run_small(tmp_path / "whole")
    assert results(out) == results(tmp_path / "whole")


def test_a_folder_that_may_only_be_read(disk: Disk, tmp_path: Path) -> None:
    disk.remount("size=8m")
    out = disk.place / "out"
    first = run_small(out, budget=Budget(requests=4))
    assert (first.asked, first.pending) == (4, 2)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    disk.remount("ro")
    for attempt in (
        lambda: run_small(out, budget=Budget(requests=6)),
        lambda: run_small(disk.place / "new"),
        lambda: regrade_study(out, workers=2, notify=Silent()),
        lambda: report_study(out, ("md",)),
        lambda: merge_studies(out, out, disk.place / "merged", workers=2, notify=Silent()),
    ):
        with pytest.raises(StorageError, match=r"^cannot .*Read-only file system"):
            attempt()
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    merged = merge_studies(out, out, tmp_path / "merged", workers=2, notify=Silent())
    assert (merged.replies, merged.run.pending) == (4, 2), "reading is enough to merge"
    disk.remount("rw")
    last = run_small(out, budget=Budget(requests=6))
    assert (last.asked, last.reused, last.pending) == (2, 4, 0)
    run_small(tmp_path / "whole")
    assert results(out) == results(tmp_path / "whole")
