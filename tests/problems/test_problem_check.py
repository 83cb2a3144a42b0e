"""The check of a set passes what is right and names each thing that is wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.problems.trusted_oracle import TrustedOracle, agree

from codequake.errors import CheckFailedError
from codequake.problems import (
    Finding,
    build_tests,
    check_problems,
    find_problem,
    load_set,
    rebuild_file,
)
from codequake.problems.authoring import read_authored
from codequake.problems.likeness import outline
from codequake.records import JsonText, Language, Problem, Reference, Test

ORACLE = TrustedOracle()
SUM = find_problem("starter-12/sum-of-evens")
ENERGY = find_problem("formulas-20/kinetic-energy")
CHECKED = 40  # of the 10,000 inputs of a formula prompt; the sandbox runs all of them in `quality`
FOLDER = Path(__file__).parents[2] / "src/codequake/problems"


@pytest.mark.parametrize("name", ["starter-12", "formulas-20"])
def test_bundled_sets_are_what_they_claim(name: str) -> None:
    problems = load_set(name)
    reports = list(check_problems(problems, ORACLE, agree=agree, formula_inputs=CHECKED))
    assert [report.problem_id for report in reports] == [item.problem_id for item in problems]
    assert [report for report in reports if report.findings] == []


def check(problem: Problem, *others: Problem) -> tuple[Finding, ...]:
    return next(
        check_problems((problem, *others), ORACLE, agree=agree, formula_inputs=CHECKED)
    ).findings


def messages(findings: Iterable[Finding], kind: str) -> str:
    return " | ".join(item.message for item in findings if item.check == kind)


def python(name: str, code: str) -> Reference:
    return Reference(name, Language.PYTHON, code)


def with_tests(problem: Problem, tests: Iterable[Test]) -> Problem:
    return dataclasses.replace(problem, tests=tuple(tests))


def test_a_wrong_expected_output_is_found() -> None:
    last = SUM.tests[-1]
    planted = dataclasses.replace(last, expected=JsonText("12345"))
    found = check(with_tests(SUM, (*SUM.tests[:-1], planted)))
    said = messages(found, "tests")
    assert "reference 'scan' fails hidden test 27" in said
    assert "reference 'halves' fails hidden test 27" in said
    assert "expected 12345" in said


def test_a_false_example_is_found() -> None:
    lying = dataclasses.replace(
        SUM, statement=SUM.statement.replace("Output: 6", "Output: 7", 1), structure=None
    )
    assert "shows the output 7 for visible test 1, which expects 6" in messages(
        check(lying), "examples"
    )
    energy = dataclasses.replace(
        ENERGY, statement=ENERGY.statement.replace("Output: 9.0", "Output: 9.1"), structure=None
    )
    assert "9.100000 for visible test 1" in messages(check(energy), "examples")


def test_references_that_disagree_are_found() -> None:
    inputs = [test.input for test in SUM.tests]
    known = "if repr(nums) in KNOWN: return sum(n for n in nums if n % 2 == 0)"
    memory = f"KNOWN = {[str(item)[1:-1].replace(',', ', ') for item in inputs]!r}\n"
    code = f"{memory}def sum_of_evens(nums):\n    {known}\n    return 1\n"
    split = dataclasses.replace(SUM, references=(SUM.references[0], python("memory", code)))
    found = check(split)
    assert messages(found, "tests") == ""
    assert "reference 'scan' gives" in messages(found, "generator")


def test_a_reference_that_crashes_is_found() -> None:
    code = "def sum_of_evens(nums): return max(nums) * 0 + sum(n for n in nums if n % 2 == 0)"
    broken = python("broken", code)
    found = check(dataclasses.replace(SUM, references=(SUM.references[0], broken)))
    assert "fails hidden test 4, input [[]]: ValueError" in messages(found, "tests")
    assert "on the fresh input [[]] reference 'broken' fails" in messages(found, "generator")


def test_a_wrong_program_that_survives_is_found() -> None:
    right = dataclasses.replace(SUM.references[0], name="right-after-all")
    silent = python("silent", "def other(): pass")
    found = check(dataclasses.replace(SUM, wrong=(*SUM.wrong, right, silent)))
    said = messages(found, "wrong")
    assert "no hidden test rejects the wrong program 'right-after-all'" in said
    assert "wrong program 'silent' never answers" in said
    assert "odd-instead" not in said


def test_visible_tests_do_not_save_a_wrong_program() -> None:
    visible = [test for test in SUM.tests if test.visible]
    empty = dataclasses.replace(SUM.tests[3], input=JsonText("[[]]"), expected=JsonText("0"))
    found = check(with_tests(SUM, (*visible, empty)))
    assert "rejects the wrong program 'odd-instead'" in messages(found, "wrong")
    assert "there are 1 hidden tests; allowed: 20 or more" in messages(found, "structure")


def test_visibility_is_held_against_the_statement() -> None:
    tests = list(SUM.tests)
    tests[0] = dataclasses.replace(tests[0], visible=False)
    tests[-1] = dataclasses.replace(tests[-1], visible=True)
    said = messages(check(with_tests(SUM, tests)), "structure")
    assert "test 1 is hidden, but its input stands in the statement" in said
    assert "test 27 is visible, but its input does not stand in the statement" in said


def test_a_missing_second_reference_and_generator_are_found() -> None:
    alone = dataclasses.replace(SUM, references=SUM.references[:1])
    assert "no second reference" in messages(check(alone), "references")
    blind = dataclasses.replace(SUM, generator=None)
    assert "neither a generator nor a formula" in messages(check(blind), "generator")
    other = dataclasses.replace(SUM, generator="def generate(rng, size): return size")
    assert "generate(rng, 0) gives an input that is not a list of 1" in messages(
        check(other), "generator"
    )


def test_equal_references_are_found_across_names_and_numbers() -> None:
    code = SUM.references[0].code.replace("total", "all_of_it").replace("number", "n")
    again = dataclasses.replace(SUM, references=(*SUM.references, python("again", code)))
    assert "'again' is the same program as starter-12/sum-of-evens / scan" in messages(
        check(again), "references"
    )
    other = dataclasses.replace(SUM, problem_id="own/copy")
    reports = list(check_problems((SUM, other), ORACLE, agree=agree))
    assert reports[0].findings == ()
    assert "is the same program as starter-12" in messages(reports[1].findings, "references")


def test_an_id_that_stands_twice_is_found() -> None:
    assert "the id stands 2 times" in messages(check(SUM, SUM), "structure")


def test_contradictions_of_the_structure_are_found() -> None:
    structure = SUM.structure
    assert structure is not None
    first, second, third = structure.domains
    twice = dataclasses.replace(
        structure,
        domains=(
            dataclasses.replace(first, glossary=first.glossary[1:]),
            dataclasses.replace(
                second,
                name=first.name,
                renames=tuple(dataclasses.replace(pair, new="nums") for pair in second.renames),
            ),
            dataclasses.replace(third, renames=()),
        ),
    )
    said = messages(
        check(dataclasses.replace(SUM, structure=twice, statement=SUM.statement + " ")),
        "structure",
    )
    for message in (
        "does not render to the flat one",
        "a domain stands twice",
        "does not fit the slots of the statement: items",
        "renames to 'nums', which stands in the statement already",
        "renames two names to one",
        "domain 'quiz' has renames that are not those of sum_of_evens, nums",
    ):
        assert message in said


def test_a_malformed_record_is_reported_and_not_raised() -> None:
    bad = with_tests(SUM, (dataclasses.replace(SUM.tests[0], expected=JsonText("6 6")),))
    (finding,) = check(bad)
    assert finding.check == "structure"
    assert "an expected output that is not JSON" in finding.message


def test_c_programs_are_compared_by_their_tokens() -> None:
    one = Reference("one", Language.C, "int main(void) { /* x */ double a = 1; return a * 2; }")
    two = Reference("two", Language.C, "int main(void){double zz=7.5;return zz*3;} // y")
    three = Reference("three", Language.C, "int main(void){double zz=7.5;return zz+3;}")
    assert outline(one) == outline(two)
    assert outline(one) != outline(three)
    assert outline(python("bad", "def (")) == "def ("


PATHS = sorted([*FOLDER.glob("starter/*.toml"), *FOLDER.glob("formulas/*.toml")])


def test_stored_tests_are_those_that_the_builder_makes(tmp_path: Path) -> None:
    assert len(PATHS) == 32
    for path in PATHS:
        copy = tmp_path / path.name
        copy.write_text(path.read_text("utf-8").split("\n[tests]\n")[0], "utf-8")
        assert rebuild_file(copy, ORACLE)
        assert copy.read_bytes() == path.read_bytes()
        assert not rebuild_file(copy, ORACLE)


def test_tests_begin_with_the_edge_cases_and_leave_the_examples_out() -> None:
    authored = read_authored(FOLDER / "starter" / "sum-of-evens.toml")
    tests = build_tests(authored, ORACLE)
    assert tuple(test.input for test in tests[: len(authored.edges)]) == authored.edges
    assert not any(test.visible for test in tests)
    other = build_tests(authored, ORACLE, seed=21)
    assert [test.input for test in other] != [test.input for test in tests]
    shown = dataclasses.replace(authored, edges=(authored.problem.tests[0].input,))
    assert shown.edges[0] not in {test.input for test in build_tests(shown, ORACLE)}


def test_too_few_inputs_and_failing_references_are_said(tmp_path: Path) -> None:
    authored = read_authored(FOLDER / "starter" / "sum-of-evens.toml")
    stuck = dataclasses.replace(
        authored.problem, generator="def generate(rng, size): return [[size % 3]]"
    )
    with pytest.raises(CheckFailedError, match=r"give 8 hidden inputs; allowed: 24 or more"):
        build_tests(dataclasses.replace(authored, problem=stuck), ORACLE)
    broken = python("broken", "def sum_of_evens(nums): return nums[0]")
    failing = dataclasses.replace(authored.problem, references=(broken,))
    with pytest.raises(CheckFailedError, match="reference 'broken' gives no output for"):
        build_tests(dataclasses.replace(authored, problem=failing), ORACLE)


def test_text_that_toml_cannot_hold_is_escaped(tmp_path: Path) -> None:
    text = (FOLDER / "starter" / "count-vowels.toml").read_text("utf-8").split("\n[tests]\n")[0]
    path = tmp_path / "count-vowels.toml"
    edge = r'["\u0027\u0027\u0027 \u0007é\\"]'
    path.write_text(text.replace('[""]', edge), "utf-8")
    assert rebuild_file(path, ORACLE)
    problem = read_authored(path).problem
    assert problem.tests[3].input == "[\"''' \\u0007é\\\\\"]"
