"""Everything that holds for a program alone holds for one that is run in a copy of process 1.

The tests themselves are those of the neighbouring files; here they get another backend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.forked import Forked, besides_the_worker

# ruff: noqa: F401, F403
from tests.sandbox.test_sandbox_assert import *
from tests.sandbox.test_sandbox_assert_hostile import *
from tests.sandbox.test_sandbox_isolation import *
from tests.sandbox.test_sandbox_python import *

from codequake.sandbox import BubblewrapBackend, bubblewrap


@pytest.fixture(scope="module")
def backend(mark: str) -> Iterator[BubblewrapBackend]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bubblewrap.ENVIRONMENT, "CODEQUAKE_TEST_MARK", mark)
        inner = BubblewrapBackend()
        made = Forked(inner)
        yield made
        inner.kill_all()
        with open("/tmp/forks/sent", "w") as f:
            for j in made.sent_back:
                f.write(repr((j.mode.value, j.source, j.inputs))[:300] + "\n")
            f.write(f"{len(made.settled)} {sum(made.settled)}\n")


@pytest.fixture
def survivors(survivors):
    return besides_the_worker(survivors)
