"""Whether what a compiled program prints depends on memory that it never wrote.

This file runs inside the sandbox, beside ``inside``.  The program is built twice: as it is, and
with locals that begin as a pattern; the second one also gets heap blocks that begin as a pattern.
Each input that the first one ends well on is given to the second one, too.  Where the two differ,
they run again: if one of them agrees with itself, the program reads what it never wrote.
"""

# pathlib would cost start-up time in every sandbox:
# ruff: noqa: PTH118, PTH123

from __future__ import annotations

import os

from codequake.sandbox.inside import Tester

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from typing import Any

__all__ = ["PatternTester"]

WHY = "reads uninitialised memory: with another pattern in it the output is another"
# Endings of the second program that come of a limit, or of its slower start, and prove nothing.
UNCLEAR = ("timeout", "memory_limit", "output_limit")


class PatternTester(Tester):
    """Runs a compiled program, and the same with a pattern in its memory."""

    def __init__(self, job: dict[str, Any], report: int, lifeline: int) -> None:
        super().__init__(job, report, lifeline)
        self.pattern = -1

    def _build(self) -> bool:
        if not super()._build():
            return False
        job = self.job
        with open(os.path.join(self.scratch, job["source_name"]), "wb") as file:
            file.write(job["source"].encode("utf-8", "replace"))
        self.job = {**job, "build": job["check_build"]}
        self._start("build", None)
        self.job = job
        try:
            target = os.path.join(self.scratch, job["target_name"])
            self.pattern = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            pass  # it took more than there is; the program is judged as it is
        self._wipe()
        return True

    def _test(self, what: str, given: Any) -> dict[str, Any]:
        event = super()._test(what, given)
        if event["ending"] != "returned" or self.pattern < 0:
            return event
        printed = self.printed
        proved = self._reads_unwritten(what, given, event)
        self.printed = printed
        if not proved:
            return event
        return {**event, "ending": "crashed", "output": None, "detail": WHY}

    def _reads_unwritten(self, what: str, given: Any, event: dict[str, Any]) -> bool:
        """Whether the pattern changes the output, and one of the two always prints the same.

        A program that prints the time or an address differs from itself in both.
        """
        other = self._with_pattern(what, given)
        if other["ending"] in UNCLEAR or other["output"] == event["output"]:
            return False
        if self._again(what, given)["output"] == event["output"]:
            return True
        return bool(self._with_pattern(what, given)["output"] == other["output"])

    def _with_pattern(self, what: str, given: Any) -> dict[str, Any]:
        program = self.program
        self.program = self.pattern
        os.environ["MALLOC_PERTURB_"] = self.job["perturb"]
        try:
            return self._again(what, given)
        finally:
            self.program = program
            del os.environ["MALLOC_PERTURB_"]

    def _again(self, what: str, given: Any) -> dict[str, Any]:
        self._wipe()
        return super()._test(what, given)
