"""The report: equal bytes, agreeing numbers, hostile text made harmless, nothing left unsaid."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import io
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.report.reading import Page, browse, needs_browser
from tests.report.synthetic import MODEL, synthetic_study

import codequake.report.page
from codequake.errors import NotAvailableError, StorageError, UsageError
from codequake.metrics import StudyFacts, StudyRows, estimate_study
from codequake.report import StudyTables, summary_text, write_report


@pytest.fixture(scope="module")
def study() -> StudyTables:
    return synthetic_study()


@pytest.fixture(scope="module")
def written(study: StudyTables, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("report")
    return {path.name: path.read_text("utf-8") for path in write_report(study, folder / "deep")}


def test_content_policy_allows_only_our_own(written: dict[str, str]) -> None:
    html = written["report.html"]
    page = Page(html)
    (policy,) = (
        attributes["content"]
        for tag, attributes in page.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        (body,) = re.findall(rf"<{kind}>(.*?)</{kind}>", html, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    outside = set(re.findall(r"https?://[^\s\"'<]+", html))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def shuffled(study: StudyTables) -> StudyTables:
    rng = random.Random(3)
    changed = {}
    for name in ("problems", "variants", "planned", "completions", "verdicts", "estimates", "sets"):
        items = list(getattr(study, name))
        rng.shuffle(items)
        changed[name] = tuple(items)
    return dataclasses.replace(study, **changed)


def test_equal_inputs_give_equal_bytes(
    study: StudyTables, written: dict[str, str], tmp_path: Path
) -> None:
    for path in write_report(shuffled(study), tmp_path):
        assert path.read_text("utf-8") == written[path.name], path.name
    assert summary_text(shuffled(study)) == summary_text(study)


def test_formats_agree_on_the_numbers(study: StudyTables, written: dict[str, str]) -> None:
    (fall,) = (
        item
        for item in study.estimates
        if (item.metric, item.family, item.group, item.scope)
        == ("delta_to_clean", "formula", "distance=3", "all tests")
    )
    assert fall.value == -0.4
    shown = "\N{MINUS SIGN}40.0"
    assert shown in "".join(Page(written["report.html"]).text)
    assert shown in written["report.md"]
    assert shown in summary_text(study)
    rows = list(csv.DictReader(io.StringIO(written["estimates.csv"])))
    assert [float(row["value"]) for row in rows if row["value"]] == [
        item.value
        for item in sorted(
            study.estimates, key=lambda i: (i.metric, i.model, i.family, i.group, i.scope)
        )
        if item.value is not None
    ]
    value = json.loads(written["report.json"])
    assert fall.value in [item["value"] for item in value["estimates"]]
    assert value["counts"]["shared_replies"] == 40


def test_the_page_holds_what_a_reader_needs(study: StudyTables, written: dict[str, str]) -> None:
    text = " ".join("".join(Page(written["report.html"]).text).split())
    for needed in (
        "What this study can and cannot say",
        "is a demonstration of the instrument",
        "the noise floor is 0 by construction and nothing is claimed from it",
        "All 168 planned replies came back and were graded.",
        "128 of 192: their input stands in no prompt of their problem",
        "40 of 168 replies are shared",
        "no rule applies 5 times",
        "min(1, 2 P(X <= min(down, up)))",
        "Input of test",
        "Mira keeps the books of a small harbour.",
        "passed before, fails now",
    ):
        assert needed in text, needed
    assert written["report.html"].count("<svg") == 3
    assert "<ins>Mira" in written["report.html"]


def test_pending_and_rejected_are_said(tmp_path: Path) -> None:
    tables = synthetic_study(pending=9, rejected=2, deterministic=False)
    paths = write_report(tables, tmp_path, ("html", "md"))
    for text in (*(path.read_text("utf-8") for path in paths), summary_text(tables)):
        assert "9 of 168 planned replies are pending" in text
        assert "2 of 168 variants failed a preservation check" in text
        assert "so far" in text
        assert "nothing is claimed from it" not in text


def test_a_false_claim_of_determinism_is_said(study: StudyTables) -> None:
    noisy = synthetic_study(deterministic=False)
    rows = StudyRows(
        noisy.problems,
        noisy.variants,
        noisy.planned,
        noisy.completions,
        noisy.verdicts,
        StudyFacts((MODEL,)),
    )
    claimed = dataclasses.replace(
        noisy, models=study.models, estimates=estimate_study(rows, seed=1)
    )
    text = summary_text(claimed)
    assert "Decoding was said to be deterministic, yet" in text
    assert "nothing is claimed from it" not in text


def test_two_models_stand_apart(tmp_path: Path) -> None:
    tables = synthetic_study(models=(MODEL, "openai/other"))
    (path,) = write_report(tables, tmp_path, ("html",))
    page = Page(path.read_text("utf-8"))
    names = {attributes.get("data-model") for tag, attributes in page.elements if tag == "details"}
    assert names >= {MODEL, "openai/other"}
    assert summary_text(tables).count("Model ") == 2


def test_without_the_renderer_the_page_says_so(
    study: StudyTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codequake.report.page, "can_draw", lambda: False)
    (path,) = write_report(study, tmp_path, ("html",))
    text = path.read_text("utf-8")
    assert "<svg" not in text
    assert "codequake[figures]" in "".join(Page(text).text)


def test_an_empty_study_says_so(tmp_path: Path) -> None:
    empty = StudyTables("Nothing", 1, (), (), (), (), (), (), (), ())
    for path in write_report(empty, tmp_path):
        assert path.stat().st_size > 0
    assert "No reply was planned, so there is no number." in summary_text(empty)
    assert "No reply was planned" in (tmp_path / "report.html").read_text("utf-8")


def test_formats_are_checked_before_anything_is_written(study: StudyTables, tmp_path: Path) -> None:
    with pytest.raises(NotAvailableError, match="latex"):
        write_report(study, tmp_path / "a", ("html", "latex"))
    with pytest.raises(UsageError, match="'pdf' is not known; allowed: html, md, csv, json"):
        write_report(study, tmp_path / "a", ("pdf",))
    assert not (tmp_path / "a").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError):
        write_report(study, tmp_path / "file", ("csv",))


def test_importing_the_report_stays_light() -> None:
    code = (
        "import sys, codequake.report; "
        "heavy = ('altair', 'vl_convert', 'scipy', 'numpy', 'pyarrow'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    source = str(Path(codequake.report.page.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": source},
    )
    assert done.stdout.strip() == "[]"


@needs_browser
def test_filters_in_a_real_browser(written: dict[str, str], tmp_path: Path) -> None:
    # A copy without the policy, so that the test can drive it with a script of its own.
    html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", written["report.html"])
    choose = (
        "<script>"
        "document.getElementById('by-change').value = 'flipped';"
        "document.getElementById('by-family').value = 'storytelling';"
        "document.getElementById('filters').dispatchEvent(new Event('change'));"
        "</script></body>"
    )
    page = tmp_path / "driven.html"
    page.write_text(html.replace("</body>", choose), "utf-8")
    dom = Page(browse(page, tmp_path / "profile").stdout)
    pairs = [item for tag, item in dom.elements if tag == "details" and item["class"] == "pair"]
    shown = [item for item in pairs if "hidden" not in item]
    assert len(pairs) == 136
    assert len(shown) == 3
    assert {(item["data-change"], item["data-family"]) for item in shown} == {
        ("down", "storytelling")
    }
    problems = [
        item for tag, item in dom.elements if tag == "details" and item["class"] == "problem"
    ]
    assert len([item for item in problems if "hidden" not in item]) == 3
