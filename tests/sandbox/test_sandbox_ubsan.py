"""Compiled programs that were asked to end at undefined behaviour."""

from __future__ import annotations

import json

import pytest

from codequake.sandbox import BubblewrapBackend, Care, Ending, Job, Limits, Mode
from codequake.sandbox.opening import open_backend
from codequake.tasks import Language

# In the usual build these print what the compiler made of them.
UNDEFINED = {
    "signed overflow": 'int x; scanf("%d", &x); int y = x + 2147483647; printf("%d", y < 1);',
    "shift by the width": 'int x; scanf("%d", &x); int y = 1 << (x + 31); printf("%d", y * 0 + 1);',
    "index past an array": 'int x, a[2] = {1, 1}; scanf("%d", &x);'
    ' printf("%d", a[x + 1] == 97531 ? 2 : 1);',
}
DEFINED = 'unsigned x; scanf("%u", &x); x += 4294967295u; printf("%u", x * 0 + 1);'


def job(body: str, language: Language = Language.C) -> Job:
    source = f"#include <stdio.h>\nint main(void) {{ {body} return 0; }}\n"
    return Job(language, source, Mode.STDIN, None, ('"1"',), Limits(cpu_seconds=2.0))


@pytest.fixture(scope="module")
def sanitizing() -> BubblewrapBackend:
    return BubblewrapBackend(sanitize=True)


@pytest.mark.parametrize("name", UNDEFINED)
@pytest.mark.parametrize("care", [Care.ALONE, Care.TOGETHER])
def test_undefined_behaviour_ends_a_program(
    sanitizing: BubblewrapBackend, name: str, care: Care
) -> None:
    (outcome,) = sanitizing.run_all([job(UNDEFINED[name])], care)
    assert outcome.harness_error is None
    assert outcome.care is Care.ALONE
    assert outcome.settled
    (run,) = outcome.runs
    assert run.ending is Ending.CRASHED
    assert run.detail == "undefined behaviour (trapped by UBSan)"


def test_the_usual_build_lets_it_pass(backend: BubblewrapBackend) -> None:
    (run,) = backend.run(job(UNDEFINED["shift by the width"])).runs
    assert json.loads(run.output or "") == "1"


@pytest.mark.parametrize("language", [Language.C, Language.CPP])
def test_what_is_defined_passes(sanitizing: BubblewrapBackend, language: Language) -> None:
    (run,) = sanitizing.run(job(DEFINED, language)).runs
    assert json.loads(run.output or "") == "1"


def test_the_grader_says_so(backend: BubblewrapBackend) -> None:
    opened = open_backend("bwrap:ubsan")
    assert opened.name == f"{backend.name}, UBSan"
