"""The flattened early-stop mean: all recorded test results in one list, whatever their problem.

A problem's list ends at its first test that is not passed.  So a problem that passes gives as many
true results as it has tests; one that fails gives exactly one that is not true, with 0 to (its
tests - 1) true ones before it.  With ``P`` of ``n`` problems passed and ``F = n - P`` failed, the
mean over the list is ``T / (T + F)``, where ``T`` is any whole number from the tests of the ``P``
problems with the fewest (all others fail at once) to all tests less ``F`` (each fails at its last).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from codequake.audit.cells import Printed, ProblemGroup

__all__ = [
    "Flattened",
    "Possible",
    "possible_with",
    "read_flattened",
    "true_counts_that_fit",
]


@dataclass(frozen=True, slots=True)
class Possible:
    """What a list can hold: ``failures`` entries that are not true, ``low`` to ``high`` true ones.

    ``low_mean`` and ``high_mean`` are the means at the two ends, 0 to 1.
    """

    failures: int
    low: int
    high: int

    @property
    def low_mean(self) -> Fraction:
        """The smallest mean."""
        return Fraction(self.low, self.low + self.failures)

    @property
    def high_mean(self) -> Fraction:
        """The largest mean."""
        return Fraction(self.high, self.high + self.failures)


@dataclass(frozen=True, slots=True)
class Flattened:
    """A printed value read as a flattened early-stop mean.

    ``low`` and ``high``: the smallest and largest such mean, 0 to 1, given the passes.
    ``inside``: whether the printed value reaches into that range.  ``fits``: the pairs (true
    results, failures) whose mean is printed so.  ``chance``: a bound on the share of printed
    values inside the range that have a fit, 0 to 1, so that a fit can be told from a coincidence.
    ``fewer_failures``: where nothing fits, the numbers of recorded failures below ``n - P`` with
    which something would (problems that failed and were left out).  ``passes``: every number of
    passes that has a fit, whatever the parts say.
    """

    low: Fraction
    high: Fraction
    inside: bool
    fits: tuple[tuple[int, int], ...]
    chance: Fraction
    fewer_failures: tuple[int, ...]
    passes: tuple[int, ...]


def _sum_of_fewest(groups: Sequence[ProblemGroup], problems: int) -> int:
    """The tests of the ``problems`` with the fewest tests."""
    total = 0
    for group in sorted(groups, key=lambda item: item.tests):
        taken = min(problems, group.problems)
        total += taken * group.tests
        problems -= taken
    return total


def possible_with(
    groups: Sequence[ProblemGroup], passes: int, failures: int | None = None
) -> Possible:
    """Return what the list can hold when ``passes`` problems pass.

    ``failures`` recorded failures, all other problems by default; fewer means that some problems
    left no result at all.  ``0 <= passes``, ``passes + failures <= n``, and not both 0.
    """
    problems = sum(group.problems for group in groups)
    failures = problems - passes if failures is None else failures
    tests = sum(group.problems * group.tests for group in groups)
    absent = problems - passes - failures
    most = tests - _sum_of_fewest(groups, absent) - failures
    return Possible(failures, _sum_of_fewest(groups, passes), most)


def true_counts_that_fit(printed: Printed, possible: Possible, scale: int) -> range:
    """Return the numbers ``T`` of true results with ``scale * T / (T + F)`` printed so."""
    low, high = max(Fraction(0), printed.low / scale), printed.high / scale
    failures = possible.failures
    if failures == 0:
        # Every entry is true, so the mean is 1 however many there are.
        return range(possible.low, possible.high + 1) if low <= 1 <= high else range(0)
    if low >= 1 or high < 0:
        return range(0)
    first = max(possible.low, math.ceil(low * failures / (1 - low)))
    last = possible.high
    if high < 1:
        last = min(last, math.floor(high * failures / (1 - high)))
    return range(first, max(first, last + 1))


def _chance(printed: Printed, possible: Possible, scale: int) -> Fraction:
    """A bound on the share of the printable values in the range that have a fit."""
    if printed.half == 0:
        return Fraction(1)
    width = (possible.high_mean - possible.low_mean) * scale
    values = max(1, math.floor(width / (2 * printed.half)) + 1)
    return min(Fraction(1), Fraction(possible.high - possible.low + 1, values))


def read_flattened(
    printed: Printed, scale: int, passes: range, groups: Sequence[ProblemGroup]
) -> Flattened:
    """Read a printed value as a flattened early-stop mean.

    ``passes`` are the numbers of problems that may have passed (several when the parts leave it
    open); ``groups`` says how many tests the problems have and may not be empty.
    """
    problems = sum(group.problems for group in groups)
    given = [possible_with(groups, count) for count in passes]
    low = min(item.low_mean for item in given)
    high = max(item.high_mean for item in given)
    fits = tuple(
        (true, item.failures)
        for item in given
        for true in true_counts_that_fit(printed, item, scale)
    )
    fewer: set[int] = set()
    if not fits:
        for count in passes:
            for failures in range(0 if count else 1, problems - count):
                possible = possible_with(groups, count, failures)
                if true_counts_that_fit(printed, possible, scale):
                    fewer.add(failures)
    return Flattened(
        low,
        high,
        printed.low <= high * scale and printed.high >= low * scale,
        fits,
        max(_chance(printed, item, scale) for item in given),
        tuple(sorted(fewer)),
        tuple(
            count
            for count in range(problems + 1)
            if true_counts_that_fit(printed, possible_with(groups, count), scale)
        ),
    )
