"""Tests that bring a function ``check``: when it would hide the program's own, it gets a name."""

from __future__ import annotations

import ast

import pytest

from codequake.problems.python_prompts import with_check_apart

NAME = "check_of_the_test"
PLAIN = "def check(candidate):\n    assert candidate(1) == 2\n"
# test text, entry point -> the text in which it is run
RENAMED = {
    "MBPP/349, whose entry point is check": (
        "def check(candidate):\n    assert check('1') == 'Yes'\ncheck(check)\n",
        "check",
        f"def {NAME}(candidate):\n    assert check('1') == 'Yes'\n{NAME}(check)\n",
    ),
    "MBPP/56, whose program has a check beside its entry point": (
        "def check(candidate):\n    assert check(70) == False\ncheck(rev)\n",
        "rev",
        f"def {NAME}(candidate):\n    assert check(70) == False\n{NAME}(rev)\n",
    ),
    "the candidate is called check": (
        PLAIN,
        "check",
        PLAIN.replace("check", NAME),
    ),
    "a name that is taken, letters of two bytes, other line ends": (
        "é = 'check_of_the_test'\r\ndef  check (f): return check(é)\r\né; check(é)\r\n",
        "up",
        f"é = 'check_of_the_test'\r\ndef  {NAME}_ (f): return check(é)\r\né; {NAME}_(é)\r\n",
    ),
    "the name stands on a line of its own": (
        "def \\\n  check(f):\n    assert check(1)\n",
        "up",
        f"def \\\n  {NAME}(f):\n    assert check(1)\n",
    ),
    "it is defined twice": (
        "def check(f): pass\ndef check(f): check(1)\n",
        "up",
        f"def {NAME}(f): pass\ndef {NAME}(f): check(1)\n",
    ),
}
AS_IT_IS = {
    "no need": (PLAIN, "up"),
    "only a word and an attribute": ("def check(f):\n    f.check = 'check'\n", "up"),
    "no function of that name": ("assert check(1) == 2\n", "check"),
    "nothing": ("", "check"),
}


@pytest.mark.parametrize("case", RENAMED)
def test_a_check_that_hides_the_program_is_renamed(case: str) -> None:
    test, entry_point, wanted = RENAMED[case]
    found, name = with_check_apart(test, ast.parse(test), entry_point)
    assert found == wanted
    defined = [node.name for node in ast.parse(found).body if isinstance(node, ast.FunctionDef)]
    assert set(defined) == {name}


@pytest.mark.parametrize("case", AS_IT_IS)
def test_every_other_test_stays_as_it_is(case: str) -> None:
    test, entry_point = AS_IT_IS[case]
    assert with_check_apart(test, ast.parse(test), entry_point) == (test, "check")
