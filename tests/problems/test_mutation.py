"""Mechanical mutants differ in one place, and those that survive are told apart."""

from __future__ import annotations

import ast
import dataclasses
import random

from tests.problems.trusted_oracle import TrustedOracle, agree

from codequake.problems import find_problem
from codequake.problems.mutation import mutants_of
from codequake.problems.mutation_score import mutation_score
from codequake.records import Language, Reference

ORACLE = TrustedOracle()
COUNT = find_problem("starter-12/count-target")


def python(code: str) -> Reference:
    return Reference("p", Language.PYTHON, code)


def test_every_kind_of_change_is_made_once() -> None:
    code = '''
def f(nums, k):
    """Docstrings stay."""
    best = 0
    for i, x in enumerate(nums[1:k]):
        if x < k and not x == 2:
            best += x * 3
            continue
    return max(best, k) if best else -k
'''
    found = {item.what: item.code for item in mutants_of(python(code), random.Random(0), 1000)}
    for what in (
        "line 6: x < k became x <= k",
        "line 6: x < k became x > k",
        "line 6: x < k and (not x == 2) became x < k or not x == 2",
        "line 6: not x == 2 became x == 2",
        "line 7: best += x * 3 became best -= x * 3",
        "line 7: best += x * 3 became nothing",
        "line 7: x * 3 became x + 3",
        "line 7: 3 became 4",
        "line 7: 3 became 2",
        "line 8: continue became nothing",
        "line 9: -k became k",
        "line 9: max became min",
        "line 9: max(best, k) became max(k, best)",
        "line 9: max(best, k) if best else -k became -k if best else max(best, k)",
    ):
        assert what in found, what
    assert any("nums[1:k]" not in text and "nums[1:]" in text for text in found.values())
    assert len(set(found.values())) == len(found)
    for text in found.values():
        ast.parse(text)
        assert "Docstrings stay." in text
        assert text != ast.unparse(ast.parse(code))


def test_a_number_of_mutants_is_drawn_the_same_each_time() -> None:
    program = COUNT.references[0]
    five = mutants_of(program, random.Random(5), 5)
    assert len(five) == 5
    assert five == mutants_of(program, random.Random(5), 5)
    assert set(five) <= set(mutants_of(program, random.Random(9), 1000))


def test_programs_without_mutants() -> None:
    assert mutants_of(Reference("c", Language.C, "int main(){}"), random.Random(0), 9) == ()
    assert mutants_of(python("def f(:"), random.Random(0), 9) == ()
    assert mutants_of(python("pass"), random.Random(0), 9) == ()


def test_survivors_are_missed_or_may_be_equivalent() -> None:
    code = "def count_target(nums, target):\n    return sum(x == target for x in nums) * 1 // 1\n"
    only = dataclasses.replace(COUNT, references=(python(code),))
    (score,) = mutation_score(only, ORACLE, agree=agree, seed=0, count=1000)
    told = {item.what: item.witness for item in score.survivors}
    # Times one over one is the same remainder-free number in several spellings.
    assert told == {
        "line 2: sum((x == target for x in nums)) * 1 // 1 became "
        "sum((x == target for x in nums)) * 1 * 1": None
    }
    assert score.mutants > 8
    assert score.missed == 0
    # One test, of an empty list, rejects little; the generator shows what it misses.
    first = next(test for test in COUNT.tests if test.input == "[[],0]")
    weak = dataclasses.replace(only, tests=(first,))
    (score,) = mutation_score(weak, ORACLE, agree=agree, seed=0, count=1000)
    assert score.missed >= 4
    witness = next(item.witness for item in score.survivors if "!=" in item.what)
    assert witness is not None
    assert witness != "[[],0]"
