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
import shutil
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest
from synthetic import MODEL, synthetic_study

import codequake.report.page
from codequake.errors import NotAvailableError, StorageError, UsageError
from codequake.metrics import StudyFacts, StudyRows, estimate_study
from codequake.records import JsonText
from codequake.report import ModelRun, SkippedVariant, StudyTables, summary_text, write_report

EVIL = (
    "<script>document.title='owned'</script>\"'><img src=x onerror=document.title='owned'>"
    "{{ 7*7 }} \x1b[2J\x1b]0;owned\x07 \x00 \x9b31m \u202eevil\u202c \u2066x\u2069 \u200b\ufeff "
    "\u2028 \u05d0\u05d1\u05d2 ```` ```\n| a | b |\n</pre></details>&lt; "
    "[x](javascript:owned) \ud800"
)
FORMULA = '=cmd|"/C calc"!A0'


@pytest.fixture(scope="module")
def study() -> StudyTables:
    return synthetic_study()


@pytest.fixture(scope="module")
def written(study: StudyTables, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("report")
    return {path.name: path.read_text("utf-8") for path in write_report(study, folder / "deep")}


def hostile(study: StudyTables) -> StudyTables:
    """The study with hostile text wherever a model or a foreign problem set can put some."""
    model = FORMULA + EVIL
    ids = {item.problem_id: f"set/{FORMULA}{EVIL}{n}" for n, item in enumerate(study.problems)}
    problems = tuple(
        dataclasses.replace(
            item, problem_id=ids[item.problem_id], title=EVIL, statement=EVIL, source=EVIL
        )
        for item in study.problems
    )
    variants = tuple(
        dataclasses.replace(
            item,
            problem_id=ids[item.problem_id],
            oracle_id=ids[item.oracle_id],
            text=item.text + EVIL,
            formula=EVIL,
            assumptions=(EVIL,),
        )
        for item in study.variants
    )
    planned = tuple(dataclasses.replace(item, model=model) for item in study.planned)
    completions = tuple(
        dataclasses.replace(
            item, problem_id=ids[item.problem_id], model=model, text=EVIL, model_reported=EVIL
        )
        for item in study.completions
    )
    verdicts = tuple(
        dataclasses.replace(
            item,
            problem_id=ids[item.problem_id],
            model=model,
            program=item.program + EVIL,
            message=EVIL,
            failure=None
            if item.failure is None
            else dataclasses.replace(
                item.failure, input=JsonText(EVIL), expected=JsonText(EVIL), got=JsonText(EVIL)
            ),
        )
        for item in study.verdicts
    )
    # Canonical JSON refuses a lone surrogate, so no record's name can hold one.
    safe_model = model.replace("\ud800", "")
    planned = tuple(dataclasses.replace(item, model=safe_model) for item in planned)
    completions = tuple(dataclasses.replace(item, model=safe_model) for item in completions)
    verdicts = tuple(dataclasses.replace(item, model=safe_model) for item in verdicts)
    problems = tuple(
        dataclasses.replace(item, problem_id=item.problem_id.replace("\ud800", ""))
        for item in problems
    )
    variants = tuple(
        dataclasses.replace(
            item,
            problem_id=item.problem_id.replace("\ud800", ""),
            oracle_id=item.oracle_id.replace("\ud800", ""),
        )
        for item in variants
    )
    rows = StudyRows(problems, variants, planned, completions, verdicts, StudyFacts((safe_model,)))
    return StudyTables(
        title=EVIL,
        seed=1,
        sets=(FORMULA, EVIL),
        models=(ModelRun(safe_model, EVIL, JsonText(EVIL), EVIL, True, True),),
        problems=problems,
        variants=variants,
        planned=planned,
        completions=completions,
        verdicts=verdicts,
        estimates=estimate_study(rows, seed=1),
        skipped=(SkippedVariant(FORMULA, FORMULA, EVIL),),
    )


@pytest.fixture(scope="module")
def attacked(
    study: StudyTables, tmp_path_factory: pytest.TempPathFactory
) -> tuple[StudyTables, dict[str, str], Path]:
    tables = hostile(study)
    folder = tmp_path_factory.mktemp("attacked")
    paths = write_report(tables, folder)
    return tables, {path.name: path.read_text("utf-8") for path in paths}, folder


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.text: list[str] = []
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag if tag in self.raw else None

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw[self._inside].append(data)
        else:
            self.text.append(data)


def hidden_characters(text: str) -> set[str]:
    return {
        char
        for char in text
        if char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    }


def test_hostile_text_never_becomes_markup(
    attacked: tuple[StudyTables, dict[str, str], Path],
) -> None:
    page = Page(attacked[1]["report.html"])
    assert len([tag for tag, _ in page.elements if tag == "script"]) == 1
    assert not {tag for tag, _ in page.elements} & {
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "base",
    }
    for tag, attributes in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name != "style", tag
            if name in ("href", "src", "xlink:href", "action"):
                assert value is not None
                assert value.startswith("#")
    assert "{{ 7*7 }}" in "".join(page.text)
    assert "document.title='owned'" not in "".join(page.raw["script"])


@pytest.mark.parametrize("name", ["report.html", "report.md", "estimates.csv", "report.json"])
def test_no_hidden_character_gets_through(
    attacked: tuple[StudyTables, dict[str, str], Path], name: str
) -> None:
    assert hidden_characters(attacked[1][name]) == set()


def test_terminal_is_safe(attacked: tuple[StudyTables, dict[str, str], Path]) -> None:
    text = summary_text(attacked[0])
    assert hidden_characters(text) == set()
    assert "\t" not in text
    assert "\\u{1b}[2J" in text
    assert "\\u{202e}evil" in text


def test_csv_cells_start_no_formula(attacked: tuple[StudyTables, dict[str, str], Path]) -> None:
    rows = list(csv.reader(io.StringIO(attacked[1]["estimates.csv"])))
    assert len(rows) == len(attacked[0].estimates) + 1
    seen = False
    for row in rows[1:]:
        assert len(row) == len(rows[0])
        for cell in row:
            if cell and cell[0] in "=+-@\t\r|%":
                float(cell)  # only numbers may start with a sign
            seen = seen or cell.startswith("'=cmd")
    assert seen


def test_markdown_has_no_markup_of_strangers(
    attacked: tuple[StudyTables, dict[str, str], Path],
) -> None:
    text = attacked[1]["report.md"]
    assert set(re.findall(r"<.", text)) <= {"<="}  # our own formulas
    assert "](" not in text
    assert "=cmd&#124;" in text
    assert "````" not in text
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    assert tables
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


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
        "64 whose input stands in the prompt and 128 hidden ones",
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


def browse(page: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    """Open a page in headless Chromium and return its document and its messages."""
    return subprocess.run(
        [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={profile}", "--virtual-time-budget=2000",
            "--enable-logging=stderr", "--dump-dom", page.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )  # fmt: skip


needs_browser = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="needs the distribution's Chromium"
)


@needs_browser
def test_in_a_real_browser_the_script_runs_and_hostile_text_does_not(
    attacked: tuple[StudyTables, dict[str, str], Path], tmp_path: Path
) -> None:
    done = browse(attacked[2] / "report.html", tmp_path)
    assert re.search(r"<output[^>]*>136 of 136 pairs</output>", done.stdout)
    assert "<title>owned" not in done.stdout
    assert "Content Security Policy" not in done.stderr
    assert "CONSOLE" not in done.stderr


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
