"""Reading the pages: fenced blocks with their invisible comments, headings, links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "PAGES",
    "ROOT",
    "Block",
    "Command",
    "anchors_of",
    "blocks_of",
    "commands_of",
    "links_of",
]

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
_COMMENT = re.compile(r"<!-- (file|not run|exit): (.+?) -->")
_FENCE = re.compile(r"(`{3,})([\w-]*)\s*")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"#{1,6} (.+)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, text, line, and what the comments above it say.

    ``file`` is the name under which it is written before the commands, ``not_run`` the reason why
    its commands are passed over, ``exit_code`` what its commands end with.
    """

    page: Path
    line: int
    language: str
    text: str
    file: str | None
    not_run: str | None
    exit_code: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a block, and the output that the page shows for it."""

    text: str
    shown: str


def blocks_of(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    found: list[Block] = []
    notes: dict[str, str] = {}
    fence, language, start = "", "", 0
    body: list[str] = []
    for number, line in enumerate(page.read_text("utf-8").splitlines(), start=1):
        if fence:
            if line.strip() == fence:
                found.append(
                    Block(
                        page,
                        start,
                        language,
                        "".join(f"{item}\n" for item in body),
                        notes.get("file"),
                        notes.get("not run"),
                        int(notes.get("exit", "0")),
                    )
                )
                fence, notes = "", {}
            else:
                body.append(line)
        elif opening := _FENCE.fullmatch(line.strip()):
            fence, language, start, body = opening[1], opening[2], number, []
        elif comment := _COMMENT.fullmatch(line.strip()):
            notes[comment[1]] = comment[2]
        elif line.strip():
            assert not notes, f"{page}:{number}: a comment must stand right above its block"
    assert not fence, f"{page}:{start}: the block is not closed"
    return found


def commands_of(block: Block) -> list[Command]:
    """The lines that start with ``$ ``, each with the lines of output below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            assert found, f"{block.page}:{block.line}: output before the first command"
            found[-1][1].append(line)
    return [Command(text, "\n".join(lines)) for text, lines in found]


def _prose_of(page: Path) -> str:
    """The page without its fenced blocks."""
    lines, fence = [], ""
    for line in page.read_text("utf-8").splitlines():
        opening = _FENCE.fullmatch(line.strip())
        if fence:
            fence = "" if line.strip() == fence else fence
        elif opening:
            fence = opening[1]
        else:
            lines.append(line)
    return "\n".join(lines)


def links_of(page: Path) -> list[str]:
    """The targets of all links and pictures of a page."""
    return _LINK.findall(_prose_of(page))


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: dict[str, int] = {}
    anchors = set()
    for line in _prose_of(page).splitlines():
        if heading := _HEADING.fullmatch(line):
            text = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
            anchors.add(f"{text}-{found[text]}" if text in found else text)
            found[text] = found.get(text, 0) + 1
    return anchors
