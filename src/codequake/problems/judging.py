"""Which outputs of a problem's programs are right: by comparison, or by the problem's checker."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codequake.errors import DataError
from codequake.ports import Answer, Oracle
from codequake.records import (
    Comparison,
    Interface,
    JsonText,
    Language,
    Problem,
    Reference,
    Test,
)

__all__ = ["Agree", "Judge"]

Agree = Callable[[JsonText, JsonText, Comparison, Interface], bool]
"""Whether an output (second) agrees with the expected one (first)."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Runs the programs of a problem and says which of their answers are right."""

    problem: Problem
    oracle: Oracle
    agree: Agree

    def answers(self, program: Reference, inputs: Sequence[JsonText]) -> tuple[Answer, ...]:
        """Return one answer an input.  Raises ``MachineError`` when nothing can be run."""
        return self.oracle.answers(self.problem, program, inputs)

    def right(self, tests: Sequence[Test], answers: Sequence[Answer]) -> tuple[bool, ...]:
        """Say of each answer whether it is right; no answer never is.

        Raises ``DataError`` when the checker of the problem fails.
        """
        pairs = tuple(zip(tests, answers, strict=True))
        if self.problem.assertions is not None:
            return tuple(answer.output == "true" for _, answer in pairs)
        if self.problem.checker is not None:
            return self._accepted(pairs)
        return tuple(
            answer.output is not None
            and self.agree(
                test.expected, answer.output, self.problem.comparison, self.problem.interface
            )
            for test, answer in pairs
        )

    def _accepted(self, pairs: tuple[tuple[Test, Answer], ...]) -> tuple[bool, ...]:
        assert self.problem.checker is not None
        asked = dataclasses.replace(
            self.problem,
            language=Language.PYTHON,
            interface=Interface.FUNCTION,
            entry_point="accepts",
            parameters=("arguments", "output", "expected"),
        )
        program = Reference("checker", Language.PYTHON, self.problem.checker)
        given = tuple(
            JsonText(f"[{test.input},{answer.output},{test.expected}]")
            for test, answer in pairs
            if answer.output is not None
        )
        said = iter(self.oracle.answers(asked, program, given))
        found = []
        for test, answer in pairs:
            if answer.output is None:
                found.append(False)
                continue
            word = next(said)
            if word.output not in ("true", "false"):
                why = word.problem or f"it returned {(word.output or '')[:60]}"
                raise DataError(
                    f"the checker fails on {test.input[:80]}: {why}; allowed: True or False"
                )
            found.append(word.output == "true")
        return tuple(found)
