"""A budget ends a run cleanly, and a larger one goes on where it ended."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from tests.study.small_study import SMALL, journal_keys, results, run_small, small_study

from codequake.errors import DataError, UsageError
from codequake.journal import Entry, Journal
from codequake.keys import new_request
from codequake.records import JsonText, Measurement, Message, Reply, Request, StopReason
from codequake.study.budget import Meter, Spent, check_prices, spent_in
from codequake.study.config import Budget, Price, parse_study

PRICES = (Price("some/model", 2.0, 8.0),)


def request(number: int, decoding: str = '{"max_tokens":100}') -> Request:
    """A prompt of 30 characters, which are 10 tokens."""
    messages = [Message("user", f"{number:030}")]
    return new_request("some/model", "", messages, JsonText(decoding), 0)


def reply(to: Request, read: int | None = 12, written: int | None = 40) -> Reply:
    return Reply(to.key, "x" * 31, None, "some/model", StopReason.STOP, read, written, None)


NOTHING = Spent()


def meter(spent: Spent = NOTHING, **limits: float) -> Meter:
    return Meter(Budget(**limits), PRICES, spent)  # type: ignore[arg-type]


def test_requests_are_counted_with_those_that_are_open() -> None:
    counted = meter(Spent(requests=1), requests=3)
    assert [counted.start(request(n)) for n in range(3)] == [True, True, False]
    counted.end(request(0), reply(request(0)))
    assert not counted.start(request(2))
    assert counted.stopped.startswith(" (budget.requests is 3, 2 are spent")


def test_tokens_are_set_aside_and_given_back() -> None:
    counted = meter(tokens=220)
    assert counted.start(request(0)), "10 read and at most 100 written"
    assert counted.start(request(1)), "220 in all"
    assert not counted.start(request(2, '{"max_tokens":1}'))
    counted.end(request(0), reply(request(0)))  # 52 instead of 110
    assert counted.start(request(2, '{"max_tokens":48}'))
    assert counted.stopped == ""


def test_money_is_tokens_times_their_price() -> None:
    # 10 tokens at 2 and 100 at 8 for a million: 820 millionths.
    counted = meter(cost=820e-6)
    assert counted.start(request(0))
    assert not counted.start(request(1))
    counted.end(request(0), reply(request(0)))  # 12 x 2 + 40 x 8 = 344
    assert not counted.start(request(1, '{"max_tokens":58}')), "344 + 20 + 464 = 828"
    assert counted.start(request(1, '{"max_tokens":57}')), "344 + 20 + 456 = 820"


def test_seconds_go_on_from_earlier_runs() -> None:
    now = [100.0]
    counted = Meter(Budget(seconds=10.0), (), Spent(seconds=7.5), lambda: now[0])
    assert counted.start(request(0))
    now[0] = 102.4
    assert counted.start(request(1))
    now[0] = 102.5
    assert not counted.start(request(2))
    assert "budget.seconds is 10, 10 are spent" in counted.stopped


def test_what_was_spent_stands_in_the_journal(tmp_path: Path) -> None:
    assert spent_in(tmp_path / "nothing", PRICES) == Spent()
    failed = dataclasses.replace(
        reply(request(2)), stop_reason=StopReason.ERROR, error="busy", text=""
    )
    rows = [
        (reply(request(0)), 4.0, "2026-01-01T00:00:10+00:00"),
        (reply(request(1), None, None), 1.0, "2026-01-01T00:00:12+00:00"),
        (failed, 1.0, "2026-01-01T00:00:11+00:00"),
    ]
    for _ in range(2):  # two processes, one segment each
        with Journal(tmp_path) as journal:
            for number, (answer, seconds, at) in enumerate(rows):
                measured = Measurement("completion", answer.key, seconds, None, None, "host", at)
                journal.append(Entry(request(number), answer, measured))
    spent = spent_in(tmp_path, PRICES)
    # The second reply says no tokens: 30 characters are 10, 31 are 11.
    assert (spent.requests, spent.tokens) == (6, 2 * (52 + 21))
    assert spent.cost == pytest.approx(2 * ((22 * 2 + 51 * 8) / 1e6))
    assert spent.seconds == 2 * 6.0


def test_money_needs_a_price_for_each_model_that_costs() -> None:
    config = dataclasses.replace(
        small_study().config, models=("codequake/sim", "x/y"), budget=Budget(cost=1.0)
    )
    with pytest.raises(UsageError, match=r'x/y has no price; add .* model = "x/y"'):
        check_prices(config)
    check_prices(dataclasses.replace(config, prices=(Price("x/y", 0.0, 0.0),)))
    check_prices(dataclasses.replace(config, models=("codequake/sim",)))
    check_prices(dataclasses.replace(config, budget=Budget(tokens=1)))


@pytest.mark.parametrize(
    ("tail", "line", "part"),
    [
        ("[budget]\ntokens = 0\n", 13, "budget.tokens is 0; allowed: a number above 0"),
        ("[budget]\ncost = -1.5\n", 13, "budget.cost is -1.5"),
        ("[budget]\nmoney = 1\n", 13, "unknown field 'money'; allowed: requests, tokens"),
        ("[budget]\nrequests = 1.5\n", 13, "budget.requests is 1.5; allowed: an integer"),
        ('[[prices]]\nmodel = "m"\ninput = -1\noutput = 1\n', 14, "price input of m is -1.0"),
        ('[[prices]]\nmodel = "m"\ninput = 1\n', 12, "lacks the field 'output'"),
    ],
)
def test_wrong_budgets_are_refused_with_their_line(tail: str, line: int, part: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_study(SMALL + "\n" + tail, place="s.toml")
    assert part in str(caught.value)
    assert str(caught.value).startswith(f"s.toml:{line}:")


@pytest.mark.xdist_group("pipeline")
def test_a_run_stops_at_its_budget_and_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    out = tmp_path / "out"
    first = run_small(out, budget=Budget(requests=4))
    assert (first.planned, first.asked, first.pending) == (6, 4, 2)
    assert "budget.requests is 4, 4 are spent" in first.waits_for
    assert first.report.exists(), "what was done is graded and reported"
    again = run_small(out, budget=Budget(requests=4))
    assert (again.asked, again.reused, again.pending) == (0, 4, 2)
    last = run_small(out, budget=Budget(requests=6))
    assert (last.asked, last.reused, last.pending, last.waits_for) == (2, 4, 0, "")
    assert len(set(journal_keys(out))) == len(journal_keys(out)) == 6
    run_small(tmp_path / "whole")
    assert results(out) == results(tmp_path / "whole")


@pytest.mark.xdist_group("pipeline")
def test_tokens_of_a_study_never_go_beyond_its_budget(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    # A simulated coder reports no tokens, so characters are counted; each of its requests sets
    # 1024 tokens aside for what may be written.
    stopped = run_small(tmp_path / "out", budget=Budget(tokens=2000))
    assert 0 < stopped.asked < stopped.planned
    assert spent_in(tmp_path / "out" / "completions", ()).tokens <= 2000
