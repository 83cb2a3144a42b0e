"""Prompts of several calls: each call of a chain may hold what the calls before it came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codequake.errors import InternalError
from codequake.models.wording import ask_for_code
from codequake.records import Message, Problem, Variant

__all__ = ["STAGED_STYLES", "Part", "Stage", "StageMessage", "fill_stage", "literal_stage"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message: ``text``, or in its place the reply to stage number ``reply``.

    Stages are counted from 1; ``reply`` 0 is a text.  Replies are named beside the text and never
    in it, so no words of a task can be taken for a place.
    """

    text: str
    reply: int = 0


@dataclass(frozen=True, slots=True)
class StageMessage:
    """A message that is whole when the replies that it names are there."""

    role: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """The messages of one call; it is a conversation of its own and sees no other call."""

    messages: tuple[StageMessage, ...]


def literal_stage(messages: Sequence[Message]) -> Stage:
    """Return a stage that waits for nothing."""
    return Stage(tuple(StageMessage(part.role, (Part(part.content),)) for part in messages))


def fill_stage(stage: Stage, replies: Sequence[str]) -> tuple[Message, ...]:
    """Return the messages of a stage with the replies to the stages before it, the first first.

    An empty reply leaves its place empty.  Raises ``InternalError`` when a reply is not there.
    """
    return tuple(
        Message(message.role, "".join(_text(part, replies) for part in message.parts))
        for message in stage.messages
    )


def _text(part: Part, replies: Sequence[str]) -> str:
    if not part.reply:
        return part.text
    if part.reply > len(replies):
        raise InternalError(f"a stage names reply {part.reply}, and there are {len(replies)}")
    return replies[part.reply - 1].strip()


def _dup(problem: Problem, variant: Variant) -> tuple[Stage, ...]:
    """Ask for the core question, then for what answers it, then for the program with both."""
    task = Part(variant.text)
    question = "Say what the core question of this task is, as fully and exactly as you can, in "
    return (
        _stage(f"{_READS} {question}one or two sentences.", task),
        _stage(
            f"{_READS} List the information in the task that is needed to answer its core "
            "question, and leave the rest out.",
            task,
            Part("\n\nCore question:\n"),
            Part("", 1),
        ),
        _stage(
            ask_for_code(
                "Below the task stand its core question and the information needed to answer it. "
                "Understand both first. Solve the core question step by step with this "
                "information.",
                problem,
            ),
            task,
            Part("\n\nCore question:\n"),
            Part("", 1),
            Part("\n\nInformation needed:\n"),
            Part("", 2),
        ),
    )


_READS = "You read programming tasks. Do not solve the task and write no code."


def _stage(system: str, *parts: Part) -> Stage:
    return Stage((StageMessage("system", (Part(system),)), StageMessage("user", parts)))


STAGED_STYLES: dict[str, Callable[[Problem, Variant], tuple[Stage, ...]]] = {"dup": _dup}
"""Styles of ours that take several calls."""
