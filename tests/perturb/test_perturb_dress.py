"""Families that change order, marks or spelling: what the gate puts back, and what it refuses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from tests.perturb.small_problems import COUNT, KnownAnswers
from tests.perturb.test_perturb_making import batch, spec

from codequake.errors import UsageError
from codequake.perturb import PERTURBATIONS, Draft, Freedom, check_draft, make_variants
from codequake.perturb.spelling import LOAD_BEARING, may_slip, misspelt, slip
from codequake.problems import find_problem, load_set, whole_set
from codequake.records import JsonText, Step

CHAIN = (Step("by-hand", JsonText("{}")),)
FAMILIES = ("example_reorder", "section_reorder", "formatting", "typos", "clause_injection")
VOWELS = find_problem("quake-100/vowel-lines")


def failed(text: str, freedom: Freedom) -> dict[str, str]:
    checks = check_draft(VOWELS, Draft(text, CHAIN), None, freedoms=(freedom,))
    return {check.name: check.detail for check in checks if not check.passed}


@pytest.mark.parametrize("name", ["quake-100", "starter-12", "formulas-20"])
def test_every_clean_prompt_passes_the_gate(name: str) -> None:
    found = whole_set(name)
    for problem in (*found.problems, *found.changed):
        (variant,) = make_variants(problem, [spec("clean")], seed=0, oracle=None).variants
        assert variant.gated, (problem.problem_id, variant.checks)


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_set_is_accepted_and_changed(family: str) -> None:
    made = 0
    for problem in load_set("quake-100"):
        for seed in range(2):
            asked = spec(family, 1 if family == "example_reorder" else 3)
            found = make_variants(problem, [asked], seed=seed, oracle=None)
            assert found.skipped == ()
            for variant in found.variants:
                assert variant.gated, (problem.problem_id, variant.checks)
                assert variant.text != problem.statement
                made += 1
    assert made == (200 if family == "example_reorder" else 600)


def test_examples_are_executed_in_any_order() -> None:
    oracle = KnownAnswers()
    made = make_variants(COUNT, [spec("example_reorder")], seed=1, oracle=oracle)
    (variant,) = made.variants
    assert oracle.asked == 2
    assert variant.gated
    assert variant.text.index("Example 1:") < variant.text.index("Example 2:")
    blocks = [text.partition("\n")[2].strip() for text in COUNT.statement.split("Example ")[1:]]
    assert variant.text.index(blocks[1].split("\n")[0]) < variant.text.index(
        blocks[0].split("\n")[0]
    )


def test_all_orders_of_sections_are_reached() -> None:
    made = batch(COUNT, spec("section_reorder", 23))
    assert len({variant.text for variant in made.variants}) == 23
    assert made.skipped == ()
    assert batch(COUNT, spec("section_reorder", 24)).skipped[0].reason.startswith("only 23 of 24")


Corruption = Callable[[str], str]


@pytest.mark.parametrize(
    ("freedom", "damage"),
    [
        (Freedom.EXAMPLE_ORDER, lambda text: text.replace("Output: 2", "Output: 3")),
        (Freedom.EXAMPLE_ORDER, lambda text: text.replace("Example 2:", "Example 3:")),
        (Freedom.EXAMPLE_ORDER, lambda text: text.split("Example 2:")[0]),
        (Freedom.EXAMPLE_ORDER, lambda text: text.replace("strictly more", "at least as many")),
        (Freedom.SECTION_ORDER, lambda text: text.split("\n\nConstraints:")[0]),
        (Freedom.SECTION_ORDER, lambda text: text + "\n\nInput:\nOne line."),
        (Freedom.SECTION_ORDER, lambda text: text + "\n- n is even."),
        (Freedom.SECTION_ORDER, lambda text: text.replace("`0 <= n", "`1 <= n")),
        (Freedom.LAYOUT, lambda text: text.replace("strictly more", "more")),
        (Freedom.LAYOUT, lambda text: text.replace("Output: 2", "Output: two")),
        (Freedom.LAYOUT, lambda text: text.replace("2\n\nrhythm", "2\n\n\nrhythm")),
        (Freedom.LAYOUT, lambda text: text.replace("2\n\nrhythm", "2\nrhythm")),
        (Freedom.LAYOUT, lambda text: text.replace("Oh you", "Oh  you")),
        (Freedom.LAYOUT, lambda text: text.replace("`0 <= n", "`zero <= n")),
        (Freedom.LAYOUT, lambda text: text.replace("at most 20", "at most 21")),
        (Freedom.LAYOUT, lambda text: text.replace("counts twice", "counts once")),
        (Freedom.LAYOUT, lambda text: text.replace("Constraints:", "Remarks:")),
        (Freedom.SPELLING, lambda text: text.replace("strictly", "stricly")),
        (Freedom.SPELLING, lambda text: text.replace("consonants", "cosonatns")),
        (Freedom.SPELLING, lambda text: text.replace("vowels", "words")),
        (Freedom.SPELLING, lambda text: text.replace("`aeiou`", "`aeoiu`")),
        (Freedom.SPELLING, lambda text: text.replace("at most 20", "at most 200")),
        (Freedom.SPELLING, lambda text: text.replace("twice ", "")),
        (Freedom.SPELLING, lambda text: text.replace("Write a Python", "Write a simple Python")),
    ],
)  # fmt: skip
def test_what_no_freedom_allows_is_refused(freedom: Freedom, damage: Corruption) -> None:
    text = damage(VOWELS.statement)
    assert text != VOWELS.statement
    assert failed(text, freedom)
    assert failed(VOWELS.statement, freedom) == {}


def test_too_many_slips_are_refused() -> None:
    words = VOWELS.statement.split(" ")
    rng = random.Random(5)
    slipped = [slip(word, rng) if may_slip(word) else word for word in words]
    assert sum(one != two for one, two in zip(words, slipped, strict=True)) > 12
    assert "misspelt" in failed(" ".join(slipped), Freedom.SPELLING)["spelling"]


def test_a_slip_is_one_letter_and_never_in_a_word_that_carries_a_rule() -> None:
    rng = random.Random(1)
    seen = Counter()
    for _ in range(500):
        word = slip("passenger", rng)
        assert word != "passenger"
        assert (word[0], word[-1]) == ("p", "r")
        seen[len(word)] += 1
        assert misspelt("(passenger),", f"({word}),")
        assert not misspelt("passenger,", f"{word}.")
    assert set(seen) == {8, 9, 10}
    for word in sorted(LOAD_BEARING):
        assert not may_slip(word)
        assert not misspelt(word, word[0] + word[1] + word[1:])
    assert not misspelt("passenger", "passenger")
    assert not misspelt("passenger", "pssseenger")


def test_each_kind_of_dress_is_drawn_and_can_be_named() -> None:
    kinds = Counter(
        kind
        for problem in load_set("starter-12")
        for variant in make_variants(problem, [spec("formatting", 6)], seed=2, oracle=None).variants
        for kind in ("markdown", "numerals", "spacing")
        if f'"{kind}"' in variant.chain[1].arguments
    )
    assert set(kinds) == {"markdown", "numerals", "spacing"}
    (variant,) = batch(COUNT, spec("formatting", kind="markdown")).variants
    assert "\nConstraints:\n" in COUNT.statement
    assert "\nConstraints:\n" not in variant.text


@pytest.mark.parametrize(
    ("family", "arguments", "allowed"),
    [
        ("formatting", {"kind": "html"}, "markdown, numerals, spacing"),
        ("typos", {"share": 0.5}, "above 0 to 0.2"),
        ("typos", {"share": True}, "above 0 to 0.2"),
        ("clause_injection", {"place": "top"}, "begin, middle, end"),
        ("numeric_perturbation", {"kind": "all"}, "'bounds', 'constants'"),
        ("hard_negation", {"kind": "x"}, "none"),
    ],
)
def test_wrong_arguments_are_named(family: str, arguments: dict[str, object], allowed: str) -> None:
    with pytest.raises(UsageError, match=allowed):
        batch(COUNT, spec(family, **arguments))


def test_freedoms_are_those_of_the_family() -> None:
    owners = {name for name in PERTURBATIONS if PERTURBATIONS[name].freedoms}
    told = {"storytelling", "gamification"}
    assert owners == told | {"example_reorder", "section_reorder", "formatting", "typos"}
    assert all(PERTURBATIONS[name].freedoms == {Freedom.WORDING} for name in told)
