from __future__ import annotations

import dataclasses
import re

import pytest
from tests.models.worlds import problem, variant

from codequake.errors import UnknownNameError
from codequake.models import fill_stage, render_messages, render_stages, style_names
from codequake.records import Interface, Language

PYTHON = problem()
STDIN = dataclasses.replace(PYTHON, interface=Interface.STDIN, entry_point=None)
C = dataclasses.replace(STDIN, language=Language.C)


@pytest.mark.parametrize("asked", [PYTHON, STDIN, C])
@pytest.mark.parametrize("style", style_names())
def test_the_variant_stands_last_and_the_form_is_asked_for(asked: object, style: str) -> None:
    assert asked in (PYTHON, STDIN, C)
    for item in (PYTHON, STDIN, C):
        stages = render_stages(item, variant(item, text="the task"), style)
        messages = fill_stage(stages[-1], ["one", "two"])
        assert messages[0].role == "system"
        assert item.language.value in messages[0].content.lower()
        assert messages[-1].role == "user"
        if len(stages) == 1:
            assert messages[-1].content == "the task"
        for stage in stages:
            assert fill_stage(stage, ["one", "two"])[-1].content.startswith("the task")


def test_plain_is_short_and_examples_alternate() -> None:
    assert [part.role for part in render_messages(C, variant(C), "plain")] == ["system", "user"]
    for item, style, count in (
        (C, "two_shot", 2),
        (C, "few_shot", 4),
        (PYTHON, "two_shot", 2),
        (PYTHON, "few_shot", 2),
    ):
        roles = [part.role for part in render_messages(item, variant(item), style)]
        assert roles == ["system", *["user", "assistant"] * count, "user"]


@pytest.mark.parametrize("item", [PYTHON, STDIN, C], ids=["python", "stdin", "c"])
def test_examples_reply_with_one_block_of_the_language(item: object) -> None:
    assert isinstance(item, type(PYTHON))
    for part in render_messages(item, variant(item), "few_shot"):
        if part.role == "assistant":
            assert part.content.startswith(f"```{item.language.value}\n")
            assert part.content.endswith("\n```")
            assert part.content.count("```") == 2


def test_everything_but_the_last_message_is_the_same_for_a_kind_of_problem() -> None:
    first = render_messages(PYTHON, variant(PYTHON), "few_shot")
    other = problem(5)
    second = render_messages(other, variant(other, "storytelling"), "few_shot")
    assert first[:-1] == second[:-1]
    assert first[-1] != second[-1]


def test_no_example_is_a_bundled_problem() -> None:
    """Formulas are compared with their symbols renamed in the order in which they appear."""
    problems = pytest.importorskip("codequake.problems")

    def shape(formula: str) -> str:
        names: dict[str, str] = {}
        return re.sub(
            r"[a-z]+",
            lambda found: names.setdefault(found.group(), f"v{len(names)}"),
            formula.replace(" ", ""),
        )

    shown = []
    for part in render_messages(C, variant(C), "few_shot")[:-1]:
        shown += re.findall(r"result = (.*?)(?:\. |;)", part.content)
    assert len(shown) == 8  # in the task and in the reply of each example
    bundled = [item.formula.text for item in problems.load_set("formulas-20")]
    assert not {shape(text) for text in bundled} & {shape(text) for text in shown}
    functions = render_messages(PYTHON, variant(PYTHON), "few_shot")
    for item in problems.load_set("starter-12"):
        assert not any(f"{item.entry_point}(" in part.content for part in functions)


def test_unknown_style_lists_the_known() -> None:
    with pytest.raises(
        UnknownNameError, match="'fancy' is not known; allowed: commented, cot, dup, few_shot"
    ):
        render_messages(PYTHON, variant(PYTHON), "fancy")
