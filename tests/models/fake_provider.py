"""A provider for tests, registered with Inspect through the same door as any other.

The model's name says how it behaves; the argument ``log`` names a file that gets one line for
every call, so that a test in another process can count them.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import anyio
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
from inspect_ai.model._providers.util import environment_prerequisite_error
from inspect_ai.tool import ToolChoice, ToolInfo

FOR_EVER = 3600.0
CALLS: Counter[str] = Counter()
PEAK = {"now": 0, "most": 0}
CONFIGS: list[GenerateConfig] = []


class BusyError(RuntimeError):
    """What a provider raises on status 429."""


class FakeAPI(ModelAPI):
    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        *,
        log: str | None = None,
        delay: float = 0.0,
        connections: int = 8,
        gather: int = 0,
        hold_after: int = 0,
    ) -> None:
        """``gather``: no call ends before so many are open.  ``hold_after``: none after so many."""
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        if model_name == "locked":
            raise environment_prerequisite_error("Fake", ["FAKE_API_KEY"])
        self._log = log
        self._delay = delay
        self._connections = connections
        self._gather = gather
        self._hold_after = hold_after
        self._begun = 0

    def max_connections(self) -> int:
        return self._connections

    def should_retry(self, ex: Exception) -> bool:
        return isinstance(ex, BusyError)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        prompt = input[-1].text
        CALLS[prompt] += 1
        CONFIGS.append(config)
        if self._log is not None:
            self._note(f"asked {prompt}")
        PEAK["now"] += 1
        PEAK["most"] = max(PEAK["most"], PEAK["now"])
        self._begun += 1
        held = 0 < self._hold_after < self._begun
        try:
            with anyio.fail_after(60):
                while PEAK["most"] < self._gather:
                    await anyio.sleep(0.001)
            await anyio.sleep(FOR_EVER if held else self._delay)
            output = self._answer(prompt, CALLS[prompt])
        finally:
            PEAK["now"] -= 1
        if self._log is not None:
            self._note(f"answered {prompt}")
        return output

    def _note(self, line: str) -> None:
        with Path(self._log or os.devnull).open("a") as file:
            file.write(line + "\n")

    def _answer(self, prompt: str, call: int) -> ModelOutput:
        name = f"fake/{self.model_name}"
        match self.model_name:
            case "busy":
                raise BusyError("too many requests")
            case "flaky" if call < 3:
                raise BusyError("too many requests")
            case "reset":
                raise ConnectionResetError("connection reset by peer")
            case "bad":
                raise ValueError("bad\nrequest")
            case "stop" | "max_tokens" | "model_length" | "content_filter" | "tool_calls" as reason:
                return ModelOutput.from_content(name, "text", stop_reason=reason)
            case fixed if fixed in FIXED:
                return FIXED[fixed].model_copy(deep=True)
            case _:
                return ModelOutput.from_content(name, f"reply to {prompt}")


def _with_usage() -> ModelOutput:
    output = ModelOutput.from_content("fake/usage", "text")
    output.usage = ModelUsage(input_tokens=3, output_tokens=5, input_tokens_cache_read=40)
    return output


FIXED = {
    "no_choice": ModelOutput(model="fake/no_choice", choices=[]),
    "empty": ModelOutput.from_content("fake/empty", ""),
    "other_id": ModelOutput.from_content("fake/other-2020", "text"),
    "surrogate": ModelOutput.from_content("fake/surrogate", "half \ud83d, whole \ud83d\ude00"),
    "refusal_part": ModelOutput.from_content(
        "fake/refusal_part", [ContentText(text="no", refusal=True)]
    ),
    "reasoning": ModelOutput.from_content(
        "fake/reasoning",
        [
            ContentReasoning(reasoning="first", summary="short"),
            ContentReasoning(reasoning="sealed", summary="open", redacted=True),
            ContentText(text="answer"),
        ],
    ),
    "usage": _with_usage(),
}


modelapi(name="fake")(FakeAPI)
