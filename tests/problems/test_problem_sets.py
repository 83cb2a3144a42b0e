"""The bundled sets hold what they promise; people's own files are read line by line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from codequake.codec import to_plain
from codequake.errors import DataError, UnknownNameError
from codequake.problems import find_problem, load_set, read_problem_file, set_from, set_names
from codequake.problems.sets import read_authored_folder
from codequake.records import (
    Difficulty,
    FormulaKind,
    Interface,
    Language,
    Problem,
    PromptClass,
)
from codequake.statements import SectionKind, SlotKind, SpanKind

STARTER = load_set("starter-12")
FORMULAS = load_set("formulas-20")
OWN = Path(__file__).parent / "own.jsonl"


def test_the_names_of_the_sets() -> None:
    assert {"starter-12", "formulas-20"} <= set(set_names())


def test_the_starter_set_keeps_its_counts() -> None:
    assert len(STARTER) == 12
    assert Counter(problem.interface for problem in STARTER) == {
        Interface.FUNCTION: 10,
        Interface.STDIN: 2,
    }
    for problem in STARTER:
        assert problem.language is Language.PYTHON
        assert problem.difficulty is Difficulty.EASY
        assert problem.generator is not None
        assert len(problem.references) >= 2
        assert len(problem.wrong) >= 3
        assert problem.structure is not None
        assert len(problem.structure.domains) >= 3


def test_the_formula_set_keeps_its_counts() -> None:
    assert len(FORMULAS) == 20
    slots = [problem.formula for problem in FORMULAS if problem.formula is not None]
    assert Counter(slot.prompt_class for slot in slots) == {
        PromptClass.TRANSLATION: 14,
        PromptClass.REASONING: 6,
    }
    assert {slot.kind for slot in slots} == set(FormulaKind)
    for problem in FORMULAS:
        assert problem.language is Language.C
        assert [item.language for item in problem.references] == [Language.C, Language.PYTHON]
        assert len(problem.wrong) >= 2
        assert problem.comparison.digits in {6, None}
        if problem.comparison.digits is not None:
            assert f"{problem.comparison.digits} digits after" in problem.statement


@pytest.mark.parametrize("problem", STARTER + FORMULAS, ids=lambda problem: problem.problem_id)
def test_every_problem_has_its_parts(problem: Problem) -> None:
    visible = [test for test in problem.tests if test.visible]
    # A formula prompt says in its task what is read and printed; one example shows the form.
    assert len(visible) == 1 if problem.formula is not None else 2 <= len(visible) <= 3
    assert len(problem.tests) - len(visible) >= 20
    assert problem.source.startswith("codequake")
    assert problem.licence == "Apache-2.0"
    assert problem.topics
    assert problem.structure is not None
    kinds = list(SectionKind)
    if problem.formula is not None:
        kinds = [SectionKind.TASK, SectionKind.EXAMPLES]
        if problem.formula.assumptions or any(one.integer for one in problem.formula.symbols):
            kinds.append(SectionKind.CONSTRAINTS)
    assert [section.kind for section in problem.structure.sections] == kinds
    # A test that everything passes with one answer shows nothing.
    assert len({test.expected for test in problem.tests}) >= 2


@pytest.mark.parametrize("problem", STARTER, ids=lambda problem: problem.problem_id)
def test_starter_statements_have_words_to_change(problem: Problem) -> None:
    assert problem.structure is not None
    kinds = {
        span.slot
        for section in problem.structure.sections
        for sentence in section.sentences
        for span in sentence.spans
        if span.kind is SpanKind.SLOT
    }
    assert kinds == set(SlotKind)
    if problem.interface is Interface.FUNCTION:
        assert "Explanation:" in problem.statement


def test_find_problem_by_id() -> None:
    assert find_problem("starter-12/digit-sum").title == "Sum of digits"
    with pytest.raises(UnknownNameError, match="near names: starter-12/digit-sum"):
        find_problem("starter-12/digits-sum")
    with pytest.raises(UnknownNameError, match="near names: starter-12"):
        find_problem("starter-13/digit-sum")


def test_find_problem_in_a_file(tmp_path: Path) -> None:
    assert find_problem("own/absolute", str(OWN)) == load_set(str(OWN))[0]
    assert find_problem("starter-12/digit-sum", "starter-12") == find_problem(
        "starter-12/digit-sum"
    )
    with pytest.raises(UnknownNameError, match="near names: own/absolute"):
        find_problem("own/absolut", str(OWN))
    first, second = OWN.read_text("utf-8").splitlines()
    path = tmp_path / "cut.jsonl"
    path.write_text(f"{first}\n{second[:50]}\n")
    assert find_problem("own/absolute", str(path)).problem_id == "own/absolute"
    message = r"no right line with problem 'own/echo', and 1 bad ones: .*cut\.jsonl:2: not JSON"
    with pytest.raises(DataError, match=message):
        find_problem("own/echo", str(path))


def test_paths_of_sets_start_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    (tmp_path / "odd:name").write_text("")
    for written, wanted in (
        ("starter-12", "starter-12"),
        ("unknown-set", "unknown-set"),
        ("own.jsonl", f"{tmp_path}/own.jsonl"),
        ("plain", f"{tmp_path}/plain"),
        ("odd:name", f"{tmp_path}/odd:name"),
        ("../sets/own", f"{tmp_path}/../sets/own"),
        ("/sets/own.jsonl", "/sets/own.jsonl"),
        ("mbpp:own", f"mbpp:{tmp_path}/own"),
        ("mbpp:/sets/own", "mbpp:/sets/own"),
        ("mbpp:", "mbpp:"),
        ("mbpp:-", "mbpp:-"),
    ):
        assert set_from(written, tmp_path) == wanted
    assert set_from("mbpp:own", Path()) == "mbpp:own"


def test_an_unknown_set_names_the_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="formulas-20"):
        load_set("formulas-21")


def test_a_file_of_ones_own_is_a_set() -> None:
    problems = load_set(str(OWN))
    assert [problem.problem_id for problem in problems] == ["own/absolute", "own/echo"]
    assert problems[0].structure is None
    assert problems[1].interface is Interface.STDIN


def test_every_bundled_problem_survives_a_file(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(to_plain(item)) + "\n" for item in STARTER + FORMULAS))
    assert load_set(str(path)) == STARTER + FORMULAS


def own_rows() -> list[dict[str, object]]:
    return [json.loads(line) for line in OWN.read_text("utf-8").splitlines()]


def changed(**changes: object) -> str:
    return json.dumps(own_rows()[0] | changes)


TEST = {"input": "[1]", "expected": "1", "visible": False}
BAD_LINES = {
    "not JSON": ("{", "not JSON"),
    "not an object": ("[1]", "Problem is [1]; allowed: an object"),
    "missing field": (json.dumps({"problem_id": "own/x"}), "lacks the field 'title'"),
    "wrong type": (changed(title=3), "Problem.title is 3; allowed: a string"),
    "unknown field": (changed(colour="red"), "unknown field 'colour'"),
    "unknown language": (changed(language="ada"), "allowed: 'python' or 'c'"),
    "no set in the id": (changed(problem_id="alone"), "no id of the form"),
    "no entry point": (changed(entry_point=None), "has the entry point None"),
    "keyword": (changed(entry_point="class"), "has the entry point 'class'"),
    "bad parameter": (changed(parameters=["1x"]), "has the parameters"),
    "no test": (changed(tests=[]), "has no test"),
    "blank statement": (changed(statement=" "), "has no statement"),
    "input not JSON": (changed(tests=[TEST | {"input": "[1"}]), "test 1 an input that is not JSON"),
    "expected not JSON": (changed(tests=[TEST | {"expected": "x"}]), "an expected output that is"),
    "input not canonical": (changed(tests=[TEST | {"input": "[1, 2]"}]), "not canonical JSON"),
    "arguments": (changed(tests=[TEST | {"input": "[1,2]"}]), "not a list of 1 arguments"),
    "stdin with a name": (changed(interface="stdin"), "neither entry point nor parameters"),
    "stdin input": (
        changed(interface="stdin", entry_point=None, parameters=[]),
        "not a JSON string of text",
    ),
    "id twice": (changed(), "stands twice, first at"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_bad_lines_are_reported_and_good_ones_kept(tmp_path: Path, name: str) -> None:
    line, message = BAD_LINES[name]
    path = tmp_path / "own.jsonl"
    first, second = OWN.read_text("utf-8").splitlines()
    path.write_text(f"{first}\n\n{line}\n{second}\n", "utf-8")
    found = read_problem_file(path)
    assert [problem.problem_id for problem in found.problems] == ["own/absolute", "own/echo"]
    assert len(found.faults) == 1
    assert found.faults[0].startswith(f"{path}:3: ")
    assert message in found.faults[0]
    with pytest.raises(DataError, match=r"own\.jsonl:3: "):
        load_set(str(path))


def test_bytes_that_are_no_text_are_a_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(b"\xff\n" + OWN.read_bytes().replace(b"\n", b"\r\n"))
    found = read_problem_file(path)
    assert len(found.problems) == 2
    assert found.faults == (f"{path}:1: not UTF-8 at byte 0",)


def test_a_file_without_problems_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    with pytest.raises(DataError, match="cannot be read"):
        load_set(str(path))
    path.write_text("\n")
    with pytest.raises(DataError, match="holds no problem"):
        load_set(str(path))


def test_a_folder_of_another_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no problem file"):
        read_authored_folder(tmp_path, "own")
    source = Path(__file__).parents[2] / "src/codequake/problems/starter/digit-sum.toml"
    (tmp_path / "digit-sum.toml").write_text(source.read_text("utf-8"), "utf-8")
    with pytest.raises(DataError, match=r"allowed in this folder: own/\.\.\."):
        read_authored_folder(tmp_path, "own")
