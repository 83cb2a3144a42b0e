from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.grading.grading_samples import LIMITS

from codequake.grading import Grader
from codequake.sandbox import BubblewrapBackend, bubblewrap


@pytest.fixture(scope="session")
def mark() -> str:
    return f"mark{uuid.uuid4().hex}"


@pytest.fixture(scope="session")
def backend(mark: str) -> Iterator[BubblewrapBackend]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bubblewrap.ENVIRONMENT, "CODEQUAKE_TEST_MARK", mark)
        found = BubblewrapBackend()
        yield found
        found.kill_all()


@pytest.fixture(scope="session")
def grader(backend: BubblewrapBackend) -> Grader:
    return Grader(backend, LIMITS)


@pytest.fixture
def survivors(mark: str) -> Callable[..., list[str]]:
    """Processes of this session's sandboxes that still live; some may be ``expected`` to."""

    def find(expected: int = 0) -> list[str]:
        # Far less than any program here would live by itself, and enough on a busy machine.
        end = time.monotonic() + 10.0
        while True:
            found: list[str] = []
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    if folder.stat().st_uid not in (os.getuid(), 65534):
                        continue
                    if mark.encode() in (folder / "environ").read_bytes():
                        found.append(folder.name)
                except OSError:
                    continue
            if len(found) <= expected or time.monotonic() > end:
                return found
            time.sleep(0.05)

    return find
