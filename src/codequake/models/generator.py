"""Asks a model and journals every reply as soon as it is there."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from codequake.errors import CodequakeError, InternalError, UsageError
from codequake.journal import Entry, Journal
from codequake.models.asking import SAMPLE
from codequake.models.open import OpenModel, Retries
from codequake.models.outputs import error_reply, reply_from
from codequake.ports import Allowance, Progress
from codequake.records import JsonText, Measurement, Reply, Request, StopReason
from codequake.seeding import generator_for

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

__all__ = ["AnswerCounts", "answer_requests", "check_decoding"]

# Decoding parameters that a request may carry, with the types of their values.
_DECODING: dict[str, tuple[type, ...]] = {
    "temperature": (int, float),
    "top_p": (int, float),
    "top_k": (int,),
    "max_tokens": (int,),
    "seed": (int,),
    "stop_seqs": (list,),
    "frequency_penalty": (int, float),
    "presence_penalty": (int, float),
    "reasoning_effort": (str,),
    "reasoning_tokens": (int,),
}


# What may go well the next time, also when a provider's client does not say so: connections that
# break, and responses that are cut off in the middle.
_PASSING = (OSError, TimeoutError, json.JSONDecodeError)


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """What became of the requests.

    ``asked`` counts different requests, ``answered`` those with a reply, ``pending`` those whose
    provider failed to the end; ``errors`` are the distinct reasons of the pending ones, each with
    its number, the most frequent first.  The rest was not asked, since a budget ended it.
    """

    asked: int
    answered: int
    pending: int
    errors: tuple[tuple[str, int], ...]


def answer_requests(
    model: OpenModel,
    requests: Sequence[Request],
    journal: Journal,
    *,
    progress: Progress | None = None,
    allowance: Allowance | None = None,
) -> AnswerCounts:
    """Ask every request once, and write each reply into the journal when it comes.

    Requests with equal keys are one request.  Those that begin with the same messages are asked
    together, so that a prompt cache is of use; otherwise their order is kept.  At most
    ``model.concurrency`` are open at once.  A failing provider is asked again as ``model.retries``
    says; then the reply is journaled with its error, as pending.  Nothing to ask is a normal case.
    When ``allowance`` refuses a request while none is open, no other one is begun.

    An interrupt (Ctrl-C or SIGTERM) ends it with ``KeyboardInterrupt``: what was received is in
    the journal and on the disk, what was still open was not, and can be asked again.  Raises
    ``UsageError`` for decoding that no model takes or a request for another model, and
    ``StorageError`` when the journal cannot be written.  Must not be called from a running event
    loop.
    """
    for request in requests:
        if (request.model, request.engine) != (model.name, model.engine):
            raise InternalError(
                f"a request for {request.model!r} ({request.engine!r}) was given to {model.name!r} "
                f"({model.engine!r})"
            )
        check_decoding(request.decoding)
    if _loop_is_running():
        raise UsageError(
            "answer_requests was called from a running event loop; call it from another thread"
        )
    run = _Run(model, journal, _by_prefix(requests), progress, allowance)
    try:
        if run.waiting:
            _run_to_end(run)
    finally:
        journal.sync()
    return run.counts()


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def check_decoding(decoding: JsonText) -> dict[str, Any]:
    """Return decoding parameters.  Raises ``UsageError`` for unknown ones and wrong types."""
    value = json.loads(decoding)
    if not isinstance(value, dict):
        raise UsageError(f"decoding is {decoding}; allowed: a JSON object")
    for key, item in value.items():
        if key not in _DECODING:
            raise UsageError(
                f"decoding parameter {key!r} is not known; allowed: {', '.join(_DECODING)}"
            )
        if not isinstance(item, _DECODING[key]) or isinstance(item, bool):
            names = " or ".join(kind.__name__ for kind in _DECODING[key])
            raise UsageError(f"decoding parameter {key} is {item!r}; allowed: {names}")
    return value


def _by_prefix(requests: Sequence[Request]) -> list[Request]:
    """Group requests by all messages but the last, without repeats, in order of appearance."""
    groups: dict[tuple[tuple[str, str], ...], dict[str, Request]] = {}
    for request in requests:
        prefix = tuple((part.role, part.content) for part in request.messages[:-1])
        groups.setdefault(prefix, {}).setdefault(request.key, request)
    return [request for group in groups.values() for request in group.values()]


class _Run:
    """The state of one call: what waits, what is done."""

    def __init__(
        self,
        model: OpenModel,
        journal: Journal,
        waiting: list[Request],
        progress: Progress | None,
        allowance: Allowance | None,
    ) -> None:
        self.model = model
        self.waiting = waiting
        self._journal = journal
        self._progress = progress
        self._allowance = allowance
        self._open = 0
        self._ended = False
        self._change = asyncio.Event()
        self._total = len(waiting)
        self._answered = 0
        self._errors: Counter[str] = Counter()
        self._host = socket.gethostname()

    async def may_ask(self, request: Request) -> bool:
        """Whether to ask: where the allowance refuses, what open requests set aside may do."""
        if self._allowance is None:
            return True
        while not self._ended:
            if self._allowance.start(request):
                self._open += 1
                return True
            if self._open == 0:
                self._ended = True
                self._wake()
            else:
                await self._change.wait()
        return False

    def _wake(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    def done(self, request: Request, reply: Reply, seconds: float) -> None:
        """Journal a reply; from here on it counts as done."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        measurement = Measurement(
            "completion", request.key, round(seconds, 6), None, None, self._host, at
        )
        self._journal.append(Entry(request, reply, measurement))
        if self._allowance is not None:
            self._allowance.end(request, reply)
            self._open -= 1
            self._wake()
        if reply.stop_reason is StopReason.ERROR:
            self._errors[str(reply.error)] += 1
        else:
            self._answered += 1
        if self._progress is not None:
            self._progress(self._answered + self._errors.total(), self._total)

    def counts(self) -> AnswerCounts:
        errors = sorted(self._errors.items(), key=lambda item: (-item[1], item[0]))
        return AnswerCounts(self._total, self._answered, self._errors.total(), tuple(errors))


def _run_to_end(run: _Run) -> None:
    """Run the event loop until all is asked, and undress the errors of its task groups."""
    with asyncio.Runner() as runner, warnings.catch_warnings():
        # Inspect calls its own libraries in ways that these call old; users cannot change that.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"inspect_ai\.")
        loop = runner.get_loop()
        terminated = threading.Event()
        main = _ask_all(run)
        with _on_sigterm(loop, terminated):
            try:
                runner.run(main)
            except BaseExceptionGroup as group:
                raise _first_own(group) from group
            except asyncio.CancelledError as error:
                if terminated.is_set():
                    raise KeyboardInterrupt from error
                raise


def _first_own(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of ours in a group, else its first error."""
    own = group.subgroup(CodequakeError) or group
    error: BaseException = own
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@contextlib.contextmanager
def _on_sigterm(loop: asyncio.AbstractEventLoop, terminated: threading.Event) -> Iterator[None]:
    """Let SIGTERM end the run as Ctrl-C does; signals reach the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop() -> None:
        terminated.set()
        for task in asyncio.all_tasks(loop):
            if task.get_name() == _MAIN:
                task.cancel()

    previous = signal.getsignal(signal.SIGTERM)
    loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        if previous is not None:
            signal.signal(signal.SIGTERM, previous)


_MAIN = "codequake-answer-requests"


async def _ask_all(run: _Run) -> None:
    current = asyncio.current_task()
    assert current is not None
    current.set_name(_MAIN)
    waiting = iter(run.waiting)
    workers = min(run.model.concurrency, len(run.waiting))
    async with run.model.connect() as connection, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(_work(run, connection, waiting))


async def _work(run: _Run, connection: Model, waiting: Iterator[Request]) -> None:
    for request in waiting:
        if not await run.may_ask(request):
            return
        # A task of its own: Inspect keeps the events of a context as long as it lives.
        await asyncio.create_task(_ask_one(run, connection, request))


async def _ask_one(run: _Run, connection: Model, request: Request) -> None:
    SAMPLE.set(request.sample)
    config = _config(run.model, request.decoding)
    retries = run.model.retries
    for attempt in range(retries.count + 1):
        started = time.monotonic()
        reply, again = await _attempt(connection, request, config)
        seconds = time.monotonic() - started
        if not again or attempt == retries.count:
            break
        await asyncio.sleep(_wait(retries, request, attempt))
    run.done(request, reply, seconds)


def _wait(retries: Retries, request: Request, attempt: int) -> float:
    """Return the seconds before the next attempt; the factor spreads requests that fail at once."""
    longest = min(retries.first_wait * 2.0**attempt, retries.longest_wait)
    return longest * generator_for(0, "retry", request.key, attempt).uniform(0.5, 1.0)


async def _attempt(
    connection: Model, request: Request, config: GenerateConfig
) -> tuple[Reply, bool]:
    """Ask once; return the reply and whether it is worth asking again."""
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
    )
    from tenacity import RetryError

    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    messages: list[Any] = [kinds[part.role](content=part.content) for part in request.messages]
    try:
        output = await connection.generate(messages, config=config)
    except CodequakeError as error:
        return error_reply(request, str(error)), False
    except RetryError as error:
        # Inspect was told not to retry; this is how it says that the provider would.
        return error_reply(request, _reason(error.last_attempt.exception())), True
    except Exception as error:  # noqa: BLE001 - providers' clients raise whatever they like
        return error_reply(request, _reason(error)), isinstance(error, _PASSING)
    reply = reply_from(request, output)
    return reply, reply.stop_reason is StopReason.ERROR


def _reason(error: BaseException | None) -> str:
    """Return what went wrong in one line; the request itself is not repeated."""
    message = getattr(error, "provider_message", None) or str(error)
    text = f"{type(error).__name__}: {' '.join(message.split())}"
    return text if len(text) <= 500 else text[:497] + "..."


def _config(model: OpenModel, decoding: JsonText) -> GenerateConfig:
    from inspect_ai.model import GenerateConfig

    return GenerateConfig(
        **check_decoding(decoding),
        # An explicit number turns Inspect's adaptive connections off.
        max_connections=model.concurrency,
        max_retries=0,
        attempt_timeout=model.attempt_timeout,
    )
