"""From what Inspect returns to our own Reply."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from codequake.records import Message, Reply, Request, StopReason

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content, ModelOutput

__all__ = ["chat_of", "error_reply", "output_from", "reply_from", "whole_text"]

_STOPS = {
    "stop": StopReason.STOP,
    "max_tokens": StopReason.LENGTH,
    "model_length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSED,
}


_REASONS: dict[StopReason, Literal["stop", "max_tokens", "content_filter", "unknown"]] = {
    StopReason.STOP: "stop",
    StopReason.LENGTH: "max_tokens",
    StopReason.REFUSED: "content_filter",
    StopReason.UNKNOWN: "unknown",
}


def chat_of(messages: Iterable[Message]) -> list[ChatMessage]:
    """Return messages as Inspect's."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds: dict[str, Any] = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [kinds[part.role](content=part.content) for part in messages]


def output_from(reply: Reply) -> ModelOutput:
    """Return a reply as Inspect's output: what ``reply_from`` reads the same reply from.

    A pending reply has no choice, and its error.
    """
    from inspect_ai.model import (
        ChatCompletionChoice,
        ChatMessageAssistant,
        ContentReasoning,
        ContentText,
        ModelOutput,
        ModelUsage,
    )

    if reply.stop_reason is StopReason.ERROR:
        return ModelOutput(model=reply.model_reported, error=reply.error)
    content: str | list[Content] = reply.text
    if reply.reasoning is not None:
        content = [ContentReasoning(reasoning=reply.reasoning), ContentText(text=reply.text)]
    message = ChatMessageAssistant(content=content, model=reply.model_reported, source="generate")
    choice = ChatCompletionChoice(message=message, stop_reason=_REASONS[reply.stop_reason])
    usage = None
    if reply.input_tokens is not None and reply.output_tokens is not None:
        usage = ModelUsage(
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            total_tokens=reply.input_tokens + reply.output_tokens,
        )
    return ModelOutput(model=reply.model_reported, choices=[choice], usage=usage)


def reply_from(request: Request, output: ModelOutput) -> Reply:
    """Return the reply that an output holds.

    Reasoning is kept apart from the text, several pieces joined by a line break.  Input tokens
    include those that a provider read from or wrote to its cache.  A response without any choice
    is a provider error, never an empty answer; so it becomes a pending reply.
    """
    if output.empty:
        reason = output.error or "the response holds no choice"
        return error_reply(request, reason, model_reported=output.model)
    message = output.choices[0].message
    stop = _STOPS.get(output.stop_reason, StopReason.UNKNOWN)
    reasoning: list[str] = []
    if not isinstance(message.content, str):
        for part in message.content:
            if part.type == "reasoning":
                reasoning.append(part.summary or "" if part.redacted else part.reasoning)
            elif part.type == "text" and part.refusal:
                stop = StopReason.REFUSED
    read, written = _tokens(output)
    return Reply(
        key=request.key,
        text=whole_text(message.text),
        reasoning=whole_text("\n".join(reasoning)) if reasoning else None,
        model_reported=whole_text(output.model),
        stop_reason=stop,
        input_tokens=read,
        output_tokens=written,
        error=None,
    )


def error_reply(request: Request, reason: str, *, model_reported: str = "") -> Reply:
    """Return the pending reply of a request that got no answer."""
    return Reply(
        key=request.key,
        text="",
        reasoning=None,
        model_reported=whole_text(model_reported),
        stop_reason=StopReason.ERROR,
        input_tokens=None,
        output_tokens=None,
        error=whole_text(reason) or "unknown error",
    )


def whole_text(text: str) -> str:
    """Return text that UTF-8 can carry: halves of characters become U+FFFD.

    Two halves that belong together become the character that they stand for.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _tokens(output: ModelOutput) -> tuple[int | None, int | None]:
    """Return tokens read and written; a usage of nothing at all says nothing."""
    usage = output.usage
    if usage is None:
        return None, None
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    read = usage.input_tokens + cached
    if read == 0 and usage.output_tokens == 0:
        return None, None
    return read, usage.output_tokens
