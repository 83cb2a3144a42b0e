"""Which problem judges the replies to a variant, and which of its tests were visible then."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from codequake.records import Problem

__all__ = ["Judges"]


class Judges:
    """Problems as judges of variants.  Each is made once, so that equal programs run once."""

    def __init__(self, problems: Mapping[str, Problem]) -> None:
        self._problems = problems
        self._marked: dict[tuple[str, tuple[int, ...]], Problem] = {}

    def judge(self, oracle_id: str, shown_tests: Sequence[int] | None) -> Problem:
        """Return the oracle, with those tests visible whose input stands in the variant's text.

        ``None`` leaves the marks of the oracle as they are.  Raises ``KeyError`` for an oracle
        that was not given.
        """
        oracle = self._problems[oracle_id]
        shown = None if shown_tests is None else tuple(shown_tests)
        if shown is None or shown == tuple(
            index for index, test in enumerate(oracle.tests) if test.visible
        ):
            return oracle
        key = (oracle_id, shown)
        if key not in self._marked:
            tests = tuple(
                dataclasses.replace(test, visible=index in shown)
                for index, test in enumerate(oracle.tests)
            )
            self._marked[key] = dataclasses.replace(oracle, tests=tests)
        return self._marked[key]
