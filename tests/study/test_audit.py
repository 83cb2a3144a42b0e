"""``codequake grade DIR --audit N``: a study's passes, tested again from its own folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.running import RunCommand

from codequake.records import Status, Verdict
from codequake.store import read_parquet

pytest.importorskip("inspect_ai")

STUDY = """\
seed = 11
problems = ["formulas-20"]
models = ["codequake/sim"]
limit = 2

[[perturbations]]
name = "clean"
"""


def test_a_study_is_audited_from_its_folder(run_command: RunCommand, tmp_path: Path) -> None:
    study, out = tmp_path / "study.toml", tmp_path / "out"
    study.write_text(STUDY, "utf-8")
    assert run_command("run", study, "--out", out).returncode == 0
    before = {path.name: path.read_bytes() for path in out.glob("*.parquet")}
    passes = sum(
        item.status is Status.PASSED for item in read_parquet(out / "verdicts.parquet", Verdict)
    )
    assert passes > 0
    done = run_command("grade", out, "--audit", "1", "--audit-inputs", "60")
    assert done.returncode == 0, done.stderr
    kept = json.loads((out / "audit.json").read_text("utf-8"))
    assert (kept["seed"], kept["passes"], kept["audited"]) == (11, passes, 1)
    assert (kept["false_passes"], kept["witnesses"]) == (0, [])
    assert kept["high"] == pytest.approx(0.975)
    assert f"audit of 1 of {passes} passes, 60 fresh inputs each, seed 11" in done.stdout
    assert "95 % interval 0.00% to 97.50% (Clopper-Pearson exact)" in done.stdout
    assert "prompts need a tolerance at all" in done.stdout
    # An audit changes no verdict and no figure of the study.
    for name, content in before.items():
        if name != "measurements.parquet":
            assert (out / name).read_bytes() == content


def test_an_audit_needs_a_number(run_command: RunCommand, tmp_path: Path) -> None:
    done = run_command("grade", tmp_path, "--audit", "-1")
    assert done.returncode == 2
    assert "'--audit'" in done.stderr
    assert "greater than or equal to 0" in done.stderr
    assert "Traceback" not in done.stderr
