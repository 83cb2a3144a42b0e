"""Problem files: what they become, and what is said about each mistake, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from codequake.errors import DataError
from codequake.problems.authoring import read_authored
from codequake.problems.lines import KeyLines
from codequake.records import Comparison, Interface, Language, OutputOrder
from codequake.statements import SectionKind, SpanKind

GOOD = """\
id = "own/double"
title = "Twice"
signature = "double(n: int) -> int"
source = "the tests"
licence = "Apache-2.0"
comparison = { order = "unordered" }

[statement]
task = '''
Write {signature} that
doubles {object:number|a number}.
'''
input = 'One number.'
output = 'Twice {object:number|a number}.'
constraints = '''
`0 <= n <= 9`
'''

[[examples]]
input = '[2]'
output = '4'
explanation = '2 + 2.'

[[domains]]
name = "shop"
glossary = { number = "a price" }
renames = { double = "second_price", n = "price" }

[[references]]
name = "one"
code = '''
def double(n):
    return 2 * n
'''

[[wrong]]
name = "same"
code = "def double(n): return n"

[inputs]
edges = '''
[0]
[9]
'''
generator = "def generate(rng, size): return [rng.randint(0, 9)]"

[tests]
hidden = '''
[[0], 0]

[[9], 18]
'''
"""


def write(folder: Path, text: str, name: str = "double.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_file_becomes_a_problem(tmp_path: Path) -> None:
    authored = read_authored(write(tmp_path, GOOD))
    problem = authored.problem
    assert authored.edges == ("[0]", "[9]")
    assert problem.problem_id == "own/double"
    assert problem.interface is Interface.FUNCTION
    assert problem.language is Language.PYTHON
    assert (problem.entry_point, problem.parameters) == ("double", ("n",))
    assert problem.comparison == Comparison(order=OutputOrder.UNORDERED)
    assert [(test.input, test.expected, test.visible) for test in problem.tests] == [
        ("[2]", "4", True),
        ("[0]", "0", False),
        ("[9]", "18", False),
    ]
    assert problem.references[0].code == "def double(n):\n    return 2 * n\n"
    assert problem.statement == (
        "Write `double(n: int) -> int` that doubles a number.\n\n"
        "Input:\nOne number.\n\nOutput:\nTwice a number.\n\n"
        "Example:\nInput: n = 2\nOutput: 4\nExplanation: 2 + 2.\n\n"
        "Constraints:\n- `0 <= n <= 9`"
    )
    assert problem.structure is not None
    assert [section.kind for section in problem.structure.sections] == list(SectionKind)
    assert problem.structure.domains[0].renames[1].new == "price"


MISTAKES = {
    "missing field": ('title = "Twice"\n', "", "", "the field title is missing"),
    "wrong type": ('title = "Twice"', "title = 3", ":2", "title is 3; allowed: a string"),
    "empty": ('title = "Twice"', 'title = " "', ":2", "title is empty"),
    "not TOML": ('title = "Twice"', 'title = "Twice', ":2", "not TOML: "),
    "key twice": ('title = "Twice"', 'id = "own/x"', ":2", "not TOML: "),
    "unknown field": ('title = "Twice"', 'title = "T"\nnote = "x"', ":3", "note is not a known"),
    "other id": ("own/double", "own/triple", ":1", "allowed: <set>/double"),
    "language": ('title = "Twice"', 'title = "T"\nlanguage = "ada"', ":3", "allowed: python, c"),
    "signature": ("double(n: int)", "double(n: int", ":3", "which is not Python"),
    "default": ("(n: int)", "(n: int = 1)", ":3", "plain arguments"),
    "no argument": ("(n: int)", "()", ":3", "plain arguments"),
    "markup": ("doubles {object", "doubles {thing", ":11", "slot kind 'thing'"),
    "slots": ("'Twice {object:number|a", "'Twice {object:number|the", ":14", "says 'the number'"),
    "no input": ("input = 'One number.'\n", "", ":8", "the field statement.input is missing"),
    "signature left out": ("{signature}", "it", ":8", "{signature} stands 0 times"),
    "example not JSON": ("input = '[2]'", "input = '[2'", ":20", "an example is not JSON"),
    "example of other shape": ("input = '[2]'", "input = '2'", ":20", "1 arguments (n)"),
    "output not JSON": ("output = '4'", "output = 'four'", ":21", "an example is not JSON"),
    "NaN": ("output = '4'", "output = 'NaN'", ":21", "NaN is not JSON"),
    "explanation": ("'2 + 2.'", "'2 + 2}'", ":22", "not opened"),
    "glossary": ('"a price" }', "1 }", ":26", "gives 'number' the value 1"),
    "no reference": ("[[references]]", "[[reference]]", "", "references has 0 entries"),
    "reference lacks code": (
        'name = "one"\ncode',
        'name = "one"\ntext',
        ":29",
        "references.1.code",
    ),
    "edge": ("[9]\n'''\ngen", "[9, 9]\n'''\ngen", ":43", "a list of 1 arguments"),
    "hidden not JSON": ("[[0], 0]", "[[0], 0", ":49", "a test is not JSON"),
    "hidden alone": ("[[9], 18]", "[[9]]", ":51", "a test is not [input, expected]"),
    "comparison": ('order = "unordered"', "digits = 99", ":6", "0 to 15"),
    "comparison field": ('order = "unordered"', "digit = 9", ":6", "digit is not a known field"),
    "relative": ('order = "unordered"', "relative = 2", ":6", "0 up to below 1"),
    "flag for integer": ('order = "unordered"', "digits = true", ":6", "allowed: an integer"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_one_sentence_with_its_line(tmp_path: Path, name: str) -> None:
    old, new, line, message = MISTAKES[name]
    assert GOOD.count(old) == 1, "the change must be made at one place"
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(DataError) as caught:
        read_authored(path)
    said = str(caught.value)
    assert said.startswith(f"{path}{line}: "), said
    assert message in said
    assert "\n" not in said


FORMULA = """\
id = "own/half"
title = "Half"
language = "c"
source = "the tests"
licence = "Apache-2.0"

[formula]
text = "a/b"
kind = "expression"
class = "translation"
assumptions = ["b != 0"]
symbols = [
    { name = "a", meaning = "part", low = -1.5, high = 3 },
    { name = "b", meaning = "whole", low = 1, high = 4, integer = true },
]

[statement]
task = 'Print {formula}.'
input = 'One line.'
output = 'The value.'

[[examples]]
input = '"1 2\\n"'
output = '"0.5\\n"'

[[references]]
name = "c"
code = "int main(void) { return 0; }"
"""


def test_a_formula_prompt_states_its_ranges(tmp_path: Path) -> None:
    problem = read_authored(write(tmp_path, FORMULA, "half.toml")).problem
    assert problem.interface is Interface.STDIN
    assert problem.statement.endswith(
        "Example:\nInput: 1 2\nOutput: 0.5\n\n"
        "Constraints:\n- 1 <= b <= 4 (b is an integer)\n- b != 0"
    )
    assert problem.structure is not None
    spans = problem.structure.sections[0].sentences[0].spans
    assert [span.kind for span in spans] == [SpanKind.TEXT, SpanKind.FORMULA, SpanKind.TEXT]
    assert problem.formula is not None
    assert [symbol.integer for symbol in problem.formula.symbols] == [False, True]


def test_the_task_of_a_formula_prompt_is_enough(tmp_path: Path) -> None:
    short = FORMULA.replace("input = 'One line.'\noutput = 'The value.'\n", "")
    problem = read_authored(write(tmp_path, short, "half.toml")).problem
    assert problem.structure is not None
    assert [section.kind for section in problem.structure.sections] == [
        SectionKind.TASK,
        SectionKind.EXAMPLES,
        SectionKind.CONSTRAINTS,
    ]
    assert problem.statement.startswith("Print a/b.\n\nExample:\nInput: 1 2\n")


def test_examples_are_numbered_where_there_are_several(tmp_path: Path) -> None:
    second = "[[examples]]\ninput = '\"3 2\\n\"'\noutput = '\"1.5\\n\"'\n\n[[references]]"
    path = write(tmp_path, FORMULA.replace("[[references]]", second), "half.toml")
    assert (
        "Examples:\nExample 1:\nInput: 1 2\nOutput: 0.5\n\nExample 2:\nInput: 3 2\nOutput: 1.5\n"
    ) in read_authored(path).problem.statement


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("Print {formula}", "Print it", ":17", "{formula} stands 0 times"),
        ('"expression"', '"value"', ":9", "allowed: expression, equation"),
        ("low = 1, high = 4", "low = 5, high = 4", ":12", "at most high"),
        ("low = 1, high = 4", "low = 1", ":12", "are given together"),
        ("low = 1, high", 'low = "1", high', ":12", "allowed: a number"),
        ("'\"1 2\\n\"'", "'[1, 2]'", ":23", "a JSON string of text"),
    ],
)
def test_mistakes_in_a_formula_prompt(
    tmp_path: Path, old: str, new: str, line: str, message: str
) -> None:
    assert FORMULA.count(old) == 1
    path = write(tmp_path, FORMULA.replace(old, new), "half.toml")
    with pytest.raises(DataError) as caught:
        read_authored(path)
    assert str(caught.value).startswith(f"{path}{line}: ")
    assert message in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.toml: cannot be read"):
        read_authored(tmp_path / "none.toml")
    path = tmp_path / "double.toml"
    path.write_bytes(b'id = "\xff"')
    with pytest.raises(DataError, match="not UTF-8 at byte 6"):
        read_authored(path)


def test_lines_are_found_past_every_kind_of_string() -> None:
    text = (
        'a = "not [ open # here"\n'
        "b = '''\nx = 1\n[c]\n'''\n"
        "d = [ # ] no\n  { e = 1 },\n]\n"
        'f = """one\ntwo"""\n'
        "[[g]]\nh = 1\n[[g]]\nh = 2\n[i.j]\nk = 1\n"
    )
    lines = KeyLines(Path("f"), text)
    assert lines.at("a") == "f:1"
    assert lines.inside("b", offset=0) == "f:3"
    assert lines.at("x") == "f"
    assert lines.at("d", 0, "e") == "f:6"
    assert lines.inside("f", offset=1) == "f:10"
    assert lines.at("g", 0, "h") == "f:12"
    assert lines.at("g", 1, "h") == "f:14"
    assert lines.at("g", 1, "none") == "f:13"
    assert lines.at("i", "j", "k") == "f:16"
