from __future__ import annotations

import math

import pytest

from codequake.metrics.token_entropy import (
    CodeEntropy,
    CodeTokens,
    Divergence,
    code_tokens,
    divergence,
    entropy_of,
)
from codequake.records import Completion, StopReason, TokenScore
from codequake.stats import Missing

Token = tuple[str, float | None]


def reply(*tokens: Token, text: str | None = None, scored: bool = True) -> Completion:
    joined = "".join(piece for piece, _ in tokens)
    scores = tuple(TokenScore(piece, -1.0, entropy) for piece, entropy in tokens)
    return Completion(
        problem_id="p",
        variant_id="v",
        model="m",
        sample=0,
        key="k",
        text=joined if text is None else text,
        reasoning=None,
        model_reported="m",
        stop_reason=StopReason.STOP,
        input_tokens=None,
        output_tokens=None,
        error=None,
        tokens=scores if scored else None,
    )


FENCED = reply(
    ("Sure:\n", 9.0), ("```\n", 9.0), ("x", 1.0), (" =", 2.0), (" 3\n", 6.0), ("```", 9.0)
)


def test_mean_variance_and_peak_over_the_code_alone() -> None:
    # 1, 2 and 6: mean 3, squared gaps 4 + 1 + 9 over 3.
    found = entropy_of(FENCED, "x = 3\n")
    assert found == CodeEntropy(3, 3.0, pytest.approx(14 / 3), 6.0, 2)


def test_tokens_that_overlap_the_ends_count_once() -> None:
    answer = reply(("```\nx", 1.0), (" = ", 2.0), ("", 7.0), ("3\n```", 3.0), ("\n", 9.0))
    found = code_tokens(answer, "x = 3\n")
    assert isinstance(found, CodeTokens)
    # The empty token has no character of the program.
    assert [token.entropy for token in found.tokens] == [1.0, 2.0, 3.0]
    assert found.offsets == (-4, 1, 4)


def test_the_first_of_several_peaks() -> None:
    found = entropy_of(reply(("a", 1.0), ("b", 2.0), ("c", 2.0)), "abc")
    assert isinstance(found, CodeEntropy)
    assert (found.peak, found.peak_at) == (2.0, 1)


@pytest.mark.parametrize(
    ("completion", "program", "why"),
    [
        (reply(("x", 1.0), scored=False), "x", "the reply has no scores of tokens"),
        (FENCED, "", "there is no program"),
        (
            reply(("x", 1.0), (" = 3", 1.0), text="x = 4"),
            "x = 4",
            "the tokens do not join to the text of the reply",
        ),
        (reply(("\ufffd", 1.0), text="é"), "é", "the tokens do not join to the text of the reply"),
        (FENCED, "x = 3", None),
        (FENCED, "x=3", "the program is not one piece of the reply"),
        (reply(("x; x", 1.0)), "x", "the program stands more than once in the reply"),
        (reply(("x", 1.0), (" = 3", None)), "x = 3", "some tokens of the code have no entropy"),
        (reply(("x", math.nan)), "x", "some tokens of the code have no entropy"),
        (reply(("x", -0.5)), "x", "some tokens of the code have no entropy"),
        (reply(("# a", None), ("x", 1.0)), "x", None),
    ],
)
def test_what_is_missing_is_said(completion: Completion, program: str, why: str | None) -> None:
    found = entropy_of(completion, program)
    if why is None:
        assert isinstance(found, CodeEntropy)
    else:
        assert found == Missing(why)


def tokens(program: str, *pieces: Token) -> CodeTokens | Missing:
    return code_tokens(reply(*pieces), program)


ONE = tokens("x = 3", ("x ", 1.0), ("= ", 2.0), ("3", 3.0))
OTHER = tokens("x = 45", ("# ", 9.0), ("x =", 4.0), (" 45", 5.0))


def test_entropy_at_the_first_difference() -> None:
    # The programs differ from character 4 on.
    assert divergence(ONE, OTHER) == Divergence(4, 3.0, 5.0)
    assert divergence(OTHER, ONE) == Divergence(4, 5.0, 3.0)


def test_a_side_without_a_token_there_is_missing() -> None:
    shorter = tokens("x = ", ("x = ", 1.0))
    assert divergence(shorter, ONE) == Divergence(4, Missing("the program has ended there"), 3.0)
    unscored = tokens("x = 4", ("x = ", 1.0), ("4", None))
    assert divergence(ONE, unscored) == Divergence(4, 3.0, Missing("the token has no entropy"))


def test_no_divergence_says_why() -> None:
    assert divergence(ONE, ONE) == Missing("the programs are equal")
    gone = Missing("the reply has no scores of tokens")
    why = "changed program: the reply has no scores of tokens"
    assert divergence(ONE, gone) == Missing(why)
    assert divergence(gone, ONE) == Missing(why.replace("changed", "clean"))
