from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codequake.journal import Journal, read_journal
from codequake.keys import new_request
from codequake.models import answer_requests, open_model
from codequake.models.engine import Engine, EngineError, EngineReply, block_is_closed
from codequake.records import JsonText, Message, StopReason

ASK = [Message("user", "hello")]


class FakeServer:
    """Streams pieces as the engine does; stops when it is told to."""

    def __init__(self, *pieces: Any) -> None:
        self.pieces = pieces
        self.body: dict[str, Any] = {}
        self.bodies: list[dict[str, Any]] = []
        self.sent = 0

    def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> None:
        self.bodies.append(body)
        if body.get("max_tokens") == 1:
            return
        self.body = body
        for piece in self.pieces:
            self.sent += 1
            if take(piece):
                return


def text(content: str, finish: str | None = None, **timings: int) -> dict[str, Any]:
    piece: dict[str, Any] = {"choices": [{"delta": {"content": content}, "finish_reason": finish}]}
    return {**piece, "timings": timings} if timings else piece


def answer(server: FakeServer, **settings: Any) -> EngineReply:
    return Engine(server).answer(ASK, settings, threading.Event())


def test_pieces_become_one_reply() -> None:
    counts = {"prompt_n": 5, "cache_n": 20, "predicted_n": 2}
    server = FakeServer(text("one "), [text("two"), text("", "stop", **counts)])
    assert answer(server, temperature=0) == EngineReply("one two", "stop", 25, 2)
    assert server.body["messages"] == [{"role": "user", "content": "hello"}]
    assert server.body["temperature"] == 0


def test_every_request_finds_the_same_cache() -> None:
    server = FakeServer(text("a", "stop"))
    engine = Engine(server)
    shots = [Message("system", "code"), Message("user", "one"), Message("assistant", "two")]
    asked = [
        [*shots, Message("user", "task")],
        [*shots, Message("user", "# task")],
        [Message("user", "task")],
        [*shots, Message("user", "task")],
    ]
    for messages in asked:
        engine.answer(messages, {}, threading.Event())
    first = server.bodies[0::2]
    assert [body["messages"][-1]["content"] for body in first] == ["#", "@", "#", "#"]
    assert [len(body["messages"]) for body in first] == [4, 4, 1, 4]
    assert [body["cache_prompt"] for body in first] == [False, True, False, False]
    assert all(body["cache_prompt"] for body in server.bodies[1::2])


def test_writing_ends_with_the_first_closed_block() -> None:
    server = FakeServer(text("```c\nx\n"), text("```"), text("\nThis program"), text("", "stop"))
    assert answer(server).text == "```c\nx\n```"
    assert server.sent == 2


@pytest.mark.parametrize(
    ("written", "closed"),
    [
        ("", False),
        ("```c\nint x;", False),
        ("```c\nint x;\n```", True),
        ("Sure.\n```\nx\n```\n", True),
        ("int x;\n```\n", False),
        ('```c\nputs("```");\n', False),
        ("```c\nx\n```python", False),
    ],
)
def test_closed_blocks(written: str, closed: bool) -> None:
    assert block_is_closed(written) is closed


def test_length_and_context_are_endings() -> None:
    assert answer(FakeServer(text("a", "length"))).stop == "length"
    too_long = {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9000}}
    assert answer(FakeServer(too_long)) == EngineReply("", "context", 9000, 0)


@pytest.mark.parametrize(
    ("pieces", "part"),
    [
        (({"error": {"type": "server_error", "message": "out of memory"}},), "out of memory"),
        ((text("half"),), "no whole reply"),
        ((), "no whole reply"),
    ],
)
def test_failures_are_errors(pieces: tuple[Any, ...], part: str) -> None:
    with pytest.raises(EngineError, match=part):
        answer(FakeServer(*pieces))


def test_a_cancelled_request_stops_at_the_next_piece() -> None:
    cancelled = threading.Event()

    class Cancelling(FakeServer):
        def handle_chat_completions(self, body: Any, take: Callable[[Any], bool]) -> None:
            if body.get("max_tokens") == 1:
                return
            assert not take(text("a"))
            cancelled.set()
            assert take(text("b"))

    engine = Engine(Cancelling())
    with pytest.raises(EngineError, match="interrupted"):
        engine.answer(ASK, {}, cancelled)
    with pytest.raises(EngineError, match="interrupted"):
        engine.answer(ASK, {}, cancelled)


@pytest.mark.model
def test_the_bundled_model_writes_code_and_knows_what_it_read(
    bundled_model: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = open_model("codequake/smollm2")
    assert model.concurrency == min(2, len(os.sched_getaffinity(0)))
    assert "fa=off,slots=1" in model.engine
    requests = [
        new_request(
            model.name,
            model.engine,
            [Message("user", f"Write a Python function add(a, b) that returns a + b + {n}.")],
            JsonText('{"max_tokens":120,"temperature":0}'),
            0,
        )
        for n in (1, 2)
    ]
    long = new_request(
        model.name, model.engine, [Message("user", "word " * 6000)], JsonText("{}"), 0
    )
    with Journal(tmp_path) as journal:
        counts = answer_requests(model, [*requests, long], journal)
    found = {key: entry.reply for key, entry in read_journal(tmp_path).items()}
    assert (counts.answered, counts.pending) == (3, 0)
    for request in requests:
        reply = found[request.key]
        assert "def add" in reply.text
        assert (reply.input_tokens or 0) > 20
        assert (reply.output_tokens or 0) > 10
    assert found[long.key].stop_reason is StopReason.LENGTH
    assert found[long.key].text == ""
    assert capfd.readouterr() == ("", "")
