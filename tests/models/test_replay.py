from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from codequake.errors import DataError
from codequake.journal import Entry, Journal, read_journal
from codequake.keys import new_request
from codequake.models import answer_requests, open_model
from codequake.models.replay import Recording
from codequake.records import JsonText, Measurement, Message, Reply, StopReason


def entry(prompt: str, text: str, sample: int = 0, **changes: object) -> Entry:
    request = new_request("real/model", "", [Message("user", prompt)], JsonText("{}"), sample)
    reply = Reply(request.key, text, None, "real-1", StopReason.STOP, 3, 4, None)
    reply = dataclasses.replace(reply, **changes)  # type: ignore[arg-type]
    return Entry(request, reply, Measurement("completion", request.key, 1.0, None, None, "h", "t"))


def record(folder: Path, *entries: Entry) -> Path:
    with Journal(folder) as journal:
        for item in entries:
            journal.append(item)
    return folder


def play(path: Path, folder: Path, *asked: tuple[str, int]) -> dict[tuple[str, int], Reply]:
    model = open_model("codequake/replay", arguments={"from": str(path)})
    requests = [
        new_request(
            model.name, model.engine, [Message("user", prompt)], JsonText('{"seed":1}'), sample
        )
        for prompt, sample in asked
    ]
    with Journal(folder) as journal:
        answer_requests(model, requests, journal)
    return {
        (item.request.messages[0].content, item.request.sample): item.reply
        for item in read_journal(folder).values()
    }


@pytest.mark.parametrize("as_file", [False, True])
def test_replies_come_back_by_messages_and_sample(tmp_path: Path, as_file: bool) -> None:
    folder = record(
        tmp_path / "old",
        entry("a", "first"),
        entry("a", "second", 1),
        entry("b", "cut", stop_reason=StopReason.LENGTH, reasoning="thoughts"),
        entry("c", "no", stop_reason=StopReason.REFUSED, input_tokens=None),
        entry("d", "?", stop_reason=StopReason.UNKNOWN),
    )
    path = next(folder.glob("*.jsonl")) if as_file else folder
    found = play(path, tmp_path / "new", ("a", 1), ("a", 0), ("b", 0), ("c", 0), ("d", 0))
    assert (found["a", 0].text, found["a", 1].text) == ("first", "second")
    assert found["a", 0].model_reported == "real-1"
    assert (found["a", 0].input_tokens, found["a", 0].output_tokens) == (3, 4)
    assert (found["b", 0].stop_reason, found["b", 0].reasoning) == (StopReason.LENGTH, "thoughts")
    assert found["c", 0].stop_reason is StopReason.REFUSED
    assert found["c", 0].input_tokens is None
    assert found["d", 0].stop_reason is StopReason.UNKNOWN


def test_what_was_not_recorded_is_pending(tmp_path: Path) -> None:
    record(tmp_path / "old", entry("a", "text"))
    found = play(tmp_path / "old", tmp_path / "new", ("a", 0), ("a", 1), ("z", 0))
    assert found["a", 0].text == "text"
    for missing in (("a", 1), ("z", 0)):
        assert found[missing].stop_reason is StopReason.ERROR
        assert "no recorded reply to sample" in str(found[missing].error)


def test_errors_are_no_recording(tmp_path: Path) -> None:
    failed = entry("a", "", stop_reason=StopReason.ERROR, error="busy")
    record(tmp_path, failed)
    with pytest.raises(DataError, match="holds no reply"):
        Recording(tmp_path)


def test_two_answers_to_one_question_are_refused(tmp_path: Path) -> None:
    other = entry("a", "other")
    request = dataclasses.replace(other.request, model="another", key="k")
    record(tmp_path, entry("a", "text"), Entry(request, other.reply, other.measurement))
    with pytest.raises(DataError, match="two different replies"):
        Recording(tmp_path)


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    first, second = entry("a", "x"), entry("b", "y")
    one = Recording(record(tmp_path / "1", first, second)).digest
    assert Recording(record(tmp_path / "2", second, first)).digest == one
    assert Recording(record(tmp_path / "3", first)).digest != one
    assert one in open_model("codequake/replay", arguments={"from": str(tmp_path / "1")}).engine
