"""One program in a copy of process 1, with fewer and cheaper processes and the same events.

This file runs inside the sandbox, beside ``inside`` and ``pair``, on an interpreter of 3.9 or newer
and imports nothing of codequake but its neighbours there.  The first run of a program compiles it
and says so when that fails; later runs inherit the code, which is made here only once the first
run has shown that it costs little.  Forks leave out what the interpreter does after its own, and a
main program that ends quietly is not followed by the end of the whole interpreter.
"""

from __future__ import annotations

import gc
import os
import random
import sys

from codequake.sandbox import candidate
from codequake.sandbox.first import SHOWING, forget_other_modules
from codequake.sandbox.inside import RESULT_FD, Tester, run_with
from codequake.sandbox.judging import serve
from codequake.sandbox.pair import REQUEST_FD, PairTester
from codequake.sandbox.quiet import ends_quietly
from codequake.sandbox.watching import plain_fork

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, NoReturn

__all__ = ["copy_tester", "run_copy", "warm_up"]

CHEAP_SECONDS = 0.1
WARM_TURNS = 12


class _Copy(Tester):
    """What differs from a sandbox of its own, for every mode."""

    def __init__(self, job: dict[str, Any], report: int, lifeline: int) -> None:
        super().__init__(job, report, lifeline)
        self.fork = plain_fork()
        self.code: CodeType | None = None

    def _build(self) -> bool:
        """Leave Python to the first run."""
        if self.job["build"] or not self.job["inputs"]:
            return super()._build()
        return True

    def _given(self, what: str, text: Any) -> Any:
        """Read one input when its turn comes, so that a program sees no others in our frames."""
        if isinstance(text, list):
            length, start = text
            text = os.pread(self.job["request"], length, int(start)).decode(
                "utf-8", "surrogatepass"
            )
        return super()._given(what, text)

    def _keep(self, event: dict[str, Any]) -> None:
        """Compile what was just compiled by a child of ours that came near no limit."""
        if event["cpu"] < CHEAP_SECONDS and len(self.job["inputs"]) > 1:
            self.code = candidate.compiled(self.job["source"], _say_nothing)

    def _interpret(self, what: str, text: str | None, emit: Any) -> None:
        random.seed()  # what the interpreter does after a fork of its own
        source, entry_point = self.job["source"], self.job["entry_point"]
        if any(word in source for word in SHOWING):
            forget_other_modules()
        if what == "serve":
            serve(source, entry_point, REQUEST_FD, RESULT_FD, self.code, told=self.built)
        code = self.code or candidate.compiled(source, emit)
        if code is None or what == "build":
            os._exit(0)
        if what == "call":
            candidate.run_call(source, entry_point, text or "[]", emit, code)
        _run_main(source, emit, code)


def _run_main(source: str, emit: Any, code: CodeType) -> None:
    quiet = ends_quietly(code)
    if not quiet:
        _thaw()
    try:
        candidate.run_stdin(source, emit, code)
    except SystemExit as error:
        if not quiet or (error.code is not None and (type(error.code), error.code) != (int, 0)):
            _thaw()
            raise
    if quiet:
        candidate.leave()
        _thaw()


def _thaw() -> None:
    """Let the end of the interpreter collect everything: a stream then writes what it holds."""
    candidate.forget_streams()
    gc.unfreeze()


class _PairCopy(_Copy, PairTester):
    """The same for tests by statements."""


def copy_tester(job: dict[str, Any], report: int, lifeline: int) -> Tester:
    """Return what runs a job here."""
    return (_PairCopy if job["mode"] == "assert" else _Copy)(job, report, lifeline)


def run_copy(job: dict[str, Any], report: int, lifeline: int) -> NoReturn:
    """Run one job as process 1 of its namespace and report its events to the end."""
    run_with(copy_tester(job, report, lifeline), report)
    os._exit(0)


def warm_up(jobs: list[dict[str, Any]], material: int, null: int) -> None:
    """Run jobs of ours here until the interpreter has settled how to execute these files.

    Copies then find it so, instead of each writing its own copy of these pages.
    """
    modules = dict(sys.modules)
    for job in jobs:
        for _ in range(WARM_TURNS):
            copy_tester({**job, "material": os.dup(material)}, null, null).run()
            if job["mode"] == "stdin":
                code = candidate.compiled(job["source"], _say_nothing)
                assert code is not None
                ends_quietly(code)
                candidate.open_streams()
                candidate.run_stdin(job["source"], _say_nothing, code)
                sys.stdout.flush()  # what it still held would come out in every copy
                sys.modules.clear()
                sys.modules.update(modules)


def _say_nothing(_kind: str, _text: str) -> None:
    pass
