"""A server with the chat interface of OpenAI on loopback, whose model names are its faults.

vLLM, SGLang, Ollama and llama.cpp speak this interface; the client is the one that users have.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

_AT_ONCE = struct.pack("ii", 1, 0)


def completion(
    body: dict[str, Any], content: str | None, *, stop: str = "stop", **message: Any
) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": stop,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def echo(body: dict[str, Any]) -> str:
    return f"reply to {body['messages'][-1]['content']}"


class ChatServer:
    """``write`` makes the content of a reply; ``calls`` counts requests by their last message.

    ``delay`` is how long each answer takes, in seconds.
    """

    def __init__(
        self, write: Callable[[dict[str, Any]], str] = echo, *, delay: float = 0.0
    ) -> None:
        self.write = write
        self.delay = delay
        self.bodies: list[dict[str, Any]] = []
        self.calls: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.connections = 0
        self.defects: list[str] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def settle(self) -> None:
        """Wait until everything that a dead client had sent is counted."""
        # Connections are taken in turn: when this one is answered, none is waiting before it.
        with urllib.request.urlopen(f"{self.url}/models", timeout=60) as answer:
            answer.read()
        end = time.monotonic() + 60
        while self.connections:
            assert time.monotonic() < end, "a connection of a dead client stays open"
            time.sleep(0.01)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        assert self.defects == []


class _Server(ThreadingHTTPServer):
    owner: ChatServer
    daemon_threads = True
    request_queue_size = 64

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.owner.lock:
            self.owner.connections += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self.owner.lock:
            self.owner.connections -= 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that are killed break their connections; every other error is the test's own."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self.owner.defects.append(repr(error))


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self.close_connection = True
        self._send(200, {"object": "list", "data": []})

    def do_POST(self) -> None:
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with owner.lock:
            owner.bodies.append(body)
            owner.calls[prompt] += 1
            call = owner.calls[prompt]
        time.sleep(owner.delay)
        if self.path != "/v1/chat/completions":
            self._send(404, {"error": {"message": f"no such page: {self.path}"}})
            return
        name = body["model"]
        fault = name.removesuffix("-at-first")
        if fault != name and call > 1:
            fault = "plain"
        self._answer(fault, body, owner.write(body))

    def _answer(self, fault: str, body: dict[str, Any], text: str) -> None:
        good = completion(body, text)
        match fault:
            case "busy":
                self._send(429, {"error": {"message": "too many requests"}})
            case "broken":
                self._send(500, {"error": {"message": "engine died"}})
            case "unavailable":
                self._send(503, b"<html>loading</html>", kind="text/html")
            case "unknown":
                message = f"The model `{body['model']}` does not exist."
                self._send(404, {"error": {"message": message, "code": "model_not_found"}})
            case "no-temperature":
                message = "Unsupported value: 'temperature' does not support 0."
                error = {"message": message, "param": "temperature", "code": "unsupported_value"}
                self._send(400, {"error": {**error, "type": "invalid_request_error"}})
            case "reset":
                self._reset()
            case "cut":
                self._send(200, good, upto=40)
                self._reset()
            case "slow":
                self._send(200, good, pieces=20)
            case "stalled":
                self._send(200, good, upto=40)
                time.sleep(30)
            case "torn-json":
                self._send(200, json.dumps(good)[:60].encode())
            case "a-string":
                self._send(200, b'"hello"')
            case "a-page":
                self._send(200, b"<html>welcome</html>", kind="text/html")
            case "no-choice":
                self._send(200, {**good, "choices": []})
            case "empty":
                self._send(200, completion(body, ""))
            case "null":
                self._send(200, completion(body, None))
            case "thought-only":
                self._send(200, completion(body, None, stop="length", reasoning_content="Hm."))
            case "thought":
                self._send(200, completion(body, text, reasoning_content="Hm."))
            case "filtered":
                self._send(200, completion(body, "", stop="content_filter"))
            case "long":
                self._send(200, completion(body, text, stop="length"))
            case "other-id":
                self._send(200, {**good, "model": "another-2"})
            case "no-usage":
                self._send(200, {key: item for key, item in good.items() if key != "usage"})
            case _:
                self._send(200, good)

    def _send(
        self,
        status: int,
        body: dict[str, Any] | bytes,
        *,
        kind: str = "application/json",
        upto: int | None = None,
        pieces: int = 1,
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        data = data[:upto]
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            self.wfile.write(data[start : start + size])
            self.wfile.flush()
            if pieces > 1:
                time.sleep(0.02)

    def _reset(self) -> None:
        """Close so that the client gets a reset instead of an end."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.connection.close()
