"""Prompt styles of a study: arms of their own, on clean and changed prompts alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.models.worlds import problem, variant
from tests.study.small_study import SMALL, journal_keys, results, run_small

from codequake.errors import DataError, UsageError
from codequake.journal import read_journal
from codequake.models import Template, check_template, render_messages, style_names
from codequake.records import Estimate, Planned
from codequake.store import read_parquet
from codequake.study.config import StudyConfig, parse_study
from codequake.study.folder import StudyFolder
from codequake.study.plan import arms_of
from codequake.study.reporting import read_study, tables_of

STYLED = (
    SMALL
    + """
[[templates]]
name = "terse"
system = "Write {language}, tagged {fence}. {json: 1}"
user = "Task:\\n{prompt}\\nName it {entry_point}."
"""
).replace("seed = 5", 'seed = 5\nstyle = ["plain", "cot", "terse"]')


def parsed(text: str) -> StudyConfig:
    return parse_study(text, place="mine.toml")


def test_a_template_puts_words_around_the_prompt() -> None:
    item = problem()
    # The braces of a prompt are not places.
    asked = variant(item, text="return {fence}")
    template = Template("mine", "A {prompt} B {entry_point} {x}", "{language} {fence}")
    system, user = render_messages(item, asked, "mine", (template,))
    assert (system.role, system.content) == ("system", "Python python")
    assert user.content == f"A return {{fence}} B {asked.entry_point} {{x}}"
    bare = Template("mine")
    assert [m.role for m in render_messages(item, asked, "mine", (bare,))] == ["user"]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (Template("t", "no place"), "holds {prompt} 0 times; allowed: once"),
        (Template("t", "{prompt}{prompt}"), "holds {prompt} 2 times"),
        (Template("t", system="{prompt}"), "system of template 't' holds {prompt}"),
        (Template("t", system=" "), "is empty"),
    ],
)
def test_a_template_has_one_place_for_the_prompt(template: Template, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("{", r"\{")):
        check_template(template)


def test_every_style_differs_from_plain_in_its_instruction_alone() -> None:
    item = problem()
    asked = variant(item, text="the task")
    plain = render_messages(item, asked, "plain")
    seen = {plain[0].content}
    for style in ("cot", "commented", "no_comments", "program_of_thought"):
        assert style in style_names()
        system, *rest = render_messages(item, asked, style)
        assert rest == list(plain[1:])
        assert "one code block that starts with ```python" in system.content
        assert system.content not in seen
        seen.add(system.content)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"cot", ', '"cto", ', r"mine\.toml:2: style is 'cto'; allowed: .*two_shot, terse"),
        ('"cot", ', '"plain", ', r"mine\.toml:2: a style stands twice"),
        ('["plain", "cot", "terse"]', "[]", r"mine\.toml:2: style is ''"),
        ('"cot", ', '"reduced", ', r"mine\.toml:2: style 'reduced' is not known; name it in pert"),
        ('name = "terse"', 'name = "cot"', r"mine\.toml:14: there is a style 'cot' already"),
        ('name = "terse"', 'name = "a b"', r"mine\.toml:14: name is 'a b'; allowed"),
        ("{prompt}", "prompt", r"mine\.toml:16: user of template 'terse' holds \{prompt\} 0 times"),
        ("user =", "usr =", r"mine\.toml:16: templates\[0\] has an unknown field 'usr'"),
        (
            'models = ["codequake/sim"]',
            'models = [{ name = "codequake/sim", style = "cto" }]',
            r"mine\.toml:4: style is 'cto'",
        ),
    ],
)
def test_an_error_names_its_line(old: str, new: str, message: str) -> None:
    assert STYLED.count(old) == 1
    with pytest.raises(DataError, match=message):
        parsed(STYLED.replace(old, new))


def test_styles_are_arms_of_one_study(tmp_path: Path) -> None:
    config = parsed(STYLED)
    arms = [f"codequake/sim [{style}]" for style in ("plain", "cot", "terse")]
    assert list(arms_of(config)) == arms
    changes = {"style": config.style, "styles": config.styles, "templates": config.templates}
    out = tmp_path / "out"
    done = run_small(out, **changes)
    single = run_small(tmp_path / "single")
    assert done.pending == 0
    assert done.planned == 3 * single.planned
    # Requests carry the name of the model, and every style asked all prompts anew.
    entries = read_journal(out / "completions").values()
    assert {entry.request.model for entry in entries} == {"codequake/sim"}
    assert len(set(journal_keys(out))) == 3 * len(set(journal_keys(tmp_path / "single")))
    assert set(journal_keys(tmp_path / "single")) < set(journal_keys(out)), "plain is as ever"
    planned = read_parquet(out / "plan.parquet", Planned)
    by_arm = {arm: {row.variant_id for row in planned if row.model == arm} for arm in arms}
    assert len(set(map(frozenset, by_arm.values()))) == 1, "clean and changed prompts alike"
    estimates = read_parquet(out / "estimates.parquet", Estimate)
    assert {item.model for item in estimates if item.model} == set(arms)
    runs = tables_of(read_study(StudyFolder(out)), ()).models
    assert [(run.name, run.style) for run in runs] == list(
        zip(arms, ("plain", "cot", "terse"), strict=True)
    )
    before = results(out)
    assert run_small(out, **changes).asked == 0
    assert results(out) == before


def test_a_model_may_have_a_style_of_its_own() -> None:
    text = SMALL.replace(
        'models = ["codequake/sim"]',
        'models = ["a/b", { name = "a/b+CoT", model = "a/b", style = "cot" }]',
    )
    assert arms_of(parsed(text)) == {"a/b": ("a/b", "plain"), "a/b+CoT": ("a/b+CoT", "cot")}
