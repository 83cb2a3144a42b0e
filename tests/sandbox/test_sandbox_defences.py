"""Each defence of the sandbox stops something: without it, and only then, programs get through."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zlib
from typing import Any

import pytest
from tests.sandbox.defence_calls import CALLS, NOT_SHOWN
from tests.sandbox.defence_rows import Row
from tests.sandbox.defence_trial import ALL_ROWS, OUTER_SECONDS, outer_command

from codequake.sandbox import seccomp

TRIES = 5


def every_third(row: Row) -> Any:
    """A fixed third of the rows runs each time, all of them with the quality tests."""
    marks = () if zlib.crc32(row.name.encode()) % 3 == 0 else (pytest.mark.quality,)
    return pytest.param(row, id=row.name, marks=marks)


@pytest.mark.parametrize("row", [every_third(row) for row in ALL_ROWS.values()])
def test_a_program_gets_through_only_without_the_defence(row: Row) -> None:
    if row.root and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    # Without a defence some programs race with their own end: getting through once is enough.
    for _ in range(TRIES):
        with_it, without_it = tried(row)
        assert re.search(row.on, with_it), with_it
        assert not re.search(row.off, with_it), with_it
        if row.may_be_off and re.search("refused|SIGSEGV|AssertionError", without_it):
            pytest.skip(f"this kernel refuses it to everybody: {without_it}")
        if re.search(row.off, without_it):
            return
    pytest.fail(f"in {TRIES} tries nothing got through: {without_it}")


def tried(row: Row) -> tuple[str, str]:
    done = subprocess.run(
        outer_command(row.name),
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin:/usr/sbin", "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=OUTER_SECONDS + 30,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    with_it, without_it = json.loads(done.stdout.splitlines()[-1])
    return str(with_it), str(without_it)


def test_no_rule_of_the_filter_is_forgotten() -> None:
    assert set(CALLS) | NOT_SHOWN == set(seccomp._DENIED)
    assert not set(CALLS) & NOT_SHOWN
