from __future__ import annotations

import pytest
from tests.metrics.program_samples import pair, side

from codequake.metrics.comments import CONFOUNDED, comment_drops, vanished_comments
from codequake.metrics.measure_changes import PairedValue, measure_changes, program_values
from codequake.metrics.program_pairs import ProgramPair
from codequake.records import Language, Status
from codequake.stats import Missing

WITH, WITHOUT, BROKEN = "x = 1  # why\n", "x = '#'\n", "x = (\n"


def one(
    problem: str,
    clean: tuple[str, bool | None],
    changed: tuple[str, bool | None],
    sample: int = 0,
) -> ProgramPair:
    return pair(
        side(clean[0], passed=clean[1]),
        side(changed[0], passed=changed[1]),
        problem=problem,
        sample=sample,
    )


PAIRS = (
    one("a", (WITH, True), (WITHOUT, False)),  # lost: falls by 1
    one("b", (WITH, True), (WITHOUT, False)),  # lost: 1
    one("c", (WITH, True), (WITHOUT, True)),  # lost: 0 ...
    one("c", (WITH, True), (WITHOUT, False), 1),  # ... and 1, so 1/2
    one("d", (WITH, True), (WITH, True)),  # kept: 0
    one("e", (WITH, True), (WITH, False)),  # kept: 1
    one("a", (WITH, False), (WITH, True), 1),  # kept: -1
    one("f", (WITHOUT, True), (WITH, False)),  # never had any
    one("g", (WITH, True), (BROKEN, False)),
    one("h", (WITH, True), (WITHOUT, None)),
)


def test_drops_of_those_that_keep_and_lose_comments() -> None:
    (found,) = comment_drops(PAIRS)
    assert (found.problems_kept, found.problems_lost) == (3, 3)
    assert found.drop_lost == pytest.approx((1 + 1 + 0.5) / 3)
    assert found.drop_kept == pytest.approx(0.0)
    assert found.difference == pytest.approx(2.5 / 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 2.5 / 3 < found.high
    assert {item.reason: item.count for item in found.left_out} == {
        "a reply is pending": 1,
        "changed program: it does not parse": 1,
        "the clean program has no comment": 1,
    }
    assert found.note == CONFOUNDED
    assert "approximate" in found.method
    assert comment_drops(PAIRS[::-1]) == (found,)


def test_one_group_alone_has_no_difference() -> None:
    (found,) = comment_drops(PAIRS[:2])
    assert (found.drop_lost, found.drop_kept, found.difference) == (1.0, None, None)
    assert (found.low, found.high, found.method) == (None, None, "")
    assert found.note.endswith("No interval: one of the groups has fewer than 2 problems.")
    assert comment_drops(()) == ()


def test_exhibit_of_comments_that_vanish_with_the_pass() -> None:
    found = vanished_comments(PAIRS)
    assert [(item.problem_id, item.sample) for item in found] == [("a", 0), ("b", 0), ("c", 1)]
    assert found[0].clean_comments == 1
    assert (found[0].clean_program, found[0].changed_program) == (WITH, WITHOUT)
    assert found[0].changed_status is Status.WRONG_ANSWER


def test_changes_of_measures() -> None:
    double = "x = 1\ny = 2\n"
    pairs = [
        one("a", (double, True), (WITH, True)),
        one("b", (WITH, True), (BROKEN, True)),
        one("b", (WITH, True), (double, True), 1),
        one("b", (WITH, True), (WITH, True), 2),
        one("c", ("", True), (WITH, True)),
    ]
    values = program_values(pairs)
    (lines,) = measure_changes("code_lines", values["code_lines"], seed=1)
    # a: 2 to 1; b: the mean of 1 to 2 and 1 to 1.
    assert (lines.clean, lines.changed, lines.change) == (1.5, 1.25, -0.25)
    assert lines.problems == 2
    assert {item.reason: item.count for item in lines.left_out} == {
        "changed program: it does not parse": 1,
        "clean program: there is no program": 1,
    }
    (density,) = measure_changes("comment_density", values["comment_density"], seed=1)
    assert density.change == pytest.approx((1.0 + -0.5) / 2)
    shuffled = measure_changes("code_lines", values["code_lines"][::-1], seed=1)
    assert shuffled == (lines,)


def test_a_measure_that_a_language_lacks_is_missing() -> None:
    text = "int main(){}"
    both = pair(side(text), side(text), language=Language.C)
    (nodes,) = measure_changes("nodes", program_values([both])["nodes"], seed=1)
    assert (nodes.change, nodes.problems) == (None, 0)
    assert nodes.missing == "no pair of programs has this measure on both sides"
    assert nodes.left_out[0].reason == "clean program: it is not measured in this language"


def test_one_problem_has_no_interval() -> None:
    value = PairedValue("m", "f", "p", 1.0, 3.0)
    (found,) = measure_changes("entropy", [value], seed=1)
    assert (found.change, found.low, found.method) == (2.0, None, "")
    assert found.note == "No interval: one problem has no spread."
    gone = PairedValue("m", "f", "p", 1.0, Missing("why"))
    (found,) = measure_changes("entropy", [gone], seed=1)
    assert found.left_out[0].reason == "changed program: why"
    assert measure_changes("entropy", [], seed=1) == ()
