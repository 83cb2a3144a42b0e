"""What all tests share: fixed examples, the data of others, the command line as a program."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest
from tests.running import RunCommand, command_environment

# A shell that starts us in the background lets us ignore interrupts, and so would every program
# that we start; the tests that interrupt one would then wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Time limits on single examples would make a busy machine fail; examples are the same every time,
# so that a red run can be repeated.
hypothesis.settings.register_profile("codequake", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("codequake")


def pytest_configure() -> None:
    """Refuse to skip what needs the extras wherever ``CI`` is true."""
    if os.environ.get("CI") == "true" and importlib.util.find_spec("inspect_ai") is None:
        raise pytest.UsageError("inspect_ai is not installed, and CI must not go without it")


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of foreign records; it must be there wherever ``CI`` is true."""
    place = os.environ.get("CODEQUAKE_TEST_DATA")
    if place and Path(place).is_dir():
        return Path(place)
    if os.environ.get("CI") == "true":
        pytest.fail("CODEQUAKE_TEST_DATA names no folder, and CI must not go without it")
    pytest.skip("CODEQUAKE_TEST_DATA names no folder")


@pytest.fixture
def run_command(tmp_path: Path) -> RunCommand:
    """Run ``codequake ARGUMENTS`` as a process of its own, in an empty folder."""

    def run(
        *arguments: str | Path, text: str = "", timeout: float = 240
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "codequake", *map(str, arguments)],
            input=text,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            cwd=tmp_path,
            env=command_environment(),
        )

    return run
