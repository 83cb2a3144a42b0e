"""No sandbox at all: programs run as the user who runs codequake.  Never a default."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from codequake.sandbox.bubblewrap import ENVIRONMENT
from codequake.sandbox.driving import Driver, Launch
from codequake.sandbox.jobs import ALL_MODES, Care, Job, Outcome
from codequake.sandbox.sources import own_magic, runner_source
from codequake.sandbox.toolchains import compiler_version

__all__ = ["UnsafeBackend"]


class UnsafeBackend:
    """Runs each job as a plain process with resource limits only.

    A program can read and write whatever the user can, and use the network.  It exists for
    programs that are trusted anyway, on machines that cannot isolate.  Every outcome carries the
    warning.
    """

    warning = (
        "NOT ISOLATED: the programs run with all of your rights, on your files and your network; "
        "use --sandbox none only for programs that you trust"
    )

    trouble = ""
    modes = ALL_MODES

    def __init__(self) -> None:
        version = ".".join(str(part) for part in sys.version_info[:3])
        compiler = f"gcc {compiler_version() or 'missing'}"
        self.name = f"none (not isolated), Python {version}, {compiler}"
        self._runner = runner_source(magic=own_magic())
        self._driver = Driver(self.name, self.warning)

    def run(self, job: Job) -> Outcome:
        """Run one program without any isolation."""
        with tempfile.TemporaryDirectory(prefix="codequake-", ignore_cleanup_errors=True) as name:
            scratch = Path(name, "scratch")
            scratch.mkdir()
            places = dict.fromkeys(("HOME", "TMPDIR"), str(scratch))
            launch = Launch(
                command=(os.path.realpath(sys.executable), "-s", "-S", "-B", "-c", self._runner),
                keep_open=(),
                folder=name,
                scratch=str(scratch),
                environment={**ENVIRONMENT, **places},
                user=None,
                count_processes=False,
            )
            return self._driver.run(job, launch)

    def run_all(self, jobs: Sequence[Job], care: Care = Care.ALONE) -> tuple[Outcome, ...]:
        """Run several programs, each alone: more care than asked is always right."""
        return tuple(self.run(job) for job in jobs)

    def kill_all(self) -> None:
        """End every process 1 of this backend now; the programs end with the next input."""
        self._driver.kill_all()
