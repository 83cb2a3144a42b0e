"""For authors of problem files: build their hidden tests, and check all that they claim.

    python scripts/author.py build FILE...
    python scripts/author.py check FILE...

Programs run in the sandbox.  The exit code is 1 when something does not hold.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from codequake.errors import CodequakeError
from codequake.grading import SandboxOracle, outputs_agree
from codequake.problems import check_problems, rebuild_file
from codequake.problems.authoring import read_authored
from codequake.study.progress import Silent
from codequake.study.sandboxes import open_sandbox


def build(path: Path, oracle: SandboxOracle, quick: SandboxOracle) -> list[str]:
    """Write the hidden tests of a file; return what is wrong."""
    del quick  # stored tests come from a process for each input
    rebuild_file(path, oracle)
    return []


def check(path: Path, oracle: SandboxOracle, quick: SandboxOracle) -> list[str]:
    """Return what does not hold in a file."""
    authored = read_authored(path)
    changed = [version.problem for version in authored.versions]
    reports = check_problems(
        [authored.problem], oracle, agree=outputs_agree, changed=changed, quick=quick
    )
    return [
        f"{path.name}: {finding.check}: {finding.message}"
        for report in reports
        for finding in report.findings
    ]


def main() -> int:
    """Do what was asked for to each file; all are done even when some have faults."""
    parser = argparse.ArgumentParser(description="Build or check problem files.")
    parser.add_argument("work", choices=("build", "check"))
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    work = {"build": build, "check": check}[options.work]
    backend = open_sandbox("bwrap", Silent())
    oracle, quick = SandboxOracle(backend), SandboxOracle(backend, many=8)
    bad = 0
    for path in options.files:
        start = time.perf_counter()
        try:
            faults = work(path, oracle, quick)
        except CodequakeError as error:
            faults = [f"{path.name}: {error}"]
        bad += bool(faults)
        seconds = time.perf_counter() - start
        text = "\n".join(faults or [f"{path.name}: good ({seconds:.1f} s)"])
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
