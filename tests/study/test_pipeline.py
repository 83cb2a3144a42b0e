"""The whole pipeline as a user runs it, with a simulated coder in place of a slow model."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.running import RunCommand, command_environment
from tests.study.small_study import journal_keys, results

from codequake.journal import read_journal
from codequake.records import Estimate, Planned, Status, Variant, Verdict
from codequake.store import read_parquet, write_parquet

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.xdist_group("pipeline")

# Everything that must be the same whenever the same study is run.
STUDY = """\
seed = 11
problems = ["starter-12", "formulas-20"]
models = ["codequake/sim"]
limit = 4

[[perturbations]]
name = "clean"
[[perturbations]]
name = "repeat"
[[perturbations]]
name = "storytelling"
[[perturbations]]
name = "distracting_constraints"
[[perturbations]]
name = "formula"
distance = 1
[[perturbations]]
name = "formula"
distance = 3
[[perturbations]]
name = "reduced"
of = { distance = 3 }
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "codequake", *map(str, arguments)]


def test_from_problems_to_report(run_command: RunCommand, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run_command("run", study, "--out", out, "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert "pass_at_1" in done.stdout or "Pass@1" in done.stdout
    planned = read_parquet(out / "plan.parquet", Planned)
    verdicts = read_parquet(out / "verdicts.parquet", Verdict)
    # 4 Python problems x 4 families, 4 formulas x (clean, repeat, two distances, reduced),
    # and distracting constraints for the one of them that has constraints.
    assert len(planned) == len(verdicts) == 4 * 4 + 4 * 5 + 1
    assert {verdict.status for verdict in verdicts} <= set(Status)
    assert sum(verdict.status is Status.PASSED for verdict in verdicts) > len(verdicts) / 2
    assert all(variant.gated for variant in read_parquet(out / "variants.parquet", Variant))
    page = (out / "report" / "report.html").read_text("utf-8")
    assert "<html" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    # Everything is done: nothing is asked, nothing changes.
    before = results(out)
    again = run_command("run", study, "--out", out, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["asked"] == 0
    assert results(out) == before


def test_two_runs_give_equal_bytes(run_command: RunCommand, study: Path, tmp_path: Path) -> None:
    for name, workers in (("one", "1"), ("two", "2")):
        done = run_command("run", study, "--out", tmp_path / name, "--workers", workers)
        assert done.returncode == 0, done.stderr
    assert results(tmp_path / "one") == results(tmp_path / "two")
    pages = [tmp_path / name / "report" / "report.html" for name in ("one", "two")]
    assert pages[0].read_bytes() == pages[1].read_bytes()


@pytest.mark.timeout(900)  # five runs of a study, on a machine that may be busy
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_goes_on(
    run_command: RunCommand, study: Path, tmp_path: Path, sign: signal.Signals
) -> None:
    whole = tmp_path / "whole"
    assert run_command("run", study, "--out", whole).returncode == 0
    out = tmp_path / "stopped"
    chance = random.Random(int(sign))
    for _ in range(3):
        process = subprocess.Popen(
            command("run", study, "--out", out, "--workers", "2"),
            cwd=tmp_path,
            env=command_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        first = process.stderr.readline()  # it has begun, and listens to signals
        time.sleep(chance.uniform(0.0, 4.0))
        process.send_signal(sign)
        errors = first + process.communicate(timeout=120)[1]
        assert "Traceback" not in errors
        if sign is not signal.SIGKILL:
            # A signal that comes when all is done changes nothing.
            done = (out / "report" / "report.html").exists()
            assert process.returncode in ((130, 0) if done else (130,)), errors
    again = run_command("run", study, "--out", out, "--workers", "2")
    assert again.returncode == 0, again.stderr
    keys = journal_keys(out)
    assert len(keys) == len(set(keys)), "a journaled reply was asked for again"
    assert results(out) == results(whole)


def test_a_study_is_graded_again_without_a_model(
    run_command: RunCommand, study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run_command("run", study, "--out", out).returncode == 0
    before = results(out)
    again = run_command("grade", out, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["changed"] == []
    assert results(out) == before
    # A planted change of one verdict is shown and repaired.
    verdicts = list(read_parquet(out / "verdicts.parquet", Verdict))
    verdicts[0] = dataclasses.replace(verdicts[0], status=Status.TIMEOUT)
    write_parquet(out / "verdicts.parquet", Verdict, verdicts)
    shown = run_command("grade", out)
    assert "1 verdicts differ" in shown.stdout
    assert "timeout -> " in shown.stdout
    assert results(out) == before


def estimates(folder: Path, **wanted: str) -> list[Estimate]:
    return [
        item
        for item in read_parquet(folder / "estimates.parquet", Estimate)
        if all(getattr(item, key) == value for key, value in wanted.items())
    ]


def test_a_planted_fall_and_its_recovery_are_found(run_command: RunCommand, tmp_path: Path) -> None:
    study = tmp_path / "planted.toml"
    study.write_text(
        STUDY.replace("limit = 4\n", "").replace("codequake/sim", "codequake/sim-fragile")
    )
    out = tmp_path / "out"
    done = run_command("run", study, "--out", out, "--workers", "2", timeout=240)
    assert done.returncode == 0, done.stderr

    def value(metric: str, family: str, group: str = "") -> float:
        rows = estimates(out, metric=metric, family=family, scope="all tests")
        rows = [row for row in rows if group in row.group]
        assert rows, (metric, family, group)
        assert rows[0].value is not None
        return rows[0].value

    fall = value("delta_to_clean", "formula", "distance=3")
    recovery = value("reduction_recovery", "reduced", "distance=3")
    assert fall < -0.2
    assert recovery > 0.2
    assert value("delta_to_clean", "storytelling") < 0


def test_no_network_is_needed(study: Path, tmp_path: Path) -> None:
    """In a network namespace of its own a process has no interface but a loopback that is down."""
    probe = ["unshare", "--user", "--map-root-user", "--net"]
    seen = subprocess.run([*probe, "cat", "/proc/net/dev"], capture_output=True, text=True)
    assert seen.returncode == 0, "user namespaces are needed by the sandbox too"
    devices = [line.split(":")[0].strip() for line in seen.stdout.splitlines() if ":" in line]
    assert devices == ["lo"], "the namespace has another way out"
    done = subprocess.run(
        [*probe, *command("run", study, "--out", tmp_path / "out", "--limit", "2")],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=tmp_path,
        env=command_environment(),
    )
    assert done.returncode == 0, done.stderr


def test_a_full_disk_is_told_and_loses_nothing(study: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", small], check=True)
    try:
        done = subprocess.run(
            command("run", study, "--out", small / "out"),
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tmp_path,
            env=command_environment(),
        )
        assert done.returncode == 1
        assert "cannot write" in done.stderr
        assert "Traceback" not in done.stderr
        read_journal(small / "out" / "completions")
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        again = subprocess.run(
            command("run", study, "--out", small / "out"),
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tmp_path,
            env=command_environment(),
        )
        assert again.returncode == 0, again.stderr
        keys = journal_keys(small / "out")
        assert len(keys) == len(set(keys))
    finally:
        subprocess.run(["umount", small], check=True)


def test_dry_run_asks_nothing(run_command: RunCommand, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run_command("run", study, "--out", out, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    counts: dict[str, Any] = json.loads(done.stdout)
    assert counts["completions"] == 37
    assert counts["cost"] == 0.0  # models of this process cost nothing
    assert not out.exists()
