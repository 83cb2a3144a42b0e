from __future__ import annotations

import pytest
from tests.metrics.program_samples import RIGHT, pair, side

from codequake.errors import UsageError
from codequake.grading.signatures import Signature, SignatureKind
from codequake.metrics.behaviour import Behaviour, Labelled, label_pair
from codequake.metrics.behaviour_catalogue import BEHAVIOUR, FIRST_BEHAVIOUR
from codequake.metrics.behaviour_estimates import behaviour_estimates
from codequake.metrics.making import Context
from codequake.metrics.program_pairs import NameSets, ProgramPair
from codequake.records import Estimate, TaskKind

B = Behaviour
OLD = Signature("p", SignatureKind.ORIGINAL, "old", ("a", "b", RIGHT, "c"))
EASY = Signature("p", SignatureKind.RELAXED, "easy", (RIGHT, "d", RIGHT, RIGHT))
SLIP = Signature("p", SignatureKind.WRONG, "slip", (RIGHT, RIGHT, "e", "!crashed"))
KNOWN = (OLD, EASY, SLIP)
OLD_PROMPT = "Count the pears that weigh at least 3 pounds."
NEW_PROMPT = "Count the pears that weigh strictly less than 3 pounds."


def failing(
    *vector: str, task: TaskKind = TaskKind.CHANGED, reply: str | None = None
) -> ProgramPair:
    clean = side(prompt=OLD_PROMPT)
    changed = side(passed=False, vector=vector or None, prompt=NEW_PROMPT, reply=reply)
    return pair(clean, changed, task=task)


@pytest.mark.parametrize(
    ("vector", "holding"),
    [
        (("a", "b", RIGHT, "c"), (B.ARCHETYPE_OVERRIDE,)),
        # Three of three telling tests wrong, and one of the others: neither old nor new.
        (("a", "b", "x", "c"), (B.OTHER,)),
        ((RIGHT, "d", RIGHT, RIGHT), (B.OVERSIMPLIFIED, B.PARTIAL_ADAPTATION)),
        ((RIGHT, RIGHT, "e", "!crashed"), (B.KNOWN_MISTAKE, B.PARTIAL_ADAPTATION)),
        ((RIGHT, "b", RIGHT, "c"), (B.PARTIAL_ADAPTATION,)),
        # All telling tests pass: the change was understood.
        ((RIGHT, RIGHT, "x", RIGHT), (B.OTHER,)),
        (("!timeout", "!not_run", "!not_run", "!not_run"), (B.OTHER,)),
    ],
)
def test_labels_by_what_was_given(vector: tuple[str, ...], holding: tuple[Behaviour, ...]) -> None:
    found = label_pair(failing(*vector), KNOWN)
    assert found.holding == holding
    assert found.first is holding[0]
    assert [item.behaviour for item in found.findings] == list(Behaviour)


def why_not(found: Labelled, name: Behaviour) -> str:
    finding = next(item for item in found.findings if item.behaviour is name)
    assert finding.holds is None
    return finding.why


def test_what_cannot_be_asked_says_why() -> None:
    kept = label_pair(failing(RIGHT, "b", RIGHT, "c", task=TaskKind.KEPT), KNOWN)
    assert kept.holding == (B.OTHER,)
    for name in (B.ARCHETYPE_OVERRIDE, B.PARTIAL_ADAPTATION, B.RESTATED_RIGHT_CODED_WRONG):
        assert why_not(kept, name) == "the task is kept, so there is no second oracle"
    assert why_not(kept, B.INSTABILITY) == "a prompt has fewer than 2 finished replies"
    assert why_not(kept, B.NEW_NAMES) == "the change renames nothing"
    bare = label_pair(failing("a", "b", RIGHT, "c"), ())
    assert why_not(bare, B.OVERSIMPLIFIED) == "the problem has no program of a simpler task"
    unknown = label_pair(failing(), KNOWN)
    for name in (B.ARCHETYPE_OVERRIDE, B.OVERSIMPLIFIED, B.KNOWN_MISTAKE, B.PARTIAL_ADAPTATION):
        assert why_not(unknown, name) == "it is not known what the program gave on each test"
    assert unknown.first is B.OTHER


def test_signatures_of_other_problems_and_empty_ones_match_nothing() -> None:
    elsewhere = Signature("q", SignatureKind.RELAXED, "easy", EASY.outputs)
    empty = Signature("p", SignatureKind.RELAXED, "same", ())
    found = label_pair(failing(*EASY.outputs, task=TaskKind.KEPT), (elsewhere, empty))
    assert found.first is B.OTHER


@pytest.mark.parametrize("passed", [True, None])
def test_only_failures_are_labelled(passed: bool | None) -> None:
    with pytest.raises(UsageError, match="did not fail"):
        label_pair(pair(side(), side(passed=passed)), KNOWN)


@pytest.mark.parametrize(
    ("before", "after", "holds"),
    [
        ("Pears that weigh strictly less than 3 pounds count.", "", True),
        ("", "It counts what weighs strictly LESS\nthan 3 pounds.", True),
        ("Here is the program.", "", False),
        # Both requirements stand there, so it is not known which one was meant.
        ("They weigh strictly less than 3, not: weigh at least 3.", "", False),
        ("Not those that weigh at least 3, but strictly less than 3.", "", False),
        ("Strictly less. Than 3.", "", False),
        ("strictly `less` than", "", False),
    ],
)
def test_restated(before: str, after: str, holds: bool) -> None:
    program = "x = 1\n"
    found = label_pair(failing(*OLD.outputs, reply=f"{before}\n```\n{program}```\n{after}"), KNOWN)
    assert (B.RESTATED_RIGHT_CODED_WRONG in found.holding) is holds
    assert B.ARCHETYPE_OVERRIDE in found.holding


def test_restated_needs_a_program_that_is_one_piece_of_the_reply() -> None:
    twice = label_pair(failing(*OLD.outputs, reply="x = 1\nand x = 1\n"), KNOWN)
    why = why_not(twice, B.RESTATED_RIGHT_CODED_WRONG)
    assert why == "the program is not one piece of the reply"


@pytest.mark.parametrize(
    ("clean", "changed", "holds"),
    [
        ((True, True), (True, False), True),
        ((False, False), (True, False), True),
        ((True, False), (True, False), False),
        ((True, True), (False, False), False),
        ((True,), (True, False), None),
        ((True, True), (False,), None),
    ],
)
def test_instability(
    clean: tuple[bool, ...], changed: tuple[bool, ...], holds: bool | None
) -> None:
    found = label_pair(pair(side(samples=clean), side(passed=False, samples=changed)), ())
    finding = next(item for item in found.findings if item.behaviour is B.INSTABILITY)
    assert finding.holds is holds


@pytest.mark.parametrize(
    ("program", "original", "new"),
    [
        ("def old(a):\n    return a", True, False),
        ("def new(b):\n    return b", False, True),
        ("def new(a):\n    return a", True, True),
        ("def f(c):\n    return c.old + 'new'  # old", False, False),
        ("def new(:", None, None),
    ],
)
def test_names(program: str, original: bool | None, new: bool | None) -> None:
    names = NameSets(frozenset({"old", "a"}), frozenset({"new", "b"}))
    found = label_pair(pair(side(), side(program, passed=False), names=names), ())
    said = {item.behaviour: item.holds for item in found.findings}
    assert (said[B.ORIGINAL_NAMES], said[B.NEW_NAMES]) == (original, new)


def row(estimates: tuple[Estimate, ...], metric: str, name: Behaviour) -> Estimate:
    return next(item for item in estimates if (item.metric, item.group) == (metric, name))


def test_shares_average_within_problems_and_leave_out_what_cannot_be_asked() -> None:
    def made(problem: str, vector: tuple[str, ...] | None) -> Labelled:
        one = pair(side(), side(passed=False, vector=vector), problem=problem)
        return label_pair(one, [Signature(problem, EASY.kind, "easy", EASY.outputs)])

    items = [
        made("p", EASY.outputs),
        made("p", ("x", RIGHT, RIGHT, RIGHT)),
        made("q", EASY.outputs),
        made("q", None),
        made("r", None),
    ]
    found = behaviour_estimates(Context(1, 0.95), items)
    assert len(found) == 2 * len(Behaviour)
    shares = row(found, BEHAVIOUR, B.OVERSIMPLIFIED)
    # p: 1 of 2, q: 1 of 1, r: none can be asked.
    assert (shares.value, shares.problems) == (0.75, 2)
    assert [(item.reason, item.count) for item in shares.left_out] == [
        ("it is not known what the program gave on each test", 2)
    ]
    first = row(found, FIRST_BEHAVIOUR, B.OVERSIMPLIFIED)
    # p: 1 of 2, q: 1 of 2, r: 0 of 1.
    assert (first.value, first.problems) == (pytest.approx(1 / 3), 3)
    assert row(found, FIRST_BEHAVIOUR, B.OTHER).value == pytest.approx(2 / 3)
    total = sum(item.value or 0.0 for item in found if item.metric == FIRST_BEHAVIOUR)
    assert total == pytest.approx(1.0)
    never = row(found, BEHAVIOUR, B.ARCHETYPE_OVERRIDE)
    assert (never.value, never.missing) == (None, "no program that failed can be asked")
    assert behaviour_estimates(Context(1, 0.95), reversed(items)) == found
    assert behaviour_estimates(Context(1, 0.95), ()) == ()
