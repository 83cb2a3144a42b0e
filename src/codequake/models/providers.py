"""Our models, registered with Inspect.

``codequake/smollm2``, ``codequake/sim``, ``codequake/sim-BEHAVIOUR`` and ``codequake/replay``.
This module is the package's entry point for Inspect, which imports it to learn these names and
those of our tasks and our scorer.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Protocol

import anyio
import anyio.to_thread
from inspect_ai.model import (
    ChatMessage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from codequake.errors import UnknownNameError, UsageError
from codequake.models import inspect_tasks  # noqa: F401 - registers them
from codequake.models.asking import CONTEXT, SAMPLE
from codequake.models.behaviour import Behaviour, load_behaviour
from codequake.models.engine import ENGINE_NAME, engine_name, load_engine
from codequake.models.replay import Recording
from codequake.models.simulate import Shape, SimContext, Simulator
from codequake.records import Message

__all__ = ["CodequakeAPI", "Local"]

DEFAULT_MAX_TOKENS = 256
DEFAULT_SEED = 20_240_917


class Local(Protocol):
    """A model inside this process."""

    @property
    def engine(self) -> str:
        """What besides the request decides a reply."""
        ...

    @property
    def connections(self) -> int:
        """How many requests it answers at once."""
        ...

    async def answer(self, messages: tuple[Message, ...], config: GenerateConfig) -> ModelOutput:
        """Answer one request."""
        ...


class CodequakeAPI(ModelAPI):
    """The door through which Inspect reaches our own models."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.local = _open_local(model_name, arguments)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect passes it by this name
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer a chat; tools are not offered to these models."""
        messages = tuple(Message(part.role, part.text) for part in input)
        return await self.local.answer(messages, config)

    def max_connections(self) -> int:
        """As many as the model can answer at once: one, or one an engine of the bundled model."""
        return self.local.connections

    def connection_key(self) -> str:
        """Each of our models has its own queue."""
        return self.model_name


# The decorator gives back a function; the class itself stays importable under its name.
modelapi(name="codequake")(CodequakeAPI)


def _open_local(name: str, arguments: dict[str, Any]) -> Local:
    if name == "smollm2":
        _refuse_others(name, arguments, ())
        return _Smollm2()
    if name == "sim" or name.startswith("sim-"):
        _refuse_others(name, arguments, ("behaviour", "seed", "context"))
        return _Sim(name, arguments)
    if name == "replay":
        _refuse_others(name, arguments, ("from",))
        if not isinstance(arguments.get("from"), str):
            raise UsageError(
                "codequake/replay needs the argument from=PATH: a journal folder or a .jsonl file"
            )
        return _Replay(Path(arguments["from"]))
    raise UnknownNameError(
        f"model 'codequake/{name}' is not known; allowed: codequake/smollm2, codequake/sim, "
        "codequake/sim-BEHAVIOUR, codequake/replay"
    )


def _refuse_others(name: str, arguments: dict[str, Any], allowed: tuple[str, ...]) -> None:
    for key in arguments:
        if key not in allowed:
            raise UsageError(
                f"codequake/{name} has no argument {key!r}; allowed: {', '.join(allowed) or 'none'}"
            )


def _output(
    model: str,
    text: str,
    stop: str,
    tokens: tuple[int, int] | None = None,
) -> ModelOutput:
    reasons: dict[str, Any] = {
        "stop": "stop",
        "length": "max_tokens",
        "context": "model_length",
        "refused": "content_filter",
        "unknown": "unknown",
    }
    output = ModelOutput.from_content(model, text, stop_reason=reasons[stop])
    if tokens is not None:
        read, written = tokens
        output.usage = ModelUsage(
            input_tokens=read, output_tokens=written, total_tokens=read + written
        )
    return output


class _Smollm2:
    """The bundled model, in a worker thread so that the event loop stays alive."""

    def __init__(self) -> None:
        self._engine = load_engine()
        self.engine = engine_name()
        self.connections = self._engine.size

    async def answer(self, messages: tuple[Message, ...], config: GenerateConfig) -> ModelOutput:
        settings = _engine_settings(config)
        cancelled = threading.Event()
        try:
            reply = await anyio.to_thread.run_sync(
                self._engine.answer, messages, settings, cancelled, abandon_on_cancel=True
            )
        finally:
            cancelled.set()  # an abandoned thread then stops at its next token
        tokens = None
        if reply.input_tokens is not None and reply.output_tokens is not None:
            tokens = (reply.input_tokens, reply.output_tokens)
        return _output(ENGINE_NAME, reply.text, reply.stop, tokens)


def _engine_settings(config: GenerateConfig) -> dict[str, Any]:
    """Return the fields of the engine's request; what is not given is fixed, never random."""
    temperature = 0.0 if config.temperature is None else config.temperature
    seed = DEFAULT_SEED if config.seed is None else config.seed
    settings: dict[str, Any] = {
        "temperature": temperature,
        "max_tokens": config.max_tokens or DEFAULT_MAX_TOKENS,
        # Samples differ by their seed; at temperature 0 the seed does nothing.
        "seed": (seed + SAMPLE.get()) % 2**31,
    }
    if config.top_p is not None:
        settings["top_p"] = config.top_p
    if config.top_k is not None:
        settings["top_k"] = config.top_k
    if config.stop_seqs:
        settings["stop"] = config.stop_seqs
    return settings


class _Sim:
    """A simulated coder."""

    def __init__(self, name: str, arguments: dict[str, Any]) -> None:
        context = arguments.get("context")
        if context is not None and not isinstance(context, SimContext):
            raise UsageError(f"codequake/{name} takes as context a SimContext only")
        seed = arguments.get("seed", 0)
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise UsageError(
                f"codequake/{name} argument seed is {seed!r}; allowed: a whole number from 0"
            )
        behaviour = _behaviour(name, arguments.get("behaviour"), context)
        self._name = name
        self._behaviour = behaviour
        self._seed = seed
        self._known = context
        self._context = context
        self._simulator = None if context is None else Simulator(context, behaviour, seed)
        self.connections = 1
        self.engine = f"sim:{behaviour.name}@{behaviour.digest};seed={seed}"

    async def answer(self, messages: tuple[Message, ...], config: GenerateConfig) -> ModelOutput:
        simulator = self._in_context()
        reply = simulator.answer(messages, SAMPLE.get(), greedy=config.temperature == 0)
        stop = {Shape.TRUNCATED: "length", Shape.REFUSED: "refused"}.get(reply.shape, "stop")
        return _output(f"codequake/{self._name}", reply.text, stop)

    def _in_context(self) -> Simulator:
        """Return the simulator of the study or, in an eval of Inspect, of the task that asks."""
        context = self._known or CONTEXT.get()
        if context is None:
            raise UsageError(
                f"codequake/{self._name} needs the problems and variants of a study (a SimContext) "
                "or of one of codequake's tasks"
            )
        if self._simulator is None or self._context is not context:
            self._simulator = Simulator(context, self._behaviour, self._seed)
            self._context = context
        return self._simulator


def _behaviour(name: str, argument: Any, context: SimContext | None) -> Behaviour:
    """Choose the behaviour: by the argument or by the name, then by the context, then sturdy."""
    by_name = name.partition("-")[2]
    if argument is not None and by_name and argument != by_name:
        raise UsageError(
            f"codequake/{name} names the behaviour {by_name!r} and its argument {argument!r}; "
            "give one of them"
        )
    chosen = by_name if argument is None else argument
    if chosen:
        return load_behaviour(str(chosen))
    known = None if context is None else context.behaviour
    return known or load_behaviour("sturdy")


class _Replay:
    """A recording played back."""

    def __init__(self, path: Path) -> None:
        self._recording = Recording(path)
        self.connections = 1
        self.engine = f"replay@{self._recording.digest}"

    async def answer(self, messages: tuple[Message, ...], config: GenerateConfig) -> ModelOutput:
        reply = self._recording.answer(messages, SAMPLE.get())
        stop = reply.stop_reason
        tokens = None
        if reply.input_tokens is not None and reply.output_tokens is not None:
            tokens = (reply.input_tokens, reply.output_tokens)
        output = _output(reply.model_reported, reply.text, stop.value, tokens)
        return _with_reasoning(output, reply.reasoning)


def _with_reasoning(output: ModelOutput, reasoning: str | None) -> ModelOutput:
    if reasoning is not None:
        message = output.choices[0].message
        message.content = [ContentReasoning(reasoning=reasoning), ContentText(text=message.text)]
    return output
