"""References and generators of problems, run in the sandbox like any other program."""

from __future__ import annotations

import json
from collections.abc import Sequence

from codequake.canonical import canonical_json
from codequake.errors import DataError, MachineError
from codequake.grading.compare import parse_output
from codequake.ports import Answer
from codequake.records import Interface, JsonText, Problem, Reference
from codequake.sandbox import Backend, Ending, Job, Limits, Mode, Outcome, Run
from codequake.seeding import seed_for
from codequake.tasks import Language

__all__ = ["SandboxOracle"]

_ENTRY = "codequake_generate"
_DRIVER = """

def codequake_generate(seeds):
    import random
    return [generate(random.Random(seed), number) for number, seed in enumerate(seeds)]
"""

# A process for each of thousands of inputs costs a minute; a trusted main program runs in one.
_TOGETHER = 200
_PIECE = 2500
_MAIN_ENTRY = "codequake_answers"
_MAIN_DRIVER = """
def codequake_answers(source, texts):
    import io
    import sys

    code = compile(source, "main.py", "exec")
    kept = sys.stdin, sys.stdout
    answers = []
    for text in texts:
        read, written = io.BytesIO(text.encode("utf-8")), io.BytesIO()
        sys.stdin = io.TextIOWrapper(read, encoding="utf-8")
        sys.stdout = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
        why = None
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit as error:
            why = f"exit status {error.code}" if error.code else None
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        answers.append([written.getvalue().decode("utf-8", "replace"), why])
    sys.stdin, sys.stdout = kept
    return answers
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
        so.  More than 200 inputs of a Python main program are run in few processes, one after the
        other in namespaces of their own.  Raises ``MachineError`` when the sandbox itself fails.
        """
        if not inputs:
            return ()
        stdin = problem.interface is Interface.STDIN
        if stdin and reference.language is Language.PYTHON and len(inputs) > _TOGETHER:
            pieces = (inputs[at : at + _PIECE] for at in range(0, len(inputs), _PIECE))
            return tuple(answer for piece in pieces for answer in self._main(reference, piece))
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

    def _main(self, reference: Reference, inputs: Sequence[JsonText]) -> tuple[Answer, ...]:
        texts = [json.loads(item) for item in inputs]
        given = (canonical_json([reference.code, texts]),)
        job = Job(Language.PYTHON, _MAIN_DRIVER, Mode.CALL, _MAIN_ENTRY, given, self._limits)
        (run,) = self._run(job).runs
        answer = _answer(run)
        if answer.output is None:
            return tuple(answer for _ in inputs)
        return tuple(
            Answer(JsonText(canonical_json(text)) if why is None else None, why)
            for text, why in json.loads(answer.output)
        )

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
        outcome = self._backend.run(job)
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
