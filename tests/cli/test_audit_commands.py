"""``codequake audit``: what it prints, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.running import RunCommand

HEAD = "table,row,column,class,value,unit,n,role,of\n"
GOOD = HEAD + "t,m,c,easy,50.0,%,2,,\nt,m,c,hard,0.0,%,2,,\nt,m,c,all,25.0,%,4,total,.:.:.:*\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def test_a_table_that_follows_ends_with_0(run_command: RunCommand, table: Path) -> None:
    table.write_text(GOOD, "utf-8")
    done = run_command("audit", table, "--cells")
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 cells, 0 findings that something does not follow, 0 notes" in done.stdout
    assert "t, m, c, all: 25.0, read as items, 1 of 4, 4.6 to 69.9 %, 0.6 to 80.6 %" in done.stdout


def test_a_table_that_does_not_ends_with_1(run_command: RunCommand) -> None:
    done = run_command("audit", "-", text=GOOD.replace("25.0", "30.0"))
    assert done.returncode == 1
    assert "- t, m, c, all: 30.0 % is not what its parts give: the parts are 1 of 4" in done.stdout
    assert done.stderr == "codequake: 1 thing does not follow from the cells of standard input\n"


def test_json(run_command: RunCommand) -> None:
    done = run_command("audit", "-", "--json", text=GOOD.replace("50.0", "40.0"))
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["follows"] is False
    assert found["cells"][0]["counts"] is None
    assert found["cells"][1]["counts"] == [0, 0]
    assert [item["kind"] for item in found["findings"]] == ["not a count", "total does not follow"]
    assert all(item["derivation"] and item["not_known"] for item in found["findings"])


@pytest.mark.parametrize(
    ("paper", "said"),
    [
        ("cocc", "clean 90 and 40 (p = 5e-14)"),
        ("syntactic-robustness", "it needs a weight of 0.7264 to 0.7269"),
    ],
)
def test_bundled_papers(run_command: RunCommand, paper: str, said: str) -> None:
    done = run_command("audit", "--paper", paper)
    assert done.returncode == 1
    assert said in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "TABLE is '' and --paper is ''; allowed: one of them"),
        (("x.csv", "--paper", "cocc"), "allowed: one of them"),
        (("--paper", "other"), "paper is 'other'; allowed: cocc, syntactic-robustness"),
        (("absent.csv",), "absent.csv: cannot be read: No such file or directory"),
    ],
)
def test_wrong_use(run_command: RunCommand, arguments: tuple[str, ...], said: str) -> None:
    done = run_command("audit", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_names_cannot_steer_the_terminal(run_command: RunCommand) -> None:
    done = run_command("audit", "-", text=HEAD + "t,\x1b[2Jm,c,all,50,%,2,,\n")
    assert done.returncode == 2
    assert "\x1b" not in done.stdout + done.stderr
    assert "-:2: row is" in done.stderr
