"""Problem files of other projects: their contents, read by eye, and what may be wrong in them."""

from __future__ import annotations

import base64
import gzip
import json
import os
import pickle
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from codequake.codec import to_plain
from codequake.errors import DataError, UnknownNameError, UsageError
from codequake.grading import SandboxOracle, outputs_agree
from codequake.ports import Answer
from codequake.problems import (
    ProblemFile,
    check_problems,
    find_problem,
    input_stands_in,
    load_set,
    read_set,
)
from codequake.problems.python_prompts import shown_results
from codequake.records import (
    Comparison,
    Difficulty,
    Interface,
    JsonText,
    Problem,
    Reference,
    Test,
)
from codequake.sandbox import open_backend


class Echo:
    """Answers every input with itself, and fails for an input that holds "fail"."""

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        return tuple(
            Answer(None, "it crashed") if "fail" in text else Answer(text, None) for text in inputs
        )

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        raise NotImplementedError


HUMANEVAL = {
    "task_id": "Own/0",
    "prompt": 'import math\n\n\ndef up(x):\n    """Add one.\n    >>> up(1)\n    2\n    """\n',
    "entry_point": "up",
    "canonical_solution": "    return x + 1\n",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n",
}
INPUTS = {"base_input": [[1], [2]], "plus_input": [[3.5]], "atol": 0}
EVALPLUS = {key: value for key, value in HUMANEVAL.items() if key != "test"} | INPUTS
MBPP = {
    "task_id": 7,
    "text": "Add one.",
    "code": "def up(x):\r\n    return x + 1",
    "test_setup_code": "",
    "test_list": ["assert up(1) == 2"],
    "challenge_test_list": ["assert up(10**9) == 10**9 + 1"],
}
PUBLIC = [{"input": "1\n[2]", "output": "3", "testtype": "functional"}]
LCB = {
    "question_id": "77",
    "question_title": "up",
    "question_content": "Add.",
    "starter_code": "class Solution:\n    def up(self, x: int, y: List[int]) -> int:\n        ",
    "difficulty": "hard",
    "platform": "leetcode",
    "public_test_cases": json.dumps(PUBLIC),
    "private_test_cases": "[]",
    "metadata": '{"func_name": "up"}',
}
LEETCODE = {
    "task_id": "up",
    "problem_description": "Add one.",
    "starter_code": "class Solution:\n    def up(self, x: int) -> int:\n        ",
    "prompt": "from typing import *\n",
    "completion": "class Solution:\n    def up(self, x: int) -> int:\n        return x + 1",
    "entry_point": "Solution().up",
    "test": "def check(candidate):\n    assert candidate(x = 1) == 2\n",
}
ROWS: dict[str, dict[str, Any]] = {
    "humaneval": HUMANEVAL,
    "evalplus": EVALPLUS,
    "mbpp": MBPP,
    "lcb": LCB,
    "leetcode-dataset": LEETCODE,
}


def read(name: str, path: Path) -> ProblemFile:
    return read_set(f"{name}:{path}", Echo())


def write(path: Path, *rows: object) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), "utf-8")
    return path


def statements(test: Test) -> str:
    text = json.loads(test.input)
    assert isinstance(text, str)
    return text


def test_humaneval_fixture(test_data: Path) -> None:
    clamp, halves = load_set(f"humaneval:{test_data}/fixtures/humaneval_problems.jsonl")
    assert clamp.problem_id == "humaneval/Fixture/0"
    assert (clamp.entry_point, clamp.parameters) == ("clamp", ("value", "low", "high"))
    assert clamp.statement.endswith('>>> clamp(5, 0, 3)\n    3\n    """\n')
    assert clamp.assertions == ""
    (test,) = clamp.tests
    assert not test.visible
    assert test.expected == "null"
    assert "assert candidate(-1, 0, 3) == 0\n" in statements(test)
    assert statements(test).endswith("== 2\n\ncheck(candidate)\n")
    assert halves.assertions == "from typing import List"
    assert halves.references[0].code.endswith("    return [v / 2 for v in values]\n")


def test_humaneval_as_published(test_data: Path) -> None:
    problems = load_set(f"humaneval:{test_data}/humaneval/HumanEval.jsonl.gz")
    assert [item.problem_id for item in problems] == [
        f"humaneval/HumanEval/{n}" for n in range(164)
    ]
    assert all(item.assertions is not None and len(item.tests) == 1 for item in problems)
    root, shift = problems[32], problems[50]
    assert root.entry_point == "find_zero"
    assert root.assertions is not None
    assert root.assertions.startswith("import math\n\n\ndef poly(xs: list, x: float):")
    assert "find_zero" not in root.assertions
    assert shift.assertions is not None
    assert shift.assertions.startswith("def encode_shift(s: str):")
    assert "encode_shift(str)" in statements(shift.tests[0])
    (small,) = load_set(f"humaneval:{test_data}/humaneval/example_problem.jsonl")
    assert (small.entry_point, small.parameters) == ("return1", ())


def test_mbpp_fixtures(test_data: Path) -> None:
    (old,) = load_set(f"mbpp:{test_data}/fixtures/mbpp_original.jsonl")
    assert old.problem_id == "mbpp/2001"
    assert (old.entry_point, old.parameters, old.assertions) == ("count_even", ("xs",), "")
    assert [statements(test) for test in old.tests] == [
        "assert count_even([1, 2, 4]) == 2",
        "assert count_even([]) == 0",
        "assert count_even([-2]) == 1",
    ]
    assert all(test.visible for test in old.tests)
    assert "\r" not in old.references[0].code
    assert old.statement.split("\n")[:3] == [
        "Write a function to find how many even numbers a list holds.",
        "",
        "Your code should pass these tests:",
    ]
    (with_more,) = load_set(f"mbpp+challenge:{test_data}/fixtures/mbpp_original.jsonl")
    assert with_more.tests[:3] == old.tests
    assert statements(with_more.tests[3]) == "assert count_even(list(range(1001))) == 501"
    assert not with_more.tests[3].visible
    (new,) = load_set(f"mbpp:{test_data}/fixtures/mbpp_sanitized.json")
    assert new.assertions == "import math"
    assert statements(new.tests[2]) == "assert math.isclose(count_even([-2]), 1)"


def test_mbpp_as_published(test_data: Path) -> None:
    problems = load_set(f"mbpp:{test_data}/mbpp/sanitized-mbpp-first150.json")
    assert len(problems) == 150
    names = {item.problem_id: item.entry_point for item in problems}
    assert names["mbpp/2"] == "similar_elements"  # inside of set(...) on both sides
    assert names["mbpp/8"] == "square_nums"
    assert names["mbpp/62"] == "smallest_num"
    assert sum(item.assertions == "import math" for item in problems) == 11


def test_livecodebench_fixture(test_data: Path) -> None:
    path = f"lcb:{test_data}/fixtures/lcb_code_generation_lite.jsonl"
    above, total, letters = load_set(path)
    assert (above.problem_id, above.entry_point) == ("lcb/9001", "countAbove")
    assert (above.parameters, above.difficulty) == (("nums", "limit"), Difficulty.EASY)
    assert above.tests == (
        Test(JsonText("[[2,5,7],3]"), JsonText("2"), visible=True),
        Test(JsonText("[[],1]"), JsonText("0"), visible=True),
        Test(JsonText("[[4,4,4,9],4]"), JsonText("1"), visible=False),
        Test(JsonText("[[-3,0,3],-4]"), JsonText("3"), visible=False),
    )
    assert above.assertions is None
    assert above.statement.startswith("You are given an integer array nums")
    assert above.statement.endswith("limit: int) -> int:\n```")
    assert (total.interface, total.entry_point) == (Interface.STDIN, None)
    assert [json.loads(test.input) for test in total.tests] == [
        "3\n1 2 3\n",
        "1\n-4\n",
        "2\n1000000000 1000000000\n",
    ]
    assert total.tests[2].expected == '"2000000000\\n"'
    assert total.statement == (
        "The first line holds n. The second line holds n integers. Print their sum."
    )
    assert [(test.input, test.expected) for test in letters.tests] == [
        ('["abca"]', '"bc"'),
        ('[""]', '""'),
    ]


def test_evalplus_fixture(test_data: Path) -> None:
    oracle = SandboxOracle(open_backend("bwrap"))
    clamp, halves = load_set(f"evalplus:{test_data}/fixtures/evalplus_problems.jsonl", oracle)
    assert clamp.problem_id == "evalplus/Fixture/0"
    assert [(test.input, test.expected, test.visible) for test in clamp.tests] == [
        ("[5,0,3]", "3", True),
        ("[-1,0,3]", "0", False),
        ("[0,0,0]", "0", False),
        ("[1000000000000,-5,7]", "7", False),
    ]
    assert [test.expected for test in halves.tests] == ["[]", "[0.5,1.5]", "[5e-10]", "[0.05,0.1]"]
    assert halves.comparison == Comparison(digits=6, relative=1e-7)


def test_leetcode_dataset_fixture(test_data: Path) -> None:
    (above,) = load_set(f"leetcode-dataset:{test_data}/fixtures/leetcodedataset.jsonl")
    assert above.problem_id == "leetcode-dataset/count-above-limit"
    assert (above.entry_point, above.parameters) == ("countAbove", ("nums", "limit"))
    assert above.assertions == "from typing import *"
    assert above.topics == ("Array",)
    assert statements(above.tests[0]).startswith(
        "def check(candidate):\n    assert candidate(nums = [2, 5, 7],limit = 3) == 2\n"
    )


@pytest.mark.parametrize("name", ROWS)
def test_any_spelling_of_a_file_is_the_same_set(tmp_path: Path, name: str) -> None:
    row = ROWS[name]
    other = row | {"question_id" if name == "lcb" else "task_id": "second"}
    lines = write(tmp_path / "a.jsonl", row, other)
    expected = read(name, lines)
    assert len(expected.problems) == 2
    assert expected.faults == ()
    for content in (
        json.dumps([row, other], indent=1).encode(),
        json.dumps([row, other]).encode(),
        b"\xef\xbb\xbf" + lines.read_bytes(),
        b"\n\n" + lines.read_bytes().replace(b"\n", b"\r\n\r\n"),
        gzip.compress(lines.read_bytes()),
    ):
        path = tmp_path / "other"
        path.write_bytes(content)
        found = read(name, path)
        assert (found.problems, found.faults) == (expected.problems, expected.faults)
        assert len(found.places) == 2
        assert all(place.startswith(f"{path}:") for place in found.places)
    assert expected.places == (f"{lines}:1", f"{lines}:2")


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "the row is [1]; allowed: an object"),
        ('"text"', "the row is 'text'; allowed: an object"),
        ("{}", "is missing"),
        ("[" * 100_000, "nested too deeply"),
        ('{"task_id": "a", "question_id": "a', "not JSON"),
    ],
)
def test_bad_lines_are_told_and_good_ones_kept(
    tmp_path: Path, name: str, line: str, message: str
) -> None:
    path = write(tmp_path / "set.jsonl", ROWS[name], line)
    found = read(name, path)
    assert len(found.problems) == 1
    (fault,) = found.faults
    assert fault.startswith(f"{path}:2: ")
    assert message in fault
    assert "\n" not in fault
    with pytest.raises(DataError, match=r"set\.jsonl:2: "):
        load_set(f"{name}:{path}", Echo())


@pytest.mark.parametrize(
    ("name", "field"),
    [
        (name, field)
        for name, row in ROWS.items()
        for field in row
        if field
        not in {
            *("test_setup_code", "challenge_test_list", "question_title", "starter_code", "atol"),
            *("difficulty", "platform"),
        }
        and (name, field) != ("leetcode-dataset", "prompt")
    ],
)
def test_fields_that_are_missing_or_of_another_type(tmp_path: Path, name: str, field: str) -> None:
    row = ROWS[name]
    without = {key: value for key, value in row.items() if key != field}
    path = write(tmp_path / "set.jsonl", without, row | {field: {"a": 1}}, row | {field: True})
    found = read(name, path)
    assert found.problems == ()
    assert [fault.partition(": ")[0] for fault in found.faults] == [
        f"{path}:{n}" for n in (1, 2, 3)
    ]


BAD_ROWS: list[tuple[str, dict[str, Any], str]] = [
    ("humaneval", {"prompt": "def up(x:\n"}, "is not Python"),
    ("humaneval", {"entry_point": "down"}, "the function 'down' is not defined"),
    ("humaneval", {"entry_point": "os.system"}, "the function 'os.system' is not defined"),
    ("humaneval", {"entry_point": "up(1); import os"}, "is not defined"),
    ("humaneval", {"prompt": HUMANEVAL["prompt"] + "    y = 1\n\n\nz = 1\n"}, "is not Python"),
    ("humaneval", {"test": "assert up(1) == 2"}, "test defines no function check"),
    ("humaneval", {"test": "def check(candidate:"}, "test is not Python"),
    ("humaneval", {"task_id": ""}, "task_id is empty"),
    ("humaneval", {"task_id": "\ud800"}, "half a surrogate pair"),
    ("humaneval", {"task_id": [1]}, "task_id is [1]; allowed: a string"),
    ("humaneval", {"canonical_solution": "\0"}, "is not Python"),
    ("humaneval", {"canonical_solution": "    return " + "(" * 10_000}, "is not Python"),
    ("mbpp", {"test_list": []}, "test_list has no assertion"),
    ("mbpp", {"test_list": ["up(1)"]}, "allowed: an assert statement"),
    ("mbpp", {"test_list": ["assert up(1"]}, "an assertion is not Python"),
    ("mbpp", {"test_list": ["assert f(1)", "assert g(1)"]}, "do not all call one function"),
    ("mbpp", {"test_list": ["assert sorted([1]) == [1]"]}, "do not all call one function"),
    ("mbpp", {"test_list": "assert up(1) == 2"}, "allowed: a list of strings"),
    ("mbpp", {"test_setup_code": "import ("}, "the setup of the tests is not Python"),
    ("lcb", {"public_test_cases": "[1]"}, "allowed: a list of tests"),
    (
        "lcb",
        {"public_test_cases": "[", "private_test_cases": "[]"},
        "public_test_cases is not JSON",
    ),
    ("lcb", {"public_test_cases": "[]"}, "there is no test"),
    ("lcb", {"private_test_cases": "eJx"}, "private_test_cases is not base64"),
    ("lcb", {"metadata": "{}"}, "metadata names no func_name"),
    ("lcb", {"metadata": '{"func_name": "down"}'}, "the function 'down' is not defined"),
    ("lcb", {"starter_code": ""}, "starter_code is empty, and the tests call a function"),
    ("lcb", {"starter_code": "class Other:\n    def down(self):"}, "'up' is not defined"),
    ("lcb", {"question_content": " "}, "question_content is empty"),
    (
        "lcb",
        {"public_test_cases": [{"input": "1", "output": "3", "testtype": "functional"}]},
        "not a list of 2 arguments",
    ),
    (
        "lcb",
        {"public_test_cases": [{"input": "1\nnope", "output": "3", "testtype": "functional"}]},
        "an input of public test 1 is not JSON",
    ),
    (
        "lcb",
        {"private_test_cases": [{"input": "1", "output": "3", "testtype": "stdin"}]},
        "the tests are of type functional, stdin; allowed: functional or stdin",
    ),
    (
        "lcb",
        {"private_test_cases": [{"input": 1, "output": "3", "testtype": "stdin"}]},
        "a test whose input is no string",
    ),
    ("evalplus", {"base_input": [1]}, "allowed: a list of argument lists"),
    ("evalplus", {"base_input": [], "plus_input": {}}, "hold no input"),
    ("evalplus", {"plus_input": [[1, 2]]}, "inputs have 1, 2 arguments; allowed: 1 to 1"),
    ("evalplus", {"plus_input": [["fail"]]}, "the reference gives nothing for input 3: it crashed"),
    ("evalplus", {"atol": -1}, "atol is -1; allowed: 0 to 1"),
    ("evalplus", {"atol": "x"}, "atol is 'x'"),
    ("leetcode-dataset", {"entry_point": "Solution().down"}, "'down' is not defined"),
    ("leetcode-dataset", {"prompt": "import ("}, "prompt is not Python"),
    ("leetcode-dataset", {"test": "pass"}, "test defines no function check"),
]


@pytest.mark.parametrize(("name", "change", "message"), BAD_ROWS)
def test_rows_that_contradict_themselves(
    tmp_path: Path, name: str, change: dict[str, Any], message: str
) -> None:
    path = write(tmp_path / "set.jsonl", ROWS[name], ROWS[name] | change)
    found = read(name, path)
    assert len(found.problems) == 1
    (fault,) = found.faults
    assert fault.startswith(f"{path}:2: ")
    assert message in fault
    assert "\n" not in fault
    assert len(fault) < 500


def test_a_malicious_pickle_is_one_sentence_and_does_not_run(tmp_path: Path) -> None:
    class Runs:
        def __reduce__(self) -> tuple[object, tuple[str, ...]]:
            return os.system, (f"touch {tmp_path}/ran",)

    packed = base64.b64encode(zlib.compress(pickle.dumps(Runs()))).decode()
    path = write(tmp_path / "set.jsonl", LCB | {"private_test_cases": packed})
    found = read("lcb", path)
    assert found.problems == ()
    (fault,) = found.faults
    assert fault.startswith(f"{path}:1: private_test_cases is a pickle with the opcode ")
    assert fault.endswith("so it was not opened; allowed: one plain string")
    assert not (tmp_path / "ran").exists()


def test_tests_may_be_lists_and_arrays_name_the_record(tmp_path: Path) -> None:
    rows = [LCB | {"public_test_cases": PUBLIC}, LCB, {"question_id": "a"}, 3]
    path = tmp_path / "set.json"
    path.write_text(json.dumps(rows))
    found = read("lcb", path)
    assert [item.problem_id for item in found.problems] == ["lcb/77"]
    assert found.faults == (
        f"{path}:1 (record 2): id 'lcb/77' stands twice, first at {path}:1 (record 1)",
        f"{path}:1 (record 3): the field 'public_test_cases' is missing",
        f"{path}:1 (record 4): the row is 3; allowed: an object",
    )
    path.write_text(json.dumps(rows[:1])[:-5])
    assert read("lcb", path).faults == (f"{path}:1: cut off before its end",)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    for name in ROWS:
        with pytest.raises(DataError, match=r"set\.jsonl: cannot be read"):
            read(name, tmp_path / "set.jsonl")
        with pytest.raises(DataError, match="cannot be read"):
            read(name, tmp_path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="holds no problem"):
        read("mbpp", path)
    path.write_bytes(json.dumps(MBPP).encode() + b"\n\xff\xfe\n")
    assert read("mbpp", path).faults == (f"{path}:2: not UTF-8 at byte 0",)


def test_formats_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="problem format 'human' is not known"):
        load_set("human:x.jsonl")
    with pytest.raises(UsageError, match="mbpp: names no file; allowed: mbpp:FILE"):
        load_set("mbpp:")
    path = write(tmp_path / "set.jsonl", EVALPLUS)
    with pytest.raises(UsageError, match="has no expected outputs"):
        load_set(f"evalplus:{path}")


def test_evalplus_details(tmp_path: Path) -> None:
    root = {
        "prompt": "def poly(xs, x):\n    return 0\n\n\ndef find_zero(xs):\n    pass\n",
        "entry_point": "find_zero",
        "canonical_solution": "    return 0\n",
        "base_input": [[[1, 2]]],
        "plus_input": {},
        "atol": 0.0001,
    }
    defaults = {
        "task_id": "Own/1",
        "prompt": "def up(x, y=1):\n",
        "canonical_solution": "    return x",
    }
    strange = EVALPLUS | {"task_id": "Own/2", "plus_input": [[float("inf")], [float("nan")]]}
    path = write(tmp_path / "set.jsonl", EVALPLUS | root, EVALPLUS | defaults, strange)
    first, second, third = load_set(f"evalplus:{path}", Echo())
    assert first.comparison == Comparison(digits=4, relative=1e-7)
    assert first.checker is not None
    assert "abs(value) <= 1e-4" in first.checker
    assert second.parameters == ("x",)
    assert [test.visible for test in second.tests] == [False, False, False]
    assert [test.visible for test in third.tests] == [True, False, False, False]
    assert third.tests[2].input == '[{"$float":"inf"}]'


def test_assertions_have_a_shape(tmp_path: Path) -> None:
    good = load_set(f"mbpp:{write(tmp_path / 'mbpp.jsonl', MBPP)}")[0]
    plain = to_plain(good)
    own = tmp_path / "own.jsonl"
    test = {"input": '"assert up(1) == 2"', "expected": "null", "visible": True}
    changes: list[tuple[dict[str, Any], str]] = [
        ({"tests": [test | {"expected": "2"}]}, "that is not null"),
        ({"tests": [test | {"input": "[1]"}]}, "not a JSON string of statements"),
        ({"tests": [test | {"input": '" "'}]}, "not a JSON string of statements"),
        ({"interface": "stdin", "entry_point": None, "parameters": []}, "tested by assertions"),
    ]
    assert load_set(str(write(own, plain))) == (good,)
    for change, message in changes:
        with pytest.raises(DataError, match=message):
            load_set(str(write(own, plain | change)))


def test_statements_hold_only_where_the_oracle_says_so(tmp_path: Path) -> None:
    problems = load_set(f"mbpp:{write(tmp_path / 'mbpp.jsonl', MBPP)}")
    (report,) = check_problems(problems, Echo(), agree=outputs_agree)
    (finding,) = report.findings
    assert finding.check == "tests"
    assert "reference 'code' fails example 1" in finding.message


def test_results_that_a_prompt_shows_are_read() -> None:
    prompt = (
        'def up(x, y=1):\n    """Add.\n\n    >>> up(1)\n    2\n    >>> up([1], 2)\n    (1, 2)\n'
        "    >>> up(y=1, x=2)\n    3\n    >>> up(4)\n    >>> down(1)\n    9\n    >>> up(z)\n    1\n"
        '    >>> up(5)\n    about 6\n    """\n'
    )
    assert shown_results(prompt, "up") == {"[1]": "2", "[[1],2]": "[1,2]"}
    assert shown_results(prompt, "down") == {}
    assert shown_results("Words that show >>> up(1)", "up") == {}
    assert shown_results('def up(x):\n    """\n    >>> up(1)\n  2\n    """\n', "up") == {}


def test_an_assertion_is_visible_where_its_line_stands(tmp_path: Path) -> None:
    (problem,) = load_set(f"mbpp+challenge:{write(tmp_path / 'mbpp.jsonl', MBPP)}")
    shown, hidden = problem.tests
    assert input_stands_in(problem, shown.input, problem.statement)
    assert not input_stands_in(problem, hidden.input, problem.statement)
    assert not input_stands_in(problem, shown.input, "Is assert up(1) == 2 true?")


def test_bundled_sets_need_no_file() -> None:
    assert read_set("starter-12").faults == ()
    assert find_problem("starter-12/digit-sum") in read_set("starter-12").problems
