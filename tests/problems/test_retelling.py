"""The sentences of another world: what they must keep, and how shared wording is counted."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from tests.problems.trusted_oracle import TrustedOracle, agree

from codequake.errors import DataError
from codequake.problems import redraw
from codequake.problems.authoring import read_authored
from codequake.problems.markup import parse_sentence
from codequake.problems.retelling import surviving_share, world_faults
from codequake.records import ChangeKind, Problem
from codequake.statements import Domain, Section, SectionKind, Sentence

QUAKE = Path(__file__).parents[2] / "src/codequake/problems/quake"
TOLD = [
    "The shelves of an archive hold labels, and `details` has every label as a string.",
    "Positions 11 and 12 give the years that a book has stood there.",
    "Books with more than {AGE} years are wanted by the librarian, who asks for their count.",
    "Implement {signature} as a Python function for it.",
]


def with_world(tmp_path: Path, lines: list[str], extra: str = "") -> Problem:
    """The problem of the seniors, whose first world tells the task in these lines."""
    text = (QUAKE / "count-seniors.toml").read_text("utf-8")
    head, rest = text.split('renames = { count_seniors = "count_old_books"', 1)
    line, rest = rest.split("\n", 1)
    told = "\n".join(lines)
    added = f"\ntask = '''\n{told}\n'''\n{extra}"
    path = tmp_path / "count-seniors.toml"
    path.write_text(f'{head}renames = {{ count_seniors = "count_old_books"{line}{added}{rest}')
    return read_authored(path).problem


def faults(problem: Problem) -> list[str]:
    assert problem.structure is not None
    return list(world_faults(problem.structure, problem.structure.domains[0]))


def plain(*lines: str) -> tuple[Sentence, ...]:
    return tuple(parse_sentence(line, {}) for line in lines)


def test_shared_wording_is_counted_in_runs_between_protected_pieces() -> None:
    # Two runs: 8 words (3 grams of six) and 6 words (1 gram).
    task = plain("One two three four five six seven eight `n` nine ten eleven twelve thirteen end.")
    assert surviving_share(task, "one two three four five six, and no more") == 0.25
    assert surviving_share(task, "One two three four five six seven") == 0.5
    assert surviving_share(task, "One two three `x` four five six seven eight") == 0.0
    assert surviving_share(task, "nine ten eleven 4 twelve thirteen end") == 0.0
    assert surviving_share(task, "nine ten eleven twelve thirteen end") == 0.25
    assert surviving_share(plain("Only `n` five words here stand."), "anything") is None


def test_a_faithful_telling_has_no_faults(tmp_path: Path) -> None:
    assert faults(with_world(tmp_path, TOLD)) == []
    explained = "explanations = '''\n75, 92 and 40 years; above {AGE}.\n20, then 56.\n'''\n"
    (fault,) = faults(with_world(tmp_path, TOLD, explained.replace("20, then 56", "20, then 57")))
    assert fault == "loses 56 and adds 57 in an explanation"
    assert faults(with_world(tmp_path, TOLD, explained)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("{AGE} years", "sixty years"), "loses 60 and adds nothing in its task"),
        (("11 and 12", "11 and 13"), "loses 12 and adds 13 in its task"),
        (("`details`", "`labels`"), "loses `details` and adds `labels` in its task"),
        (("a Python function", "a Python function of `n`"), "loses nothing and adds `n`"),
        (
            ("{signature} as", "a thing as"),
            "loses `count_seniors(details: list[str]) -> int` and adds nothing in its task",
        ),
    ],
)
def test_what_a_telling_loses_or_adds_is_named(
    tmp_path: Path, change: tuple[str, str], fault: str
) -> None:
    lines = [line.replace(*change) for line in TOLD]
    (found,) = faults(with_world(tmp_path, lines))
    assert found.startswith(fault)


def test_a_telling_that_repeats_the_task_is_refused(tmp_path: Path) -> None:
    problem = with_world(tmp_path, TOLD)
    assert problem.structure is not None
    task = problem.structure.sections[0]
    copied = dataclasses.replace(problem.structure.domains[0], sections=(task,))
    (fault,) = world_faults(problem.structure, copied)
    assert fault == "keeps 100% of the word 6-grams of the task; allowed: 15%"


def test_other_sections_keep_their_lines(tmp_path: Path) -> None:
    extra = "output = '''\nAn integer: how many labels tell of more than {AGE} years.\n'''\n"
    found = faults(with_world(tmp_path, TOLD, extra))
    assert found == [
        "loses 0 and adds nothing in its output",
        "has another number of lines in its output than the statement",
    ]
    world = Domain("odd", (), (), (Section(SectionKind.INPUT, "Input", plain("A line.")),))
    problem = with_world(tmp_path, TOLD)
    assert problem.structure is not None
    bare = dataclasses.replace(problem.structure, sections=problem.structure.sections[:1])
    assert list(world_faults(bare, world)) == ["has a section input, which the statement has not"]


def test_explanations_are_as_many_as_those_of_the_statement(tmp_path: Path) -> None:
    extra = "explanations = '''\nOnly one.\n'''\n"
    assert faults(with_world(tmp_path, TOLD, extra)) == ["has 1 explanations; allowed: 2"]


def test_constants_that_are_drawn_anew_change_in_every_world(tmp_path: Path) -> None:
    problem = with_world(tmp_path, TOLD)
    new = redraw(problem, ChangeKind.CONSTANTS, TrustedOracle(), agree=agree, seed=3)
    age = next(item.value for item in new.constants if item.name == "AGE")
    assert age != "60"
    assert new.structure is not None
    told = new.structure.domains[0].sections[0].sentences[2]
    assert f"more than {age} years" in "".join(span.text for span in told.spans)
    assert faults(new) == []


def test_bad_markup_of_a_world_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"count-seniors\.toml:\d+: .*nowhere"):
        with_world(tmp_path, [*TOLD[:-1], "Implement {nowhere}."])
