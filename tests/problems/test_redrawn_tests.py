"""The hidden tests of redrawn problems: they reject what the original's tests reject."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tests.problems.trusted_oracle import TrustedOracle, agree

from codequake.problems import check_problems, redraw
from codequake.problems.authoring import read_authored
from codequake.problems.findings import RULES, Rules
from codequake.records import ChangeKind, JsonText, Language, Problem, Reference

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
    assert new.wrong != ()
    assert [item.name for item in new.wrong] == [item.name for item in problem.wrong]
    assert findings(new) == []
    old = ORACLE.answers(problem, problem.references[0], [test.input for test in new.tests])
    hidden = [not test.visible for test in new.tests]
    told = [one.output != test.expected for one, test in zip(old, new.tests, strict=True)]
    assert sum(one and two for one, two in zip(hidden, told, strict=True)) >= 10


class Counted(TrustedOracle):
    """Ends when a redraw has nothing to draw from."""

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        return super().generate(problem, seed, 1) * count


MISTAKE = Reference("the-task-itself", Language.PYTHON, "")


def test_a_mistake_that_no_input_shows_is_left_out() -> None:
    problem = read_authored(QUAKE / "count-seniors.toml").problem
    same = dataclasses.replace(MISTAKE, code=problem.references[0].code)
    odd = dataclasses.replace(problem, wrong=(*problem.wrong, same), relaxed=(same,))
    new = redraw(odd, ChangeKind.CONSTANTS, ORACLE, agree=agree, seed=0)
    assert [item.name for item in new.wrong] == [item.name for item in problem.wrong]
    assert new.relaxed == ()
    assert findings(new) == []


def test_the_check_tells_which_mistakes_are_left_out() -> None:
    # With the value that is drawn this program is the task, with the author's it is a mistake.
    problem = read_authored(QUAKE / "count-seniors.toml").problem
    value = redraw(problem, ChangeKind.CONSTANTS, ORACLE, agree=agree, seed=0).constants[0].value
    code = problem.references[0].code.replace("> AGE", f"> {value}")
    fixed = Reference("one-value-for-all", Language.PYTHON, code)
    odd = dataclasses.replace(problem, wrong=(*problem.wrong, fixed))
    (report,) = check_problems([odd], ORACLE, agree=agree, rules=RULES["quake-100"])
    assert report.notes == (
        "quake-100/count-seniors~constants: no drawn input shows 'one-value-for-all' to be wrong, "
        "so it is left out there",
    )


def test_a_problem_that_cannot_be_redrawn_is_a_finding_and_no_end() -> None:
    problem = read_authored(QUAKE / "count-seniors.toml").problem
    (report,) = check_problems([problem], Counted(), agree=agree, rules=RULES["quake-100"])
    assert any(item.check == "redraw" for item in report.findings)


def test_versions_of_a_problem_without_programs_are_told() -> None:
    authored = read_authored(QUAKE / "count-seniors.toml")
    bare = dataclasses.replace(authored.problem, references=())
    changed = [version.problem for version in authored.versions]
    (report,) = check_problems([bare], ORACLE, agree=agree, changed=changed, rules=Rules(hidden=30))
    assert "there is no second reference" in report.findings[0].message


def test_a_checker_that_fails_on_the_old_answers_is_a_finding() -> None:
    authored = read_authored(QUAKE / "count-seniors.toml")
    code = (
        "def accepts(arguments, output, expected):\n"
        "    return output == expected if arguments[0] else 1\n"
    )
    hard = dataclasses.replace(authored.versions[0].problem, checker=code)
    (report,) = check_problems(
        [authored.problem], ORACLE, agree=agree, changed=[hard], rules=Rules(hidden=30)
    )
    assert any("allowed: True or False" in item.message for item in report.findings)
