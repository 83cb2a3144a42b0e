"""Process 1 of a sandbox that runs one program: read the job, run it, end.

This file runs inside the sandbox on an interpreter of 3.9 or newer and imports nothing of
codequake but its neighbours there.  It reads the job (JSON) from file descriptor 0 and writes
events to file descriptor 1.
"""

# pathlib would cost start-up time in every sandbox:

from __future__ import annotations

import json
import os
import signal
import sys

from codequake.sandbox.inside import Tester, run_with
from codequake.sandbox.watching import raise_stack, read_line

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from typing import Any

__all__ = ["main"]


def _tester_of(job: dict[str, Any]) -> type[Tester]:
    """Load the parts that only some jobs need; reading them takes milliseconds."""
    if job["mode"] != "assert" and not job["check_build"]:
        return Tester
    sys.modules["codequake.sandbox"].load_rest()
    from codequake.sandbox.pair import PairTester
    from codequake.sandbox.pattern import PatternTester

    return PairTester if job["mode"] == "assert" else PatternTester


def main() -> None:
    """Read one job and run it.  Process 1 takes no signal that it has no handler for."""
    if os.getpid() == 1:
        # The group that we were started in holds bubblewrap itself, outside of the sandbox.
        os.setpgid(0, 0)
    for taken in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(taken, signal.SIG_DFL)
    job = json.loads(read_line(0))
    # The driver keeps its end of the job's pipe open as long as it lives and wants an answer.
    lifeline, report = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    raise_stack()
    run_with(_tester_of(job)(job, report, lifeline), report)
