"""Find the blocks of a reply that may be programs: fences and tags.

Blocks are pieces of the reply; where a fence is indented, its indentation is taken off each line,
so that a block is made of joined substrings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from codequake.grading.invisible import INVISIBLE, without_invisible_edges

__all__ = ["Block", "Found", "fenced_blocks", "tagged_blocks"]

_FENCE = re.compile(r"(?P<indent>[ \t>]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)\Z")
_LATE_OPENING = re.compile(r"(?=\s*[^`\s])[^`]*(?P<mark>`{3,})[ \t]*(?P<info>[\w+#.-]*)\Z")
_ONE_LINE = re.compile(
    r"\s*(?P<mark>`{3,})(?:python |py |cpp |c\+\+ |c )?(?P<code>[^`]+)(?P=mark)\Z"
)
_TAGS = ("python", "code", "answer", "solution", "cpp", "c++", "c")
_TAG = re.compile(
    r"[\[<](?P<slash>/?)(?P<name>"
    + "|".join(map(re.escape, _TAGS))
    + r")(?: [^\[\]<>\n]{1,200})?[\]>]",
    re.IGNORECASE,
)
_TRIES = 8
_MOST_MARKS = 1000  # a reply with more fences is no reply; its last ones are looked at


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a reply; ``info`` is what stood after the opening fence, ``closed`` its end."""

    text: str
    info: str
    closed: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The blocks in their order, and the text outside of them (joined)."""

    blocks: tuple[Block, ...]
    outside: str


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line with a fence: ``before`` is code in front of it (closing) on the same line.

    ``whole`` is the code of a block that opens and closes on this line.
    """

    line: int
    mark: str
    info: str
    indent: str
    opens: bool
    closes: bool
    before: str
    whole: str = ""


def fenced_blocks(text: str, complete: Callable[[str], bool] | None) -> Found:
    """Return the fenced blocks of a text.

    ``complete`` tells whether a piece is a whole program: a fence inside of it (in a docstring)
    then does not end it; ``None`` for languages that have no such places.  A fence with a
    language inside an open one starts anew.
    """
    lines = text.splitlines(keepends=True)
    marks = _marks(lines)[-_MOST_MARKS:]
    blocks: list[Block] = []
    outside: list[str] = []
    position, line = 0, 0
    while position < len(marks):
        opening = marks[position]
        if not opening.opens or opening.line < line:
            position += 1
            continue
        outside.extend(lines[line : opening.line])
        block, line, position = _one_block(lines, marks, position, complete)
        if block.text.strip():
            blocks.append(block)
    outside.extend(lines[line:])
    return Found(tuple(blocks), "".join(outside))


def _marks(lines: list[str]) -> list[_Mark]:
    marks = []
    for number, whole in enumerate(lines):
        if "```" not in whole and "~~~" not in whole:
            continue
        line = whole.rstrip()
        if not line.isascii():
            line = without_invisible_edges([line])[0].rstrip()
        # The last line of code may have the closing fence glued to it.
        before = line.rstrip("`").rstrip(INVISIBLE) if line.endswith("```") else ""
        if match := _FENCE.match(line):
            info = match["info"].lstrip(INVISIBLE)
            marks.append(_Mark(number, match["mark"], info, match["indent"], True, not info, ""))
        elif match := _LATE_OPENING.match(line):
            info = match["info"]
            marks.append(_Mark(number, match["mark"], info, "", True, bool(before), before))
        elif match := _ONE_LINE.match(line):
            marks.append(_Mark(number, "```", "", "", True, False, "", match["code"] + "\n"))
        elif before:
            marks.append(_Mark(number, "```", "", "", False, True, before))
    return marks


def _one_block(
    lines: list[str], marks: list[_Mark], position: int, complete: Callable[[str], bool] | None
) -> tuple[Block, int, int]:
    """Return the block that opens at a mark, the line after it, and the next mark to look at."""
    opening = marks[position]
    if opening.whole:
        return Block(opening.whole, "", True), opening.line + 1, position + 1
    closings = [
        index
        for index in range(position + 1, len(marks))
        if marks[index].closes
        and marks[index].mark[0] == opening.mark[0]
        and len(marks[index].mark) >= len(opening.mark)
    ]
    for index in closings[:_TRIES] if complete is not None else ():
        piece = _piece(lines, opening, marks[index])
        if complete is not None and complete(piece):
            return Block(piece, opening.info, True), marks[index].line + 1, index + 1
    first = closings[0] if closings else len(marks)
    for index in range(position + 1, first):
        if marks[index].opens and marks[index].info:
            piece = "".join(lines[opening.line + 1 : marks[index].line])
            return Block(piece, opening.info, False), marks[index].line, index
    if closings:
        closing = marks[first]
        return (
            Block(_piece(lines, opening, closing), opening.info, True),
            closing.line + 1,
            first + 1,
        )
    piece = _unindented(lines[opening.line + 1 :], opening.indent)
    return Block(piece, opening.info, False), len(lines), len(marks)


def _piece(lines: list[str], opening: _Mark, closing: _Mark) -> str:
    return _unindented([*lines[opening.line + 1 : closing.line], closing.before], opening.indent)


def _unindented(lines: list[str], indent: str) -> str:
    if not indent:
        return "".join(lines)
    if all(line.startswith(indent) or not line.strip() for line in lines):
        return "".join(line[len(indent) :] if line.strip() else line for line in lines)
    return "".join(lines)


def tagged_blocks(text: str) -> tuple[Block, ...]:
    """Return what stands between tags such as ``[PYTHON]`` and ``[/PYTHON]``."""
    blocks = []
    opening: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if not tag["slash"]:
            opening = tag
        elif opening is not None and tag["name"].lower() == opening["name"].lower():
            blocks.append(Block(text[opening.end() : tag.start()], opening["name"].lower(), True))
            opening = None
    if opening is not None:
        blocks.append(Block(text[opening.end() :], opening["name"].lower(), False))
    return tuple(block for block in blocks if block.text.strip())
