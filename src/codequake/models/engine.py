"""The engines of the bundled model: reproducible, quiet, interruptible.

At temperature 0 the text of this engine still depends on how its arithmetic is cut into pieces: on
flash attention, on the number of slots, and on how much of a prompt stood in its cache already.
So flash attention is off, there is one slot, and every request finds the same cache: exactly the
messages before its last one, computed in one way.  Its reply then depends on nothing else.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.errors import ToolMissingError
from codequake.models.weights import SMOLLM2, find_weights
from codequake.records import Message

__all__ = [
    "ENGINE_NAME",
    "Engine",
    "EngineError",
    "EngineReply",
    "Engines",
    "block_is_closed",
    "engine_name",
    "load_engine",
]

# One thread an engine: a second one gains less than a third on a machine that is free and makes it
# many times slower where anything else runs, since both wait for each other at every step.  Two
# engines side by side use two processors without waiting, and neither changes the other's text.
THREADS = 1
MOST_ENGINES = 2
CONTEXT = 4096
ENGINE_NAME = "smollm2-135m-instruct-q4_1"


class EngineError(RuntimeError):
    """The engine refused or failed on one request."""


@dataclass(frozen=True, slots=True)
class EngineReply:
    """What the engine wrote.

    ``stop`` is ``stop``, ``length`` or ``context`` (the prompt does not fit).  Token counts are
    ``None`` where the engine did not say them.
    """

    text: str
    stop: str
    input_tokens: int | None
    output_tokens: int | None


def engine_name() -> str:
    """Return weights, engine version and every setting that could change a reply.

    Raises ``ToolMissingError`` when the engine is not installed.
    """
    version = _library().__version__
    settings = f"fa=off,slots=1,threads={THREADS},ctx={CONTEXT},stop=block"
    return f"{ENGINE_NAME}@{SMOLLM2.sha256[:12]};xllamacpp={version};{settings}"


def _library() -> Any:
    try:
        import xllamacpp
    except ModuleNotFoundError as error:
        raise ToolMissingError(
            "the bundled model needs its engine, which is not installed; "
            "run `pip install 'codequake[local]'`"
        ) from error
    except ImportError as error:
        raise ToolMissingError(
            f"the bundled model's engine is installed but does not load: {error}; where "
            "libgomp.so.1 is missing, run `apt-get install libgomp1`"
        ) from error
    return xllamacpp


class Engine:
    """One loaded model.  Requests are answered one at a time, whoever asks."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._turn = threading.Lock()
        self._prefix: tuple[Message, ...] | None = None

    def answer(
        self,
        messages: Sequence[Message],
        settings: dict[str, Any],
        cancelled: threading.Event,
    ) -> EngineReply:
        """Write a reply; blocks, and leaves the interpreter free while it computes.

        ``settings`` are fields of an OpenAI chat request.  Writing ends after the first closed
        code block, since nothing behind it is read.  Raises ``EngineError`` when the engine
        fails, or when ``cancelled`` is set before the reply is whole.
        """
        gathered = _Gathered(cancelled)
        body = {
            "messages": [{"role": part.role, "content": part.content} for part in messages],
            "cache_prompt": True,
            "stream": True,
            "timings_per_token": True,
            **settings,
        }
        with self._turn:
            if cancelled.is_set():
                raise EngineError("interrupted")
            self._prepare(messages)
            self._server.handle_chat_completions(body, gathered.take)
        return gathered.reply()

    def knows(self, messages: Sequence[Message]) -> bool:
        """Whether the messages before the last one stand in the cache already."""
        return self._prefix == tuple(messages[:-1])

    def _prepare(self, messages: Sequence[Message]) -> None:
        """Leave exactly the messages before the last one in the cache.

        Another last message is asked first, one that differs from the real one in its first
        character, so that all before it is common to both and nothing behind it is.  After a
        change of the first messages all is computed anew, not just what differs.
        """
        *before, last = messages
        prefix = tuple(before)
        other = "#" if not last.content.startswith("#") else "@"
        body = {
            "messages": [
                *({"role": part.role, "content": part.content} for part in prefix),
                {"role": last.role, "content": other},
            ],
            "cache_prompt": prefix == self._prefix,
            "stream": True,
            "max_tokens": 1,
        }
        self._prefix = None
        self._server.handle_chat_completions(body, lambda piece: True)
        self._prefix = prefix


class _Gathered:
    """Puts the pieces of a streamed reply together and says when to stop."""

    def __init__(self, cancelled: threading.Event) -> None:
        self._cancelled = cancelled
        self._text = ""
        self._stop: str | None = None
        self._error: dict[str, Any] | None = None
        self._timings: dict[str, Any] = {}

    def take(self, piece: Any) -> bool:
        """Take one piece; true means that no more is wanted."""
        if isinstance(piece, dict):
            self._take_one(piece)
        elif isinstance(piece, list):
            for part in piece:
                self._take_one(part)
        return self._stop is not None or self._error is not None or self._cancelled.is_set()

    def _take_one(self, piece: dict[str, Any]) -> None:
        if self._stop is not None:
            return
        self._error = piece.get("error", self._error)
        self._timings = piece.get("timings", self._timings)
        for choice in piece.get("choices", ()):
            self._text += choice.get("delta", {}).get("content") or ""
            self._stop = choice.get("finish_reason") or self._stop
        if self._stop is None and block_is_closed(self._text):
            self._stop = "stop"

    def reply(self) -> EngineReply:
        if self._error is not None:
            if self._error.get("type") == "exceed_context_size_error":
                return EngineReply("", "context", self._error.get("n_prompt_tokens"), 0)
            raise EngineError(str(self._error.get("message", self._error)))
        if self._stop is None:
            raise EngineError(
                "interrupted" if self._cancelled.is_set() else "the engine gave no whole reply"
            )
        read = self._timings.get("prompt_n")
        kept = self._timings.get("cache_n")
        return EngineReply(
            self._text,
            self._stop,
            read + kept if isinstance(read, int) and isinstance(kept, int) else None,
            self._timings.get("predicted_n"),
        )


def block_is_closed(text: str) -> bool:
    """Whether a fenced block was opened and closed, each fence on a line of its own."""
    fences = [line for line in text.split("\n") if line.lstrip().startswith("```")]
    return len(fences) > 1 and fences[1].strip() == "```"


class Engines:
    """Engines of one model, up to ``size`` of them; each is loaded when it is first needed."""

    def __init__(self, load: Callable[[], Engine], size: int) -> None:
        self.size = size
        self._load = load
        self._free = [load()]
        self._loaded = 1
        self._changed = threading.Condition()

    def answer(
        self,
        messages: Sequence[Message],
        settings: dict[str, Any],
        cancelled: threading.Event,
    ) -> EngineReply:
        """Write a reply with an engine that is free; waits for one while there is none."""
        engine = self._take(messages)
        try:
            return engine.answer(messages, settings, cancelled)
        finally:
            with self._changed:
                self._free.append(engine)
                self._changed.notify()

    def _take(self, messages: Sequence[Message]) -> Engine:
        """Take a free engine, one that has read the first messages before if there is one."""
        with self._changed:
            while not self._free and self._loaded >= self.size:
                self._changed.wait()
            if self._free:
                known = [engine for engine in self._free if engine.knows(messages)]
                engine = (known or self._free)[0]
                self._free.remove(engine)
                return engine
            self._loaded += 1
        return self._load()


_loading = threading.Lock()
_loaded: dict[Path, Engines] = {}


def load_engine() -> Engines:
    """Return the engines of this process; loading one takes about half a second.

    There are as many as processors, at most two.  Raises ``ToolMissingError`` when engine or
    weights are missing or do not load.
    """
    library = _library()
    path = find_weights()
    with _loading:
        if path not in _loaded:
            size = max(1, min(MOST_ENGINES, len(os.sched_getaffinity(0))))
            _loaded[path] = Engines(lambda: Engine(_start(library, path)), size)
        return _loaded[path]


def _start(library: Any, path: Path) -> Any:
    settings = library.CommonParams()
    settings.model.path = str(path)
    settings.flash_attn_type = library.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    settings.n_parallel = 1
    settings.n_ctx = CONTEXT
    settings.cpuparams.n_threads = THREADS
    settings.cpuparams_batch.n_threads = THREADS
    settings.n_gpu_layers = 0
    settings.cache_ram_mib = 0  # else prompts of long ago come back into the cache
    settings.n_ctx_checkpoints = 0
    settings.warmup = False
    settings.verbosity = -1  # it writes pages to standard error otherwise, at load and at exit
    # The engine opens a port on the loopback device; nobody else is to be answered there.
    settings.api_keys = [secrets.token_hex(16)]
    settings.ui = False
    try:
        return library.Server(settings)
    except RuntimeError as error:
        raise ToolMissingError(f"the engine cannot load {path}: {error}") from error
