"""Sets of other projects in a study: the same verdicts as on a file of the same replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.running import RunCommand
from tests.study.test_check_sets import EVALPLUS, HUMANEVAL

from codequake.grading import SandboxOracle
from codequake.journal import Entry, Journal
from codequake.keys import new_request
from codequake.models import open_model, render_messages
from codequake.perturb import PerturbationSpec, make_variants
from codequake.problems import load_set
from codequake.records import (
    JsonText,
    Measurement,
    Problem,
    Reply,
    Status,
    StopReason,
    TestOutcome,
    Verdict,
)
from codequake.sandbox import open_backend
from codequake.store import read_parquet
from codequake.study import run as running
from codequake.study.config import GraderSettings, StudyConfig
from codequake.study.folder import StudyFolder
from codequake.study.progress import Silent
from codequake.study.regrade import grade_file, regrade_study
from codequake.study.run import configure, run_study
from codequake.study.stages import problems_stage

OPENING = "import math\n\n\ndef half(x):\n    return x / 2\n\n\n"
PROMPT = OPENING + 'def up(x):\n    """Add half.\n\n    >>> up(2)\n    3.0\n    """\n'
BODY = "    return x + half(x)\n"
CHANGES = {
    "prompt": PROMPT,
    "canonical_solution": BODY,
    "test": "def check(candidate):\n    assert candidate(2) == 3\n    assert candidate(4) == 6\n",
}
ROWS = {
    "humaneval": HUMANEVAL | CHANGES,
    "evalplus": EVALPLUS | {key: CHANGES[key] for key in ("prompt", "canonical_solution")},
}
# One problem each, since a study asks a prompt once: reply -> its status.
REPLIES = {
    BODY: Status.PASSED,
    f"The body:\n```python\n{BODY}```\n": Status.PASSED,
    "```python\ndef up(x):\n    return x + half(x)\n```": Status.PASSED,
    "```python\ndef up(x):\n    return x * 1.5\n```": Status.PASSED,
    "    return math.fsum([x, half(x)])\n\nprint(up(3))\n": Status.PASSED,
    "    return half(x)\n": Status.WRONG_ANSWER,
    "    return x + third(x)\n": Status.RUNTIME_ERROR,
    "    # to be done\n": Status.NO_CODE,
    "I would rather not say.": Status.NO_CODE,
}
Row = tuple[str, Status, tuple[TestOutcome, ...], str, str]


def brief(verdicts: tuple[Verdict, ...]) -> list[Row]:
    """What must be alike; ids of variants and names of models are not."""
    return sorted(
        (item.problem_id, item.status, item.tests, item.program, item.extraction)
        for item in verdicts
    )


def write_set(name: str, path: Path) -> None:
    rows = [
        ROWS[name] | {"task_id": f"Own/{n}", "prompt": PROMPT.replace("half.", f"half ({n}).")}
        for n in range(len(REPLIES))
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))


def record(problems: tuple[Problem, ...], folder: Path) -> None:
    """Write the journal of a model that gave each problem its reply."""
    with Journal(folder) as journal:
        for problem, text in zip(problems, REPLIES, strict=True):
            spec = PerturbationSpec("clean", JsonText("{}"))
            (variant,) = make_variants(problem, (spec,), seed=0, oracle=None).variants
            messages = render_messages(problem, variant, "plain")
            request = new_request("real/model", "", messages, JsonText("{}"), 0)
            reply = Reply(request.key, text, None, "real-1", StopReason.STOP, 3, 4, None)
            took = Measurement("completion", request.key, 1.0, None, None, "host", "then")
            journal.append(Entry(request, reply, took))


def write_study(folder: Path, problems: str) -> Path:
    path = folder / "study.toml"
    path.write_text(
        f'problems = ["{problems}"]\nmodels = ["codequake/replay"]\n'
        '[[perturbations]]\nname = "clean"\n'
    )
    return path


@pytest.mark.parametrize("name", ROWS)
def test_a_file_a_study_and_its_regrading_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    write_set(name, home / "set.jsonl")
    problems = load_set(f"{name}:{home}/set.jsonl", SandboxOracle(open_backend("bwrap")))
    assert len(problems) == len(REPLIES)
    lines = [
        json.dumps({"problem_id": problem.problem_id, "completion": text})
        for problem, text in zip(problems, REPLIES, strict=True)
    ]
    (home / "replies.jsonl").write_text("\n".join(lines))
    graded = grade_file(
        home / "replies.jsonl",
        f"{name}:{home}/set.jsonl",
        None,
        workers=2,
        settings=GraderSettings(),
        notify=Silent(),
    )
    assert graded.problems == ()
    assert [item.status for item in graded.verdicts] == list(REPLIES.values())

    record(problems, home / "recording")

    def replay(config: StudyConfig) -> dict[str, Any]:
        source = str(home / "recording")
        return {one: open_model(one, arguments={"from": source}) for one in config.models}

    monkeypatch.setattr(running, "open_models", replay)
    out = tmp_path / "out"
    # The path in the study file starts from the file, wherever it is run.
    monkeypatch.chdir(tmp_path)
    study = configure(str(write_study(home, f"{name}:set.jsonl")), (), 0)
    result = run_study(study, out, workers=2, notify=Silent())
    assert result.pending == 0
    verdicts = read_parquet(out / "verdicts.parquet", Verdict)
    assert brief(verdicts) == brief(graded.verdicts)
    settings = json.loads((out / "study.json").read_text("utf-8"))
    assert settings["problems"] == [f"{name}:set.jsonl"]

    again = regrade_study(out, workers=2, notify=Silent())
    assert again.changed == ()
    assert brief(again.verdicts) == brief(graded.verdicts)
    # A study goes on where its problem file is no more: it keeps the problems that it began with.
    (home / "set.jsonl").unlink()
    oracle = SandboxOracle(open_backend("bwrap"))
    assert problems_stage(StudyFolder(out), study, oracle) == problems


def test_variants_and_counts_need_the_references_too(
    run_command: RunCommand, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    write_set("evalplus", folder / "set.jsonl")
    study = write_study(folder, "evalplus:set.jsonl")
    counted = run_command("run", study, "--dry-run", "--json")
    assert counted.returncode == 0, counted.stderr
    assert json.loads(counted.stdout)["completions"] == len(REPLIES)
    made = run_command("perturb", study, "--out", "made", "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["variants"] == len(REPLIES)
    kept = read_parquet(tmp_path / "made" / "problems.parquet", Problem)
    assert [test.expected for test in kept[0].tests] == ["1.5", "3.0", "10.5"]
    named = run_command("perturb", "--problems", f"evalplus:{folder}/set.jsonl", "--out", "named")
    assert named.returncode == 0, named.stderr
    shown = run_command(
        "problems", "show", "evalplus/Own/3", "--problems", f"evalplus:{folder}/set.jsonl"
    )
    assert shown.returncode == 0, shown.stderr
    assert "Add half (3)." in shown.stdout
    assert "Tests: 1 visible, 2 hidden" in shown.stdout
    assert "Reference canonical_solution (python):" in shown.stdout
    wrong = run_command("run", write_study(folder, "evalplus:other.jsonl"), "--dry-run")
    assert wrong.returncode == 2
    assert (
        wrong.stderr
        == f"codequake: {folder}/other.jsonl: cannot be read: No such file or directory\n"
    )
