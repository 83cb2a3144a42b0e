"""``codequake problems check``: the checks of problem sets with the sandbox as their oracle."""

from __future__ import annotations

from codequake.grading import SandboxOracle, outputs_agree
from codequake.problems import Report, check_problems, load_set, set_names
from codequake.study.progress import Notify
from codequake.study.sandboxes import open_sandbox

__all__ = ["check_sets"]


def check_sets(names: tuple[str, ...] | None, sandbox: str, notify: Notify) -> tuple[Report, ...]:
    """Check the named sets, or all bundled ones, and return one report a problem."""
    backend = open_sandbox(sandbox, notify)
    oracle = SandboxOracle(backend)
    problems = [problem for name in names or set_names() for problem in load_set(name, oracle)]
    reports = []
    with notify.stage("checking problems", len(problems)) as progress:
        for report in check_problems(problems, oracle, agree=outputs_agree):
            reports.append(report)
            progress(len(reports), len(problems))
    if backend.trouble:
        notify.say(backend.trouble)
    return tuple(reports)
