"""From a raw reply to the program in it, with the rule that found it.

The program is always a piece of the reply, or pieces of it joined.  In this order:

1. Control tokens of chat templates at the ends are cut, then reasoning is dropped.  Where a token
   ends the turn of the model behind a whole program, the turns that it played after are dropped.
   Marks in front of lines (prompts of a session, signs of a diff) and invisible characters go where
   the program is better for it.
2. The last closed fence that holds a whole program: one that parses and defines the entry point
   (main programs: one that parses and reads input, else one that parses and does something; C
   and C++: one with closed brackets and ``main``).  Any language tag will do.  Earlier blocks that
   define what this one uses and does not define are put in front of it.  A function and a method of
   ``Solution`` define the entry point alike; a method of another class only where nothing else
   does, and a class of tests never.
3. The same between tags such as ``[PYTHON]`` and ``[/PYTHON]``.
4. A fence that was never closed, when it holds a whole program and the model did not stop for
   length; a later unclosed fence goes before an earlier closed one.  Prose behind it is cut.
5. Bare code: the whole text, or a piece of it that parses and defines the entry point.
6. Else the closed fence that comes nearest, so that the compiler or the missing name decides.

Otherwise there is a status: ``truncated`` (a fence never closed, or stopped for length),
``wrong_language``, ``refused`` or ``no_code``.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codequake.grading.chat_tokens import begins_with_prompt, first_turns, without_special_tokens
from codequake.grading.fences import Block, fenced_blocks, tagged_blocks
from codequake.grading.fitness import Fit, names_other_language
from codequake.grading.marks import without_marks
from codequake.grading.readers import Reader, reader_of
from codequake.grading.reasoning import without_reasoning
from codequake.records import Language, Status, StopReason

__all__ = ["MAX_REPLY", "Extraction", "extract"]

MAX_REPLY = 1 << 20
"""Characters of a reply that are searched for a program; longer ones have none."""

_REFUSAL = re.compile(
    r"(?:i['\u2019]?m\s+(?:really\s+|very\s+|so\s+)?sorry|i\s+am\s+sorry|sorry|i\s+apologi[sz]e"
    r"|unfortunately|as\s+an\s+ai\b|i\s+can['\u2019]?t|i\s+cannot|i\s+can\s+not|i['\u2019]?m\s+unable"
    r"|i\s+am\s+unable|i\s+won['\u2019]?t|i\s+must\s+decline|i['\u2019]?m\s+not\s+able)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"can['\u2019]?t|cannot|can\s+not|unable|won['\u2019]?t|not\s+able|decline|refuse",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a reply.

    ``status`` is ``None`` when there is a program; otherwise ``program`` is empty and ``message``
    says why.  ``rule`` names what found it, or what gave up.
    """

    status: Status | None
    program: str
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    fit: Fit
    closed: bool
    foreign_tag: bool
    rule: str


def extract(
    reply: str,
    *,
    language: Language,
    entry_point: str | None,
    stop_reason: StopReason = StopReason.UNKNOWN,
) -> Extraction:
    """Return the program that a reply contains, or the status that says why there is none.

    ``entry_point`` is ``None`` for main programs on standard input.  Never raises for what the
    reply holds; takes time linear in its length, up to a bounded number of parses.
    """
    if stop_reason is StopReason.REFUSED:
        return Extraction(Status.REFUSED, "", "stop_reason", "the provider stopped: refused")
    if len(reply) > MAX_REPLY:
        why = f"the reply has {len(reply)} characters; at most {MAX_REPLY} are searched"
        return Extraction(Status.NO_CODE, "", "too_long", why)
    text, cut_tokens = without_special_tokens(reply)
    answer = without_reasoning(text)
    notes = ("+special_tokens" if cut_tokens else "") + ("+reasoning" if answer.cut else "")
    known = reader_of(language)
    # The same piece is looked at more than once, and a look is a parse.
    reader = dataclasses.replace(known, fit=functools.cache(known.fit))
    turns = () if begins_with_prompt(reply) else first_turns(answer.text)
    found = _of_first_turn(turns, reader, entry_point)
    if found is not None:
        notes = f"+turn{notes}"
    else:
        found = _choose(answer.text, reader, entry_point, stop_reason)
    if found.status is Status.NO_CODE and answer.open and stop_reason is StopReason.LENGTH:
        found = Extraction(Status.TRUNCATED, "", "none", "the reply ended inside its reasoning")
    return Extraction(found.status, found.program, found.rule + notes, found.message)


def _of_first_turn(
    turns: Iterable[str], reader: Reader, entry_point: str | None
) -> Extraction | None:
    """The program of the turn of the model, where it went on and played the next ones."""
    for turn in turns:
        # Its end is there, whatever stopped the model later.
        found = _choose(turn, reader, entry_point, StopReason.STOP)
        if found.status is None and reader.fit(found.program, entry_point) >= Fit.PROGRAM:
            return found
    return None


def _choose(
    text: str, reader: Reader, entry_point: str | None, stop_reason: StopReason
) -> Extraction:
    def complete(piece: str) -> bool:
        return reader.fit(piece, entry_point) in (Fit.WHOLE, Fit.PROGRAM, Fit.PARTIAL)

    found = fenced_blocks(text, complete if reader.nests_fences else None)
    fenced = [_candidate(block, reader, entry_point, "fence") for block in found.blocks]
    by_length = stop_reason is StopReason.LENGTH
    usable = [item for item in fenced if item.closed or not by_length]
    best = _last(usable, Fit.WHOLE)
    if best is not None:
        return _program(_joined(best, usable, reader))
    tagged = [_candidate(block, reader, entry_point, "tags") for block in tagged_blocks(text)]
    usable_tagged = [item for item in tagged if item.closed or not by_length]
    best = _last(usable_tagged, Fit.WHOLE)
    if best is not None:
        return _program(best)
    bare = _bare(found.outside, reader, entry_point, by_length=by_length)
    best = _last(bare, Fit.WHOLE)
    if best is not None:
        return _program(best)
    best = _last(usable, Fit.PROGRAM)
    if best is not None:
        return _program(_joined(best, usable, reader))
    best = _last(usable_tagged, Fit.PROGRAM) or _last(bare, Fit.PROGRAM)
    if best is not None:
        return _program(best)
    if any(not item.closed for item in (*fenced, *tagged)) and not _foreign(fenced, by_length):
        why = "the reply ended inside its code, and what is there is no whole program"
        return Extraction(Status.TRUNCATED, "", "unclosed", why)
    return _second_choice(text, reader, (*fenced, *tagged), bare, by_length=by_length)


def _foreign(fenced: Sequence[_Candidate], by_length: bool) -> bool:
    """Whether an unclosed fence is recognisably another language, and not cut for length."""
    return not by_length and bool(fenced) and fenced[-1].fit is Fit.FOREIGN


def _second_choice(
    text: str,
    reader: Reader,
    marked: Sequence[_Candidate],
    bare: Sequence[_Candidate],
    *,
    by_length: bool,
) -> Extraction:
    """No whole program: take what comes nearest, or say what is there instead."""
    closed = [item for item in marked if item.closed]
    for fit in (Fit.BROKEN_ENTRY, Fit.PARTIAL):
        best = _last(closed, fit) or _last(bare, fit)
        if best is not None:
            return _program(best)
    foreign = _last([*marked, *bare], Fit.FOREIGN)
    if foreign is not None:
        why = f"the reply has a program in another language than {reader.name}"
        return Extraction(Status.WRONG_LANGUAGE, "", foreign.rule, why)
    best = _last(closed, Fit.BROKEN)
    if best is not None:
        return _program(best)
    if by_length:
        why = "the reply was cut for its length before there was a program"
        return Extraction(Status.TRUNCATED, "", "none", why)
    if not marked and _REFUSAL.match(text.strip()) and _DECLINES.search(text.strip()[:400]):
        return Extraction(Status.REFUSED, "", "refusal_pattern", "the reply declines to answer")
    why = "the reply has no text" if not text.strip() else f"the reply has no {reader.name} code"
    return Extraction(Status.NO_CODE, "", "none", why)


def _joined(chosen: _Candidate, candidates: Sequence[_Candidate], reader: Reader) -> _Candidate:
    """Put earlier blocks in front that define what the chosen one uses and does not define."""
    position = next(index for index, item in enumerate(candidates) if item is chosen)
    if position == 0:
        return chosen
    missing, _ = reader.names(chosen.text)
    text, rule = chosen.text, chosen.rule
    for item in reversed(candidates[:position]):
        if item.fit not in (Fit.WHOLE, Fit.PROGRAM, Fit.PARTIAL):
            continue
        uses, offers = reader.names(item.text)
        if missing & offers:
            text = item.text + text if item.text.endswith("\n") else f"{item.text}\n{text}"
            missing = (missing - offers) | uses
            rule = f"{chosen.rule}:joined"
    return dataclasses.replace(chosen, text=text, rule=rule)


def _candidate(block: Block, reader: Reader, entry_point: str | None, rule: str) -> _Candidate:
    fit = reader.fit(block.text, entry_point)
    for text, at_start in without_marks(block.text):
        better = reader.fit(text, entry_point)
        if better > fit or (better is fit and at_start):
            return _candidate(Block(text, block.info, block.closed), reader, entry_point, rule)
    if not block.closed:
        piece = reader.before_prose(block.text, entry_point)
        if piece is not None and reader.fit(piece, entry_point) >= max(fit, Fit.PROGRAM):
            return _candidate(Block(piece, block.info, False), reader, entry_point, rule)
    foreign_tag = names_other_language(block.info, reader.tags)
    if foreign_tag and fit in (Fit.NOTHING, Fit.BROKEN, Fit.BROKEN_ENTRY) and block.text.strip():
        fit = Fit.FOREIGN
    elif (
        fit is Fit.PARTIAL
        and not reader.parsed
        and names_other_language(block.info, (*reader.tags, *reader.kin))
    ):
        # Lines that end in a semicolon are code in many languages; the tag says in which.
        fit = Fit.FOREIGN
    name = rule if block.closed else f"{rule}:unclosed"
    return _Candidate(block.text, fit, block.closed, foreign_tag, name)


def _bare(
    text: str, reader: Reader, entry_point: str | None, *, by_length: bool
) -> list[_Candidate]:
    """Candidates outside of all fences; a piece that a length limit cut is none."""
    whole = _candidate(Block(text, "", True), reader, entry_point, "bare")
    fit = whole.fit
    if fit in (Fit.WHOLE, Fit.PROGRAM) and reader.nests_fences:
        return [] if by_length else [whole]
    found = [
        _Candidate(piece, reader.fit(piece, entry_point), True, False, "bare_piece")
        for piece, at_end in reader.regions(text, entry_point)
        if not (at_end and by_length)
    ]
    if fit is Fit.FOREIGN:
        found.append(whole)
    elif fit is Fit.BROKEN_ENTRY and not by_length:
        found.insert(0, whole)
    return found


def _last(candidates: Sequence[_Candidate], fit: Fit) -> _Candidate | None:
    """The last candidate of a fitness; one whose tag names another language goes behind."""
    fitting = [item for item in candidates if item.fit is fit]
    own = [item for item in fitting if not item.foreign_tag]
    return (own or fitting)[-1] if fitting else None


def _program(candidate: _Candidate) -> Extraction:
    return Extraction(None, candidate.text, candidate.rule, "")
