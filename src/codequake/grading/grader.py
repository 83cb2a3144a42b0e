"""Judge completions: extract the program, run it on the tests, compare outside of the sandbox."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Iterable, Sequence

from codequake.canonical import canonical_json, content_key
from codequake.codec import to_plain
from codequake.errors import DataError, UsageError
from codequake.grading.checking import accepted_outputs
from codequake.grading.compare import numbers_agree_in_text, outputs_agree, parse_output
from codequake.grading.digests import output_marks
from codequake.grading.extract import Extraction, extract
from codequake.grading.readers import reader_of
from codequake.keys import reply_key
from codequake.records import (
    Completion,
    Failure,
    Interface,
    JsonText,
    Language,
    Problem,
    Status,
    StopReason,
    TestOutcome,
    TestStatus,
    Verdict,
)
from codequake.sandbox import (
    PRELUDE_VERSION,
    Backend,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    Returned,
    Run,
    run_settled,
)

__all__ = [
    "CONFIRMED_SHARE",
    "GRADER_RULES",
    "Grader",
    "Judgement",
    "extract_for",
    "job_for",
    "judge",
    "refuse_unrunnable",
    "unrun",
    "verdict_key",
]

GRADER_RULES = 4
"""Raised whenever extraction, running or comparing may give another verdict than before."""

CONFIRMED_SHARE = 0.01
"""The share of the passes of the fast path for C that gcc confirms, if nothing else is asked."""

_SHOWN = 4000
_MOST_KNOWN = 512


@dataclasses.dataclass(frozen=True, slots=True)
class Judgement:
    """What a program's outcome means for a problem: everything of a verdict but its names."""

    status: Status
    tests: tuple[TestOutcome, ...]
    message: str
    failure: Failure | None
    outputs: tuple[str, ...] = ()


class Grader:
    """Grades completions on one backend under one set of limits; may be used from threads.

    A backend belongs to one grader: the last batch of a grader ends all that the backend runs.
    """

    def __init__(
        self,
        backend: Backend,
        limits: Limits | None = None,
        confirmed_share: float = CONFIRMED_SHARE,
    ) -> None:
        """``confirmed_share`` of the C programs that pass on the fast path are run by gcc, too.

        Raises ``UsageError`` unless it is in 0 .. 1.
        """
        if not 0.0 <= confirmed_share <= 1.0:
            raise UsageError(f"the confirmed share is {confirmed_share}; allowed: 0 to 1")
        self.backend = backend
        self.limits = limits or Limits()
        self.confirmed_share = confirmed_share
        self.turn = threading.Lock()  # held by who counts the batches, or empties the backend
        self.batches = 0  # that are being graded now
        self._right: dict[int, tuple[Problem, str, Judgement]] = {}

    @property
    def version(self) -> str:
        """Everything that decides a verdict: rules, backend, interpreter, compiler, limits."""
        limits = self.limits
        return (
            f"codequake rules {GRADER_RULES}, prelude {PRELUDE_VERSION}; {self.backend.name}; "
            f"cpu {limits.cpu_seconds:g} s x{limits.wall_factor:g} wall, "
            f"memory {limits.memory_bytes >> 20} MiB, output {limits.output_bytes >> 20} MiB, "
            f"{limits.processes} processes, {self.confirmed_share:g} of fast C passes confirmed"
        )

    def grade(self, problem: Problem, completion: Completion, entry_point: str | None) -> Verdict:
        """Return the verdict on one completion.

        ``entry_point`` is the name that the variant asked for; ``None`` for main programs, or to
        take the problem's own.  Raises ``UsageError`` for a problem that cannot be graded.
        """
        found = extract_for(problem, completion, entry_point)
        if found.status is not None:
            return self.verdict(problem, completion, found, unrun(problem, found))
        job = job_for(problem, found.program, entry_point, self.limits)
        outcome = run_settled(self.backend, job)
        return self.verdict(problem, completion, found, self.judged(problem, outcome))

    def judged(self, problem: Problem, outcome: Outcome) -> Judgement:
        """Return what an outcome means, as the problem's own checker says where it has one."""
        if problem.checker is None or problem.assertions is not None:
            right = self._all_right(problem, outcome.runs)
            return judge(problem, outcome) if right is None else right
        checked = accepted_outputs(self.backend, problem, outcome, self.limits)
        if checked.failure is not None:
            return _whole(problem, Status.HARNESS_ERROR, checked.failure)
        return judge(problem, outcome, checked.accepted)

    def _all_right(self, problem: Problem, runs: Sequence[Run]) -> Judgement | None:
        """The judgement of a program whose outputs are the expected ones to the letter."""
        if not isinstance(runs, Returned) or problem.assertions is not None:
            return None
        known = self._right.get(id(problem))
        if known is None:
            if len(self._right) >= _MOST_KNOWN:
                self._right.clear()
            text = "\n".join(test.expected for test in problem.tests)
            tests = tuple(_test_outcome(test.visible, TestStatus.PASSED) for test in problem.tests)
            known = (problem, text, Judgement(Status.PASSED, tests, "", None))
            self._right[id(problem)] = known  # which keeps the problem, so its number is its own
        return known[2] if known[1] == runs.text and len(runs) == len(problem.tests) else None

    def verdict(
        self,
        problem: Problem,
        completion: Completion,
        found: Extraction,
        judged: Judgement,
        version: str | None = None,
    ) -> Verdict:
        """Put the names of a completion to what was judged about its program.

        ``version`` is ``self.version``, for callers that have many verdicts to make.
        """
        return Verdict(
            problem_id=problem.problem_id,
            variant_id=completion.variant_id,
            model=completion.model,
            sample=completion.sample,
            status=judged.status,
            tests=judged.tests,
            message=judged.message,
            program=found.program,
            extraction=found.rule,
            failure=judged.failure,
            grader=version or self.version,
            source=problem.source,
            licence=problem.licence,
            reply_key=reply_key(completion),
            outputs=judged.outputs,
        )


def extract_for(problem: Problem, completion: Completion, entry_point: str | None) -> Extraction:
    """Return the program in a completion, or why there is none; a provider's error comes first."""
    if completion.stop_reason is StopReason.ERROR or completion.error is not None:
        why = completion.error or "the provider gave an error without a text"
        return Extraction(Status.PROVIDER_ERROR, "", "none", why)
    return extract(
        completion.text,
        language=problem.language,
        entry_point=_entry_point(problem, entry_point),
        stop_reason=completion.stop_reason,
    )


def _entry_point(problem: Problem, entry_point: str | None) -> str | None:
    return None if problem.interface is Interface.STDIN else entry_point or problem.entry_point


def job_for(
    problem: Problem,
    program: str,
    entry_point: str | None,
    limits: Limits,
    inputs: tuple[str, ...] | None = None,
) -> Job:
    """Return the job of a program: the inputs of the problem's tests, never their outputs.

    ``inputs`` are those of an earlier job of the same problem, to share them.  Assertions hold what
    is right; the sandbox keeps them from the program.  Raises ``UsageError`` when the problem
    names no entry point, asks for a C function, has assertions on a main program, or needs another
    environment than the sandbox.
    """
    refuse_unrunnable([problem])
    name = _entry_point(problem, entry_point)
    if problem.interface is Interface.FUNCTION:
        if problem.language is not Language.PYTHON:
            name = reader_of(problem.language).name
            raise UsageError(
                f"problem {problem.problem_id!r} asks for a {name} function; {name} is graded as "
                "programs on standard input"
            )
        if not name:
            raise UsageError(f"problem {problem.problem_id!r} names no entry point to call")
    mode = Mode.CALL if problem.interface is Interface.FUNCTION else Mode.STDIN
    if inputs is None:
        inputs = tuple(test.input for test in problem.tests)
    if problem.assertions is None:
        return Job(problem.language, program, mode, name, inputs, limits)
    if mode is Mode.STDIN:
        raise UsageError(
            f"problem {problem.problem_id!r} has assertions, which call a function, but asks for a "
            "main program"
        )
    return Job(
        problem.language, program, Mode.ASSERT, name, inputs, limits, setup=problem.assertions
    )


def refuse_unrunnable(problems: Iterable[Problem]) -> None:
    """Raise ``UsageError`` when a problem needs another environment than the sandbox."""
    found = [problem for problem in problems if problem.environment]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise UsageError(
            f"problem {found[0].problem_id!r}{more} cannot be run here: it needs "
            f"{found[0].environment}; allowed: problems that the sandbox can run"
        )


def unrun(problem: Problem, found: Extraction) -> Judgement:
    """Return the judgement on a reply without a program: no test was run."""
    assert found.status is not None
    return _whole(problem, found.status, found.message)


def judge(
    problem: Problem, outcome: Outcome, accepted: Sequence[bool | None] | None = None
) -> Judgement:
    """Return what an outcome means: the first test that did not pass decides, in test order.

    ``accepted`` says for each run whether the problem's checker takes its output; without it
    outputs are compared.
    """
    if outcome.harness_error is not None:
        return _whole(problem, Status.HARNESS_ERROR, outcome.harness_error)
    if not problem.tests:
        return _whole(problem, Status.HARNESS_ERROR, "the problem has no tests")
    if not outcome.build.ok:
        return _whole(problem, Status.COMPILE_ERROR, outcome.build.why)
    if outcome.entry_found is False:
        return _whole(problem, Status.MISSING_ENTRY_POINT, "the program does not define the name")
    if len(outcome.runs) != len(problem.tests):
        return _whole(problem, Status.HARNESS_ERROR, "the sandbox lost the result of a test")
    statuses = [
        _test_status(problem, index, run, None if accepted is None else accepted[index] is True)
        for index, run in enumerate(outcome.runs)
    ]
    tests = tuple(
        _test_outcome(test.visible, status)
        for test, status in zip(problem.tests, statuses, strict=True)
    )
    for index, status in enumerate(statuses):
        if status is not TestStatus.PASSED:
            run = outcome.runs[index]
            failure = _failure(problem, index, run)
            outputs = output_marks(problem, statuses, outcome.runs)
            if status is TestStatus.WRONG_ANSWER and _ignores_input(problem, outcome.runs):
                why = "the program reads nothing of its input"
                return Judgement(Status.IGNORES_INPUT, tests, why, failure, outputs)
            message = f"test {index + 1}: {run.detail or 'wrong answer'}"
            if status is TestStatus.WRONG_ANSWER and _only_form(problem, index, run):
                message += ", though the right numbers stand among other text"
            return Judgement(Status(status.value), tests, message, failure, outputs)
    return Judgement(Status.PASSED, tests, "", None)


@functools.cache
def _test_outcome(visible: bool, status: TestStatus) -> TestOutcome:
    """One object for all tests that ended alike: a large run holds millions of them."""
    return TestOutcome(visible, status)


def _whole(problem: Problem, status: Status, message: str) -> Judgement:
    tests = tuple(_test_outcome(test.visible, TestStatus.NOT_RUN) for test in problem.tests)
    return Judgement(status, tests, message, None)


def _test_status(problem: Problem, index: int, run: Run, accepted: bool | None) -> TestStatus:
    match run.ending:
        case Ending.RETURNED:
            right = _is_right(problem, index, run) if accepted is None else accepted
            return TestStatus.PASSED if right else TestStatus.WRONG_ANSWER
        case Ending.NOT_DATA:
            return TestStatus.WRONG_ANSWER
        case Ending.CRASHED:
            return TestStatus.RUNTIME_ERROR
        case Ending.TIMEOUT:
            return TestStatus.TIMEOUT
        case Ending.MEMORY_LIMIT:
            return TestStatus.MEMORY_LIMIT
        case Ending.OUTPUT_LIMIT:
            return TestStatus.OUTPUT_LIMIT
        case Ending.NOT_RUN:
            return TestStatus.NOT_RUN


def _is_right(problem: Problem, index: int, run: Run) -> bool:
    if problem.assertions is not None:
        return run.output == "true"
    expected = problem.tests[index].expected
    if run.output == expected:
        return True  # equal texts are equal values
    got = JsonText(run.output or "")
    return outputs_agree(expected, got, problem.comparison, problem.interface)


def _failure(problem: Problem, index: int, run: Run) -> Failure:
    test = problem.tests[index]
    return Failure(index, test.input, test.expected, _shown(run.output))


def _shown(output: str | None) -> JsonText | None:
    """The output as canonical JSON; a long or odd one as a string that shows its beginning."""
    if output is None:
        return None
    if len(output) <= _SHOWN:
        try:
            return JsonText(canonical_json(parse_output(output)))
        except DataError:
            pass
    text = output.encode("utf-8", "replace").decode("utf-8")
    cut = text[:_SHOWN] + (f"... ({len(text)} characters)" if len(text) > _SHOWN else "")
    return JsonText(canonical_json(cut))


def _only_form(problem: Problem, index: int, run: Run) -> bool:
    if problem.interface is not Interface.STDIN or run.output is None:
        return False
    try:
        got = JsonText(run.output)
        return numbers_agree_in_text(problem.tests[index].expected, got, problem.comparison)
    except DataError:
        return False


def _ignores_input(problem: Problem, runs: Sequence[Run]) -> bool:
    """Whether no byte of any input was read, though there was something to read."""
    if problem.interface is Interface.FUNCTION:
        return False
    asked = [
        run.read_input
        for test, run in zip(problem.tests, runs, strict=True)
        if run.ending is not Ending.NOT_RUN and test.input.strip('"').strip()
    ]
    return bool(asked) and all(read is False for read in asked)


def verdict_key(
    problem: Problem, program: str, entry_point: str | None, grader_version: str
) -> str:
    """Return the content key of a verdict: program, tests, comparison or checker, and the grader.

    Equal keys mean equal verdicts, so a program is run once for each.
    """
    tests = [[test.input, test.expected, test.visible] for test in problem.tests]
    return content_key(
        [
            program.encode("utf-8", "backslashreplace").decode("utf-8"),
            problem.language.value,
            problem.interface.value,
            _entry_point(problem, entry_point),
            tests,
            to_plain(problem.comparison),
            problem.assertions,
            problem.checker,
            grader_version,
        ]
    )
