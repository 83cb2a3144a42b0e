"""References and generators of problems, run in the sandbox like any other program."""

from __future__ import annotations

import json
from collections.abc import Sequence

from codequake.canonical import canonical_json
from codequake.errors import DataError, MachineError
from codequake.grading.compare import parse_output
from codequake.ports import Answer
from codequake.records import Interface, JsonText, Problem, Reference
from codequake.sandbox import Backend, Ending, Job, Limits, Mode, Outcome, Run, run_settled
from codequake.seeding import seed_for
from codequake.tasks import Language

__all__ = ["SandboxOracle"]

_ENTRY = "codequake_generate"
_DRIVER = """

def codequake_generate(seeds):
    import random
    return [generate(random.Random(seed), number) for number, seed in enumerate(seeds)]
"""


class SandboxOracle:
    """Answers what a reference gives, and draws inputs, in a sandbox."""

    def __init__(self, backend: Backend, limits: Limits | None = None) -> None:
        self._backend = backend
        self._limits = limits or Limits()

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        """Return one answer an input, in order.

        A reference that does not compile, lacks its entry point or crashes gives answers that say
        so.  Raises ``MachineError`` when the sandbox itself fails.
        """
        if not inputs:
            return ()
        stdin = problem.interface is Interface.STDIN
        job = Job(
            reference.language,
            reference.code,
            Mode.STDIN if stdin else Mode.CALL,
            None if stdin else problem.entry_point,
            tuple(inputs),
            self._limits,
        )
        outcome = self._run(job)
        if not outcome.build.ok:
            return tuple(Answer(None, f"does not compile: {outcome.build.why}") for _ in inputs)
        if outcome.entry_found is False:
            return tuple(Answer(None, f"does not define {problem.entry_point}") for _ in inputs)
        return tuple(_answer(run) for run in outcome.runs)

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        """Return inputs 0 to ``count - 1`` of the problem's generator.

        Input ``i`` is ``generate(random.Random(s), i)`` with ``s`` derived from ``seed`` and ``i``
        alone.  Raises ``DataError`` when the generator fails or returns no data, and
        ``MachineError`` when the sandbox itself fails.
        """
        if problem.generator is None:
            raise DataError(f"problem {problem.problem_id!r} has no generator")
        seeds = [seed_for(seed, "generate", index) for index in range(count)]
        source = problem.generator + _DRIVER
        inputs = (canonical_json([seeds]),)
        job = Job(Language.PYTHON, source, Mode.CALL, _ENTRY, inputs, self._limits)
        outcome = self._run(job)
        lead = f"the generator of problem {problem.problem_id!r} fails"
        if not outcome.build.ok:
            raise DataError(f"{lead}: {outcome.build.why}")
        answer = _answer(outcome.runs[0]) if outcome.runs else Answer(None, "it cannot be called")
        if answer.output is None:
            raise DataError(f"{lead}: {answer.problem}")
        return tuple(JsonText(canonical_json(item)) for item in json.loads(answer.output))

    def _run(self, job: Job) -> Outcome:
        outcome = run_settled(self._backend, job)
        if outcome.harness_error is not None:
            raise MachineError(f"the sandbox failed: {outcome.harness_error}")
        return outcome


def _answer(run: Run) -> Answer:
    if run.ending is not Ending.RETURNED or run.output is None:
        return Answer(None, run.detail or run.ending.value)
    try:
        return Answer(JsonText(canonical_json(parse_output(run.output))), None)
    except DataError as error:
        return Answer(None, str(error))
