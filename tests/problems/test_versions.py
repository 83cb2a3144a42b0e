"""Changed versions, constants that are drawn anew, and what the check asks of both."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from tests.problems.trusted_oracle import TrustedOracle, agree

from codequake.canonical import parse_json
from codequake.errors import CheckFailedError, DataError
from codequake.ports import Answer
from codequake.problems import (
    Finding,
    Rules,
    can_redraw,
    check_problems,
    find_problem,
    read_problem_file,
    redraw,
    render_statement,
    shown_tests,
)
from codequake.problems.authoring import Authored, read_authored
from codequake.problems.constants import replace_constants, with_constants
from codequake.problems.findings import RULES
from codequake.problems.pairing import paired
from codequake.records import (
    ChangeKind,
    ChangeNature,
    Constant,
    ConstantRole,
    JsonText,
    Language,
    Problem,
    Reference,
)
from codequake.store import write_jsonl

ORACLE = TrustedOracle()
PATH = Path(__file__).parents[2] / "src/codequake/problems/quake/count-seniors.toml"
SENIORS = read_authored(PATH)
STRICT = RULES["quake-100"]


def versions(authored: Authored = SENIORS) -> dict[str, Problem]:
    return {item.problem.problem_id.partition("~")[2]: item.problem for item in authored.versions}


def check(problem: Problem, *changed: Problem, rules: Rules | None = None) -> list[Finding]:
    (report,) = check_problems(
        [problem], ORACLE, agree=agree, changed=changed, rules=rules or Rules(hidden=30)
    )
    return list(report.findings)


def told(findings: list[Finding]) -> str:
    return " | ".join(f"{item.check}: {item.message}" for item in findings)


def edited(tmp_path: Path, *swaps: tuple[str, str]) -> Authored:
    text = PATH.read_text("utf-8")
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / PATH.name
    path.write_text(text, "utf-8")
    return read_authored(path)


def test_a_file_with_versions_is_read_and_all_of_it_holds() -> None:
    hard, soft = versions()["hard"], versions()["soft"]
    assert hard.change is not None
    assert soft.change is not None
    assert (hard.change.kind, hard.change.nature) == (
        ChangeKind.HARD_NEGATION,
        ChangeNature.INCLUSION,
    )
    assert (soft.change.kind, soft.change.original_id) == (
        ChangeKind.SOFT_NEGATION,
        SENIORS.problem.problem_id,
    )
    assert "60 years old or younger" in hard.statement
    assert hard.parameters == SENIORS.problem.parameters
    (report,) = check_problems(
        [SENIORS.problem], ORACLE, agree=agree, changed=list(versions().values()), rules=STRICT
    )
    assert report.findings == ()
    assert [name.partition("~")[2] for name in report.also] == [
        "hard",
        "soft",
        "examples",
        "bounds",
        "constants",
    ]


def test_constants_stand_in_text_and_programs() -> None:
    problem = SENIORS.problem
    assert "strictly older than 60 years" in problem.statement
    assert "`0 <= len(details) <= 100`" in problem.statement
    assert problem.references[0].code.startswith("AGE = 60\n\n\ndef count_seniors")
    assert problem.relaxed[0].code.startswith("def ")
    assert problem.generator is not None
    assert "AGE = 60\nCOUNT = 100\n" in problem.generator


def test_lines_of_constants_stand_after_imports_and_can_be_replaced() -> None:
    limit = Constant("LIMIT", ConstantRole.TASK, JsonText("5"), (JsonText("7"),))
    word = Constant("WORD", ConstantRole.TASK, JsonText('"a\\"b"'), (JsonText('"c"'),))
    code = "from math import gcd\nimport re\n\n\ndef f(x):\n    return gcd(x, LIMIT)\n"
    with_line = with_constants(code, (limit, word))
    assert with_line.startswith("from math import gcd\nimport re\n\nLIMIT = 5\n\n\ndef f(x)")
    seven = dataclasses.replace(limit, value=JsonText("7"))
    assert "\nLIMIT = 7\n" in replace_constants(with_line, (seven,))
    assert with_constants("def f(UNLIMITED): return LIMITS", (limit,)).startswith("def")
    spoken = with_constants("def f(): return WORD", (word,))
    assert spoken.startswith("WORD = 'a\"b'\n")
    assert replace_constants("X = 1\n", (limit,)) == "X = 1\n"


@pytest.mark.parametrize("kind", [ChangeKind.EXAMPLES, ChangeKind.BOUNDS, ChangeKind.CONSTANTS])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_redrawn_problem_holds_and_changes_what_it_should(kind: ChangeKind, seed: int) -> None:
    problem = SENIORS.problem
    new = redraw(problem, kind, ORACLE, agree=agree, seed=seed)
    assert new == redraw(problem, kind, ORACLE, agree=agree, seed=seed)
    assert new.change is not None
    assert (new.change.kind, new.change.original_id) == (kind, problem.problem_id)
    assert check(new) == []
    visible = tuple(index for index, test in enumerate(new.tests) if test.visible)
    assert shown_tests(new, new.statement) == visible
    same_programs = new.references == problem.references
    values = {item.name: item.value for item in new.constants}
    match kind:
        case ChangeKind.EXAMPLES:
            assert same_programs
            assert values == {"AGE": "60", "COUNT": "100"}
            assert not {new.tests[0].input, new.tests[1].input} & {
                test.input for test in problem.tests if test.visible
            }
            assert "Explanation" not in new.statement
        case ChangeKind.BOUNDS:
            assert same_programs
            assert values["COUNT"] in ("40", "200")
            assert f"`0 <= len(details) <= {values['COUNT']}`" in new.statement
            assert "Explanation: The ages are 75, 92 and 40" in new.statement
        case _:
            assert not same_programs
            assert values["AGE"] in ("21", "40", "65")
            assert f"strictly older than {values['AGE']} years" in new.statement
            assert new.references[1].code.startswith(f"AGE = {values['AGE']}\n")
            hidden = [test for test in new.tests if not test.visible]
            old = ORACLE.answers(problem, problem.references[0], [test.input for test in hidden])
            differ = sum(one.output != two.expected for one, two in zip(old, hidden, strict=True))
            assert differ >= 10


def test_seeds_draw_different_examples() -> None:
    drawn = {
        redraw(SENIORS.problem, ChangeKind.EXAMPLES, ORACLE, agree=agree, seed=seed).statement
        for seed in range(3)
    }
    assert len(drawn) == 3


def test_what_cannot_be_redrawn_says_why() -> None:
    starter = find_problem("starter-12/count-target")
    assert can_redraw(starter, ChangeKind.EXAMPLES) is None
    assert can_redraw(starter, ChangeKind.CONSTANTS) == "it has no task constant"
    assert can_redraw(starter, ChangeKind.HARD_NEGATION) == "a negation is written by an author"
    with pytest.raises(CheckFailedError, match="cannot be drawn anew: it has no bound constant"):
        redraw(starter, ChangeKind.BOUNDS, ORACLE, agree=agree, seed=0)
    bare = dataclasses.replace(starter, generator=None)
    assert "no generator" in (can_redraw(bare, ChangeKind.EXAMPLES) or "")


def test_a_version_that_is_the_old_task_is_found() -> None:
    hard = versions()["hard"]
    same = dataclasses.replace(
        SENIORS.problem, problem_id=hard.problem_id, change=hard.change, relaxed=()
    )
    assert "0 hidden tests tell it from the original; allowed: 10 or more" in told(
        check(SENIORS.problem, same)
    )


def test_faults_of_a_version_name_it() -> None:
    hard = versions()["hard"]
    broken = dataclasses.replace(hard, references=(hard.references[0],))
    found = told(check(SENIORS.problem, broken))
    assert "quake-100/count-seniors~hard: there is no second reference" in found


def test_inputs_that_break_the_constraints_are_found() -> None:
    code = "def valid(details):\n    return all('M' in text for text in details)\n"
    found = told(check(dataclasses.replace(SENIORS.problem, validator=code)))
    assert "validator: the input of test 1 is refused" in found
    assert "generator: the generator gives" in found
    silent = "def valid(details):\n    return 1\n"
    found = told(check(dataclasses.replace(SENIORS.problem, validator=silent)))
    assert "it returned 1; allowed: True or False" in found


def test_constants_that_do_nothing_are_found(tmp_path: Path) -> None:
    unused = '[constants]\nSPARE = { role = "task", value = 1, others = [2] }\n'
    found = told(check(edited(tmp_path, ("[constants]\n", unused)).problem))
    assert "the task constant SPARE does not stand in the statement" in found
    assert "the task constant SPARE does not stand in every reference" in found
    swapped = edited(tmp_path, ('AGE = { role = "task"', 'AGE = { role = "bound"'))
    found = told(check(swapped.problem))
    assert "the bound constant AGE stands in the reference 'scan'" in found
    assert "the bound constant AGE does not stand in the validator" in found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value = 60, others = [21, 40, 65]", "value = 60, others = []", "holds no other value"),
        ("others = [21, 40, 65]", "others = [21, 60]", "holds no other value, or one twice"),
        ("value = 60,", "value = true,", "holds True; allowed: numbers and texts"),
        ('AGE = { role = "task",', 'AGE = { role = "thing",', "allowed: task, bound"),
        ("AGE = {", "age = {", "is no name of a constant; allowed: upper-case letters"),
        ('nature = "inclusion"', 'nature = "other"', "allowed: objective, inclusion"),
        ("than {AGE} years", "than {YEARS} years", "{YEARS} is not markup"),
        ("[[relaxed]]", "[[relaxing]]", "is not a known field"),
        ('name = "not-strict"', 'name = "not-strict"\nslow = "yes"', "allowed: true or false"),
    ],
)
def test_bad_fields_are_refused_with_their_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(DataError) as caught:
        edited(tmp_path, (old, new))
    assert message in str(caught.value)
    assert f"{PATH.name}:" in str(caught.value)


def test_promises_of_a_strict_set_are_asked_for() -> None:
    problem = dataclasses.replace(
        SENIORS.problem, wrong=SENIORS.problem.wrong[:4], validator=None, constants=()
    )
    found = told(check(problem, rules=STRICT))
    assert "there are 4 wrong programs; allowed: 5 or more" in found
    assert "there is no validator" in found
    assert "there is no bound that can be drawn anew" in found
    assert problem.structure is not None
    plain = dataclasses.replace(problem.structure, sections=problem.structure.sections[1:])
    problem = dataclasses.replace(problem, structure=plain, statement=render_statement(plain))
    assert "the statement has no slot of kind goal" in told(check(problem, rules=STRICT))


def test_wrong_programs_that_share_their_only_test_are_found() -> None:
    # Both are wrong on the same inputs only, so one test of their own for each need not exist.
    assert paired([{1}, {1}]) == {0: 1} or paired([{1}, {1}]) == {1: 1}
    assert paired([{1, 2}, {1}]) == {0: 2, 1: 1}
    assert paired([{3}, {3, 1}, {1, 2}]) == {0: 3, 1: 1, 2: 2}
    assert paired([set(), {4}]) == {1: 4}
    assert paired([]) == {}


def test_a_simpler_task_that_passes_is_found() -> None:
    same = dataclasses.replace(SENIORS.problem.references[0], name="same")
    found = told(check(dataclasses.replace(SENIORS.problem, relaxed=(same,))))
    assert "no hidden test rejects the wrong program 'same'" in found


def test_a_function_that_two_references_share_is_found() -> None:
    helper = "def age_of(text):\n    return int(text[11:13])\n\n\n"
    codes = (
        "def count_seniors(details):\n    return sum(age_of(text) > 60 for text in details)\n",
        "def count_seniors(details):\n    kept = [t for t in details if age_of(t) > 60]\n"
        "    return len(kept)\n",
    )
    references = tuple(
        Reference(f"r{number}", Language.PYTHON, helper + code) for number, code in enumerate(codes)
    )
    problem = dataclasses.replace(SENIORS.problem, references=references, constants=())
    assert "share the function 'age_of'" in told(check(problem))


class Exhausted(TrustedOracle):
    """Answers as if one program ran out of time from some input on."""

    def __init__(self, name: str, start: int) -> None:
        super().__init__()
        self.name, self.start = name, start

    def answers(
        self, problem: Problem, reference: Reference, inputs: tuple[JsonText, ...] | list[JsonText]
    ) -> tuple[Answer, ...]:
        found = super().answers(problem, reference, inputs)
        if reference.name != self.name or len(inputs) < 30:
            return found
        late = Answer(None, "timeout", exhausted=True)
        return (*found[: self.start], *(late for _ in found[self.start :]))


@pytest.mark.parametrize(
    ("slow", "start", "wanted"),
    [
        (True, 32, "called slow, and answers every test in time"),
        (True, 31, "confirms 29 hidden tests before it runs out"),
        (False, 31, "reference 'histogram' fails hidden test 32"),
    ],
)
def test_a_slow_reference_may_run_out_of_time_only(slow: bool, start: int, wanted: str) -> None:
    first, second = SENIORS.problem.references
    references = (first, dataclasses.replace(second, slow=slow))
    problem = dataclasses.replace(SENIORS.problem, references=references)
    (report,) = check_problems(
        [problem], Exhausted("histogram", start), agree=agree, rules=Rules(hidden=30)
    )
    assert wanted in told(list(report.findings))


def test_a_slow_reference_that_runs_out_after_enough_tests_is_good() -> None:
    first, second = SENIORS.problem.references
    references = (first, dataclasses.replace(second, slow=True))
    problem = dataclasses.replace(SENIORS.problem, references=references)
    (report,) = check_problems(
        [problem], Exhausted("histogram", 31), agree=agree, rules=Rules(hidden=20)
    )
    assert report.findings == ()


def test_own_files_hold_changed_versions(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    hard = versions()["hard"]
    write_jsonl(path, [hard, SENIORS.problem])
    found = read_problem_file(path)
    assert found.faults == ()
    assert [item.problem_id for item in found.problems] == [SENIORS.problem.problem_id]
    assert found.changed == (hard,)
    assert found.places == (f"{path}:2",)
    write_jsonl(path, [hard])
    found = read_problem_file(path)
    assert found.problems == found.changed == ()
    assert "own.jsonl:1: 'quake-100/count-seniors~hard' is a changed version of" in found.faults[0]


def test_examples_are_short_and_values_stay_in_their_list() -> None:
    rng = random.Random(3)
    for _ in range(3):
        seed = rng.randrange(1000)
        new = redraw(SENIORS.problem, ChangeKind.EXAMPLES, ORACLE, agree=agree, seed=seed)
        for test in new.tests[:2]:
            assert len(test.input) < 220
            assert isinstance(parse_json(test.input), list)
