"""How sure a model was of the tokens of its program, where the scores of tokens are there.

Entropies are in nats and lower bounds, see ``codequake.records.TokenScore``.  Nothing is worked out
from a part of the tokens: what is missing is said.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from codequake.records import Completion, TokenScore
from codequake.stats import Missing

__all__ = ["CodeEntropy", "CodeTokens", "Divergence", "code_tokens", "divergence", "entropy_of"]


@dataclass(frozen=True, slots=True)
class CodeTokens:
    """The tokens of a reply that have a character of its program, in order.

    ``offsets`` says where each begins, counted in characters from the beginning of the program;
    that of the first is below 0 where it begins in front of it.
    """

    program: str
    tokens: tuple[TokenScore, ...]
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CodeEntropy:
    """Entropy over the tokens of a program: all in nats, the variance in nats squared.

    ``variance`` is that of these tokens (divided by their number), ``peak`` the largest entropy,
    and ``peak_at`` the index of the first token that has it.
    """

    tokens: int
    mean: float
    variance: float
    peak: float
    peak_at: int


@dataclass(frozen=True, slots=True)
class Divergence:
    """Entropy of the token with the first character at which two programs differ.

    ``offset`` counts that character from 0.  A side is ``Missing`` where its program has ended
    there, or the token has no entropy.
    """

    offset: int
    clean: float | Missing
    changed: float | Missing


def code_tokens(completion: Completion, program: str) -> CodeTokens | Missing:
    """Return the tokens of a reply that its program is made of.

    ``Missing`` where there are no scores, where the tokens do not join to the text of the reply,
    and where the program is not exactly one piece of it (indentation was taken off, pieces were
    joined, or it stands there twice).
    """
    if completion.tokens is None:
        return Missing("the reply has no scores of tokens")
    if not program:
        return Missing("there is no program")
    if "".join(token.text for token in completion.tokens) != completion.text:
        return Missing("the tokens do not join to the text of the reply")
    start = completion.text.find(program)
    if start < 0:
        return Missing("the program is not one piece of the reply")
    if completion.text.find(program, start + 1) >= 0:
        return Missing("the program stands more than once in the reply")
    ends = list(accumulate(len(token.text) for token in completion.tokens))
    begins = [0, *ends[:-1]]
    chosen = [
        (token, begin - start)
        for token, begin, end in zip(completion.tokens, begins, ends, strict=True)
        if begin < start + len(program) and end > start and end > begin
    ]
    return CodeTokens(
        program, tuple(token for token, _ in chosen), tuple(offset for _, offset in chosen)
    )


def entropy_of(completion: Completion, program: str) -> CodeEntropy | Missing:
    """Return the entropy over the tokens of a reply's program.

    ``Missing`` as for ``code_tokens``, and where a token has no entropy, since a mean over the
    others would be of another text.
    """
    found = code_tokens(completion, program)
    if isinstance(found, Missing):
        return found
    values = [token.entropy for token in found.tokens if token.entropy is not None]
    if len(values) < len(found.tokens) or not all(map(_is_entropy, values)):
        return Missing("some tokens of the code have no entropy")
    middle = math.fsum(values) / len(values)
    spread = math.fsum((value - middle) ** 2 for value in values) / len(values)
    peak = max(values)
    return CodeEntropy(len(values), middle, spread, peak, values.index(peak))


def _is_entropy(value: float) -> bool:
    return math.isfinite(value) and value >= 0.0


def divergence(clean: CodeTokens | Missing, changed: CodeTokens | Missing) -> Divergence | Missing:
    """Return the entropies at the first character at which two programs differ.

    ``Missing`` where the tokens of a side are, and where the programs are equal.
    """
    if isinstance(clean, Missing):
        return Missing(f"clean program: {clean.reason}")
    if isinstance(changed, Missing):
        return Missing(f"changed program: {changed.reason}")
    if clean.program == changed.program:
        return Missing("the programs are equal")
    offset = _first_difference(clean.program, changed.program)
    return Divergence(offset, _entropy_at(clean, offset), _entropy_at(changed, offset))


def _first_difference(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    at = next((index for index, (left, right) in enumerate(pairs) if left != right), None)
    return min(len(one), len(other)) if at is None else at


def _entropy_at(code: CodeTokens, offset: int) -> float | Missing:
    if offset >= len(code.program):
        return Missing("the program has ended there")
    token = code.tokens[bisect_right(code.offsets, offset) - 1]
    if token.entropy is None or not _is_entropy(token.entropy):
        return Missing("the token has no entropy")
    return token.entropy
