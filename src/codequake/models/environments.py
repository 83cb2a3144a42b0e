"""Environments of an Inspect sandbox provider, made outside of any evaluation, one a command."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import math
import re
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from codequake.errors import SandboxUnavailableError, ToolMissingError

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

__all__ = ["Environments", "Reply", "provider_class"]

T = TypeVar("T")

_TASK = "codequake"
_ANSWER_SECONDS = 600.0  # a provider that does not even clean up by then is given up
_EXCERPT = 300


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command in an environment came to."""

    code: int
    out: str
    err: str


def provider_class(name: str) -> type[SandboxEnvironment]:
    """Return the class that Inspect registers for a provider.

    Raises ``ToolMissingError`` where Inspect is not installed and ``SandboxUnavailableError``
    where it has no such provider.
    """
    try:
        from inspect_ai.util._sandbox.registry import registry_find_sandboxenv
    except ImportError as error:
        raise ToolMissingError(
            f"sandbox inspect:{name} needs Inspect AI, which is not installed ({error}); "
            "run `pip install 'codequake[models]'`"
        ) from error
    logger = logging.getLogger("inspect_ai")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # its lines are not for the user's terminal
    try:
        return registry_find_sandboxenv(name)
    except ValueError as error:
        raise SandboxUnavailableError(f"sandbox inspect:{name}: {_one_line(error)}") from error


class Environments:
    """Runs commands, each in a fresh environment; may be used from several threads.

    All of Inspect runs on an event loop in a thread of its own, which ends with this object.
    """

    def __init__(self, provider: str, config: str | None) -> None:
        """Make the provider ready.  Raises ``SandboxUnavailableError`` with what it lacks."""
        self._name = f"inspect:{provider}"
        self._provider = provider_class(provider)
        self._config = config
        self._loop = asyncio.new_event_loop()
        # Docker's provider keeps what it must clean up in the context that made it ready; every
        # task of ours works in a copy of that context.
        self._home = contextvars.Context()
        self._live: set[asyncio.Task[Any]] = set()
        thread = threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True)
        thread.start()
        end = self._provider.task_cleanup
        weakref.finalize(
            self, _end, self._loop, thread, self._home, lambda: end(_TASK, config, True)
        )
        with contextlib.redirect_stdout(sys.stderr):  # it prints which images it takes
            self._wait(self._provider.task_init(_TASK, config), self._home)

    def execute(
        self, command: Sequence[str], text: str, *, cwd: str | None, seconds: float, room: int
    ) -> Reply:
        """Run a command in a fresh environment, with all of its input, until it ends.

        ``room`` is the number of bytes of output that the provider is asked to keep.  Raises
        ``SandboxUnavailableError`` when the environment failed or the command took longer than
        ``seconds``, and ``CancelledError`` when it was ended by ``cancel_all``.
        """
        from inspect_ai.util import override_sandbox_output_limit

        limit = math.ceil(seconds)

        async def run(environment: SandboxEnvironment) -> Reply:
            with override_sandbox_output_limit(room, "exec"):
                done = await environment.exec(
                    list(command),
                    input=text,
                    cwd=cwd,
                    timeout=limit,
                    timeout_retry=False,  # a job is tried again by rules of our own
                    concurrency=False,  # as many at once as there are callers
                )
            return Reply(done.returncode, done.stdout, done.stderr)

        return self.use(run)

    def use(self, work: Callable[[SandboxEnvironment], Awaitable[T]]) -> T:
        """Do some work with a fresh environment, which is gone afterwards."""
        provider, config = self._provider, self._config

        async def with_environment() -> T:
            made = await provider.sample_init(_TASK, config, {})
            try:
                return await work(next(iter(made.values())))
            finally:
                clean_up = provider.sample_cleanup(_TASK, config, made, False)
                await asyncio.shield(clean_up)

        return self._wait(with_environment())

    def cancel_all(self) -> None:
        """End every command that runs now."""
        live = self._live

        def cancel() -> None:
            for task in live:
                task.cancel()

        self._loop.call_soon_threadsafe(cancel)

    def _wait(self, work: Coroutine[Any, Any, T], context: contextvars.Context | None = None) -> T:
        """Run a coroutine on the loop; when we are interrupted, end it before we go on."""
        # The loop's thread must never hold the last reference to this object, which would have it
        # wait for its own end: these functions know the parts only.
        loop, live = self._loop, self._live
        done: Future[T] = Future()
        started: list[asyncio.Task[T]] = []

        def start() -> None:
            task = loop.create_task(work, context=context)
            started.append(task)
            live.add(task)
            task.add_done_callback(finish)

        def finish(task: asyncio.Task[T]) -> None:
            live.discard(task)
            if task.cancelled():
                done.set_exception(CancelledError())
            elif (error := task.exception()) is not None:
                done.set_exception(error)
            else:
                done.set_result(task.result())

        def cancel() -> None:
            for task in started:
                task.cancel()

        loop.call_soon_threadsafe(start, context=self._home)
        try:
            return done.result()
        except (CancelledError, SandboxUnavailableError):
            raise
        except TimeoutError as error:
            raise SandboxUnavailableError(f"{self._name} gave no answer in time") from error
        except Exception as error:
            # Providers are other people's code and raise what they like; all of it says that the
            # environment failed, and none of it is the program's doing.
            raise SandboxUnavailableError(f"{self._name} failed: {_one_line(error)}") from error
        except BaseException:  # an interruption: the environment must end with us
            loop.call_soon_threadsafe(cancel)
            with contextlib.suppress(Exception):  # the interruption is what counts
                done.result(_ANSWER_SECONDS)
            raise


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


def _end(
    loop: asyncio.AbstractEventLoop,
    thread: threading.Thread,
    home: contextvars.Context,
    clean_up: Callable[[], Awaitable[None]],
) -> None:
    """Let the provider remove what it made for all environments together, and stop the loop."""
    running: list[asyncio.Task[None]] = []  # the loop itself holds its tasks weakly

    async def work() -> None:
        # Nobody is left to be told; `inspect sandbox cleanup` removes what stays.
        with contextlib.suppress(Exception):
            await clean_up()
        loop.stop()

    def start() -> None:
        running.append(loop.create_task(work(), context=home))

    loop.call_soon_threadsafe(start)
    if threading.current_thread() is not thread:  # the collector may call us anywhere
        thread.join(_ANSWER_SECONDS)


def _one_line(error: BaseException) -> str:
    """Return what an error says without mark-up, prefix and line breaks."""
    text = str(getattr(error, "message", error)) or type(error).__name__
    text = " ".join(re.sub(r"\[/?[a-z_ ]*\]", "", text).split()).removeprefix("ERROR: ")
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "..."
