"""A local server through the names that users write: what it does wrong, and what we make of it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.models.chat_server import ChatServer

from codequake.journal import Entry, Journal, read_journal
from codequake.keys import new_request
from codequake.models import AnswerCounts, answer_requests, open_model
from codequake.records import JsonText, Message, Request, StopReason

pytest.importorskip("inspect_ai")

PROMPTS = ("one", "two", "three")
DECODING = JsonText('{"max_tokens":50,"seed":3,"stop_seqs":["END"],"temperature":0,"top_p":0.5}')
NAMES = ("openai-api/mine", "vllm")


@pytest.fixture(scope="module")
def started() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
def server(started: ChatServer, monkeypatch: pytest.MonkeyPatch) -> ChatServer:
    """A server that has forgotten what it was asked; in CI its client must be installed."""
    if importlib.util.find_spec("openai") is None:
        assert os.environ.get("CI") != "true", "install the group `tests`: openai is missing"
        pytest.skip("the client of OpenAI's interface (openai) is not installed")
    started.calls.clear()
    started.bodies.clear()
    for service in ("MINE", "VLLM"):
        monkeypatch.setenv(f"{service}_BASE_URL", started.url)
        monkeypatch.setenv(f"{service}_API_KEY", "none")
    return started


class Asked:
    """The outcome of one call of the generator, by prompt."""

    def __init__(self, name: str, folder: Path, **arguments: str) -> None:
        model = open_model(name, arguments={"retry_wait": "0", "max_retries": "2", **arguments})
        with Journal(folder) as journal:
            self.counts: AnswerCounts = answer_requests(
                model, [self._request(name, prompt) for prompt in PROMPTS], journal
            )
        self.entries: dict[str, Entry] = {
            entry.request.messages[-1].content: entry for entry in read_journal(folder).values()
        }
        assert len(self.entries) == len(PROMPTS)
        self.reply = self.entries["one"].reply

    @staticmethod
    def _request(name: str, prompt: str) -> Request:
        messages = [Message("system", "Write code."), Message("user", prompt)]
        return new_request(name, "", messages, DECODING, 0)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_asked_and_what_is_kept(server: ChatServer, tmp_path: Path, name: str) -> None:
    asked = Asked(f"{name}/plain", tmp_path)
    assert (asked.counts.answered, asked.counts.pending) == (3, 0)
    assert {prompt: entry.reply.text for prompt, entry in asked.entries.items()} == {
        prompt: f"reply to {prompt}" for prompt in PROMPTS
    }
    reply = asked.reply
    assert (reply.stop_reason, reply.model_reported) == (StopReason.STOP, "plain")
    assert (reply.input_tokens, reply.output_tokens) == (11, 7)
    assert dict(server.calls) == dict.fromkeys(PROMPTS, 1)
    body = next(body for body in server.bodies if body["messages"][-1]["content"] == "one")
    assert body == {
        "model": "plain",
        "messages": [
            {"role": "system", "content": "Write code."},
            {"role": "user", "content": "one"},
        ],
        "max_tokens": 50,
        "seed": 3,
        "stop": ["END"],
        "temperature": 0,
        "top_p": 0.5,
    }


def test_the_address_can_be_an_argument(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_BASE_URL", "http://127.0.0.1:9/v1")
    asked = Asked("openai-api/mine/plain", tmp_path, base_url=server.url)
    assert asked.counts.answered == 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", ["busy", "broken", "reset", "cut", "torn-json", "a-page"])
def test_a_passing_fault_costs_one_more_request(
    server: ChatServer, tmp_path: Path, name: str, fault: str
) -> None:
    asked = Asked(f"{name}/{fault}-at-first", tmp_path)
    assert (asked.counts.answered, asked.counts.pending) == (3, 0)
    assert asked.reply.text == "reply to one"
    assert dict(server.calls) == dict.fromkeys(PROMPTS, 2)


@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("busy", "RateLimitError: Error code: 429 - too many requests"),
        ("broken", "InternalServerError: Error code: 500 - engine died"),
        ("unavailable", "InternalServerError: Error code: 503"),
        ("reset", "APIConnectionError: Connection error."),
        ("cut", "APIConnectionError: Connection error."),
        ("torn-json", "JSONDecodeError: Expecting value"),
        ("a-string", "OpenAIResponseError: server_error: Unexpected"),
        ("no-choice", "the response holds no choice"),
    ],
)
def test_a_lasting_fault_is_pending_after_exactly_the_retries(
    server: ChatServer, tmp_path: Path, fault: str, reason: str, retries: int
) -> None:
    asked = Asked(f"openai-api/mine/{fault}", tmp_path, max_retries=str(retries))
    assert (asked.counts.answered, asked.counts.pending) == (0, 3)
    assert asked.reply.stop_reason is StopReason.ERROR
    assert str(asked.reply.error).startswith(reason)
    assert dict(server.calls) == dict.fromkeys(PROMPTS, retries + 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("unknown", "NotFoundError: Error code: 404 - The model `unknown` does not exist."),
        ("no-temperature", "ModelGenerateError: Error code: 400 - Unsupported value: 'temper"),
    ],
)
def test_a_wrong_question_is_asked_once(
    server: ChatServer, tmp_path: Path, name: str, fault: str, reason: str
) -> None:
    asked = Asked(f"{name}/{fault}", tmp_path)
    assert (asked.counts.answered, asked.counts.pending) == (0, 3)
    assert str(asked.reply.error).startswith(reason)
    assert dict(server.calls) == dict.fromkeys(PROMPTS, 1)


def test_a_server_that_is_not_there_is_pending(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_BASE_URL", "http://127.0.0.1:9/v1")
    asked = Asked("openai-api/mine/plain", tmp_path)
    assert asked.counts.errors == (("APIConnectionError: Connection error.", 3),)


def test_a_slow_stream_is_waited_for_and_a_stalled_one_given_up(
    server: ChatServer, tmp_path: Path
) -> None:
    assert Asked("openai-api/mine/slow", tmp_path / "slow").reply.text == "reply to one"
    stalled = Asked(
        "openai-api/mine/stalled", tmp_path / "stalled", attempt_timeout="1", max_retries="0"
    )
    assert stalled.counts.pending == 3
    assert "AttemptTimeoutError" in str(stalled.reply.error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("fault", "stop", "text", "reasoning", "reported"),
    [
        ("empty", StopReason.STOP, "", None, "empty"),
        ("null", StopReason.STOP, "", None, "null"),
        ("thought", StopReason.STOP, "reply to one", "Hm.", "thought"),
        ("thought-only", StopReason.LENGTH, "", "Hm.", "thought-only"),
        ("filtered", StopReason.REFUSED, "", None, "filtered"),
        ("long", StopReason.LENGTH, "reply to one", None, "long"),
        ("other-id", StopReason.STOP, "reply to one", None, "another-2"),
    ],
)
def test_odd_answers_are_answers(
    server: ChatServer,
    tmp_path: Path,
    name: str,
    fault: str,
    stop: StopReason,
    text: str,
    reasoning: str | None,
    reported: str,
) -> None:
    asked = Asked(f"{name}/{fault}", tmp_path)
    reply = asked.reply
    assert (reply.stop_reason, reply.text, reply.reasoning) == (stop, text, reasoning)
    assert reply.model_reported == reported
    assert reply.error is None
    assert dict(server.calls) == dict.fromkeys(PROMPTS, 1)


def test_tokens_that_are_not_reported_are_not_known(server: ChatServer, tmp_path: Path) -> None:
    reply = Asked("openai-api/mine/no-usage", tmp_path).reply
    assert (reply.input_tokens, reply.output_tokens) == (None, None)
