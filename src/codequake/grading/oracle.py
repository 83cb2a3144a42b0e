"""References and generators of problems, run in the sandbox like any other program."""

from __future__ import annotations

import json
from collections.abc import Sequence

from codequake.canonical import canonical_json
from codequake.errors import DataError, MachineError
from codequake.grading.compare import parse_output
from codequake.grading.grader import refuse_unrunnable
from codequake.grading.together import LANGUAGES, MOST_INPUTS, answers_in, job_of
from codequake.ports import Answer
from codequake.records import Interface, JsonText, Problem, Reference
from codequake.sandbox import (
    Backend,
    Care,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    Run,
    run_settled,
)
from codequake.seeding import seed_for
from codequake.tasks import Language

__all__ = ["MANY", "SandboxOracle"]

_ENTRY = "codequake_generate"
_TRIAL = "codequake_trial"
_DRIVER = """

def codequake_generate(seeds):
    import random
    return [generate(random.Random(seed), number) for number, seed in enumerate(seeds)]
"""

MANY = 200
"""Inputs from which on a process for each is too slow."""


class SandboxOracle:
    """Answers what a reference gives, and draws inputs, in a sandbox.

    From ``many`` inputs on they share processes where that gives an answer for each.  That is
    many times faster, and a program that keeps something from one call to the next may then give
    other answers.
    """

    def __init__(self, backend: Backend, limits: Limits | None = None, *, many: int = MANY) -> None:
        self._backend = backend
        self._limits = limits or Limits()
        self._many = many

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        """Return one answer an input, in order.

        Where the problem has assertions, an input is a test of statements: the answer is ``true``
        when they end, else it says what they raised.  A reference that does not compile, lacks its
        entry point or crashes gives answers that say so.  Many inputs are run in few processes
        where that gives an answer for each (of main programs, see ``codequake.grading.together``);
        those of a slow reference never are.  Raises ``MachineError`` when the sandbox itself fails,
        which a right test then shows; a test whose own code fails is an answer, and ``UsageError``
        for a problem that the sandbox cannot run.
        """
        if not inputs:
            return ()
        refuse_unrunnable([problem])
        many = len(inputs) >= self._many and problem.assertions is None and not reference.slow
        stdin = problem.interface is Interface.STDIN
        if stdin and many and reference.language in LANGUAGES:
            found = self._together(reference, inputs)
            if found is not None:
                return found
        job = Job(
            reference.language,
            reference.code,
            _mode(problem),
            problem.entry_point,
            tuple(inputs),
            self._limits,
            setup=problem.assertions or "",
        )
        outcome = self._fast(job) if many and not stdin else None
        outcome = outcome or run_settled(self._backend, job)
        if outcome.harness_error is not None and job.mode is Mode.ASSERT and self._can_test():
            if len(inputs) > 1:  # one test that cannot run keeps the others from running
                return tuple(self.answers(problem, reference, (item,))[0] for item in inputs)
            return (Answer(None, f"it cannot be run: {outcome.harness_error}"),)
        _refuse_broken(outcome)
        if not outcome.build.ok:
            return tuple(Answer(None, f"does not compile: {outcome.build.why}") for _ in inputs)
        if outcome.entry_found is False:
            return tuple(Answer(None, f"does not define {problem.entry_point}") for _ in inputs)
        if len(outcome.runs) != len(inputs):
            raise MachineError("the sandbox failed: it lost the result of a test")
        if job.mode is Mode.ASSERT:
            return tuple(_held(run) for run in outcome.runs)
        return tuple(_answer(run) for run in outcome.runs)

    def _fast(self, job: Job) -> Outcome | None:
        """Run a function on all inputs in one process; ``None`` unless it answers every one."""
        (outcome,) = self._backend.run_all([job], Care.TOGETHER)
        answered = outcome.harness_error is None and len(outcome.runs) == len(job.inputs)
        if answered and all(run.ending is Ending.RETURNED for run in outcome.runs):
            return outcome
        return None

    def _together(
        self, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...] | None:
        answers: list[Answer] = []
        for at in range(0, len(inputs), MOST_INPUTS):
            piece = inputs[at : at + MOST_INPUTS]
            outcome = self._run(job_of(reference, piece, self._limits))
            found = answers_in(reference, outcome.runs[0], len(piece)) if outcome.runs else None
            if found is None:
                return None
            answers += found
        return tuple(answers)

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
        _refuse_broken(outcome)
        return outcome

    def _can_test(self) -> bool:
        """Whether the sandbox runs a test that is right, so that another one failed by itself."""
        inputs = (canonical_json(f"{_TRIAL}()"),)
        source = f"def {_TRIAL}(): pass"
        job = Job(Language.PYTHON, source, Mode.ASSERT, _TRIAL, inputs, self._limits)
        return run_settled(self._backend, job).harness_error is None


def _refuse_broken(outcome: Outcome) -> None:
    if outcome.harness_error is not None:
        raise MachineError(f"the sandbox failed: {outcome.harness_error}")


def _mode(problem: Problem) -> Mode:
    if problem.interface is Interface.STDIN:
        return Mode.STDIN
    return Mode.CALL if problem.assertions is None else Mode.ASSERT


def _held(run: Run) -> Answer:
    """The answer to a test of statements: they held, or what they came to."""
    if run.ending is Ending.RETURNED and run.output == "true":
        return Answer(JsonText("true"), None)
    return Answer(None, run.detail or run.ending.value)


def _answer(run: Run) -> Answer:
    if run.ending is not Ending.RETURNED or run.output is None:
        exhausted = run.ending in (Ending.TIMEOUT, Ending.MEMORY_LIMIT, Ending.NOT_RUN)
        return Answer(None, run.detail or run.ending.value, exhausted)
    try:
        return Answer(JsonText(canonical_json(parse_output(run.output))), None)
    except DataError as error:
        return Answer(None, str(error))
