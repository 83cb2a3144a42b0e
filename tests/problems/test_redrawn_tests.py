"""The hidden tests of redrawn problems: they reject what the original's tests reject."""

from __future__ import annotations

from pathlib import Path

from tests.problems.trusted_oracle import TrustedOracle, agree

from codequake.problems import check_problems, redraw
from codequake.problems.authoring import read_authored
from codequake.problems.findings import RULES
from codequake.records import ChangeKind, Problem

ORACLE = TrustedOracle()
QUAKE = Path(__file__).parents[2] / "src/codequake/problems/quake"


def redrawn(slug: str, seed: int) -> tuple[Problem, Problem]:
    problem = read_authored(QUAKE / f"{slug}.toml").problem
    return problem, redraw(problem, ChangeKind.CONSTANTS, ORACLE, agree=agree, seed=seed)


def findings(problem: Problem) -> list[str]:
    (report,) = check_problems([problem], ORACLE, agree=agree, rules=RULES["quake-100"])
    return [
        item.message
        for item in report.findings
        # A version has neither rules nor domains of its own.
        if item.check == "wrong"
    ]


def test_a_mistake_that_the_old_inputs_miss_is_rejected_by_new_ones() -> None:
    problem, new = redrawn("grid-walk", seed=1)
    assert len(new.tests) == len([*problem.tests]) - 2 * (problem.large is not None)
    assert [item.name for item in new.wrong] == [item.name for item in problem.wrong]
    assert findings(new) == []
    old = ORACLE.answers(problem, problem.references[0], [test.input for test in new.tests])
    hidden = [not test.visible for test in new.tests]
    told = [one.output != test.expected for one, test in zip(old, new.tests, strict=True)]
    assert sum(one and two for one, two in zip(hidden, told, strict=True)) >= 10


def test_a_mistake_that_is_none_any_more_is_left_out() -> None:
    problem, new = redrawn("longest-rising-run", seed=2)
    lost = {item.name for item in problem.wrong} - {item.name for item in new.wrong}
    assert lost == {"any-rise"}
    assert findings(new) == []
