"""Texts that do harm where they are shown, collected by somebody who never saw the code."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import tomllib
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.report.reading import Page
from tests.report.synthetic import synthetic_study
from tests.report.test_hostile_report import hidden_characters

from codequake.report import StudyTables, summary_text, write_report
from codequake.report.safe import csv_cell, fenced, markdown_cell, one_line, visible_text

CASES = tomllib.loads((Path(__file__).parent / "cases" / "hostile_text.toml").read_text("utf-8"))
TEXTS = {case["name"]: case["text"] * case.get("repeat", 1) for case in CASES["text"]}
MARKDOWN = MarkdownIt("commonmark").enable("table")

by_text = pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))


@by_text
def test_terminal(text: str) -> None:
    line = one_line(text, limit=10**6)
    assert hidden_characters(line) == set()
    assert len(line.splitlines()) <= 1
    if hidden_characters(text):
        assert line != text


@by_text
def test_csv(text: str) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(["a", csv_cell(text), "b"])
    # The reader's own limit on fields is for files of strangers; ours may be longer.
    old = csv.field_size_limit(10**8)
    try:
        (row,) = csv.reader(io.StringIO(buffer.getvalue()))
    finally:
        csv.field_size_limit(old)
    assert len(row) == 3
    assert row[1] == csv_cell(text)
    assert row[1][:1] not in set("=+-@\t\r\n|%")


@by_text
def test_markdown(text: str) -> None:
    cell = markdown_cell(text, limit=2000)
    source = f"# title\n\n| a | b |\n| --- | --- |\n| {cell} | x |\n\n{cell}x\n\nend\n"
    tokens = MARKDOWN.parse(f"{source}\n{fenced(visible_text(text)[:5000])}\n")
    kinds = [token.type for token in tokens]
    assert kinds.count("heading_open") == 1
    assert kinds.count("tr_open") == 2
    assert kinds.count("td_open") == 2
    assert kinds.count("fence") == 1
    assert not [kind for kind in kinds if kind.startswith(("html", "hr", "blockquote"))]
    for token in tokens:
        for child in token.children or ():
            assert child.type in ("text", "text_special", "softbreak"), (child.type, cell[:80])


def with_texts(study: StudyTables) -> StudyTables:
    """Give every program, message, prompt and title of the study one of the texts."""
    texts = [text[:3000] for text in TEXTS.values()]
    count = len(texts)
    return dataclasses.replace(
        study,
        title=texts[0],
        problems=tuple(
            dataclasses.replace(item, title=texts[number % count])
            for number, item in enumerate(study.problems)
        ),
        variants=tuple(
            dataclasses.replace(item, text=texts[number % count])
            for number, item in enumerate(study.variants)
        ),
        verdicts=tuple(
            dataclasses.replace(item, program=texts[number % count], message=texts[-number % count])
            for number, item in enumerate(study.verdicts)
        ),
    )


def plain(study: StudyTables) -> StudyTables:
    """The same study with the same shape and harmless words."""
    return dataclasses.replace(
        study,
        title="x",
        problems=tuple(dataclasses.replace(item, title="x") for item in study.problems),
        variants=tuple(dataclasses.replace(item, text="x") for item in study.variants),
        verdicts=tuple(
            dataclasses.replace(item, program="x", message="x") for item in study.verdicts
        ),
    )


def shape(page: Page) -> list[tuple[str, tuple[str, ...]]]:
    """Elements with the names of their attributes; marks of difference come from the texts."""
    return [
        (tag, tuple(sorted(found))) for tag, found in page.elements if tag not in ("ins", "del")
    ]


def test_html_has_the_elements_that_it_has_without_the_texts(tmp_path: Path) -> None:
    study = synthetic_study()
    attacked, harmless = with_texts(study), plain(study)
    (page,) = write_report(attacked, tmp_path / "a", ("html",))
    (other,) = write_report(harmless, tmp_path / "b", ("html",))
    html = page.read_text("utf-8")
    assert hidden_characters(html) == set()
    # A text without a program leaves a sentence in its place, so empty texts must not be drawn.
    found, expected = shape(Page(html)), shape(Page(other.read_text("utf-8")))
    ignored = {("i", ()), ("p", ("class",)), ("bdi", ("class",))}
    assert [item for item in found if item not in ignored] == [
        item for item in expected if item not in ignored
    ]
    shown = "".join(Page(html).text)
    for name, text in TEXTS.items():
        start = visible_text(text[:200])
        assert start in shown or name == "empty", name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert hidden_characters(summary_text(attacked)) == set()


def test_json_gives_every_text_back(tmp_path: Path) -> None:
    study = synthetic_study()
    for name, text in list(TEXTS.items())[::4]:
        (path,) = write_report(dataclasses.replace(study, title=text), tmp_path, ("json",))
        raw = path.read_bytes()
        assert raw.isascii(), name
        assert json.loads(raw)["title"] == text
