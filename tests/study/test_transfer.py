"""Studies to and from Inspect: nothing is lost on the way, and nothing comes in unseen."""

from __future__ import annotations

import json
import math
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.models.browser import chromium, find_chromium, texts_of
from tests.running import RunCommand, command_environment, installed_environment
from tests.study.small_study import RESULTS

from codequake.errors import CheckFailedError, DataError, UsageError
from codequake.grading import open_log, read_completions
from codequake.journal import read_journal
from codequake.records import Completion, Estimate, Planned, Status, Variant, Verdict
from codequake.store import read_parquet
from codequake.study.config import load_study
from codequake.study.exporting import export_study
from codequake.study.importing import import_logs
from codequake.study.plan import completions_of
from codequake.study.progress import Silent
from codequake.study.run import run_study

pytest.importorskip("inspect_ai")

from inspect_ai.log import (
    EvalSample,
    read_eval_log,
    read_eval_log_samples,
    write_eval_log,
)

pytestmark = pytest.mark.xdist_group("transfer")

STUDY = """\
name = "moved"
seed = 3
problems = ["starter-12", "formulas-20"]
models = ["codequake/sim-messy", "codequake/sim"]
limit = 2
samples = 2

[[perturbations]]
name = "clean"
[[perturbations]]
name = "repeat"
[[perturbations]]
name = "storytelling"
[[perturbations]]
name = "formula"
distance = 1
[[perturbations]]
name = "reduced"
of = { distance = 1 }
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two models; nothing in it is changed by a test."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.toml").write_text(STUDY)
    run_study(load_study(str(folder / "study.toml")), folder / "out", workers=2, notify=Silent())
    return folder / "out"


@pytest.fixture(scope="module")
def logs(study: Path) -> tuple[Path, ...]:
    return export_study(study, "inspect", study.parent / "logs", Silent()).files


def replies(study: Path) -> dict[tuple[str, str, int], Completion]:
    planned = read_parquet(study / "plan.parquet", Planned)
    known = read_journal(study / "completions")
    found = completions_of(planned, known)
    return {(item.model, item.variant_id, item.sample): item for item in found}


def verdicts(study: Path) -> dict[tuple[str, str, int], Verdict]:
    found = read_parquet(study / "verdicts.parquet", Verdict)
    return {(item.model, item.variant_id, item.sample): item for item in found}


def samples_of(paths: tuple[Path, ...]) -> dict[tuple[str, str, int], EvalSample]:
    found = {}
    for path in paths:
        model = read_eval_log(str(path), header_only=True).eval.model
        for sample in read_eval_log_samples(str(path)):
            key = (model, sample.metadata["variant_id"], sample.metadata["sample"])
            assert key not in found
            found[key] = sample
    return found


def test_inspect_reads_back_every_sample_and_score(study: Path, logs: tuple[Path, ...]) -> None:
    assert [path.name for path in logs] == ["codequake_sim-messy.eval", "codequake_sim.eval"]
    asked, graded, samples = replies(study), verdicts(study), samples_of(logs)
    assert set(samples) == set(asked) == set(graded)
    assert len(samples) == 2 * 2 * (2 * 3 + 2 * 4)
    variants = {item.variant_id: item for item in read_parquet(study / "variants.parquet", Variant)}
    seen = set()
    for key, sample in samples.items():
        reply, verdict = asked[key], graded[key]
        assert sample.output.completion == reply.text
        assert sample.output.model == reply.model_reported
        assert sample.messages[-1].text == reply.text
        assert isinstance(sample.input, list)
        assert sample.input[-1].text == variants[key[1]].text
        score = (sample.scores or {})["verdict"]
        assert score.value == ("C" if verdict.status is Status.PASSED else "I")
        assert score.metadata is not None
        assert score.metadata["status"] == verdict.status
        assert len(score.metadata["tests"]) == len(verdict.tests)
        assert score.answer == (verdict.program or None)
        seen.add(verdict.status)
    assert len(seen) > 2  # the messy coder gives more kinds of replies than right and wrong


def test_the_results_of_a_log_are_the_estimates(study: Path, logs: tuple[Path, ...]) -> None:
    header = read_eval_log(str(logs[0]), header_only=True)
    assert header.results is not None
    assert header.status == "success"
    estimates = [
        item
        for item in read_parquet(study / "estimates.parquet", Estimate)
        if item.model == "codequake/sim-messy" and item.value is not None
    ]
    shown = {
        (score.name, metric.name): metric.value
        for score in header.results.scores
        for metric in score.metrics.values()
    }
    assert len(shown) == len(estimates)
    clean = next(
        item
        for item in estimates
        if (item.metric, item.family, item.scope, item.group)
        == ("pass_at_1", "clean", "hidden", "")
    )
    first = header.results.scores[0]
    # What a listing shows as the score of the log.
    assert first.name == "pass_at_1"
    assert next(iter(first.metrics.values())).value == clean.value


def test_what_is_pending_has_no_score(study: Path, tmp_path: Path) -> None:
    """A reply that was lost and one that was an error are there, and count for nothing."""
    copy = tmp_path / "copy"
    shutil.copytree(study, copy)
    segment = max((copy / "completions").glob("*.jsonl"), key=lambda path: path.stat().st_size)
    lines = segment.read_text("utf-8").splitlines(keepends=True)
    segment.write_text("".join(lines[1:]), "utf-8")
    lost = json.loads(lines[0])["row"]["request"]
    key = next(
        (row.model, row.variant_id, row.sample)
        for row in read_parquet(copy / "plan.parquet", Planned)
        if row.key == lost["key"]
    )
    paths = export_study(copy, "inspect", None, Silent()).files
    assert {path.parent for path in paths} == {copy / "inspect"}
    samples = samples_of(paths)
    assert len(samples) == len(verdicts(study))
    assert samples[key].error is not None
    assert samples[key].error.message == "not asked yet"
    assert not samples[key].output.choices
    score = (samples[key].scores or {})["verdict"]
    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    # NaN is no JSON, but Inspect writes it; our own reader takes the log all the same.
    rows = [read_completions(path) for path in paths]
    assert [found.problems for found in rows] == [(), ()]
    assert [row.error for found in rows for row in found.rows if row.error] == ["not asked yet"]


def test_a_study_that_went_out_comes_in_again(
    study: Path, logs: tuple[Path, ...], tmp_path: Path
) -> None:
    first = import_logs(logs, tmp_path / "in", workers=2, notify=Silent())
    first.raise_for_problems()
    # Prompts of equal messages share a reply, in the study that went out as in this one.
    keys = {item.key for item in replies(study).values()}
    assert first.taken == len(keys)
    assert first.taken + first.shared == len(verdicts(study))
    for name in RESULTS:
        old, new = (folder / f"{name}.parquet" for folder in (study, tmp_path / "in"))
        assert old.read_bytes() == new.read_bytes(), name
    # A second time there is nothing new, and the study can be run as any other.
    again = import_logs(logs, tmp_path / "in", workers=2, notify=Silent())
    assert (again.taken, again.run.pending) == (0, 0)
    asked = load_study(str(study.parent / "study.toml"))
    assert run_study(asked, tmp_path / "in", workers=2, notify=Silent()).asked == 0


def test_a_log_of_a_task_is_a_study(run_command: RunCommand, study: Path, tmp_path: Path) -> None:
    """The same settings through Inspect's own command and through ours give equal verdicts."""
    program = Path(sys.executable).with_name("inspect")
    options = ["problems=starter-12", "limit=2", "seed=3", "samples=2"]
    options.append("perturbations=clean,repeat,storytelling")
    done = subprocess.run(
        [program, "eval", "codequake/cocc", "--model", "codequake/sim-messy", "--log-dir", "logs"]
        + [word for option in options for word in ("-T", option)]
        + ["--display", "none"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=installed_environment(),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    done = run_command("import", log, "--out", "in", "--json")
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert (counts["imported"], counts["pending"], counts["problems"]) == (2 * 2 * 3, 0, [])
    found, whole = verdicts(tmp_path / "in"), verdicts(study)
    assert len(found) == 2 * 2 * 3
    assert found == {key: whole[key] for key in found}
    # What graded inside of Inspect is what grades here.
    for sample in read_eval_log_samples(str(log)):
        index = sample.epoch - 1 + (2 if sample.metadata["family"] == "repeat" else 0)
        verdict = found["codequake/sim-messy", sample.metadata["variant_id"], index]
        score = (sample.scores or {})["verdict"]
        assert score.metadata is not None
        assert score.metadata["status"] == verdict.status


def edited(log: Path, to: Path, change: object) -> Path:
    """Write a log again after a change of its samples or its header."""
    assert callable(change)
    whole = read_eval_log(str(log))
    change(whole)
    write_eval_log(whole, str(to))
    return to


def test_what_does_not_fit_is_told_and_left_out(logs: tuple[Path, ...], tmp_path: Path) -> None:
    def change(log: object) -> None:
        alone = (item for item in log.samples if item.metadata["family"] == "storytelling")  # type: ignore[attr-defined]
        first, second, third, *_ = alone
        first.input[-1].content += " Please."
        second.metadata["variant_id"] = "0" * 16
        third.output.choices = []
        third.output.error = "overloaded"

    path = edited(logs[0], tmp_path / "changed.eval", change)
    result = import_logs([path], tmp_path / "in", workers=2, notify=Silent())
    assert len(result.problems) == 2
    assert "other messages" in result.problems[0] + result.problems[1]
    assert "which this study does not have" in result.problems[0] + result.problems[1]
    assert all(str(path) in sentence for sentence in result.problems)
    assert result.run.pending == 3
    statuses = [item.status for item in verdicts(tmp_path / "in").values()]
    assert statuses.count(Status.PROVIDER_ERROR) == 1
    with pytest.raises(CheckFailedError, match="2 samples could not be imported"):
        result.raise_for_problems()


def test_settings_that_a_study_cannot_hold_are_refused(
    logs: tuple[Path, ...], tmp_path: Path
) -> None:
    def hotter(log: object) -> None:
        log.plan.config.temperature = 0.7  # type: ignore[attr-defined]

    def odd(log: object) -> None:
        log.plan.config.num_choices = 3  # type: ignore[attr-defined]

    def foreign(log: object) -> None:
        log.eval.metadata = {}  # type: ignore[attr-defined]

    with pytest.raises(UsageError, match="num_choices = 3, which a study does not know"):
        import_logs(
            [edited(logs[0], tmp_path / "odd.eval", odd)],
            tmp_path / "in",
            workers=1,
            notify=Silent(),
        )
    with pytest.raises(UsageError, match="neither by a task nor by an export"):
        import_logs(
            [edited(logs[0], tmp_path / "foreign.eval", foreign)],
            tmp_path / "in",
            workers=1,
            notify=Silent(),
        )
    (tmp_path / "text.eval").write_text("no zip")
    with pytest.raises(DataError, match="not a log of Inspect"):
        import_logs([tmp_path / "text.eval"], tmp_path / "in", workers=1, notify=Silent())
    assert not (tmp_path / "in").exists()
    hot = edited(logs[0], tmp_path / "hot.eval", hotter)
    with pytest.raises(UsageError, match=r'"temperature":0.7}; the study has .*"temperature":0'):
        import_logs([logs[1], hot], tmp_path / "in", workers=1, notify=Silent())


def test_our_reader_takes_logs_as_inspect_packs_them(logs: tuple[Path, ...], study: Path) -> None:
    """Inspect packs with Zstandard, which zipfile does not know."""
    found = read_completions(logs[0])
    assert found.problems == ()
    whole = {key[1:]: item for key, item in replies(study).items() if "messy" in key[0]}
    assert len(found.rows) == len(whole)
    with open_log(logs[0]) as log:
        for sample in log.samples():
            assert not isinstance(sample, DataError)
            key = (sample.metadata["variant_id"], sample.metadata["sample"])
            assert sample.given.text == whole[key].text
            assert sample.given.stop_reason is whole[key].stop_reason


def test_a_cut_or_damaged_log_is_told(logs: tuple[Path, ...], tmp_path: Path) -> None:
    raw = bytearray(logs[0].read_bytes())
    with open_log(logs[0]) as log:
        member = log.archive.getinfo(next(iter(log.members)))
    raw[member.header_offset + member.compress_size] ^= 0xFF
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(raw)
    with open_log(damaged) as log:
        bad = [item for item in log.samples() if isinstance(item, DataError)]
        assert len(bad) == 1
        assert str(damaged) in str(bad[0])


def test_wrong_use_is_one_sentence(run_command: RunCommand, study: Path, tmp_path: Path) -> None:
    for arguments, sentence in (
        (("export", tmp_path), "is not a study folder"),
        (("export", study, "--format", "xml"), "--format is 'xml'; allowed: inspect"),
        (("import", tmp_path / "none.eval", "--out", tmp_path / "o"), "cannot be read"),
    ):
        done = run_command(*arguments)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


@pytest.fixture
def viewer(logs: tuple[Path, ...]) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("inspect")
    process = subprocess.Popen(
        [program, "view", "--log-dir", str(logs[0].parent), "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=command_environment(),
    )
    try:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                continue
        assert process.poll() is None
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.skipif(
    find_chromium() is None and os.environ.get("CI") != "true", reason="no Chromium is installed"
)
def test_the_viewer_opens_a_log(
    viewer: str, logs: tuple[Path, ...], tmp_path: Path, study: Path
) -> None:
    """A browser shows the listing, the samples with their scores, and one verdict in words."""
    sample = next(
        item
        for item in samples_of(logs[:1]).values()
        if (item.scores or {})["verdict"].value == "I"
    )
    verdict = verdicts(study)[
        "codequake/sim-messy", sample.metadata["variant_id"], sample.metadata["sample"]
    ]
    place = f"{viewer}/#/logs/{logs[0].name}"
    one = f"{place}/samples/sample/{quote(str(sample.id), safe='')}/{sample.epoch}/scoring"
    count = f"{len(verdicts(study)) // 2} rows"
    picture = tmp_path / "sample.png"
    with chromium(tmp_path) as address:
        listing, samples, shown = texts_of(
            address,
            [(viewer, "codequake/sim-messy"), (place, count), (one, str(verdict.status))],
            picture,
        )
    assert "moved" in listing
    assert "pass_at_1" in samples
    assert sample.metadata["problem_id"] in samples
    assert f"{verdict.status}: {verdict.message}" in shown
    assert picture.read_bytes().startswith(b"\x89PNG")
    if folder := os.environ.get("CODEQUAKE_PICTURES"):
        shutil.copy(picture, folder)
