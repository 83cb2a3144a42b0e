"""Constants in programs: what counts as a use, where their lines stand, and what is refused."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

import pytest
from tests.problems.trusted_oracle import TrustedOracle

from codequake.errors import DataError
from codequake.problems.authoring import read_authored
from codequake.problems.building import rebuild_file
from codequake.problems.constants import mentions, replace_constants, with_constants
from codequake.records import Constant, ConstantRole, JsonText

QUAKE = Path(__file__).parents[2] / "src/codequake/problems/quake"
PATH = QUAKE / "count-seniors.toml"
AGE = Constant("AGE", ConstantRole.TASK, JsonText("60"), (JsonText("65"),))
OLDER = dataclasses.replace(AGE, value=JsonText("65"))


def lines_of(code: str) -> tuple[object, int, int]:
    """Return the value of AGE, the line that gives it, and the first line that reads it."""
    given = [
        (node.value.value, node.lineno)
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "AGE"
        and isinstance(node.value, ast.Constant)
    ]
    read = [
        node.lineno
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Name) and node.id == "AGE" and isinstance(node.ctx, ast.Load)
    ]
    ((value, line),) = given
    return value, line, min(read)


@pytest.mark.parametrize(
    "code",
    [
        "from math import (\n    gcd,\n    sqrt,\n)\nx = AGE",
        "import math; x = AGE",
        "x = AGE\nimport math",
        '"""Text with\nimport math\nin it."""\nx = AGE',
        'text = """\nimport this\nAGE = 1\n"""\nx = AGE',
    ],
)
def test_lines_stand_before_their_first_use_and_are_replaced_alone(code: str) -> None:
    filled = with_constants(code, [AGE])
    value, given, read = lines_of(filled)
    assert (value, given < read) == (60, True)
    changed = replace_constants(filled, [OLDER])
    assert lines_of(changed) == (65, given, read)
    assert changed.count("AGE = 65") == 1
    assert ("AGE = 1\n" in code) == ("AGE = 1\n" in changed)


def test_strings_and_comments_do_not_use_a_constant() -> None:
    code = "# AGE\ntext = 'AGE'\n"
    assert not mentions(code, "AGE")
    assert with_constants(code, [AGE]) == code


@pytest.mark.parametrize(
    ("new", "fault"),
    [
        ("AGE = 3\n", "gives AGE a meaning of its own"),
        ("def unused(AGE):\n    return AGE\n", "gives AGE a meaning of its own"),
        ("import math as AGE\n", "gives AGE a meaning of its own"),
    ],
)
def test_programs_that_hide_a_constant_are_refused(tmp_path: Path, new: str, fault: str) -> None:
    text = PATH.read_text("utf-8").replace("code = '''\n", f"code = '''\n{new}", 1)
    path = tmp_path / PATH.name
    path.write_text(text, "utf-8")
    line = text[: text.index(new)].count("\n")
    with pytest.raises(DataError, match=f"{re.escape(str(path))}:{line}: .*code {fault}"):
        read_authored(path)


@pytest.mark.parametrize("value", ["nan", "inf", '"a\\nb"', '"`x`"'])
def test_values_that_no_sentence_can_show_are_refused(tmp_path: Path, value: str) -> None:
    text = PATH.read_text("utf-8").replace("value = 60", f"value = {value}")
    path = tmp_path / PATH.name
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match="allowed: "):
        read_authored(path)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "nan", "-inf"])
def test_limits_of_symbols_are_finite(tmp_path: Path, number: str) -> None:
    source = QUAKE.parent / "formulas" / "mean-of-three.toml"
    text = re.sub(r"high = [0-9.]+", f"high = {number}", source.read_text("utf-8"), count=1)
    path = tmp_path / source.name
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=r"high is .*allowed: a"):
        read_authored(path)


@pytest.mark.parametrize("line", ["[tests] # built", "[tests]\nhidden = ''\n[more]"])
def test_tests_are_written_only_where_nothing_else_is_lost(tmp_path: Path, line: str) -> None:
    text = PATH.read_text("utf-8").replace("[tests]\n", f"{line}\n", 1)
    path = tmp_path / PATH.name
    path.write_text(text, "utf-8")
    with pytest.raises(DataError):
        rebuild_file(path, TrustedOracle())
    assert path.read_text("utf-8") == text
