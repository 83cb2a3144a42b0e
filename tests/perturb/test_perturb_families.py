"""What each family changes, and what it must leave alone."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter

import pytest
from tests.perturb.small_problems import COUNT, COUNT_STRUCTURE, SOLVE
from tests.perturb.test_perturb_making import batch, spec

from codequake.canonical import parse_json
from codequake.formula import distance, equivalent, parse, parse_assumption, size_of
from codequake.perturb.frames import STORIES as STORY_FRAMES
from codequake.perturb.games import GAMES
from codequake.perturb.inert import ANY, FUNCTION, NAMED, STDIN
from codequake.perturb.layout import formula_places, join_sections, split_sections
from codequake.perturb.making import make_variants
from codequake.perturb.spec import NotApplicableError
from codequake.problems import load_set
from codequake.problems.retelling import surviving_share

STORIES = [
    variant
    for seed in range(15)
    for variant in batch(COUNT, spec("storytelling", 4), seed=seed).variants
]
DISTRACTED = [
    variant
    for problem in (COUNT, SOLVE)
    for seed in range(15)
    for variant in batch(problem, spec("distracting_constraints", 4), seed=seed).variants
]


def test_a_story_changes_the_task_only() -> None:
    _, *clean = split_sections(COUNT.statement, COUNT_STRUCTURE)
    for variant in STORIES:
        task, *rest = split_sections(variant.text, COUNT_STRUCTURE)
        assert rest == clean
        assert "`count_target(nums: list[int], target: int) -> int`" in task.lines[0]
        assert "`nums`" in task.lines[0]
        assert len(task.lines[0]) > len(COUNT.statement.split("\n")[0])
        assert not re.search(r"\d", task.lines[0])


def test_a_story_is_told_in_one_world() -> None:
    worlds = Counter()
    for variant in STORIES:
        told = parse_json(variant.chain[1].arguments)
        own, other = ("the salesperson", "the host")
        if told["domain"] == "lottery":
            own, other = other, own
        text = variant.text.lower()
        assert own in text
        assert other not in text
        assert "you must" not in text
        worlds[told["domain"]] += 1
    assert min(worlds.values()) >= 15


def test_stories_differ_in_kind_and_in_words() -> None:
    kinds = Counter(parse_json(variant.chain[1].arguments)["frame"] for variant in STORIES)
    assert len(kinds) >= 10
    assert max(kinds.values()) < len(STORIES) / 4
    openings = Counter(variant.text.split(".")[0] for variant in STORIES)
    assert max(openings.values()) <= 3


def test_stories_are_well_formed() -> None:
    for variant in STORIES:
        story = variant.text.split("\n")[0]
        assert "{" not in story
        assert "  " not in story
        assert not re.search(r"[.!?] [a-z]", story)
        assert story[0].isupper() or story[0] == '"'
        assert story.endswith(".")


def test_the_material_holds_no_numbers_and_no_unknown_places() -> None:
    texts = [*ANY, *FUNCTION, *STDIN, *NAMED]
    for frames in (STORY_FRAMES, GAMES):
        for frame in frames.frames:
            told = [*frame.openings, *frame.turns, *frame.endings]
            places = {place.lower() for text in told for place in re.findall(r"\{(\w+)\}", text)}
            assert places <= set(frames.lexicon)
            texts += told
        for choices in frames.lexicon.values():
            assert not any(re.search(r"[\d{}]", choice) for choice in choices)
    for text in texts:
        assert not re.search(r"\d", text)
    told = [text for text in texts if text]
    assert len(set(told)) == len(told)


def test_no_frame_is_met_too_often() -> None:
    for family in ("storytelling", "gamification"):
        made = [
            variant.text.split("\n")[0]
            for problem in load_set("starter-12")
            for seed in range(14)
            for variant in make_variants(
                problem, [spec(family, 6)], seed=seed, oracle=None
            ).variants
        ]
        assert len(made) == 1008
        frames = STORY_FRAMES if family == "storytelling" else GAMES
        words = sorted({one for found in frames.lexicon.values() for one in found}, key=len)
        masks = re.compile("|".join(map(re.escape, reversed(words))), re.IGNORECASE)
        told = Counter(
            sentence
            for text in made
            for sentence in {masks.sub("_", one) for one in re.split(r"(?<=[.!?]) ", text)}
        )
        assert max(told.values()) <= len(made) * 0.05


@pytest.mark.parametrize("family", ["storytelling", "gamification"])
def test_a_told_task_keeps_little_of_the_wording(family: str) -> None:
    shares = []
    for problem in load_set("starter-12"):
        assert problem.structure is not None
        task = problem.structure.sections[0].sentences
        for variant in make_variants(problem, [spec(family, 6)], seed=3, oracle=None).variants:
            share = surviving_share(task, variant.text.split("\n")[0])
            if share is not None:
                shares.append(share)
    assert len(shares) > 20
    assert max(shares) <= 0.25


def test_without_sentences_of_a_world_more_than_half_of_the_wording_stays() -> None:
    """What the README says of quake-100, whose worlds have no sentences of their own yet."""
    shares = []
    for problem in load_set("quake-100"):
        assert problem.structure is not None
        task = problem.structure.sections[0].sentences
        made = make_variants(problem, [spec("storytelling", 2)], seed=1, oracle=None).variants
        found = [surviving_share(task, variant.text.split("\n")[0]) for variant in made]
        shares += [share for share in found if share is not None]
    assert len(shares) == 200
    assert 0.5 < sum(shares) / len(shares) < 0.65


def test_distracting_sentences_stand_among_the_constraints() -> None:
    for variant in DISTRACTED:
        problem = COUNT if variant.problem_id == COUNT.problem_id else SOLVE
        assert problem.structure is not None
        clean = split_sections(problem.statement, problem.structure)
        changed = split_sections(variant.text, problem.structure)
        assert changed[:-1] == clean[:-1]
        added = Counter(changed[-1].lines) - Counter(clean[-1].lines)
        assert 3 <= added.total() <= 5
        assert set(added.values()) == {1}
        assert [line for line in changed[-1].lines if line not in added] == list(clean[-1].lines)
        sentences = parse_json(variant.chain[1].arguments)["sentences"]
        assert {f"- {sentence}" for sentence in sentences} == set(added)


def test_distracting_sentences_speak_of_the_problem_and_vary() -> None:
    own = [one for one in DISTRACTED if one.problem_id == COUNT.problem_id]
    named = [one for one in own if re.search(r"- .*`(nums|target|count_target)`[^<]*\.", one.text)]
    assert len(named) == len(own)
    used = Counter(
        sentence
        for one in DISTRACTED
        for sentence in parse_json(one.chain[1].arguments)["sentences"]
    )
    assert len(used) >= 30
    assert max(used.values()) < len(DISTRACTED) / 2


def test_distracting_needs_constraints() -> None:
    fewer = dataclasses.replace(COUNT_STRUCTURE, sections=COUNT_STRUCTURE.sections[:-1])
    text = COUNT.statement.split("\n\nConstraints:")[0]
    bare = dataclasses.replace(COUNT, structure=fewer, statement=text)
    (skipped,) = batch(bare, spec("distracting_constraints")).skipped
    assert "no constraints" in skipped.reason


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_a_formula_variant_is_the_prompt_with_another_formula(steps: int) -> None:
    assert SOLVE.formula is not None
    original = parse(SOLVE.formula.text)
    for variant in batch(SOLVE, spec("formula", 6, distance=steps), seed=steps).variants:
        assert variant.formula is not None
        assert variant.text == SOLVE.statement.replace("a*x+b=0", variant.formula)
        assert (variant.distance, variant.distance_proved) == (steps, True)
        mutant = parse(variant.formula)
        assert distance(original, mutant, steps).value == steps
        assert variant.assumptions == ("a != 0",)
        assert len(variant.chain) == steps + 1
        assert parse_json(variant.chain[-1].arguments)["text"] == variant.formula
        given = tuple(parse_assumption(text) for text in variant.assumptions)
        assert equivalent(original, mutant, given).conditions == ()


def test_a_coefficient_that_may_be_zero_never_divides() -> None:
    for variant in batch(SOLVE, spec("formula", 60, distance=2)).variants:
        for step in variant.chain:
            if step.name in ("both_divide", "both_multiply"):
                assert parse_json(step.arguments)["constant"] in ("a", "2")


def test_the_spacing_of_the_prompt_is_kept() -> None:
    assert SOLVE.formula is not None
    wide = dataclasses.replace(
        SOLVE,
        statement="Solve a*x + b = 0.",
        structure=None,
        formula=dataclasses.replace(SOLVE.formula, text="a*x + b = 0"),
    )
    for variant in batch(wide, spec("formula", 10, distance=1)).variants:
        assert variant.formula is not None
        assert " = " in variant.formula
        assert "*" not in variant.formula.replace(" * ", "") or " * " not in variant.formula
        assert not re.search(r"[a-z0-9)][+]", variant.formula)


def test_reduced_names_its_base_and_is_no_larger() -> None:
    for steps in (1, 3):
        bases = batch(SOLVE, spec("formula", 5, distance=steps)).variants
        reduced = batch(SOLVE, spec("reduced", 5, of={"distance": steps})).variants
        assert [one.base_id for one in reduced] == [one.variant_id for one in bases]
        for base, made in zip(bases, reduced, strict=True):
            assert (made.distance, made.family) == (steps, "reduced")
            assert base.formula is not None
            assert made.formula is not None
            assert size_of(parse(made.formula)) <= size_of(parse("a*x+b=0"))
            assert made.chain[: len(base.chain)] == base.chain
            assert made.text == SOLVE.statement.replace("a*x+b=0", made.formula)


def test_what_reduces_to_the_clean_formula_is_the_clean_prompt() -> None:
    made = batch(SOLVE, spec("reduced", 12, of={"distance": 1})).variants
    same = [variant for variant in made if variant.text == SOLVE.statement]
    assert len(same) >= 6
    assert len({variant.variant_id for variant in made}) == 12


def test_places_of_a_formula() -> None:
    ((start, end),) = formula_places(SOLVE)
    assert SOLVE.statement[start:end] == "a*x+b=0"
    bare = dataclasses.replace(SOLVE, structure=None)
    assert formula_places(bare) == ((start, end),)
    twice = dataclasses.replace(bare, statement=SOLVE.statement + " a*x+b=0")
    with pytest.raises(NotApplicableError, match="stands 2 times"):
        formula_places(twice)
    moved = dataclasses.replace(SOLVE, statement="something else")
    with pytest.raises(NotApplicableError, match="not that of the structure"):
        formula_places(moved)


def test_sections_are_split_and_joined() -> None:
    sections = split_sections(COUNT.statement, COUNT_STRUCTURE)
    assert [section.title for section in sections] == [
        "",
        "Input",
        "Output",
        "Examples",
        "Constraints",
    ]
    assert join_sections(sections) == COUNT.statement
    with pytest.raises(NotApplicableError, match="'Output:' is missing"):
        split_sections(COUNT.statement.replace("\nOutput:\n", "\nResult:\n"), COUNT_STRUCTURE)
