"""Problems from the hub: fetched from a server on this machine that answers as the hub does."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.running import command_environment

from codequake.errors import ToolMissingError, UsageError
from codequake.problems import read_set, set_from
from codequake.problems.hub import HubName, expand_hub

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "livecodebench/code_generation_lite"
ROW: dict[str, Any] = {
    "question_content": "Add one.",
    "starter_code": "",
    "platform": "atcoder",
    "public_test_cases": '[{"input": "1", "output": "2", "testtype": "stdin"}]',
    "private_test_cases": "[]",
    "metadata": "{}",
}


def lines(*names: str) -> bytes:
    return "\n".join(json.dumps(ROW | {"question_id": name}) for name in names).encode()


FILES = {
    "test.jsonl": lines("a", "b"),
    "test2.jsonl": lines("c"),
    "test3.jsonl": lines("d") + b"\n{}",
    "README.md": b"# A dataset",
    "deep/er.jsonl": lines("e"),
}


class Hub(BaseHTTPRequestHandler):
    """Answers the three requests that a download makes; anything else is not there."""

    protocol_version = "HTTP/1.1"
    asked: list[str]

    def _find(self) -> tuple[int, dict[str, str], bytes]:
        path = self.path.partition("?")[0]
        self.asked.append(f"{self.command} {path}")
        if path in (f"/api/datasets/{REPO}/revision/{name}" for name in ("main", "v1", COMMIT)):
            info = {
                "id": REPO,
                "sha": COMMIT,
                "siblings": [{"rfilename": name} for name in FILES],
            }
            return 200, {"Content-Type": "application/json"}, json.dumps(info).encode()
        lead = f"/datasets/{REPO}/resolve/{COMMIT}/"
        name = path.removeprefix(lead)
        if path.startswith(lead) and name in FILES:
            body = FILES[name]
            tag = hashlib.sha256(body).hexdigest()
            return 200, {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT}, body
        code = "EntryNotFound" if path.startswith(lead) else "RepoNotFound"
        return 404, {"X-Error-Code": code, "X-Error-Message": "not there"}, b""

    def do_GET(self) -> None:
        status, headers, body = self._find()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@contextlib.contextmanager
def serving() -> Iterator[tuple[str, list[str]]]:
    handler = type("Handler", (Hub,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# Read one name after the other in one process, since the library looks at its settings once.
SCRIPT = """
import json, sys
from codequake.errors import CodequakeError
from codequake.problems import read_set

for name in json.load(sys.stdin):
    try:
        found = read_set(name)
        told = {
            "ids": [item.problem_id for item in found.problems],
            "sources": [item.source for item in found.problems],
            "faults": found.faults,
            "told": found.told(),
        }
    except CodequakeError as error:
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told), flush=True)
"""
NAMES = {
    "release": f"hub:{REPO}?release=release_v2&id=a,c",
    "pinned": f"hub:{REPO}@{COMMIT}?release=release_v2",
    "all": f"hub:{REPO}@{COMMIT}",
    "file": f"lcb:hub://{REPO}@v1/deep/er.jsonl",
    "bad line": f"lcb:hub://{REPO}@{COMMIT}/test3.jsonl",
    "no file": f"lcb:hub://{REPO}@{COMMIT}/none.jsonl",
    "no dataset": "lcb:hub://nobody/nothing/test.jsonl",
    "no revision": f"hub:{REPO}@none",
}


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[str]]:
    """What each name gives, and the requests that reached a hub on this machine."""
    if importlib.util.find_spec("huggingface_hub") is None:
        assert os.environ.get("CI") != "true", (
            "install the group `tests`: huggingface_hub is missing"
        )
        pytest.skip("huggingface_hub is not installed")
    with serving() as (address, requests):
        environment = command_environment() | {
            "HF_ENDPOINT": address,
            "HF_HOME": str(tmp_path_factory.mktemp("hub")),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps(list(NAMES.values())),
            capture_output=True,
            text=True,
            timeout=240,
            env=environment,
        )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip(NAMES, rows, strict=True)), list(requests)


Fetched = tuple[dict[str, Any], list[str]]


def test_a_release_by_name(fetched: Fetched) -> None:
    found, asked = fetched
    assert found["release"]["ids"] == ["lcb/a", "lcb/c"]
    assert found["release"]["told"] == [
        f"lcb/a: main of {REPO} is commit {COMMIT} now; name it behind @ to pin it"
    ]
    assert found["release"]["sources"][0] == f"LiveCodeBench v1, atcoder, hub:{REPO}@{COMMIT}"
    assert found["pinned"]["ids"] == ["lcb/a", "lcb/b", "lcb/c"]
    assert found["pinned"]["told"] == []
    # Every file is fetched once; the second time it lies here.
    for name in ("test.jsonl", "test2.jsonl"):
        assert asked.count(f"GET /datasets/{REPO}/resolve/{COMMIT}/{name}") == 1
    # A pinned release asks nobody which commit it is.
    assert asked.count(f"GET /api/datasets/{REPO}/revision/main") == 1


def test_a_folder_is_all_its_versions(fetched: Fetched) -> None:
    found = fetched[0]["all"]
    assert found["ids"] == ["lcb/a", "lcb/b", "lcb/c", "lcb/d"]
    assert found["faults"] == [
        f"hub://{REPO}@{COMMIT}/test3.jsonl:2: the field 'question_id' is missing"
    ]


def test_one_file(fetched: Fetched) -> None:
    found = fetched[0]
    assert found["file"]["ids"] == ["lcb/e"]
    assert found["bad line"]["faults"] == found["all"]["faults"]


@pytest.mark.parametrize("what", ["no file", "no dataset", "no revision"])
def test_what_is_not_there_is_one_sentence(fetched: Fetched, what: str) -> None:
    sentence = fetched[0][what]["error"]
    assert sentence.startswith("DataError: hub://")
    assert "cannot be fetched" in sentence
    assert "\n" not in sentence


def test_names_of_the_hub() -> None:
    assert expand_hub("hub", f"{REPO}@{COMMIT}") == ("lcb", HubName(REPO, COMMIT, None))
    assert expand_hub("hub", REPO) == ("lcb", HubName(REPO, None, None))
    assert expand_hub("mbpp", "hub://o/n@v1.0/a/b.jsonl") == (
        "mbpp",
        HubName("o/n", "v1.0", "a/b.jsonl"),
    )
    for name, path in [
        ("hub", "x"),
        ("hub", "o/n@"),
        ("hub", ""),
        ("lcb", "hub://o"),
        ("lcb", "hub://o/n/../../etc/passwd"),
        ("lcb", "hub://o/n@a b/c"),
        ("lcb", "hub://https://x/y"),
    ]:
        with pytest.raises(UsageError, match="names no dataset; allowed: hub:OWNER/NAME@REVISION"):
            expand_hub(name, path)
    with pytest.raises(UsageError, match="the format of o/n is not known; allowed: livecodebench/"):
        read_set("hub:o/n")


def test_names_of_the_hub_do_not_start_from_a_folder(tmp_path: Path) -> None:
    for name in (f"hub:{REPO}@v1?first=2", "mbpp:hub://o/n/a.jsonl"):
        assert set_from(name, tmp_path) == name


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ToolMissingError, match=r"run: pip install 'codequake\[hub\]'"):
        read_set(f"hub:{REPO}")


def test_parquet_files_are_read_as_rows(tmp_path: Path) -> None:
    import datetime as dt

    import pyarrow as pa
    import pyarrow.parquet as pq

    row = {
        "task_id": 7,
        "text": "Add one.",
        "code": "def up(x):\r\n    return x + 1",
        "test_setup_code": "",
        "test_list": ["assert up(1) == 2"],
        "challenge_test_list": [],
        "day": dt.datetime(2024, 1, 31, 12, 0, tzinfo=dt.UTC),
    }
    path = tmp_path / "full.parquet"
    pq.write_table(pa.Table.from_pylist([row, row | {"task_id": 8, "code": "def"}]), path)
    found = read_set(f"mbpp:{path}")
    assert [item.problem_id for item in found.problems] == ["mbpp/7"]
    assert found.faults == (f"{path} (record 2): code is not Python: invalid syntax in its line 1",)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(path.read_bytes()[:200])
    (fault,) = read_set(f"mbpp:{broken}").faults
    assert fault.startswith(f"{broken} (record 1): not Parquet: ")
