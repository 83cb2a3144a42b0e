"""Take reasoning out of a reply: what a model thought aloud is not what it answered."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Answer", "without_reasoning"]

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis"
_TAG = re.compile(
    rf"<(?P<slash>/?)(?:{_NAMES})>"
    rf"|\[(?P<square>/?)THINK\]"
    r"|<\|(?P<edge>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final(?:<\|[a-z]+\|>[^<]*)*?<\|message\|>")
_QUOTES = ('"', "'", "`")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is left of a reply; ``cut`` says that something was dropped.

    ``open`` says that reasoning began and never ended.
    """

    text: str
    cut: bool
    open: bool


def without_reasoning(reply: str) -> Answer:
    """Drop reasoning: between its tags, before a lone closing tag, after a lone opening tag.

    A tag that a quote or a backtick stands before is text about tags and is left alone.
    """
    final = list(_FINAL_CHANNEL.finditer(reply))
    if final:
        return Answer(reply[final[-1].end() :], True, False)
    start: int | None = None
    last_close: int | None = None
    depth = 0
    spans: list[tuple[int, int]] = []
    for tag in _TAG.finditer(reply):
        if _quoted(reply, tag):
            continue
        if not _closes(tag):
            start = tag.start() if start is None else start
            depth += 1
        elif start is None:
            spans = [(0, tag.end())]  # thought from the start, with the opening in the template
        else:
            depth -= 1
            last_close = tag.end()
            if depth == 0:
                spans.append((start, tag.end()))
                start, last_close = None, None
    unclosed = False
    if start is not None:
        unclosed = last_close is None
        spans.append((start, len(reply) if last_close is None else last_close))
    if not spans:
        return Answer(reply, False, False)
    pieces, position = [], 0
    for begin, end in spans:
        pieces.append(reply[position:begin])
        position = end
    pieces.append(reply[position:])
    return Answer("".join(pieces), True, unclosed)


def _closes(tag: re.Match[str]) -> bool:
    return tag["slash"] == "/" or tag["square"] == "/" or (tag["edge"] or "").lower() == "end"


def _quoted(text: str, tag: re.Match[str]) -> bool:
    before = text[tag.start() - 1 : tag.start()]
    after = text[tag.end() : tag.end() + 1]
    return before in _QUOTES or (_closes(tag) and after in _QUOTES[:2])
