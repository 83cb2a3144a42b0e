"""``codequake formula mutate``, ``distance`` and ``reduce``: output, exit codes, one sentence."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from tests.running import RunCommand

from codequake import cli


def test_mutate_prints_chains_and_proofs(run_command: RunCommand) -> None:
    done = run_command("formula", "mutate", "a*x+b=0", "--distance", "2", "--count", "5", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["formula"] == "a*x+b=0"
    assert found["exhausted"] is False
    assert len(found["mutants"]) == 5
    for mutant in found["mutants"]:
        assert (mutant["distance"], mutant["proved"]) == (2, True)
        assert len(mutant["steps"]) == 2
        assert mutant["steps"][-1]["text"] == mutant["text"]
        assert mutant["certificate"]["verdict"] == "equivalent"
    again = run_command("formula", "mutate", "a*x+b=0", "--distance", "2", "--count", "5", "--json")
    assert again.stdout == done.stdout
    other = run_command(
        *("formula", "mutate", "a*x+b=0", "--distance", "2", "--count", "5", "--seed", "1")
    )
    assert other.returncode == 0
    assert found["mutants"][0]["text"] not in other.stdout.split("\n")[0]


def test_a_small_space_is_exhausted(run_command: RunCommand) -> None:
    done = run_command("formula", "mutate", "x", "--distance", "1")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 8
    assert "There are no more than 7 at this distance." in done.stdout


def test_a_file_of_weights(run_command: RunCommand, tmp_path: Path) -> None:
    weights = {"equation": {"M5": 0.5, "M9": 0.1, "M3": None, "M11": -0.2}, "k": 2}
    Path(tmp_path, "weights.json").write_text(json.dumps(weights), "utf-8")
    ask = ("formula", "mutate", "a*x+b=0", "--weights", "weights.json", "--json")
    done = run_command(*ask, "--distance", "2", "--strategy", "top-k")
    found = json.loads(done.stdout)
    assert [mutant["text"] for mutant in found["mutants"]] == ["0=b+a*x"]
    assert found["exhausted"] is True
    none = run_command(*ask, "--distance", "3", "--strategy", "weighted")
    assert none.returncode == 3
    assert json.loads(none.stdout) == {
        "formula": "a*x+b=0",
        "mutants": [],
        "exhausted": True,
        "unconfirmed": 0,
        "unproved": 0,
        "inapplicable": [],
    }


def test_other_names_only_beside_a_text(run_command: RunCommand, tmp_path: Path) -> None:
    Path(tmp_path, "prompt.txt").write_text("Print the unknown, not y.", "utf-8")
    ask = ("formula", "mutate", "a*x=b", "--distance", "1", "--count", "90", "--json")
    with_text = json.loads(run_command(*ask, "--text", "prompt.txt").stdout)
    renamed = [one["renamed"] for one in with_text["mutants"] if one["renamed"]]
    assert renamed == [[["x", "z"]]]
    without = json.loads(run_command(*ask).stdout)
    assert not any(one["renamed"] for one in without["mutants"])


@pytest.mark.parametrize(
    ("goal", "options", "said"),
    [
        ("0=b+a*x", (), {"distance": 2, "proved": True}),
        ("a*x+b=1", (), {"distance": None, "proved": True}),
        ("a*x+b+0+0+0=0", ("--max", "2"), {"distance": None, "proved": True}),
        ("a*x+b+0=0", ("--mode", "paper"), {"distance": 1, "proved": True}),
        ("a*(x+0)+b=0", ("--mode", "paper"), {"distance": None, "proved": True}),
    ],
)
def test_distance(
    run_command: RunCommand, goal: str, options: tuple[str, ...], said: dict[str, object]
) -> None:
    done = run_command("formula", "distance", "a*x+b=0", goal, *options, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, said)


def test_reduce(run_command: RunCommand) -> None:
    ask = ("formula", "reduce", "(a*x+b)*c/2=0*c/2")
    done = run_command(*ask, "--json")
    found = json.loads(done.stdout)
    assert found["text"] == "a*x+b=0"
    assert found["assumptions"] == ["c != 0"]
    assert found["steps"][-1]["text"] == "a*x+b=0"
    assert found["size"] == {"before": 17, "after": 7}
    assert found["certificate"]["verdict"] == "equivalent"
    strict = run_command(*ask, "--strict")
    assert strict.stdout.split() == ["(a*x+b)*c=0"]
    zero = run_command("formula", "reduce", "a*x=b", "--form", "zero")
    assert zero.stdout.split() == ["a*x-b=0"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--distance", "13"), "distance is 13; allowed: 0 to 12"),
        (("--distance", "1", "--strategy", "best"), "--strategy is 'best'; allowed: naive"),
        (("--distance", "1", "--strategy", "top-k"), "'top-k' needs the weights of a profile"),
        (("--distance", "1", "--weights", "none.json"), "none.json: cannot be read"),
        (("--distance", "1", "--weights", "bad.json"), "bad.json: not JSON"),
        (("--distance", "1", "--weights", "word.json"), "weight of M1 is 'much'; allowed"),
        (("--distance", "1", "--weights", "name.json"), "mutation type 'M99' is unknown"),
    ],
)
def test_wrong_use(
    run_command: RunCommand, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    Path(tmp_path, "bad.json").write_text("{", "utf-8")
    Path(tmp_path, "word.json").write_text('{"equation": {"M1": "much"}}', "utf-8")
    Path(tmp_path, "name.json").write_text('{"equation": {"M99": 1}}', "utf-8")
    done = run_command("formula", "mutate", "a*x=b", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "JSON is nested too deeply"),
        ('{"equation": {"M1": NaN}}', "NaN is not JSON"),
        ('{"equation": {"M1": 1e999}}', "weight of M1 is 'inf'; allowed: a finite number"),
        (f'{{"equation": {{"M1": {"9" * 400}}}}}', "weight of M1 is '9999"),
        (f'{{"equation": {{"M1": {"9" * 5000}}}}}', "not JSON"),
        ('{"equation": {"M1": true}}', "weight of M1 is 'True'; allowed: a finite number"),
        ('{"equation": {"M1": 1, "M1": 2}}', "key 'M1' stands twice"),
        ('{"equation": {"M1": 1}, "K": 3}', "key 'K' is not known; allowed: equation"),
        ('{"equation": {"M99": 1}}', "mutation type 'M99' is unknown; allowed: M1,"),
        ('{"equation": {"M1": 1}, "k": 0}', "k is 0; allowed: 1 to 18"),
        ("[]", "has no object 'equation'"),
    ],
)
def test_a_bad_file_of_weights_is_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    text: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.json").write_text(text, "utf-8")
    command = "codequake formula mutate a=b --distance 1 --strategy weighted --weights w.json"
    monkeypatch.setattr(sys, "argv", command.split())
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as ending:
        cli.main()
    assert ending.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"codequake: w.json: {message}")
    assert (told.count("\n"), len(told) < 300) == (1, True)
