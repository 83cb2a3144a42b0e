"""How far passes can be trusted: a sample of them is tested again on thousands of fresh inputs.

A pass says that a program was right on the tests of its problem.  Here the programs of a random
sample of the passes run on fresh inputs of the same domain, edge cases mixed in, against the first
reference.  With ``k`` of ``n`` sampled passes wrong somewhere, the false-pass rate is ``k / n``
with its exact (Clopper-Pearson) interval.  The interval speaks of the passes that could be tested
like this; the others are counted with the reason.  ``k = 0`` does not mean none: at 95 % the rate
may still be as high as about ``3.7 / n``.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from codequake.codec import to_plain
from codequake.errors import UserError
from codequake.grading.forgiveness import Forgiveness, ToleranceCounts, count_tolerance
from codequake.grading.grader import Grader, job_for
from codequake.ports import Oracle, Progress
from codequake.problems import fresh_inputs
from codequake.records import JsonText, Problem, Status, Test, Verdict
from codequake.sandbox import Care, Run
from codequake.seeding import generator_for, seed_for
from codequake.stats import Interval, clopper_pearson

__all__ = ["AUDIT_INPUTS", "AuditItem", "AuditReport", "Unaudited", "Witness", "audit_passes"]

AUDIT_INPUTS = 10_000
"""Fresh inputs that each sampled pass is tested on."""

_FIRST = 500
_PIECE = 2500
_GENERATED = 200

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A verdict, the problem whose tests made it, and the name that its program had to define."""

    problem: Problem
    verdict: Verdict
    entry_point: str | None


@dataclass(frozen=True, slots=True)
class Witness:
    """An input on which a program that passed is wrong.

    ``expected`` is the output of the reference, ``got`` that of the program (``None`` when it
    gave none); ``status`` and ``message`` say how the program ended there.
    """

    problem_id: str
    variant_id: str
    model: str
    sample: int
    status: Status
    message: str
    input: JsonText
    expected: JsonText
    got: JsonText | None
    program: str


@dataclass(frozen=True, slots=True)
class Unaudited:
    """Passes of one problem that cannot be tested again, and why."""

    problem_id: str
    reason: str
    passes: int


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What the audit found; see ``as_json`` for the figures derived from it.

    ``passes`` is how many there were, ``sampled`` how many were drawn, ``audited`` how many were
    run; the sandbox failed on the rest.  ``fewest_inputs`` is the least number of fresh inputs of
    a problem; a generator may not give as many different ones as were asked for, and inputs for
    which the reference has no output are left out.
    """

    seed: int
    inputs: int
    fewest_inputs: int
    passes: int
    sampled: int
    audited: int
    witnesses: tuple[Witness, ...]
    unaudited: tuple[Unaudited, ...]
    tolerance: ToleranceCounts

    @property
    def interval(self) -> Interval | None:
        """The exact 95 % interval of the false-pass rate; ``None`` without audited passes."""
        found = clopper_pearson(len(self.witnesses), self.audited)
        return found if isinstance(found, Interval) else None

    def as_json(self) -> dict[str, Any]:
        """Return all of it as a JSON value; the rate is ``null`` where nothing was audited."""
        interval = self.interval
        return {
            "seed": self.seed,
            "inputs": self.inputs,
            "fewest_inputs": self.fewest_inputs,
            "passes": self.passes,
            "sampled": self.sampled,
            "audited": self.audited,
            "false_passes": len(self.witnesses),
            "false_pass_rate": len(self.witnesses) / self.audited if self.audited else None,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "level": 0.95,
            "method": None if interval is None else interval.method,
            "tolerance": to_plain(self.tolerance),
            "unaudited": [to_plain(item) for item in self.unaudited],
            "witnesses": [to_plain(item) for item in self.witnesses],
        }


@dataclass(frozen=True, slots=True)
class _Audited:
    """What the runs of one program said; ``witness`` is ``None`` when it was right everywhere."""

    witness: Witness | None
    forgiveness: Forgiveness


def audit_passes(
    grader: Grader,
    oracle: Oracle,
    items: Sequence[AuditItem],
    *,
    sample: int,
    seed: int,
    workers: int,
    inputs: int = AUDIT_INPUTS,
    progress: Progress | None = None,
) -> AuditReport:
    """Test ``sample`` of the passes among the verdicts again, or all when there are fewer.

    As many wrong answers are run once more on their tests, to see what ten times the tolerance
    would forgive.  Equal items and seeds give equal samples and inputs, in any order of the items.
    Raises ``MachineError`` when a reference cannot be run.
    """
    passes = sorted(_with(items, Status.PASSED), key=_name)
    testable, unaudited = _testable(passes)
    drawn = _drawn(testable, sample, seed, "passes")
    chosen, thin = _with_material(oracle, drawn, seed, inputs)
    wrong = _drawn(sorted(_with(items, Status.WRONG_ANSWER), key=_name), sample, seed, "wrong")
    total = len(chosen) + len(wrong)
    done = 0

    def told(found: Iterable[Result]) -> list[Result]:
        nonlocal done
        kept = []
        for one in found:
            kept.append(one)
            done += 1
            if progress is not None:
                progress(done, total)
        return kept

    try:
        audited = told(_map(grader, functools.partial(_audit, grader), chosen, workers))
        again = told(_map(grader, functools.partial(_rerun, grader), wrong, workers))
    finally:
        grader.backend.kill_all()  # sandboxes that wait for more programs get none
    ran = [item for item in audited if item is not None]
    counts = [sum(len(piece.tests) for piece in pieces) for _, pieces in chosen]
    return AuditReport(
        seed=seed,
        inputs=inputs,
        fewest_inputs=min(counts, default=0),
        passes=len(passes),
        sampled=len(drawn),
        audited=len(ran),
        witnesses=tuple(item.witness for item in ran if item.witness is not None),
        unaudited=(*unaudited, *thin),
        tolerance=count_tolerance(
            [item.forgiveness for item in ran], [item for item in again if item is not None]
        ),
    )


def _with(items: Iterable[AuditItem], status: Status) -> list[AuditItem]:
    return [item for item in items if item.verdict.status is status]


def _name(item: AuditItem) -> tuple[str, str, str, int]:
    verdict = item.verdict
    return verdict.problem_id, verdict.variant_id, verdict.model, verdict.sample


def _drawn(items: list[AuditItem], count: int, seed: int, what: str) -> list[AuditItem]:
    chosen = generator_for(seed, "audit", what).sample(range(len(items)), min(count, len(items)))
    return [items[index] for index in sorted(chosen)]


def _testable(passes: list[AuditItem]) -> tuple[list[AuditItem], list[Unaudited]]:
    refused: Counter[tuple[str, str]] = Counter()
    testable = []
    for item in passes:
        why = _obstacle(item.problem)
        if why is None:
            testable.append(item)
        else:
            refused[item.problem.problem_id, why] += 1
    return testable, [Unaudited(*key, passes) for key, passes in sorted(refused.items())]


def _obstacle(problem: Problem) -> str | None:
    """Why no fresh tests can be made for a problem."""
    if problem.assertions is not None:
        return "it is tested by statements"
    if not problem.references:
        return "it has no reference program"
    if problem.generator is None and problem.formula is None:
        return "it has neither a generator nor a formula to draw inputs from"
    return None


def _with_material(
    oracle: Oracle, drawn: list[AuditItem], seed: int, inputs: int
) -> tuple[list[tuple[AuditItem, tuple[Problem, ...]]], list[Unaudited]]:
    """Give each item its problem with fresh tests; problems that have none are told."""
    known: dict[str, tuple[Problem, ...] | str] = {}
    chosen: list[tuple[AuditItem, tuple[Problem, ...]]] = []
    refused: Counter[tuple[str, str]] = Counter()
    for item in drawn:
        name = item.problem.problem_id
        if name not in known:
            known[name] = _material(oracle, item.problem, seed, inputs)
        found = known[name]
        if isinstance(found, str):
            refused[name, found] += 1
        else:
            chosen.append((item, found))
    return chosen, [Unaudited(*key, passes) for key, passes in sorted(refused.items())]


def _material(
    oracle: Oracle, problem: Problem, seed: int, inputs: int
) -> tuple[Problem, ...] | str:
    """Return a problem with fresh tests that its reference answers, in pieces, or why not.

    The first piece is small, so that a program that is wrong everywhere is found soon.
    """
    own = seed_for(seed, "audit", problem.problem_id)
    try:
        drawn = tuple(dict.fromkeys(_fresh(problem, oracle, own, inputs)))
    except UserError as error:
        return str(error)
    reference = problem.references[0]
    tests = tuple(
        Test(item, answer.output, visible=False)
        for item, answer in zip(drawn, oracle.answers(problem, reference, drawn), strict=True)
        if answer.output is not None
    )
    if not tests:
        return f"reference {reference.name!r} has no output for any fresh input"
    ends = [0, *range(_FIRST, len(tests), _PIECE), len(tests)]
    return tuple(
        dataclasses.replace(problem, tests=tests[start:end])
        for start, end in itertools.pairwise(ends)
    )


def _fresh(problem: Problem, oracle: Oracle, seed: int, count: int) -> Iterator[JsonText]:
    if problem.generator is None:
        yield from fresh_inputs(problem, oracle, seed, count)
        return
    # The number of an input is its size, so that many are drawn as many times the first ones.
    for batch in range(-(-count // _GENERATED)):
        size = min(_GENERATED, count - batch * _GENERATED)
        yield from fresh_inputs(problem, oracle, seed_for(seed, "batch", batch), size)


def _map(
    grader: Grader, work: Callable[[Item], Result], items: Sequence[Item], workers: int
) -> Iterator[Result]:
    """Apply ``work`` in threads, in order; when the consumer stops, what runs is ended."""
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
            # A thread that is between two runs starts the next one; it is ended as well.
            while any(future.running() for future in futures):
                grader.backend.kill_all()
                time.sleep(0.01)


def _audit(grader: Grader, chosen: tuple[AuditItem, tuple[Problem, ...]]) -> _Audited | None:
    """Run a program on its tests and on fresh ones; ``None`` where the sandbox failed."""
    item, pieces = chosen
    forgiveness = Forgiveness(item.problem.problem_id)
    for number, problem in enumerate((item.problem, *pieces)):
        runs, verdict = _run(grader, problem, item)
        if verdict.status is Status.HARNESS_ERROR:
            return None
        if number == 0:
            forgiveness = Forgiveness.of_runs(problem, runs)
        if verdict.status is not Status.PASSED:
            return _Audited(_witness(problem, verdict), forgiveness)
        forgiveness = forgiveness.with_runs(problem, runs)
    return _Audited(None, forgiveness)


def _rerun(grader: Grader, item: AuditItem) -> Forgiveness | None:
    runs, verdict = _run(grader, item.problem, item)
    if verdict.status is Status.HARNESS_ERROR:
        return None
    return Forgiveness.of_runs(item.problem, runs)


def _run(grader: Grader, problem: Problem, item: AuditItem) -> tuple[Sequence[Run], Verdict]:
    """Run a program on the tests of a problem: fast where that proves it right, else with care."""
    job = job_for(problem, item.verdict.program, item.entry_point, grader.limits)
    (outcome,) = grader.backend.run_all([job], Care.TOGETHER)
    judged = grader.judged(problem, outcome)
    if judged.status is not Status.PASSED and not outcome.settled:
        outcome = grader.backend.run(job)
        judged = grader.judged(problem, outcome)
    verdict = dataclasses.replace(
        item.verdict, status=judged.status, message=judged.message, failure=judged.failure
    )
    return outcome.runs, verdict


def _witness(problem: Problem, verdict: Verdict) -> Witness:
    failure = verdict.failure
    # Without a first failing test (it did not even compile) the first input shows the ending.
    test = problem.tests[0 if failure is None else failure.test]
    return Witness(
        problem_id=verdict.problem_id,
        variant_id=verdict.variant_id,
        model=verdict.model,
        sample=verdict.sample,
        status=verdict.status,
        message=verdict.message,
        input=test.input,
        expected=test.expected,
        got=None if failure is None else failure.got,
        program=verdict.program,
    )
