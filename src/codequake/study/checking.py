"""``codequake problems check``: the checks of problem sets with the sandbox as their oracle."""

from __future__ import annotations

from codequake.grading import SandboxOracle, outputs_agree
from codequake.problems import FORMULA_INPUTS, Report, check_problems, load_set, set_names
from codequake.study.progress import Notify
from codequake.study.sandboxes import open_sandbox

__all__ = ["check_sets"]


def check_sets(
    names: tuple[str, ...] | None,
    sandbox: str,
    notify: Notify,
    formula_inputs: int = FORMULA_INPUTS,
) -> tuple[Report, ...]:
    """Check the named sets, or all bundled ones, and return one report a problem.

    ``formula_inputs`` is the number of inputs on which references of a formula prompt must agree.
    """
    oracle = SandboxOracle(open_sandbox(sandbox, notify))
    problems = [problem for name in names or set_names() for problem in load_set(name, oracle)]
    reports = []
    with notify.stage("checking problems", len(problems)) as progress:
        for report in check_problems(
            problems, oracle, agree=outputs_agree, formula_inputs=formula_inputs
        ):
            reports.append(report)
            progress(len(reports), len(problems))
    return tuple(reports)
