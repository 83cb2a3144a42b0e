"""C programs where the sandboxes that serve many of them do not start."""

from __future__ import annotations

import json

import pytest

from codequake.sandbox import BubblewrapBackend, Care, Job, Mode
from codequake.sandbox.c_ladder import CLadder
from codequake.tasks import Language

SOURCE = """
#include <stdio.h>
int main(void) { int x; scanf("%d", &x); printf("%d", x); return 0; }
"""
JOB = Job(Language.C, SOURCE, Mode.STDIN, None, ('"1"', '"2"'))


@pytest.mark.parametrize("care", [Care.TOGETHER, Care.APART])
@pytest.mark.parametrize(
    ("command", "reason"),
    [("/usr/bin/false", "it went away"), ("/nowhere/bwrap", "No such file or directory")],
)
def test_slow_grading_is_told_and_right(care: Care, command: str, reason: str) -> None:
    broken = BubblewrapBackend()
    assert broken.trouble == ""
    launch = broken._served(lambda _: (command,), broken._filter)
    broken._ladder = CLadder(lambda _: launch, launch, broken.name)
    for _ in range(2):
        (outcome,) = broken.run_all([JOB], care)
        assert outcome.care is Care.ALONE
        assert [json.loads(run.output or "") for run in outcome.runs] == ["1", "2"]
    assert reason in broken.trouble
    assert "the verdicts are the same" in broken.trouble
