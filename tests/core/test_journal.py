from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

import codequake
from codequake.errors import DataError, StorageError
from codequake.journal import Entry, Journal, read_journal, read_segment
from codequake.keys import new_request, reply_key
from codequake.records import JsonText, Measurement, Message, Reply, StopReason


def entry(prompt: str, text: str = "reply", *, error: str | None = None) -> Entry:
    request = new_request("m", "", [Message("user", prompt)], JsonText("{}"), 0)
    stop = StopReason.STOP if error is None else StopReason.ERROR
    reply = Reply(request.key, text, None, "m-1", stop, 3, 4, error)
    return Entry(request, reply, Measurement("completion", request.key, 0.5, None, None, "h", "t"))


def write(folder: Path, *entries: Entry) -> Path:
    before = set(folder.glob("*.jsonl"))
    with Journal(folder) as journal:
        for item in entries:
            journal.append(item)
    (path,) = set(folder.glob("*.jsonl")) - before
    return path


def texts(folder: Path) -> dict[str, str]:
    return {
        item.request.messages[0].content: item.reply.text for item in read_journal(folder).values()
    }


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path, entry("a", "é\n\x00\U0001f600"), entry("b"))
    found = read_journal(tmp_path)
    assert len(found) == 2
    first = entry("a", "é\n\x00\U0001f600")
    known = found[first.request.key]
    assert (known.request, known.reply, known.measurement) == (
        first.request,
        first.reply,
        first.measurement,
    )


def test_no_folder_and_an_unused_journal_hold_nothing(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "none") == {}
    with Journal(tmp_path / "new"):
        pass
    assert not (tmp_path / "new").exists()


def test_segments_are_one_journal(tmp_path: Path) -> None:
    write(tmp_path, entry("a"))
    write(tmp_path, entry("b"))
    assert texts(tmp_path) == {"a": "reply", "b": "reply"}


@pytest.mark.parametrize("error_first", [True, False])
def test_a_reply_wins_over_an_error(tmp_path: Path, error_first: bool) -> None:
    pair = [entry("a", "", error="busy"), entry("a", "text")]
    write(tmp_path, *(pair if error_first else reversed(pair)))
    assert texts(tmp_path) == {"a": "text"}


def test_of_two_replies_one_wins_in_any_order(tmp_path: Path) -> None:
    write(tmp_path / "1", entry("a", "x"), entry("a", "y"))
    write(tmp_path / "2", entry("a", "y"), entry("a", "x"))
    assert texts(tmp_path / "1") == texts(tmp_path / "2") == {"a": "x"}


def test_torn_last_row_is_passed_over_at_every_byte(tmp_path: Path) -> None:
    path = write(tmp_path, entry("a"), entry("b"))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole)):
        path.write_bytes(whole[:length])
        assert texts(tmp_path) == {"a": "reply"}
    path.write_bytes(whole)
    assert texts(tmp_path) == {"a": "reply", "b": "reply"}


def test_a_new_writer_does_not_grow_onto_a_torn_row(tmp_path: Path) -> None:
    path = write(tmp_path, entry("a"))
    path.write_bytes(path.read_bytes()[:-10])
    write(tmp_path, entry("b"))
    assert texts(tmp_path) == {"b": "reply"}


def test_texts_stay_in_the_files(tmp_path: Path) -> None:
    write(tmp_path, *(entry(f"p{number}", f"{number} {'x' * 20_000}") for number in range(300)))
    tracemalloc.start()
    found = read_journal(tmp_path)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2_000 * 300, "6 MB of texts are not held"
    last = entry("p299")
    assert found[last.request.key].reply.text.startswith("299 x")
    assert found.bare(last.request.key) == dataclasses.replace(last.reply, text="")
    assert found.measurement(last.request.key) == last.measurement


def test_what_is_asked_of_a_reply_without_its_text(tmp_path: Path) -> None:
    right, failed = entry("a", "text"), entry("b", "", error="busy")
    write(tmp_path, right, failed)
    found = read_journal(tmp_path)
    assert [found.failed(item.request.key) for item in (right, failed)] == [False, True]
    assert found.reply_key(right.request.key) == reply_key(right.reply)
    assert "c" not in found


def test_the_key_of_a_reply() -> None:
    digest = hashlib.sha256(b"4:stop" + b"-" + "3:é!".encode()).hexdigest()
    item = entry("a", "é!").reply
    assert reply_key(item) == digest[:32]
    assert reply_key(dataclasses.replace(item, input_tokens=9, reasoning="x")) == digest[:32]
    others = [
        dataclasses.replace(item, text="e!"),
        dataclasses.replace(item, stop_reason=StopReason.LENGTH),
        dataclasses.replace(item, error=""),
    ]
    assert len({reply_key(other) for other in (item, *others)}) == 4


def test_a_row_that_changes_after_it_was_found_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, entry("a"))
    found = read_journal(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"reply", b"repli"))
    with pytest.raises(DataError, match=r"byte 0: .*checksum"):
        found[entry("a").request.key]


def test_a_row_in_another_spelling_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, entry("a"), entry("b"))
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps(row, indent=None) + "\n" for row in rows))
    assert texts(tmp_path) == {"a": "reply", "b": "reply"}


@pytest.mark.parametrize("content", [b"[]", b'"row"', b"{", b"1}"])
def test_a_checksum_alone_makes_no_row(tmp_path: Path, content: bytes) -> None:
    digest = hashlib.sha256(content).hexdigest()[:16].encode()
    (tmp_path / "w-0.jsonl").write_bytes(b'{"row":' + content + b',"sum":"' + digest + b'"}\n')
    with pytest.raises(DataError, match=r"w-0\.jsonl:1: .*(damaged|checksum)"):
        read_journal(tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"reply"', b'"reply'),
        (b'"text":"reply"', b'"text":"repli"'),
        (b'"stop"', b'"halt"'),
        (b"{", b"\xff"),
    ],
)
def test_damaged_middle_row_is_an_error_with_its_line(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    path = write(tmp_path, entry("a"), entry("b"), entry("c"))
    lines = path.read_bytes().split(b"\n")
    assert old in lines[1]
    lines[1] = lines[1].replace(old, new, 1)
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DataError, match=r"\.jsonl:2: .*(damaged|checksum)"):
        read_journal(tmp_path)


def test_row_of_another_version_is_refused(tmp_path: Path) -> None:
    from codequake.canonical import canonical_json, content_key

    path = write(tmp_path, entry("a"))
    row = json.loads(path.read_text())["row"]
    row["version"] = 99
    path.write_text(canonical_json({"row": row, "sum": content_key(row, length=16)}) + "\n")
    with pytest.raises(DataError, match="schema version 99"):
        list(read_segment(path))


def test_a_row_counts_as_done_before_the_journal_is_closed(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(entry("a"))
    assert texts(tmp_path) == {"a": "reply"}
    journal.close()
    journal.close()


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Journal(tmp_path / "file" / "sub") as journal, pytest.raises(StorageError, match="file"):
        journal.append(entry("a"))


def test_disk_that_fails_to_sync_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.append(entry("a"))

    def fail(handle: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fail)
        with pytest.raises(StorageError, match="Input/output error"):
            journal.close()
    journal.close()


STARVED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_journal import entry, texts
from codequake.errors import StorageError
from codequake.journal import Journal
folder = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1200, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
done = []
try:
    with Journal(folder) as journal:
        for number in range(20):
            journal.append(entry(f"p{number}"))
            done.append(f"p{number}")
except StorageError as error:
    assert "cannot write" in str(error) and str(folder) in str(error), error
else:
    sys.exit("the limit was not reached")
assert done and sorted(texts(folder)) == sorted(done), (done, texts(folder))
(path,) = folder.glob("*.jsonl")
assert path.read_bytes().endswith(b"\\n"), "a part of a row was left"
"""


def test_disk_without_room_keeps_whole_rows_only(tmp_path: Path) -> None:
    source = Path(codequake.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", STARVED, str(tmp_path / "j"), str(Path(__file__).parent)],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
