"""The inline markup of sentences, in which authors write statements.

One line is one sentence.  In a line

``{kind:name|words}``
    is a slot: ``kind`` is ``actor``, ``object``, ``quantity``, ``action`` or ``goal``, ``name`` is
    an identifier, ``words`` stand in the statement.  Slots of one name are replaced together, so
    they have one kind and the same words (the first letter may be a capital).  The words hold
    neither digits nor code: those must survive a rewrite.
``{=text}``
    is protected: it stands unchanged in every variant that keeps the task.
``{formula}``, ``{signature}``, ``{NAME}``
    put in the formula (as its own kind of span), the signature (protected, in backquotes) or the
    value of a constant (protected).
`` `code` ``
    is protected, and shown with its backquotes; ``{NAME}`` stands for a constant in it too.
numbers
    in digits are protected without any mark.
``{{`` and ``}}``
    are plain braces.

Anything else is plain text.  Replacements of a slot are written as in the middle of a sentence;
whoever puts one in gives it a capital where the old words had one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from codequake.errors import DataError
from codequake.problems.constants import fill_template
from codequake.statements import Sentence, SlotKind, Span, SpanKind

__all__ = ["check_slots", "parse_sentence"]

_PIECES = re.compile(
    r"(?P<open>\{\{)|(?P<close>\}\})"
    r"|\{(?P<marked>[^{}]*)\}"
    r"|(?P<code>`[^`]+`)"
    r"|(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?!\w))"
    r"|(?P<stray>[{}`])"
)
_SLOT = re.compile(r"(?P<kind>[^:|]*):(?P<name>[^:|]*)\|(?P<words>[^|]*)")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_KINDS = ", ".join(kind.value for kind in SlotKind)


def parse_sentence(line: str, insertions: Mapping[str, Span], *, place: str = "") -> Sentence:
    """Parse one line of markup.

    ``insertions`` are the spans that ``{formula}``, ``{signature}`` and the names of constants
    stand for.  Raises ``DataError`` with ``place`` for an empty line and for every piece that is
    not markup as above.
    """
    text = line.strip()
    shown = {name: span.text for name, span in insertions.items() if span.template is not None}
    if not text:
        raise DataError("a sentence is empty", place=place)
    spans: list[Span] = []
    end = 0
    for match in _PIECES.finditer(text):
        _add_text(spans, text[end : match.start()])
        end = match.end()
        match match.lastgroup:
            case "open" | "close":
                _add_text(spans, match.group()[0])
            case "code":
                spans.append(_code(match.group(), shown))
            case "number":
                spans.append(Span(SpanKind.PROTECTED, match.group()))
            case "marked":
                spans.append(_marked(match["marked"], insertions, place))
            case _:
                raise DataError(f"{match.group()!r} is not closed or not opened", place=place)
    _add_text(spans, text[end:])
    return Sentence(tuple(spans))


def _add_text(spans: list[Span], text: str) -> None:
    if not text:
        return
    if spans and spans[-1].kind is SpanKind.TEXT:
        text = spans.pop().text + text
    spans.append(Span(SpanKind.TEXT, text))


def _code(text: str, shown: Mapping[str, str]) -> Span:
    filled = fill_template(text, shown)
    return Span(SpanKind.PROTECTED, filled, template=None if filled == text else text)


def _marked(content: str, insertions: Mapping[str, Span], place: str) -> Span:
    """Return the span of what stands between two braces."""
    if content.startswith("="):
        if not content[1:].strip():
            raise DataError("{=} protects nothing", place=place)
        return Span(SpanKind.PROTECTED, content[1:])
    if content in insertions:
        return insertions[content]
    match = _SLOT.fullmatch(content)
    if match is None:
        allowed = ["{kind:name|words}", "{=text}", *(f"{{{name}}}" for name in insertions)]
        raise DataError(f"{{{content}}} is not markup; allowed: {', '.join(allowed)}", place=place)
    kind, name, words = match["kind"], match["name"], match["words"]
    if kind not in {member.value for member in SlotKind}:
        raise DataError(f"slot kind {kind!r} is not known; allowed: {_KINDS}", place=place)
    if not _NAME.fullmatch(name):
        raise DataError(f"slot name {name!r} is not a lower-case identifier", place=place)
    if not words or words != words.strip() or re.search(r"[\d`]", words):
        raise DataError(
            f"slot {name!r} holds {words!r}; allowed: words without digits, backquotes "
            "and blanks at the ends",
            place=place,
        )
    return Span(SpanKind.SLOT, words, SlotKind(kind), name)


def check_slots(sentences: Iterable[tuple[str, Sentence]]) -> None:
    """Refuse slots of one name that differ in kind or words.

    ``sentences`` are (place, sentence).  Raises ``DataError`` at the second of the two.
    """
    first: dict[str, Span] = {}
    for place, sentence in sentences:
        for span in sentence.spans:
            if span.kind is not SpanKind.SLOT or span.name is None:
                continue
            known = first.setdefault(span.name, span)
            if known.slot is not span.slot:
                raise DataError(
                    f"slot {span.name!r} is of kind {span.slot!s} here and {known.slot!s} before",
                    place=place,
                )
            if _lower_first(known.text) != _lower_first(span.text):
                raise DataError(
                    f"slot {span.name!r} says {span.text!r} here and {known.text!r} before",
                    place=place,
                )


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
