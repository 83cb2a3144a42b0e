"""One grader in several hands at once: none ends what another one runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from tests.grading.grading_samples import ADD, LIMITS, completion

from codequake.grading import GradeItem, Grader, grade_items
from codequake.records import Measurement, Status, Verdict
from codequake.sandbox import BubblewrapBackend

SLOW = "import time\ndef add(a, b):\n    time.sleep(0.2)\n    return a + b\nN = {number}\n"
QUICK = "def add(a, b):\n    return a + b\nN = {number}\n"


def graded(grader: Grader, text: str, count: int) -> Iterator[tuple[Verdict, Measurement]]:
    items = [
        GradeItem(ADD, completion(text.format(number=n), sample=n), None) for n in range(count)
    ]
    return grade_items(grader, items, workers=2)


def statuses(found: Iterator[tuple[Verdict, Measurement]]) -> list[Status]:
    return [verdict.status for verdict, _ in found]


def test_one_that_ends_leaves_the_programs_of_the_other(
    backend: BubblewrapBackend, survivors: Callable[..., list[str]]
) -> None:
    grader = Grader(backend, LIMITS)
    first = graded(grader, SLOW, 8)
    assert next(first)[0].status is Status.PASSED
    for number in range(2):
        second = graded(grader, QUICK, 4)
        assert next(second)[0].status is Status.PASSED
        if number:
            assert statuses(second) == 3 * [Status.PASSED]
        else:
            second.close()  # as a consumer does that was interrupted
    assert statuses(first) == 7 * [Status.PASSED]
    assert survivors() == []


def test_threads_share_a_grader(
    backend: BubblewrapBackend, survivors: Callable[..., list[str]]
) -> None:
    grader = Grader(backend, LIMITS)
    found: dict[int, list[Status]] = {}

    def work(number: int) -> None:
        for _ in range(3):
            text = SLOW if number == 0 else QUICK
            found.setdefault(number, []).extend(statuses(graded(grader, text, 3 + number)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: 3 * (3 + number) * [Status.PASSED] for number in range(3)}
    assert survivors() == []


def test_the_last_one_that_stops_early_ends_what_runs(
    backend: BubblewrapBackend, survivors: Callable[..., list[str]]
) -> None:
    grader = Grader(backend, LIMITS)
    first, second = graded(grader, SLOW, 8), graded(grader, SLOW, 8)
    assert next(first)[0].status is next(second)[0].status is Status.PASSED
    first.close()
    second.close()
    assert survivors() == []
