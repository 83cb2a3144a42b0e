"""The full size that a study is promised to hold in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.running import command_environment

pytest.importorskip("inspect_ai")

MOST_MIB = 1024
COUNT = 100_000


@pytest.mark.quality
@pytest.mark.timeout(1800)
def test_a_hundred_thousand_completions_fit_into_a_gibibyte() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "run.py"
    done = subprocess.run(
        [sys.executable, script, "--child", "large", "--count", str(COUNT)],
        env=command_environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["completions"] == COUNT // 12 * 12
    assert found["peak_mib"] <= MOST_MIB, found
