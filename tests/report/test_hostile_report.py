"""Hostile text in every place that a model or a foreign problem set can reach."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
import unicodedata
from pathlib import Path

import pytest
from tests.report.reading import Page, browse, needs_browser
from tests.report.synthetic import synthetic_study

from codequake.metrics import StudyFacts, StudyRows, estimate_study
from codequake.perturb import Skipped
from codequake.records import JsonText
from codequake.report import ModelRun, StudyTables, summary_text, write_report

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
        skipped=(Skipped(FORMULA, FORMULA, EVIL),),
    )


@pytest.fixture(scope="module")
def attacked(
    study: StudyTables, tmp_path_factory: pytest.TempPathFactory
) -> tuple[StudyTables, dict[str, str], Path]:
    tables = hostile(study)
    folder = tmp_path_factory.mktemp("attacked")
    paths = write_report(tables, folder)
    return tables, {path.name: path.read_text("utf-8") for path in paths}, folder


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


@needs_browser
def test_in_a_real_browser_the_script_runs_and_hostile_text_does_not(
    attacked: tuple[StudyTables, dict[str, str], Path], tmp_path: Path
) -> None:
    done = browse(attacked[2] / "report.html", tmp_path)
    assert re.search(r"<output[^>]*>136 of 136 pairs</output>", done.stdout)
    assert "<title>owned" not in done.stdout
    assert "Content Security Policy" not in done.stderr
    assert "CONSOLE" not in done.stderr
