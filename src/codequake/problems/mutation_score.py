"""How many mechanical mutants of a reference the hidden tests reject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codequake.errors import DataError
from codequake.ports import Oracle
from codequake.problems.drawing import fresh_inputs
from codequake.problems.judging import Agree, Judge
from codequake.problems.mutation import Mutant, mutants_of
from codequake.records import JsonText, Problem, Reference, Test
from codequake.seeding import generator_for, seed_for

__all__ = ["MutationScore", "Survivor", "mutation_score"]

FRESH = 300
"""Inputs that a mutant which no hidden test rejects is put to."""
_CHUNK = 100
_FIRST = (1, 6)
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no hidden test rejects.

    ``witness`` is an input on which it differs from the reference; ``None`` when it agrees on all
    that were drawn, so that it may be the same program in other words.
    """

    what: str
    witness: JsonText | None


@dataclass(frozen=True, slots=True)
class MutationScore:
    """Of one reference: how many mutants there are, and those that survive."""

    problem_id: str
    reference: str
    mutants: int
    survivors: tuple[Survivor, ...]

    @property
    def missed(self) -> int:
        """Mutants that a drawn input tells from the reference, and no hidden test does."""
        return sum(item.witness is not None for item in self.survivors)


def mutation_score(
    problem: Problem, oracle: Oracle, *, agree: Agree, seed: int, count: int
) -> tuple[MutationScore, ...]:
    """Return the score of each reference but the slow ones, over at most ``count`` mutants.

    A mutant is rejected by a hidden test that it answers wrongly or not at all.  Tests of more than
    4,000 characters are left out, since being slow there is no wrong answer.  ``oracle`` should
    allow little time: mutants loop for ever.  Empty for a problem without hidden tests, or one
    that statements test.  Raises ``DataError`` that names reference and mutant where the checker of
    the problem fails, and ``MachineError`` when the oracle cannot run.
    """
    tests = [test for test in problem.tests if not test.visible and len(test.input) <= _LONGEST]
    if not tests or problem.assertions is not None:
        return ()
    judge = Judge(problem, oracle, agree)
    found = []
    for reference in problem.references:
        if reference.slow:
            continue
        rng = generator_for(seed, problem.problem_id, "mutants", reference.name)
        mutants = mutants_of(reference, rng, count)
        alive = [item for item in mutants if _survives(judge, item, tests)]
        fresh = _fresh(judge, reference, seed) if alive else []
        survivors = tuple(Survivor(item.what, _witness(judge, item, fresh)) for item in alive)
        found.append(MutationScore(problem.problem_id, reference.name, len(mutants), survivors))
    return tuple(found)


def _survives(judge: Judge, mutant: Mutant, tests: Sequence[Test]) -> bool:
    """Ask a few tests first: they reject most mutants, and each costs time when it hangs."""
    start = 0
    for size in (*_FIRST, len(tests)):
        piece = tests[start : start + size]
        if not all(_right(judge, mutant, piece)):
            return False
        start += size
    return True


def _right(judge: Judge, mutant: Mutant, tests: Sequence[Test]) -> tuple[bool, ...]:
    program = Reference("mutant", judge.problem.language, mutant.code)
    answers = judge.answers(program, [test.input for test in tests])
    try:
        return judge.right(tests, answers)
    except DataError as error:
        raise DataError(f"judging the mutant {mutant.what}: {error}") from error


def _fresh(judge: Judge, reference: Reference, seed: int) -> list[Test]:
    own = seed_for(seed, "mutants", judge.problem.problem_id)
    inputs = tuple(dict.fromkeys(fresh_inputs(judge.problem, judge.oracle, own, FRESH)))
    answers = judge.answers(reference, inputs)
    return [
        Test(item, answer.output, visible=False)
        for item, answer in zip(inputs, answers, strict=True)
        if answer.output is not None
    ]


def _witness(judge: Judge, mutant: Mutant, fresh: Sequence[Test]) -> JsonText | None:
    """Return the first input on which a mutant is wrong; a few are tried at a time."""
    for start in range(0, len(fresh), _CHUNK):
        piece = fresh[start : start + _CHUNK]
        for test, right in zip(piece, _right(judge, mutant, piece), strict=True):
            if not right:
                return test.input
    return None
