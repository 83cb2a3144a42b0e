"""``codequake formula parse`` and ``codequake formula eval``."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable

import pytest
from tests.running import RunCommand
from typer.testing import CliRunner

from codequake.cli import app, main


def formula(*arguments: str, text: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(app, ["formula", *arguments], input=text)
    return done.exit_code, done.stdout


CONTRACT = ("--names", "sequences:a truths:found integers:n")


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["parse", "a * x + b = 0"], "a*x+b=0"),
        (["parse", "-x^2"], "-x^2"),
        (["parse", r"\frac{a}{b}x^2"], "a/b*x^2"),
        (["parse", "a/b", "--latex"], "a / b"),
        (["parse", "x^2", "--latex"], "x^{2}"),
        (["parse", "2*t", "--names", "variables:t"], "2*t"),
        (["parse", "found&&n in a", *CONTRACT], "found && n in a"),
        (["eval", "1/2*x", "--at", "x=3"], "1.5 (exactly 3/2)"),
        (["eval", "a*x+b=0", "--at", "a=2,b=-6,x=3"], "0.0 holds"),
        (["eval", "a*x+b=0", "--at", "a=2,b=-6", "--at", "x=2"], "-2.0 does not hold"),
        (["eval", "0.1+0.2=0.3"], "5.551115123125783e-17 (exactly 0) holds"),
        (["eval", "a<b<c", "--at", "a=1,b=2,c=3"], "holds"),
        (["eval", "-x", "--at", "x=3"], "-3.0"),
        (["eval", "found <==> n in a", *CONTRACT, "--at", "a=[1,2],n=2,found=true"], "holds"),
    ],
)
def test_answers(arguments: list[str], printed: str) -> None:
    assert formula(*arguments) == (0, f"{printed}\n")


def test_standard_input() -> None:
    assert formula("parse", "-", text="a + b\n") == (0, "a+b\n")


def test_parse_in_json() -> None:
    code, printed = formula("parse", "y'(x)=a*y(x)", "--json")
    found = json.loads(printed)
    assert code == 0
    assert found["text"] == "y'(x)=a*y(x)"
    assert found["latex"] == r"y'\left(x\right) = a \cdot y\left(x\right)"
    assert found["kind"] == "equation"
    assert (found["size"], found["depth"]) == (12, 4)
    assert (found["coefficients"], found["variables"]) == (["a"], ["x"])
    assert found["tree"]["op"] == "equation"
    assert [kid["op"] for kid in found["tree"]["kids"]] == ["derivative", "multiply"]
    contract = json.loads(formula("parse", "found ==> n == |a|", *CONTRACT, "--json")[1])
    assert contract["kind"] == "contract"
    assert contract["atoms"] == [{"text": "n == |a|", "sort": "int", "path": [1]}]


def test_eval_in_json() -> None:
    code, printed = formula("eval", "a/b", "--at", "a=1,b=3", "--json")
    assert code == 0
    assert json.loads(printed) == {
        "text": "a/b",
        "value": 1 / 3,
        "exact": "1/3",
        "holds": None,
    }


@pytest.fixture
def run_main(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run the whole command line in this process; gives exit code, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["codequake", "formula", *arguments])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return (ended.value.code, *capsys.readouterr())

    return run


RunMain = Callable[..., tuple[int, str, str]]


def test_no_value_is_said_with_an_exit_code_of_its_own(run_main: RunMain) -> None:
    code, printed, said = run_main("eval", "a/b", "--at", "a=1,b=0", "--json")
    assert code == 3
    assert json.loads(printed)["value"] is None
    assert said == "codequake: formula has no value at this point\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["parse", "a+*b"], "'*' is unexpected here"),
        (["parse", "a+b", "--names", "numbers:n"], "declaration 'numbers:n' is not understood"),
        (["eval", "a+b", "--at", "a=1"], "name 'b' has no value"),
        (["eval", "a", "--at", "a=one"], "allowed: a number"),
        (["eval", "y'(x)", "--at", "x=1"], "no fixed meaning"),
        (["eval", "a", "--ta", "a=1"], "unexpected extra argument"),
        (["parse"], "missing argument"),
    ],
)
def test_wrong_use(run_main: RunMain, arguments: list[str], message: str) -> None:
    code, printed, said = run_main(*arguments)
    assert (code, printed) == (2, "")
    assert message in said
    assert len(said.splitlines()) in (1, 3)


def test_the_place_is_shown_with_a_caret(run_command: RunCommand) -> None:
    done = run_command("formula", "parse", "a*(x+?)")
    assert done.returncode == 2
    first, text, caret = done.stderr.splitlines()
    assert first.startswith("codequake: character '?' is not part of a formula")
    assert text.index("?") == caret.index("^")
