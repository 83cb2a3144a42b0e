"""The gate: good prompts pass, and each kind of damage is named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from tests.perturb.small_problems import COUNT, SOLVE, KnownAnswers
from tests.perturb.test_perturb_making import batch, spec

from codequake.canonical import canonical_json
from codequake.perturb import Draft, check_draft
from codequake.perturb.examples import Example, check_examples, read_examples, run_examples
from codequake.problems import render_statement
from codequake.records import Check, JsonText, Problem, Step
from codequake.statements import SectionKind, Sentence

CHAIN = (Step("by-hand", JsonText("{}")),)


def failed(problem: Problem, text: str, oracle: KnownAnswers | None = None) -> dict[str, str]:
    checks = check_draft(problem, Draft(text, CHAIN), oracle)
    return {check.name: check.detail for check in checks if not check.passed}


def test_the_clean_prompts_pass_by_execution() -> None:
    for problem in (COUNT, SOLVE):
        oracle = KnownAnswers()
        assert failed(problem, problem.statement, oracle) == {}
        assert oracle.asked == len([test for test in problem.tests if test.visible])


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda text: text.replace("Output: 2", "Output: 3"), {"examples", "examples_run"}),
        (lambda text: text.replace("[1, 2, 1], target = 1", "[1, 2, 1], target = 2"),
         {"examples", "examples_run"}),
        (lambda text: text.replace("<= 100", "<= 1000"), {"numbers", "protected", "sections"}),
        (lambda text: text.replace("`0 <= len", "`0 < len"), {"protected", "sections"}),
        (lambda text: text.replace("- `-50 <= target <= 50`", ""), {"numbers", "sections"}),
        (lambda text: text + "\n- `nums` is a palindrome.", {"sections"}),
        (lambda text: text + "\n- `nums` must be sorted.", {"sections"}),
        (lambda text: text + "\n- The length is a multiple of 3.", {"numbers", "sections"}),
        (lambda text: text + "\n- `nums[0] >= 0`", {"numbers", "names", "sections"}),
        (lambda text: text.replace("count_target", "count_it"), {"names", "protected"}),
        (lambda text: text.replace("`nums`", "`values`"), {"names", "protected", "sections"}),
        (lambda text: text.replace("An integer", "A number"), {"sections"}),
        (lambda text: text.replace("\n\nOutput:\n", "\n"), {"sections", "examples"}),
        (lambda text: text.replace("Example 2:", ""), {"numbers", "sections"}),
        (lambda text: text.split("Example 2:")[0], {"numbers", "sections", "examples"}),
        (lambda text: "", {"numbers", "names", "protected", "sections", "examples"}),
        (lambda text: "Here is the prompt:\n\n" + text, set()),
        (lambda text: text + text, {"numbers", "sections"}),
        (lambda text: text.replace("target = -7", "target = minus"), {"numbers", "examples"}),
    ],
)  # fmt: skip
def test_damage_is_named(change: Callable[[str], str], names: set[str]) -> None:
    text = change(COUNT.statement)
    assert text != COUNT.statement
    assert names <= set(failed(COUNT, text, KnownAnswers()))
    if not names:
        assert failed(COUNT, text, KnownAnswers()) == {}


def falsified(sentence: Sentence) -> Sentence:
    """The sentence, with the output 1 where it showed 2."""
    if sentence.spans[0].text != "Output: " or sentence.spans[1].text != "2":
        return sentence
    return Sentence((sentence.spans[0], dataclasses.replace(sentence.spans[1], text="1")))


def test_a_false_example_rejects_even_where_the_tests_agree_with_it() -> None:
    text = COUNT.statement.replace("Output: 2", "Output: 1")
    assert COUNT.structure is not None
    sections = tuple(
        dataclasses.replace(section, sentences=tuple(map(falsified, section.sentences)))
        for section in COUNT.structure.sections
    )
    structure = dataclasses.replace(COUNT.structure, sections=sections)
    assert render_statement(structure) == text
    tests = (dataclasses.replace(COUNT.tests[0], expected=JsonText("1")), *COUNT.tests[1:])
    fooled = dataclasses.replace(COUNT, statement=text, structure=structure, tests=tests)
    assert "examples_run" not in failed(fooled, text, None)
    found = failed(fooled, text, KnownAnswers())
    assert found["examples_run"] == "example 1 shows '1', the reference gives another"


def test_a_reference_that_fails_rejects() -> None:
    class Broken(KnownAnswers):
        def answers(self, *_: object) -> tuple[object, ...]:  # type: ignore[override]
            from codequake.ports import Answer

            return tuple(Answer(None, "it crashed") for _ in range(2))

    found = failed(COUNT, COUNT.statement, Broken())
    assert found == {"examples_run": "the reference fails on example 1: it crashed"}


def variant_draft(**changes: object) -> Draft:
    (variant,) = batch(SOLVE, spec("formula", 1, distance=2)).variants
    draft = Draft(
        variant.text,
        variant.chain,
        variant.formula,
        variant.distance,
        variant.distance_proved,
        variant.assumptions,
    )
    return dataclasses.replace(draft, **changes)  # type: ignore[arg-type]


def formula_failures(draft: Draft) -> dict[str, str]:
    checks = check_draft(SOLVE, draft, KnownAnswers())
    return {check.name: check.detail for check in checks if not check.passed}


def with_formula(text: str, distance: int) -> Draft:
    return variant_draft(
        text=SOLVE.statement.replace("a*x+b=0", text), formula=text, distance=distance
    )


def test_a_good_formula_passes() -> None:
    assert formula_failures(variant_draft()) == {}
    assert formula_failures(with_formula("0=a*x+b", 1)) == {}
    assert formula_failures(with_formula("(a*x+b)/a=0/a", 1)) == {}


@pytest.mark.parametrize(
    ("text", "distance", "names"),
    [
        ("a*x-b=0", 1, {"equivalent", "distance"}),
        ("b=a*x", 1, {"equivalent", "distance"}),
        ("(a*x+b)*x=0*x", 1, {"equivalent", "distance"}),
        ("(a*x+b)/b=0/b", 1, {"equivalent"}),
        ("(a*x+b)*b=0*b", 1, {"equivalent"}),
        ("a*x+b+0=0", 2, {"distance"}),
        ("a*x+b+0=0+0", 1, {"distance"}),
        ("-b=a*x", 1, {"distance"}),
        ("a*x+b=", 1, {"formula_parses"}),
        ("a*x+q=0", 1, {"formula_parses"}),
    ],
)
def test_a_wrong_formula_is_rejected(text: str, distance: int, names: set[str]) -> None:
    assert set(formula_failures(with_formula(text, distance))) == names


def test_nothing_but_the_formula_may_change() -> None:
    draft = variant_draft()
    text = draft.text.replace("6 digits", "5 digits")
    assert "formula_only" in formula_failures(dataclasses.replace(draft, text=text))


def test_the_check_of_a_formula_is_a_certificate() -> None:
    checks = check_draft(SOLVE, variant_draft(), None)
    detail = next(check.detail for check in checks if check.name == "equivalent")
    assert detail.startswith("equivalent by random evaluation in a prime field, then balls")
    assert "python-flint" in detail
    proof = next(check.detail for check in checks if check.name == "distance")
    assert proof == "2, proved, from a*x+b=0"


@pytest.mark.parametrize(
    ("lines", "value", "output"),
    [
        (("Input: nums = [1, 2], target = -3", "Output: 0"), [[1, 2], -3], "0"),
        (("Input: nums = [], target = 1", "Output: 0", "Explanation: no", ""), [[], 1], "0"),
        (('Input: text = "a, b = 1", n = 2', 'Output: "x"'), ["a, b = 1", 2], '"x"'),
        (('Input: text = "say \\"[\\", x = 1"', "Output: True"), ['say "[", x = 1'], "True"),
        (("Input: rows = [[1, 2], [3]], flag = None", "Output: [[1]]"), [[[1, 2], [3]], None],
         "[[1]]"),
    ],
)  # fmt: skip
def test_examples_of_functions_are_read(
    lines: tuple[str, ...], value: list[object], output: str
) -> None:
    (example,) = read_examples(COUNT, lines)
    assert example == Example(JsonText(canonical_json(value)), output)


def test_examples_of_programs_are_read() -> None:
    lines = ("Example 1:", "Input:", "3", "foo bar", "Output:", "2", "Total: 5", "",
             "Example 2:", "Input: 1 2", "Output: 3")  # fmt: skip
    one, two = read_examples(SOLVE, lines)
    assert one == Example(JsonText('"3\\nfoo bar\\n"'), "2\nTotal: 5")
    assert two == Example(JsonText('"1 2\\n"'), "3")


@pytest.mark.parametrize(
    ("shown", "passes"),
    [
        ("2.000000", True),
        ("2", True),
        ("2.0000004", True),
        ("2.1", False),
        ("-2.000000", False),
        ("nan", False),
        ("two", False),
        ("2.0 2.0", False),
        ("", False),
    ],
)
def test_numbers_of_examples_are_compared_as_the_task_prints_them(shown: str, passes: bool) -> None:
    example = Example(JsonText('"2 -4\\n"'), shown)
    for check in (
        check_examples(SOLVE, (example,)),
        run_examples(SOLVE, (example,), KnownAnswers()),
    ):
        assert isinstance(check, Check)
        assert check.passed is passes


@pytest.mark.parametrize("shown", ["True", "2.0", "'2'", "[2]", "__import__('os')", "2 +"])
def test_values_of_examples_have_their_type(shown: str) -> None:
    example = Example(JsonText("[[1,2,1],1]"), shown)
    assert not run_examples(COUNT, (example,), KnownAnswers()).passed


def test_an_input_that_is_no_list_of_arguments_rejects() -> None:
    for shown in ("[1, 2, 1]", "nums: [1]", "nums = [1, target = 2", "= 3"):
        text = COUNT.statement.replace("nums = [1, 2, 1], target = 1", shown)
        assert "examples" in failed(COUNT, text)


def test_only_examples_sections_are_read() -> None:
    assert COUNT.structure is not None
    kinds = [section.kind for section in COUNT.structure.sections]
    assert kinds.count(SectionKind.EXAMPLES) == 1
    text = COUNT.statement.replace("An integer,", "An integer,")
    assert failed(COUNT, text, KnownAnswers()) == {}
