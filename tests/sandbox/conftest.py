from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codequake.sandbox import BubblewrapBackend, bubblewrap

Survivors = Callable[..., list[str]]
Running = Callable[[], int]
PATIENCE = 10.0


@pytest.fixture(scope="session")
def mark() -> str:
    """A word that stands in the environment of everything that a sandbox of this session runs."""
    return f"mark{uuid.uuid4().hex}"


@pytest.fixture(scope="session")
def backend(mark: str) -> Iterator[BubblewrapBackend]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bubblewrap.ENVIRONMENT, "CODEQUAKE_TEST_MARK", mark)
        found = BubblewrapBackend()
        yield found
        found.kill_all()


@pytest.fixture
def survivors(mark: str) -> Survivors:
    def find(expected: int = 0) -> list[str]:
        """Processes of this session's sandboxes that are alive, some ``expected`` to be.

        The kernel gets time to end the others, more than it needs on a busy machine and far less
        than any program here would live by itself.
        """
        end = time.monotonic() + PATIENCE
        while len(found := marked(mark)) > expected and time.monotonic() < end:
            time.sleep(0.05)
        return found

    return find


@pytest.fixture
def running(mark: str) -> Running:
    def count() -> int:
        """How many processes of this session's sandboxes are alive now."""
        return len(marked(mark))

    return count


def marked(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found
