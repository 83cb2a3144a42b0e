"""``codequake formula equal``: verdicts, exit codes, JSON, wrong use."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from codequake.cli import app

RUNNER = CliRunner()


def run(*arguments: str, given: str = "") -> tuple[int, str]:
    done = RUNNER.invoke(app, ["formula", "equal", *arguments], input=given)
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("arguments", "code", "first_line"),
    [
        (("a*x+b", "b+x*a"), 0, "equivalent"),
        (("x/x", "1"), 0, "equivalent, where x != 0"),
        (("x*a/a", "x", "--assume", "a!=0"), 0, "equivalent"),
        (("a*x", "a*t", "--rename", "x=t", "--names", "variables:t"), 0, "equivalent"),
        (("-x", "0-x"), 0, "equivalent"),
        (("m<n", "m+1<=n", "--names", "integers:m,n"), 0, "equivalent"),
        (("a", "b"), 1, "different"),
        (("x=0", "x^3=0", "--seconds", "0"), 1, "unknown"),
    ],
)
def test_the_first_line_is_the_verdict(
    arguments: tuple[str, ...], code: int, first_line: str
) -> None:
    got, output = run(*arguments)
    assert (got, output.splitlines()[0]) == (code, first_line)


def test_one_formula_may_come_from_standard_input() -> None:
    assert run("-", "1+x", given="x+1\n")[0] == 0


def test_json_of_equivalent() -> None:
    code, output = run("x/x", "1", "--json")
    found = json.loads(output)
    assert code == 0
    assert found["verdict"] == "equivalent"
    assert found["assumptions"] == ["x != 0"]
    assert "witness" not in found
    assert found["method"] == found["certificate"]["method"]
    assert found["certificate"]["error_bits"] >= 100


def test_json_of_different() -> None:
    code, output = run("a*x+b=0", "(a*x+b)*x=0", "--json")
    found = json.loads(output)
    assert code == 1
    assert found["verdict"] == "different"
    assert found["witness"]["detail"] == "only the second holds"
    assert set(found["witness"]["point"]) == {"a", "b", "x"}


def test_json_of_unknown() -> None:
    code, output = run("1/0", "1/0", "--json")
    found = json.loads(output)
    assert (code, found["verdict"]) == (1, "unknown")
    assert found["reason"].startswith("invalid formula")


@pytest.mark.parametrize(
    "arguments",
    [
        ("a",),
        ("a", "a="),
        ("a", "a=0"),
        ("-", "-"),
        ("x", "x", "--assume", "a"),
        ("x", "x", "--rename", "x"),
        ("x+z", "z+z", "--rename", "x=z"),
        ("x", "x", "--seconds", "-1"),
        ("x", "x", "--names", "letters:a"),
    ],
)
def test_wrong_use_is_exit_code_2(
    arguments: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from codequake import cli

    monkeypatch.setattr("sys.argv", ["codequake", "formula", "equal", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("codequake: ")
