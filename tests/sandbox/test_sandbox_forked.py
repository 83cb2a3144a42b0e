"""Everything that holds for a program alone holds for one that is run in a copy of process 1.

The tests are those of the neighbouring files; here they get another backend.
"""

# ruff: noqa: F403

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.forked import Forked, besides_the_worker
from tests.sandbox.test_sandbox_assert import *
from tests.sandbox.test_sandbox_assert_hostile import *
from tests.sandbox.test_sandbox_isolation import *
from tests.sandbox.test_sandbox_python import *

from codequake.sandbox import BubblewrapBackend, Mode, bubblewrap

# These look into the way alone itself, or into no program's way at all.
_NOT_ABOUT_FORKS = (
    # Broken tests are run alone in the end; those about the judge's time need a free machine.
    *("test_a_broken_test_is_no_verdict",),
    *("test_what_a_test_does_with_answers_counts_against_them",),
    *("test_the_filter_is_what_refuses", "test_filter_needs_a_known_architecture"),
    *("test_a_sandbox_that_is_brought_down_is_tried_twice", "test_no_sandbox_is_loud"),
    *("test_expected_outputs_are_not_in_the_job", "test_open_backend_refuses_and_says_why"),
    *(
        "test_killing_the_driver_leaves_no_process",
        "test_a_sandbox_that_does_not_start_is_a_harness_error",
    ),
    *("test_an_ordinary_user_with_a_closed_home_can_grade",),
    *("test_own_interpreter_serves_when_the_system_has_none",),
    *("test_diagnosis_is_good_where_the_tests_run", "test_diagnosis_names_the_switch_that_blocks"),
    *("test_process_1_ends_with_its_driver_even_when_bubblewrap_does_not_tell",),
    *("test_packages_beside_an_interpreter_of_our_own_are_hidden",),
    *("test_without_isolation_tests_by_statements_run_too",),
)
for _name in _NOT_ABOUT_FORKS:
    del globals()[_name]


@pytest.fixture(scope="module")
def backend(mark: str) -> Iterator[Forked]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bubblewrap.ENVIRONMENT, "CODEQUAKE_TEST_MARK", mark)
        made = Forked(BubblewrapBackend())
        yield made
        made.kill_all()
    # Broken tests, which are no verdict, and a program that holds more memory than it may.
    assert made.runs > 0
    assert all(
        job.mode is Mode.ASSERT or "os.fork(" in job.source or "sleep(60)" in job.source
        for job in made.sent_back
    ), [job.source for job in made.sent_back]
    assert len(made.sent_back) < 10


@pytest.fixture
def survivors(survivors: Callable[..., list[str]]) -> Callable[..., list[str]]:
    return besides_the_worker(survivors)
