"""The CSV of published cells: what is read, what is refused, and how that is said."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest
from tests.audit.sheets import HEAD

from codequake.audit.cells import ProblemGroup, Reference, Role, Unit
from codequake.audit.reading import MOST_CELLS, parse_printed, read_cells, read_sheet
from codequake.audit.relating import relate
from codequake.errors import DataError, UserError

SHORT = "table,row,column,class,value,unit,n,role,of,minus,tests\n"


def test_a_cell_with_all_that_it_can_say() -> None:
    text = (
        SHORT
        + "t,m,c,easy,93.9,%,3,cell,,,2x2 1x5\nt,m,d,easy,+1.05,points,,delta,.:.:c:.,.:.:c:.,"
    )
    cell, delta = read_cells(text, "f.csv")
    assert (cell.printed.value, cell.printed.half) == (Fraction(939, 10), Fraction(1, 20))
    assert (cell.printed.low, cell.printed.high) == (Fraction(9385, 100), Fraction(9395, 100))
    assert (cell.unit, cell.n, cell.role, cell.place) == (Unit.PERCENT, 3, Role.CELL, "f.csv:2")
    assert cell.tests == (ProblemGroup(2, 2), ProblemGroup(1, 5))
    assert delta.of == (Reference("t", "m", "c", "easy"),)
    assert delta.printed.half == Fraction(1, 200)


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [
        ("7", Fraction(7), Fraction(1, 2)),
        ("-0.50", Fraction(-1, 2), Fraction(1, 200)),
        ("+2.4", Fraction(12, 5), Fraction(1, 20)),
        ("000000001.000001", Fraction(1000001, 1000000), Fraction(1, 2000000)),
    ],
)
def test_printed_numbers(text: str, value: Fraction, half: Fraction) -> None:
    printed = parse_printed(text)
    assert printed is not None
    assert (printed.value, printed.half) == (value, half)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "1.",
        ".5",
        "1e3",
        "nan",
        "inf",
        "1/2",
        "93.9%",
        "1,5",
        "- 1",
        "\u22121",
        "\u0663",
        "1" * 10,
    ],
)
def test_what_is_no_printed_number(text: str) -> None:
    assert parse_printed(text) is None


GOOD = "t,m,c,all,50,%,2,,,,"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("t,m,c,all,5O,%,2,,,,", "f.csv:3: value is '5O'; allowed: a number as it is printed"),
        (
            "t,m,d,all,50,percent,2,,,,",
            "f.csv:3: unit is 'percent'; allowed: %, share, count, score",
        ),
        ("t,m,d,all,50,,2,,,,", "f.csv:3: unit is ''; allowed: %"),
        ("t,m,d,all,50,%,0,,,,", "f.csv:3: n is '0'; allowed: a whole number from 1 to 1000000"),
        ("t,m,d,all,50,%,9999999,,,,", "n is '9999999'; allowed"),
        (
            "t,m,d,all,50,%,2,avg,,,",
            "f.csv:3: role is 'avg'; allowed: cell, total, mean, sum, delta",
        ),
        ("t,m,d,all,50,%,2,mean,.:.:*:.,,", "f.csv:3: n is '2'; allowed: nothing for a mean"),
        ("t,m,d,all,50,%,2,,.:.:*:.,,", "of is '.:.:*:.'; allowed: nothing for a cell"),
        ("t,m,d,all,50,%,2,total,,,", "of is ''; allowed: references for a total"),
        ("t,m,d,all,50,%,2,total,a:b,,", "of is 'a:b'; allowed: table:row:column:class"),
        ("t,m,d,all,50,%,2,total,.:.:*:.;,,", "allowed: table:row:column:class"),
        ("t,m,d,all,5,points,,delta,.:.:c:.,.:.:*:.,", "minus is '.:.:*:.'; allowed: a reference"),
        ("t,m,d,all,5,%,,delta,.:.:c:.,.:.:c:.,", "unit is '%'; allowed: points for a delta"),
        ("t,m,d,all,5,points,2,,,,", "unit is 'points'; allowed: %, share, count or score"),
        ("t,m,d,all,50,%,2,,,,1x1", "tests is '1x1'; allowed: problems that add up to n"),
        ("t,m,d,all,50,%,2,,,,two", "tests is 'two'; allowed: PROBLEMSxTESTS"),
        ("t,a:b,d,all,50,%,2,,,,", "row is 'a:b'; allowed: 1 to 100 visible characters"),
        ("t,*,d,all,50,%,2,,,,", "row is '*'; allowed"),
        ("t,.,d,all,50,%,2,,,,", "row is '.'; allowed"),
        ("t,,d,all,50,%,2,,,,", "row is ''; allowed"),
        ("t,\x1b[31mred,d,all,50,%,2,,,,", r"row is '\x1b[31mred'; allowed"),
        ("t,a\u202eb,d,all,50,%,2,,,,", r"row is 'a\u202eb'; allowed"),
        ('t,"a\nb",d,all,50,%,2,,,,', "f.csv:4: row is 'a\\nb'; allowed"),
        (f"t,{'x' * 101},d,all,50,%,2,,,,", "allowed: 1 to 100 visible"),
        ("t,m,d,all,50,%,2", "f.csv:3: 7 fields; allowed: 11"),
        ('t,m,"d,all,50,%,2,,,,', "f.csv:3: not CSV: unexpected end of data"),
        (GOOD, "f.csv:3: t, m, c, all stands at f.csv:2 already; allowed: once"),
        ("t,m,d,all,50,%,2,total,u:.:.:*,,", "of holds 'u:m:d:*', which names no other cell"),
        ("t,m,d,all,50,%,2,total,.:.:.:.,,", "of holds 't:m:d:all', which names no other cell"),
        ("t,m,d,all,.5,share,2,total,.:.:c:.,,", "value is '.5'; allowed"),
        (
            "t,m,d,all,0.5,share,2,total,.:.:c:.,,",
            "unit is 'share' and that of t, m, c, all is '%'",
        ),
        ("t,m,d,all,50,%,2,total,.:.:c:.;.:.:*:.,,", "of names a cell twice; allowed: once"),
    ],
)
def test_refusals_name_line_value_and_what_is_allowed(line: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        relate(read_cells(f"{SHORT}{GOOD}\n{line}\n", "f.csv"))
    assert said in str(caught.value)
    assert str(caught.value).startswith("f.csv:")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f.csv:1: the column 'table' is missing"),
        ("table,row,column,class,value\n", "the column 'unit' is missing"),
        ("table,row,column,class,value,unit,unit\n", "column 'unit' stands twice; allowed: once"),
        ("table,row,column,class,value,unit,p\n", "unknown column 'p'; allowed: table, row"),
        (SHORT, "f.csv: no cells below the names of the columns; allowed: 1 or more"),
    ],
)
def test_heads(text: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        read_cells(text, "f.csv")
    assert said in str(caught.value)


def test_a_delta_needs_one_cell_on_each_side() -> None:
    text = f"{SHORT}{GOOD}\nt,m,d,all,50,%,2,,,,\nt,m,e,all,5,points,,delta,.:.:*:.,.:.:c:.,"
    with pytest.raises(DataError, match="of names 2 cells; allowed: one for a delta"):
        relate(read_cells(text, "f.csv"))


def test_too_many_cells_are_refused_in_time() -> None:
    lines = "\n".join(f"t,m{number},c,all,50,%,2,,,," for number in range(MOST_CELLS + 1))
    with pytest.raises(DataError, match=f"a further cell; allowed: {MOST_CELLS}"):
        read_cells(SHORT + lines, "f.csv")


def test_a_wildcard_finds_cells_and_totals_but_no_means_and_not_itself() -> None:
    lines = [
        "t,m,a,all,1,score,,,,,,,",
        "t,m,b,all,3,score,,,,,,,",
        "t,m,mean,all,2,score,,,mean,,.:.:*:.,,",
        "t,m,sum,all,4,score,,,sum,,.:.:*:.,,",
    ]
    sheet = relate(read_cells(HEAD + "\n".join(lines), "f.csv"))
    assert [cell.column for cell in sheet.cells[2].of] == ["a", "b", "sum"]
    assert [cell.column for cell in sheet.cells[3].of] == ["a", "b"]


def test_malformed_files_never_end_in_anything_but_one_sentence(tmp_path: Path) -> None:
    """Bytes of a good file are changed, cut and repeated at random; 400 files."""
    good = (
        HEAD + "t,m,c,easy,93.9,%,33,x,,,,,\nt,m,c,all,94,%,33,x,total,,.:.:.:*,,33x2\n"
    ).encode()
    dice = random.Random(20_250)
    refused: list[str] = []
    for number in range(400):
        raw = bytearray(good)
        for _ in range(dice.randrange(1, 6)):
            place = dice.randrange(len(raw))
            match dice.randrange(4):
                case 0:
                    raw[place] = dice.choice(b'\x00\x1b\xff",;:*\r\n.%-9')
                case 1:
                    del raw[place : place + dice.randrange(1, 9)]
                case 2:
                    raw[place:place] = dice.choice(
                        [b'"', b",", b"\n", b"\xe2\x80\xae", b"=1+1", b"9" * 40]
                    )
                case _:
                    raw[place:place] = raw[max(0, place - 20) : place]
            raw = raw or bytearray(b"x")
        path = tmp_path / f"{number}.csv"
        path.write_bytes(bytes(raw))
        try:
            read_sheet(str(path))
        except UserError as error:
            refused.append(str(error))
    assert 200 < len(refused) <= 400
    assert all(said.startswith(str(tmp_path)) and len(said) < 600 for said in refused)


def test_the_example_file_is_that_of_the_page() -> None:
    docs = Path(__file__).parents[2] / "docs"
    example = (docs / "examples" / "published-cells.csv").read_text("utf-8")
    assert f"```\n{example}```\n" in (docs / "audit.md").read_text("utf-8")
    assert len(read_sheet(str(docs / "examples" / "published-cells.csv")).cells) == 10
