"""A test is visible where its input stands in the final text of a prompt, however it is shown."""

from __future__ import annotations

import dataclasses

import pytest

from codequake.problems import find_problem, load_set, shown_tests
from codequake.records import Interface, JsonText, Problem, Test

COUNT = find_problem("starter-12/count-target")


def with_inputs(*inputs: str, interface: Interface = Interface.FUNCTION) -> Problem:
    tests = tuple(Test(JsonText(item), JsonText("0"), visible=False) for item in inputs)
    return dataclasses.replace(COUNT, tests=tests, interface=interface)


@pytest.mark.parametrize("name", ["starter-12", "formulas-20", "quake-100"])
def test_clean_prompts_show_what_their_authors_call_visible(name: str) -> None:
    for problem in load_set(name):
        visible = tuple(index for index, test in enumerate(problem.tests) if test.visible)
        assert shown_tests(problem, problem.statement) == visible, problem.problem_id


FUNCTION = with_inputs("[[1,2],3]", "[[1,2,3],3]", '[["a b",true],null]', "[[],7]")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Input: nums = [1, 2], target = 3", (0,)),
        ("Input: nums = [1,2], k = 3\nOutput: 1", (0,)),
        ("**Input:** `salaries = [1,2], bonus = 3`", (0,)),
        ("  nums=[1,2],target=3.", (0,)),
        ("nums = [1, 2, 3], target = 3", (1,)),
        ('Input: nums = ["a b", true], target = null', (2,)),
        ('Input: nums = ["a b", True], target = None', (2,)),
        ("Input: nums = ['a b', True], target = None", (2,)),
        ("For count_target([1, 2], 3) the answer is 1.", (0,)),
        (">>> count_target([], 7)\n0", (3,)),
        ("count_target([1, 2], 3) and count_target([1, 2, 3], 3)", (0, 1)),
        ("Input: nums = [1, 2], target = 33", ()),
        ("Input: nums = [1, 2]", ()),
        ("Input: nums = [11, 2], target = 3", ()),
        ("other([1, 2], 3)", ()),
        ("", ()),
    ],
)
def test_arguments_of_a_call(text: str, wanted: tuple[int, ...]) -> None:
    assert shown_tests(FUNCTION, f"Some task.\n{text}\nMore.") == wanted


def test_a_renamed_function_shows_its_calls() -> None:
    text = "sales_of_size([1, 2], 3) is 1"
    assert shown_tests(FUNCTION, text) == ()
    assert shown_tests(FUNCTION, text, "sales_of_size") == (0,)


STDIN = with_inputs(r'"3\n1 2 3\n"', r'"7\n"', r'"\n"', interface=Interface.STDIN)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Input:\n3\n1 2 3\nOutput:\n6", (0,)),
        ("Input\n\n3  \n\n  1 2 3\n\nOutput\n6", (0,)),
        ("Sample Input 1:\n3\n1 2 3", (0,)),
        ("Input: 7\nOutput: 7", (1,)),
        ("Take 7 of them.", ()),
        ("Input:\n3\n1 2 3 4", ()),
        ("Input:\n1 2 3\n3", ()),
    ],
)
def test_lines_of_standard_input(text: str, wanted: tuple[int, ...]) -> None:
    assert shown_tests(STDIN, text) == wanted


ADDED = dataclasses.replace(
    find_problem("starter-12/count-target"),
    tests=tuple(
        Test(JsonText(given), JsonText("0"), visible=False)
        for given in ("[[1,2],3]", '["a b",1]', '["ab",1]', "[[1,2],-3]")
    ),
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Input:\nnums = [1,2]\ntarget = 3\nOutput: 0", (0,)),
        ("Input: [1, 2], 3", (0,)),
        ("Input: [1, 2], -3", (3,)),
        ("nums: [1, 2], target: 3", (0,)),
        ('{"nums": [1, 2], "target": 3}', (0,)),
        ("- `nums = [1, 2]`, `target = 3`", (0,)),
        ("With nums = [1, 2] and target = 3 the answer is 0.", (0,)),
        ("Input: nums = [1, 2], target = 3 -> 0", (0,)),
        ("Input: nums = [1, 2], target = 31", ()),
        ("Input: nums = [1, 2], target = 3.5", ()),
        ('Input: nums = "a b", target = 1', (1,)),
        ("Input: nums = 'ab', target = 1", (2,)),
        ('Input: nums = "AB", target = 1', ()),
        ("Output: [1, 2]\nresult: 3", ()),
    ],
)
def test_other_forms_of_an_example_show_it(text: str, shown: tuple[int, ...]) -> None:
    assert shown_tests(ADDED, text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Input: n = 5\nOutput: 7", (0,)),
        ("Input: 5\nOutput: 7", (0,)),
        ("Input: -5\nOutput: 7", ()),
        ("Input: n = 6\nOutput: 5", ()),
        ("If n = 5 there is a shortcut.", ()),
    ],
)
def test_a_single_number_is_shown_where_a_line_says_nothing_else(
    text: str, shown: tuple[int, ...]
) -> None:
    problem = dataclasses.replace(
        find_problem("starter-12/digit-sum"),
        tests=(Test(JsonText("[5]"), JsonText("0"), visible=False),),
    )
    assert shown_tests(problem, text) == shown
