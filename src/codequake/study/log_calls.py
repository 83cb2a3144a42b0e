"""The calls that a sample of a log stands for: its own, and those that led up to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from codequake.codec import from_plain
from codequake.errors import DataError
from codequake.grading import LogSample
from codequake.keys import new_request
from codequake.models import CALLS, Call, fill_stage
from codequake.records import Message, Reply, Request, StopReason
from codequake.study.staged import Chain

__all__ = ["LogCall", "read_calls"]


@dataclass(frozen=True, slots=True)
class LogCall:
    """The request that the study has for a call, what the log says was asked, and the reply."""

    request: Request
    messages: tuple[Message, ...]
    reply: Reply
    seconds: float


def read_calls(sample: LogSample, planned: Request | Chain) -> tuple[LogCall, ...]:
    """Return the calls of a sample in order.

    Raises ``DataError`` when a sample of a style of several calls does not say what its earlier
    calls were, or has another number of them.
    """
    if isinstance(planned, Request):
        return (_own(sample, planned),)
    return tuple(_of_chain(sample, planned))


def _of_chain(sample: LogSample, chain: Chain) -> Iterator[LogCall]:
    place = sample.given.place
    found = sample.metadata.get(CALLS, [])
    if not isinstance(found, list) or len(found) > len(chain.stages):
        raise DataError(f"its {CALLS} are no list of the calls of its prompt style", place=place)
    listed = [from_plain(Call, item, place=place) for item in found]
    earlier = listed[: len(chain.stages) - 1]
    failed = sample.given.stop_reason is StopReason.ERROR
    if len(earlier) + 1 < len(chain.stages) and not failed:
        raise DataError(
            f"says of {len(earlier)} calls before its own; the prompt style has "
            f"{len(chain.stages) - 1}",
            place=place,
        )
    replies: list[str] = []
    for call in earlier:
        request = _request(chain, replies)
        reply = replace(call.reply, key=request.key)
        yield LogCall(request, call.messages, reply, call.seconds or 0.0)
        replies.append(call.reply.text)
    own = _own(sample, _request(chain, replies))
    # A task lists its last call, too: the input of its sample is what it asked first.
    last = listed[-1].messages if len(listed) == len(chain.stages) else sample.messages
    yield replace(own, messages=last)


def _request(chain: Chain, replies: list[str]) -> Request:
    messages = fill_stage(chain.stages[len(replies)], replies)
    return new_request(chain.model, chain.engine, messages, chain.decoding, chain.sample)


def _own(sample: LogSample, request: Request) -> LogCall:
    given = sample.given
    reply = Reply(
        key=request.key,
        text=given.text,
        reasoning=given.reasoning,
        model_reported=given.model_reported or given.model,
        stop_reason=given.stop_reason,
        input_tokens=given.input_tokens,
        output_tokens=given.output_tokens,
        error=given.error,
    )
    return LogCall(request, sample.messages, reply, sample.seconds or 0.0)
