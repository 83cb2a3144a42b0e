from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path

import pytest
from tests.models import fake_provider
from tests.models.asking import Asker, requests_for

from codequake.errors import InternalError, UsageError
from codequake.journal import Journal, read_journal
from codequake.keys import new_request
from codequake.models import answer_requests, open_model
from codequake.models.generator import check_decoding
from codequake.records import JsonText, Message, StopReason

PROMPTS = [f"prompt {number}" for number in range(12)]


def test_each_request_is_asked_once_and_journaled(asked: Asker) -> None:
    counts, entries = asked("fake/echo", PROMPTS + PROMPTS[:3])
    assert (counts.asked, counts.answered, counts.pending, counts.errors) == (12, 12, 0, ())
    assert {prompt: entry.reply.text for prompt, entry in entries.items()} == {
        prompt: f"reply to {prompt}" for prompt in PROMPTS
    }
    assert all(fake_provider.CALLS[prompt] == 1 for prompt in PROMPTS)
    entry = entries["prompt 3"]
    assert entry.reply.key == entry.request.key == entry.measurement.key
    assert entry.reply.model_reported == "fake/echo"
    assert entry.reply.stop_reason is StopReason.STOP
    assert entry.reply.error is None
    assert entry.measurement.seconds >= 0
    assert entry.measurement.at.endswith("+00:00")
    assert entry.measurement.host


def test_nothing_to_ask_is_a_normal_case(asked: Asker, tmp_path: Path) -> None:
    counts, entries = asked("fake/echo", [])
    assert (counts.asked, counts.answered, counts.pending, entries) == (0, 0, 0, {})
    assert not (tmp_path / "completions").exists()


@pytest.mark.parametrize(
    ("arguments", "peak"), [({}, 8), ({"connections": "3"}, 3), ({"max_connections": "30"}, 30)]
)
def test_concurrency_is_exactly_what_is_declared(
    asked: Asker, arguments: dict[str, str], peak: int
) -> None:
    counts, _ = asked(
        "fake/echo",
        [f"p{n}" for n in range(40)],
        delay="0.05",
        gather=str(peak),
        **arguments,
    )
    assert counts.answered == 40
    assert fake_provider.PEAK["most"] == peak


def test_busy_provider_is_asked_again(asked: Asker) -> None:
    counts, entries = asked("fake/flaky", PROMPTS[:4], max_retries="2")
    assert (counts.answered, counts.pending) == (4, 0)
    assert [fake_provider.CALLS[prompt] for prompt in PROMPTS[:4]] == [3, 3, 3, 3]
    assert entries["prompt 0"].reply.text == "reply to prompt 0"


@pytest.mark.parametrize(
    ("name", "retries", "calls", "error"),
    [
        ("busy", 0, 1, "BusyError: too many requests"),
        ("busy", 3, 4, "BusyError: too many requests"),
        ("flaky", 1, 2, "BusyError: too many requests"),
        ("reset", 2, 3, "ConnectionResetError: connection reset by peer"),
        ("no_choice", 1, 2, "the response holds no choice"),
        ("bad", 3, 1, "ValueError: bad request"),
    ],
)
def test_failing_provider_leaves_a_pending_reply(
    asked: Asker, name: str, retries: int, calls: int, error: str
) -> None:
    counts, entries = asked(f"fake/{name}", PROMPTS[:2], max_retries=str(retries))
    assert (counts.asked, counts.answered, counts.pending) == (2, 0, 2)
    assert counts.errors == ((error, 2),)
    assert fake_provider.CALLS["prompt 0"] == calls
    reply = entries["prompt 0"].reply
    assert (reply.stop_reason, reply.error, reply.text) == (StopReason.ERROR, error, "")


def test_slow_attempt_is_given_up(asked: Asker) -> None:
    counts, _ = asked("fake/echo", ["p"], delay="30", attempt_timeout="1", max_retries="0")
    assert counts.pending == 1
    assert "AttemptTimeoutError" in counts.errors[0][0]


def test_pending_reply_gives_way_to_a_later_one(asked: Asker) -> None:
    first, _ = asked("fake/flaky", ["p"], max_retries="0")
    again, entries = asked("fake/flaky", ["p"], max_retries="1")
    assert (first.pending, again.answered) == (1, 1)
    assert entries["p"].reply.error is None


@pytest.mark.parametrize(
    ("name", "stop"),
    [
        ("stop", StopReason.STOP),
        ("max_tokens", StopReason.LENGTH),
        ("model_length", StopReason.LENGTH),
        ("content_filter", StopReason.REFUSED),
        ("refusal_part", StopReason.REFUSED),
        ("tool_calls", StopReason.UNKNOWN),
        ("empty", StopReason.STOP),
    ],
)
def test_stop_reasons(asked: Asker, name: str, stop: StopReason) -> None:
    counts, entries = asked(f"fake/{name}", ["p"])
    assert counts.answered == 1
    assert entries["p"].reply.stop_reason is stop


def test_reasoning_is_kept_apart_from_the_answer(asked: Asker) -> None:
    _, entries = asked("fake/reasoning", ["p"])
    assert entries["p"].reply.text == "answer"
    assert entries["p"].reply.reasoning == "first\nopen"


def test_what_the_response_says_is_recorded(asked: Asker) -> None:
    _, entries = asked("fake/other_id", ["p"])
    assert entries["p"].reply.model_reported == "fake/other-2020"
    assert (entries["p"].reply.input_tokens, entries["p"].reply.output_tokens) == (None, None)
    _, entries = asked("fake/usage", ["q"])
    assert (entries["q"].reply.input_tokens, entries["q"].reply.output_tokens) == (43, 5)


def test_halves_of_characters_are_replaced(asked: Asker) -> None:
    _, entries = asked("fake/surrogate", ["p"])
    assert entries["p"].reply.text == "half \ufffd, whole \U0001f600"


def test_decoding_reaches_the_provider(asked: Asker) -> None:
    decoding = '{"max_tokens":7,"seed":5,"stop_seqs":["x"],"temperature":0.5,"top_p":0.9}'
    asked("fake/echo", ["p"], decoding)
    config = fake_provider.CONFIGS[0]
    assert (config.max_tokens, config.seed, config.temperature) == (7, 5, 0.5)
    assert (config.top_p, config.stop_seqs) == (0.9, ["x"])


@pytest.mark.parametrize(
    ("decoding", "part"),
    [
        ("[]", "a JSON object"),
        ('{"temprature":1}', "'temprature' is not known; allowed: temperature"),
        ('{"temperature":"hot"}', "temperature is 'hot'; allowed: int or float"),
        ('{"max_tokens":true}', "max_tokens is True"),
    ],
)
def test_wrong_decoding_is_refused(decoding: str, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        check_decoding(JsonText(decoding))


def test_requests_with_one_prefix_are_asked_together(tmp_path: Path) -> None:
    log = tmp_path / "log"
    model = open_model("fake/echo", arguments={"log": str(log), "connections": "1"})
    requests = [
        new_request(
            model.name,
            model.engine,
            [Message("system", system), Message("user", f"{system}{number}")],
            JsonText("{}"),
            0,
        )
        for number in range(3)
        for system in "ba"
    ]
    with Journal(tmp_path / "j") as journal:
        answer_requests(model, requests, journal)
    order = [line.split()[1] for line in log.read_text().splitlines() if "asked" in line]
    assert order == ["b0", "b1", "b2", "a0", "a1", "a2"]


def test_progress_counts_to_the_end(tmp_path: Path) -> None:
    model = open_model("fake/echo")
    seen: list[tuple[int, int]] = []
    with Journal(tmp_path) as journal:
        answer_requests(
            model,
            requests_for(model, PROMPTS),
            journal,
            progress=lambda done, total: seen.append((done, total)),
        )
    assert seen == [(number, 12) for number in range(1, 13)]


def test_request_for_another_model_is_our_defect(tmp_path: Path) -> None:
    model = open_model("fake/echo")
    other = open_model("fake/stop")
    with Journal(tmp_path) as journal, pytest.raises(InternalError, match="'fake/stop'"):
        answer_requests(model, requests_for(other, ["p"]), journal)


def test_call_from_a_running_loop_is_refused(tmp_path: Path) -> None:
    model = open_model("fake/echo")

    async def call() -> None:
        with Journal(tmp_path) as journal:
            answer_requests(model, requests_for(model, ["p"]), journal)

    with pytest.raises(UsageError, match="event loop"):
        asyncio.run(call())


def test_one_model_can_be_asked_again_in_another_loop(asked: Asker) -> None:
    asked("fake/echo", ["p"])
    counts, entries = asked("fake/echo", ["q"])
    assert (counts.answered, sorted(entries)) == (1, ["p", "q"])


def test_nothing_of_a_finished_request_stays_in_memory(asked: Asker) -> None:
    from inspect_ai.event import ModelEvent

    asked("fake/echo", [f"p{number}" for number in range(60)], connections="2")
    gc.collect()
    assert sum(isinstance(item, ModelEvent) for item in gc.get_objects()) < 10


def test_bug_in_the_callback_is_not_hidden(tmp_path: Path) -> None:
    def broken(done: int, total: int) -> None:
        raise ZeroDivisionError

    model = open_model("fake/echo")
    with Journal(tmp_path) as journal, pytest.raises(ZeroDivisionError):
        answer_requests(model, requests_for(model, PROMPTS), journal, progress=broken)
    assert read_journal(tmp_path)


def test_journal_row_is_what_was_asked(asked: Asker) -> None:
    _, entries = asked("fake/echo", ["p"], '{"temperature":0}')
    assert json.loads(entries["p"].request.decoding) == {"temperature": 0}
    assert entries["p"].request.messages == (Message("user", "p"),)
