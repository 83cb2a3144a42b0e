"""A backend that nobody holds any more takes its waiting sandboxes with it."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable

import pytest

from codequake.sandbox import BubblewrapBackend, Care, Job, Mode
from codequake.tasks import Language

C = '#include <stdio.h>\nint main(void) { int x; scanf("%d", &x); printf("%d", x); return 0; }\n'
JOBS = {
    Care.TOGETHER: (
        Job(Language.PYTHON, "def f(x):\n    return x\n", Mode.CALL, "f", ("[1]",)),
        Job(Language.C, C, Mode.STDIN, None, ('"1"',)),
    ),
    Care.APART: (Job(Language.C, C, Mode.STDIN, None, ('"1"',)),),
    Care.FORKED: (Job(Language.PYTHON, "print(input())\n", Mode.STDIN, None, ('"1"',)),),
}


@pytest.mark.parametrize("care", JOBS)
def test_nothing_outlives_a_backend(
    survivors: Callable[..., list[str]], running: Callable[[], int], care: Care
) -> None:
    made = BubblewrapBackend()
    outcomes = made.run_all(JOBS[care], care)
    assert [outcome.care for outcome in outcomes] == [care] * len(outcomes)
    assert running() > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del made
        gc.collect()
    assert survivors() == []
