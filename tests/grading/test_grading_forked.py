"""The programs that misbehave, each in a copy of the process that the others came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.forked import Forked, besides_the_worker
from tests.grading.test_grading_hostile import *  # noqa: F403

from codequake.sandbox import BubblewrapBackend, bubblewrap
from codequake.tasks import Language


@pytest.fixture(scope="module")
def backend(mark: str) -> Iterator[Forked]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bubblewrap.ENVIRONMENT, "CODEQUAKE_TEST_MARK", mark)
        made = Forked(BubblewrapBackend())
        yield made
        made.kill_all()
    python = [job for job in made.sent_back if job.language is Language.PYTHON]
    assert len(python) <= made.runs // 4, [job.source for job in python]


@pytest.fixture
def survivors(survivors: Callable[..., list[str]]) -> Callable[..., list[str]]:
    return besides_the_worker(survivors)
