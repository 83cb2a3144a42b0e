"""LiveCodeBench: known defects, tolerances, and what scraping did to tests and texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codequake.errors import DataError
from codequake.grading import outputs_agree
from codequake.perturb import PerturbationSpec, make_variants
from codequake.problems import ProblemFile, find_problem, load_set, read_set
from codequake.problems.errata import ERRATA, Defect, comparison_in, erratum_in_text
from codequake.problems.scraped import restore_powers, scraped_value
from codequake.records import Comparison, JsonText, OutputOrder
from codequake.study.checking import check_sets
from codequake.study.config import load_study
from codequake.study.folder import StudyFolder
from codequake.study.progress import Silent
from codequake.study.run import make_study_variants

STDIN: dict[str, Any] = {
    "question_content": "Print the number.",
    "starter_code": "",
    "public_test_cases": '[{"input": "1", "output": "2", "testtype": "stdin"}]',
    "private_test_cases": "[]",
    "metadata": "{}",
}


def call(signature: str, cases: list[tuple[str, str]], text: str = "Do it.") -> dict[str, Any]:
    tests = [{"input": one, "output": two, "testtype": "functional"} for one, two in cases]
    return {
        "question_id": "1",
        "question_content": text,
        "starter_code": f"class Solution:\n    def f(self, {signature}:\n        ",
        "public_test_cases": json.dumps(tests),
        "private_test_cases": "[]",
        "metadata": '{"func_name": "f"}',
    }


def read(path: Path, *rows: dict[str, Any], query: str = "") -> ProblemFile:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return read_set(f"lcb:{path}{query}")


def test_the_list_of_known_defects_is_real() -> None:
    names = [item.name for item in ERRATA]
    assert len(set(names)) == len(names) >= 30
    assert all(item.source for item in ERRATA)
    by_name = {item.name: item.defect for item in ERRATA}
    # From the project's own list and from its issues 106 and 129.
    assert by_name["abc311_c"] is Defect.SEVERAL_ANSWERS
    assert by_name["abc343_a"] is Defect.SEVERAL_ANSWERS
    assert by_name["abc355_e"] is Defect.INTERACTIVE
    assert by_name["most-frequent-ids"] is Defect.WRONG_TESTS
    assert by_name["abc315_f"] is Defect.TOLERANCE
    assert by_name["find-the-peaks"] is Defect.ANY_ORDER


def test_known_defects_are_left_out_and_told(tmp_path: Path) -> None:
    rows = [
        STDIN | {"question_id": "abc343_a"},
        STDIN | {"question_id": "7", "question_title": "most-frequent-ids"},
        STDIN | {"question_id": "fine"},
    ]
    found = read(tmp_path / "a.jsonl", *rows)
    assert [item.problem_id for item in found.problems] == ["lcb/fine"]
    assert found.faults == ()
    several, wrong = found.told()
    assert several == (
        "lcb/abc343_a left out: several answers are right and the tests know one "
        "(LiveCodeBench, issue 106); errata=keep takes it"
    )
    assert wrong.startswith("lcb/7 left out: tests contradict the text (LiveCodeBench, ERRATA.md")
    kept = read(tmp_path / "a.jsonl", *rows, query="?errata=keep")
    assert len(kept.problems) == 3
    assert kept.left_out == ()
    assert [note.problem_id for note in kept.notes] == ["lcb/abc343_a", "lcb/7"]
    only = read(tmp_path / "a.jsonl", *rows, query="?errata=only")
    assert [item.problem_id for item in only.problems] == ["lcb/abc343_a", "lcb/7"]
    # The first so many are counted before any is left out, so a slice does not move.
    more = STDIN | {"question_id": "more"}
    first = read(tmp_path / "a.jsonl", rows[0], rows[2], more, query="?first=2")
    assert [item.problem_id for item in first.problems] == ["lcb/fine"]
    assert len(first.left_out) == 1


def test_a_set_of_defects_alone_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(STDIN | {"question_id": "abc343_a"}))
    with pytest.raises(DataError, match=r"no problem is left: 0 do not pass the filter, 1 have"):
        read_set(f"lcb:{path}")


@pytest.mark.parametrize(
    "text",
    [
        "If there are multiple solutions, print any of them.",
        "If several answers exist, you can output any.  If there are multiple answers, any is fine",
        "Print any such permutation.",
        "If there are multiple answers, return any of them.",
        "Return any valid arrangement.",
        "You may print any of these. They are all right.",
        "If multiple solutions exist, any of them will be accepted.",
        "Any correct answer will be accepted.",
        "Find any one of them.",
    ],
)
def test_texts_that_take_any_answer(tmp_path: Path, text: str) -> None:
    found = erratum_in_text("x", text)
    assert found is not None
    assert found.leaves_out
    read_back = read(
        tmp_path / "a.jsonl",
        STDIN | {"question_id": "1", "question_content": text},
        STDIN | {"question_id": "2"},
    )
    assert [item.problem.problem_id for item in read_back.left_out] == ["lcb/1"]
    assert "its text says" in read_back.left_out[0].reason


@pytest.mark.parametrize(
    "text",
    [
        "If there are multiple solutions, print the smallest.",
        "You can choose any element and remove it. Return the least number of steps.",
        "In any order, remove two stones. Print how many are left.",
        "Any two of them are equal. Print the sum.",
        "Print the answer. It does not depend on any choice.",
        "Return true if any of them is even.",
    ],
)
def test_texts_with_one_answer(text: str) -> None:
    assert erratum_in_text("x", text) is None


@pytest.mark.parametrize(
    ("text", "digits", "relative"),
    [
        ("an absolute or relative error of at most 10^{-6}.", 6, 1e-6),
        ("if the absolute or relative error from the true value is at most 10^{-5}", 5, 1e-5),
        ("the relative or absolute error does not exceed 10^{-9}.", 9, 1e-9),
        ("Answers within 10^-5 of the actual answer will be accepted.", 5, 1e-9),
        ("Answers within 10-5 of the actual answer will be accepted.", 5, 1e-9),
        ("Answers within 10\u22125 of the actual value are right.", 5, 1e-9),
        ("with an error of at most 1e-4", 4, 1e-9),
        ("The sum is at most 10^{-6}.", None, 1e-9),
        ("Print it exactly. Values are within 10^5.", None, 1e-9),
        ("An error of 10^{-99} is silly.", None, 1e-9),
    ],
)
def test_tolerances_that_a_text_gives(text: str, digits: int | None, relative: float) -> None:
    found = comparison_in(text, None, lists=False)
    assert (found.digits, found.relative) == (digits, relative)


def test_the_tolerance_decides(tmp_path: Path) -> None:
    text = "Your output is right if its absolute or relative error is at most 10^{-5}."
    rows = [
        STDIN | {"question_id": "1", "question_content": text},
        STDIN | {"question_id": "abc315_f"},
        STDIN | {"question_id": "2"},
    ]
    found = read(tmp_path / "a.jsonl", *rows)
    near, exact = JsonText('"5.828430"'), JsonText('"5.82842712474619009760"')
    verdicts = [
        outputs_agree(exact, near, item.comparison, item.interface) for item in found.problems
    ]
    assert verdicts == [True, True, False]
    assert found.told() == (
        "lcb/abc315_f: the answer may differ within a tolerance (LiveCodeBench, issue 129)",
    )


def test_lists_in_any_order_are_compared_so(tmp_path: Path) -> None:
    free = "Return the answer in any order."
    rows = [
        call("x: int) -> List[int]", [("1", "[1, 2]")], free),
        call("x: int) -> int", [("1", "2")], free) | {"question_id": "2"},
        call("x: int) -> List[int]", [("1", "[1, 2]")]) | {"question_id": "3"},
        call("x: int) -> List[int]", [("1", "[1, 2]")], "Choose two in any order. Return both.")
        | {"question_id": "4"},
        call(
            "x: int) -> List[str]", [("1", '["a", "b"]')], "The words may be returned in any order"
        )
        | {"question_id": "5"},
        call("x: int) -> List[int]", [("1", "[1, 2]")])
        | {"question_id": "6", "question_title": "find-the-peaks"},
    ]
    found = read(tmp_path / "a.jsonl", *rows)
    orders = [item.comparison.order is OutputOrder.UNORDERED for item in found.problems]
    assert orders == [True, False, False, False, True, True]


# annotation, text in the file -> value, and whether it stood without quotes
VALUES = [
    ("str", '"abc"', "abc", False),
    ("str", '"12"', "12", False),
    ("str", '""', "", False),
    ("str", "12", "12", True),
    ("str", "0012", "0012", True),
    ("str", "1e5", "1e5", True),
    ("str", "-7.50", "-7.50", True),
    ("str", "abc", "abc", True),
    ("str", "true", "true", True),
    ("str", "'abc'", "abc", True),
    ("str", '"a\\nb"', "a\nb", False),
    ("Optional[str]", "null", None, False),
    ("Optional[str]", "0012", "0012", True),
    ("str | None", "12", "12", True),
    ("'str'", "12", "12", True),
    ("List[str]", '["1", "2"]', ["1", "2"], False),
    ("List[str]", "[1, 2.50]", ["1", "2.50"], True),
    ("list[str]", "[1]", ["1"], True),
    ("List[List[str]]", '[[1, "a"], []]', [["1", "a"], []], True),
    ("List[int]", "[1, 2]", [1, 2], False),
    ("int", "105", 105, False),
    ("float", "2.50", 2.5, False),
    (None, "12", 12, False),
    (None, '"12"', "12", False),
    ("TreeNode", "[1,null]", [1, None], False),
]


@pytest.mark.parametrize(("annotation", "text", "value", "unquoted"), VALUES)
def test_values_by_their_annotation(
    annotation: str | None, text: str, value: object, unquoted: bool
) -> None:
    found = scraped_value(text, annotation)
    assert (found.value, found.unquoted) == (value, unquoted)
    assert type(found.value) in (str, int, float, list, type(None))


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ("str", '"abc'),
        ("str", "[1]"),
        ("str", '{"a": 1}'),
        ("str", "'a"),
        ("str", "'a' + 'b'"),
        ("List[str]", "abc"),
        ("List[str]", "[007]"),
        ("List[str]", '[{"a": 1}]'),
        ("List[str]", "[true]"),
        ("List[int]", "[NaN]"),
        ("int", "007"),
        ("int", "abc"),
        (None, ""),
        ("int", "[" * 100_000),
    ],
)
def test_values_that_cannot_be_repaired(annotation: str | None, text: str) -> None:
    with pytest.raises(DataError) as caught:
        scraped_value(text, annotation)
    assert len(str(caught.value)) < 200


def test_strings_without_quotes_are_repaired_and_told(tmp_path: Path) -> None:
    found = read(tmp_path / "a.jsonl", call("s: str, n: int) -> str", [("0012\n3", "0123")]))
    (problem,) = found.problems
    assert (problem.tests[0].input, problem.tests[0].expected) == ('["0012",3]', '"0123"')
    assert found.told() == (
        "lcb/1: strings that stood without quotes in the tests were taken as text",
    )
    bad = read(tmp_path / "b.jsonl", call("s: str) -> int", [('"ab', "1")]))
    assert bad.faults[0].startswith(f"{tmp_path}/b.jsonl:1: an input of public test 1 is not JSON")


def test_line_ends_of_another_system(tmp_path: Path) -> None:
    row = call("a: int, b: int) -> int", [("1\r\n2\r\n", "3\r\n")], "One.\r\nTwo.")
    (problem,) = read(tmp_path / "a.jsonl", row).problems
    assert problem.tests[0].input == "[1,2]"
    assert problem.statement.startswith("One.\nTwo.")
    case = [{"input": "1\r\n2\r\n", "output": "3\r\n", "testtype": "stdin"}]
    row = STDIN | {"question_id": "1", "public_test_cases": json.dumps(case)}
    (problem,) = read(tmp_path / "b.jsonl", row).problems
    assert (problem.tests[0].input, problem.tests[0].expected) == ('"1\\n2\\n"', '"3\\n"')


CONSTRAINTS = (
    "Some text about 105 things.\n\nConstraints:\n\n1 <= nums.length <= 105\n"
    "-109 <= nums[i] <= 109\n1 <= k <= 103\n1 <= s.length <= 2 * 104\nn == 107"
)


def test_powers_that_the_tests_prove_are_put_back() -> None:
    inputs = [[[0] * 200 + [-5000], 3, "a" * 30000]]
    found = restore_powers(CONSTRAINTS, ("nums", "k", "s"), inputs)
    assert found.text == (
        "Some text about 105 things.\n\nConstraints:\n\n1 <= nums.length <= 10^5\n"
        "-10^9 <= nums[i] <= 10^9\n1 <= k <= 103\n1 <= s.length <= 2 * 104\nn == 107"
    )
    assert found.restored == ("nums.length <= 10^5", "nums[i] <= 10^9")
    # A test of 30000 letters is too long for 2 * 104 and for 2 * 10^4.
    assert found.doubtful == ("k <= 103", "s.length <= 104")
    some = restore_powers(CONSTRAINTS, ("nums", "k", "s"), [[[1], 500, "a" * 300]])
    assert some.restored == ("k <= 10^3", "s.length <= 10^4")
    assert "1 <= s.length <= 2 * 10^4" in some.text


@pytest.mark.parametrize(
    "text",
    [
        "No bounds.",
        "Constraints:\n\n1 <= n <= 10^5",
        "Constraints:\n\n1 <= n <= 1000",
        "Constraints:\n\n1 <= n <= 1050",
        "Constraints:\n\n1 <= n <= 100",
        "1 <= n <= 105",
    ],
)
def test_texts_without_a_lost_power(text: str) -> None:
    found = restore_powers(text, ("n",), [[10**6]])
    assert (found.text, found.restored, found.doubtful) == (text, (), ())


def test_lost_powers_in_a_set(tmp_path: Path) -> None:
    text = "Count.\n\nConstraints:\n\n1 <= n <= 105"
    proved = call("n: int) -> int", [("5000", "1")], text)
    open_ = call("n: int) -> int", [("50", "1")], text) | {"question_id": "2"}
    found = read(tmp_path / "a.jsonl", proved, open_)
    first, second = found.problems
    assert "1 <= n <= 10^5" in first.statement
    assert "1 <= n <= 105" in second.statement
    assert found.told() == (
        "lcb/1: the bound n <= 10^5 was put back, which a test proves",
        "lcb/2: the bound n <= 105 may be a power whose raised digit was lost",
    )


def test_notes_reach_the_check_and_the_study(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [STDIN | {"question_id": "abc343_a"}, STDIN | {"question_id": "fine"}]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    checked = check_sets((f"lcb:{path}",), "bwrap", Silent())
    checked.raise_for_findings()
    assert "  note: lcb/abc343_a left out: several answers are right" in checked.as_text()
    (tmp_path / "study.toml").write_text(
        'problems = ["lcb:a.jsonl"]\n[[perturbations]]\nname = "clean"\n'
    )
    made = make_study_variants(
        load_study(str(tmp_path / "study.toml")), tmp_path / "made", Silent()
    )
    assert len(made.variants) == 1
    (note,) = StudyFolder(tmp_path / "made").read_notes()
    assert note.startswith("lcb:a.jsonl: lcb/abc343_a left out: several answers are right")


def test_the_fixture_has_nothing_to_tell(test_data: Path) -> None:
    found = read_set(f"lcb:{test_data}/fixtures/lcb_code_generation_lite.jsonl")
    assert found.told() == ()
    assert [item.comparison for item in found.problems] == [Comparison()] * 3
    easy = load_set(f"lcb:{test_data}/fixtures/lcb_code_generation_lite.jsonl?difficulty=easy")
    assert [item.problem_id for item in easy] == ["lcb/9001"]


def test_a_problem_that_is_left_out_is_not_unknown(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [STDIN | {"question_id": "abc343_a"}, STDIN | {"question_id": "fine"}]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    with pytest.raises(DataError, match="'lcb/abc343_a' is left out: several answers are right"):
        find_problem("lcb/abc343_a", f"lcb:{path}")
    assert find_problem("lcb/abc343_a", f"lcb:{path}?errata=keep").title == "abc343_a"


def test_powers_of_leetcode_dataset(tmp_path: Path) -> None:
    row = {
        "task_id": "up",
        "problem_description": "Count.\n\nConstraints:\n\n1 <= nums.length <= 105\n1 <= k <= 103",
        "starter_code": "",
        "completion": "class Solution:\n    def up(self, nums, k):\n        return k",
        "entry_point": "Solution().up",
        "test": "def check(candidate):\n    assert candidate(nums = [1], k = 1) == 1\n",
        "input_output": [
            {"input": f"nums = {[1] * 300}, k = 2", "output": "2"},
            {"input": "no call", "output": ""},
            3,
        ],
    }
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row))
    found = read_set(f"leetcode-dataset:{path}")
    assert "1 <= nums.length <= 10^5\n1 <= k <= 103" in found.problems[0].statement
    assert found.told() == (
        "leetcode-dataset/up: the bound nums.length <= 10^5 was put back, which a test proves",
        "leetcode-dataset/up: the bound k <= 103 may be a power whose raised digit was lost",
    )
    path.write_text(json.dumps(row | {"input_output": "nums"}))
    (fault,) = read_set(f"leetcode-dataset:{path}").faults
    assert fault == f"{path}:1: input_output is 'nums'; allowed: a list"


@pytest.mark.parametrize("constraints", ["", "\n\nConstraints:\n\n1 <= x <= 9"])
def test_texts_without_code_to_start_from_pass_the_gate(tmp_path: Path, constraints: str) -> None:
    text = f"Add one.\n\nExample 1:\n\nInput: x = 1\nOutput: true{constraints}"
    row = STDIN | {"question_id": "1", "question_content": text}
    (problem,) = read(tmp_path / "a.jsonl", row).problems
    assert problem.structure is not None
    spec = PerturbationSpec("clean")
    (variant,) = make_variants(problem, (spec,), seed=0, oracle=None).variants
    assert variant.gated, variant.checks
