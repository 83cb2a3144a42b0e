from __future__ import annotations

import pytest
from tests.grading.grading_samples import ADD, MAIN, completion

from codequake.grading import Grader
from codequake.grading.digests import RIGHT, digest_of
from codequake.records import Comparison, Interface, OutputOrder, Status

PLAIN = Comparison()
FUNCTION, STDIN = Interface.FUNCTION, Interface.STDIN


@pytest.mark.parametrize(
    ("one", "other", "interface", "comparison", "alike"),
    [
        ("1", "1.0", FUNCTION, PLAIN, True),
        ("-0.0", "0", FUNCTION, PLAIN, True),
        ("0.30000000000000004", "0.3", FUNCTION, PLAIN, True),
        ("2.9999999999999996", "3", FUNCTION, PLAIN, True),
        ("0.3", "0.30001", FUNCTION, PLAIN, False),
        ("0.301", "0.302", FUNCTION, Comparison(digits=2), True),
        ("0.31", "0.32", FUNCTION, Comparison(digits=2), False),
        ("true", "1", FUNCTION, PLAIN, False),
        ('"1"', "1", FUNCTION, PLAIN, False),
        ("[1,2]", "[2,1]", FUNCTION, PLAIN, False),
        ("[1,2]", "[2,1]", FUNCTION, Comparison(order=OutputOrder.UNORDERED), True),
        ('{"$set":[1,2]}', '{"$set":[2,1]}', FUNCTION, PLAIN, True),
        ('{"a":1,"b":2.0}', '{"b":2,"a":1}', FUNCTION, PLAIN, True),
        ('"3  4\\n"', '"03 4.0"', STDIN, PLAIN, True),
        ('"a b"', '"b a"', STDIN, PLAIN, False),
        ('"a b"', '"b a"', STDIN, Comparison(order=OutputOrder.UNORDERED), True),
        ('"NaN -inf"', '"nan -Infinity"', STDIN, PLAIN, True),
        ('"1.5e3"', '"1500"', STDIN, PLAIN, True),
        ("[" * 20_000 + "]" * 20_000, "[]", FUNCTION, PLAIN, False),
        ("\ud800", "\ud801", FUNCTION, PLAIN, False),
    ],
)
def test_outputs_that_agree_have_one_mark(
    one: str, other: str, interface: Interface, comparison: Comparison, alike: bool
) -> None:
    first, second = (digest_of(item, comparison, interface) for item in (one, other))
    assert (first == second) is alike
    assert len(first) == 16
    assert set(first) <= set("0123456789abcdef")


def test_verdicts_mark_each_test(grader: Grader) -> None:
    code = "def add(a, b):\n    if a == 5: raise KeyError\n    return abs(a) + abs(b) + 1.0"
    verdict = grader.grade(ADD, completion(code), None)
    outputs = [test.expected for test in ADD.tests]
    assert verdict.status is not Status.PASSED
    assert len(verdict.outputs) == len(outputs)
    assert "!crashed" in verdict.outputs
    again = grader.grade(ADD, completion(code.replace("1.0", "1")), None)
    assert again.outputs == verdict.outputs


def test_a_right_output_is_marked_so_however_it_is_written(grader: Grader) -> None:
    code = "def add(a, b):\n    return float(a + b) if a != 5 else 'x'"
    verdict = grader.grade(ADD, completion(code), None)
    assert verdict.outputs.count(RIGHT) == 2
    assert digest_of('"x"', ADD.comparison, ADD.interface) in verdict.outputs


@pytest.mark.parametrize("text", ["def add(a, b):\n    return a + b", "no code", "def add(a b):"])
def test_no_marks_where_all_passed_or_none_ran(grader: Grader, text: str) -> None:
    assert grader.grade(ADD, completion(text), None).outputs == ()


def test_main_programs_have_marks(grader: Grader) -> None:
    verdict = grader.grade(MAIN, completion("print(input() + ' x')"), None)
    assert len(verdict.outputs) == len(MAIN.tests)
    assert RIGHT not in verdict.outputs
