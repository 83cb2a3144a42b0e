"""The task in the sentences of another world: what they must keep, and what they may share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from codequake.statements import Domain, Section, SectionKind, Sentence, Span, SpanKind, Statement

__all__ = ["MOST_SHARED", "loose_words", "surviving_share", "world_faults"]

MOST_SHARED = 0.15
"""Share of the task's word 6-grams that the telling of another world may keep."""

_LENGTH = 6
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_FIXED = (SpanKind.PROTECTED, SpanKind.FORMULA)


def loose_words(sentences: Iterable[Sentence]) -> list[list[str]]:
    """Return the runs of words between protected spans, in small letters."""
    runs: list[list[str]] = [[]]
    for sentence in sentences:
        for span in sentence.spans:
            if span.kind in _FIXED:
                runs.append([])
            else:
                runs[-1] += _WORD.findall(span.text.lower())
    return [run for run in runs if run]


def surviving_share(sentences: Sequence[Sentence], text: str) -> float | None:
    """Return the share of the sentences' word 6-grams that stand in a text, 0 to 1.

    Grams lie between protected spans, which every wording keeps.  ``None`` where there is none.
    """
    grams = [gram for run in loose_words(sentences) for gram in _grams(run)]
    if not grams:
        return None
    # A name in backquotes or a number parts the words of the text as a span does.
    pieces = re.split(r"`[^`\n]*`|[\d_]+", text.lower())
    known = {gram for piece in pieces for gram in _grams(_WORD.findall(piece))}
    return sum(gram in known for gram in grams) / len(grams)


def _grams(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _LENGTH]) for at in range(len(words) - _LENGTH + 1)]


def world_faults(statement: Statement, domain: Domain) -> Iterator[str]:
    """Yield one clause for everything that the own sentences of a world leave out or add."""
    first = {section.kind: section for section in statement.sections}
    for section in domain.sections:
        if section.kind not in first:
            yield f"has a section {section.kind}, which the statement has not"
            continue
        lost, new = _difference(first[section.kind], section)
        if lost or new:
            yield f"loses {lost or 'nothing'} and adds {new or 'nothing'} in its {section.kind}"
        if section.kind is SectionKind.TASK:
            shared = surviving_share(first[section.kind].sentences, _text(section.sentences))
            if shared is not None and shared > MOST_SHARED:
                yield (
                    f"keeps {shared:.0%} of the word 6-grams of the task; allowed: "
                    f"{MOST_SHARED:.0%}"
                )
        elif len(section.sentences) != len(first[section.kind].sentences):
            yield f"has another number of lines in its {section.kind} than the statement"
    told = _explanations(first.get(SectionKind.EXAMPLES))
    if domain.explanations and len(domain.explanations) != len(told):
        yield f"has {len(domain.explanations)} explanations; allowed: {len(told)}"
        return
    for one, two in zip(told, domain.explanations, strict=False):
        lost, new = _clauses(Counter(_numbers(one)), Counter(_numbers(two)))
        if lost or new:
            yield f"loses {lost or 'nothing'} and adds {new or 'nothing'} in an explanation"


def _explanations(section: Section | None) -> list[Sentence]:
    lines = () if section is None else section.sentences
    return [line for line in lines if line.spans[0].text.startswith("Explanation: ")]


def _numbers(sentence: Sentence) -> list[str]:
    return [span.text for span in sentence.spans if span.kind in _FIXED]


def _difference(first: Section, own: Section) -> tuple[str, str]:
    """Numbers stand as often as in the statement; a name in backquotes may be said again."""
    return _clauses(_protected(first.sentences), _protected(own.sentences))


def _clauses(wanted: Counter[str], found: Counter[str]) -> tuple[str, str]:
    return ", ".join(sorted(wanted - found)), ", ".join(sorted(found - wanted))


def _protected(sentences: Iterable[Sentence]) -> Counter[str]:
    pieces = [span.text for span in _spans(sentences) if span.kind in _FIXED]
    quoted = {piece for piece in pieces if piece.startswith("`")}
    return Counter([*quoted, *(piece for piece in pieces if not piece.startswith("`"))])


def _spans(sentences: Iterable[Sentence]) -> Iterator[Span]:
    for sentence in sentences:
        yield from sentence.spans


def _text(sentences: Iterable[Sentence]) -> str:
    return " ".join("".join(span.text for span in sentence.spans) for sentence in sentences)
