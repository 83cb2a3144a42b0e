"""What a study may spend, what it has spent, and whether the next request still fits.

What was spent is read from the journal, row by row, so that it is right after a kill, in a later
run and in a merged folder.  Requests that were open when a process was killed left no row and are
not counted; nor are the retries of a request, which end in one row.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from codequake.errors import UsageError
from codequake.journal import read_segment
from codequake.records import Measurement, Reply, Request, StopReason
from codequake.study.config import Budget, Price, StudyConfig
from codequake.study.prices import is_free, named_prices

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "Meter",
    "Spent",
    "check_prices",
    "open_meter",
    "spent_in",
]

CHARACTERS_PER_TOKEN = 3.0
"""Tokenizers of the models that write code give 3 to 4.5 characters a token on English and code;
the low end keeps an estimate on the safe side."""

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used so far: rows of the journal, tokens read and written, money, seconds.

    Money is in the unit of the price table.  Seconds are those in which a process asked, to about
    one second a process.
    """

    requests: int = 0
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0


def check_prices(config: StudyConfig) -> None:
    """Raise ``UsageError`` when money is limited and a model has no price.

    Models of codequake itself run in this process and cost nothing.
    """
    if config.budget.cost is None:
        return
    priced = {price.model for price in named_prices(config)}
    for name in config.models:
        if name not in priced and not is_free(config, name):
            raise UsageError(
                f"budget.cost is {config.budget.cost:g} and {name} has no price; add [[prices]] "
                f"with model = {json.dumps(name)}, input and output (for a million tokens)"
            )


def spent_in(folder: Path, prices: Iterable[Price]) -> Spent:
    """Return what the journal in a folder tells; each row counts, also one that failed.

    Raises what ``read_segment`` raises.
    """
    table = {price.model: price for price in prices}
    requests = tokens = 0
    cost = seconds = 0.0
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        measured: list[Measurement] = []
        for entry in read_segment(path):
            read, written = _tokens(entry.request, entry.reply)
            tokens += read + written
            cost += _cost(table, entry.request.model, read, written)
            measured.append(entry.measurement)
        requests += len(measured)
        seconds += _seconds(measured)
    return Spent(requests, tokens, cost, seconds)


def _seconds(measured: list[Measurement]) -> float:
    """Return the time from the first question of a segment to its last answer."""
    ends = [datetime.fromisoformat(item.at) for item in measured]
    if not ends:
        return 0.0
    starts = [
        end - timedelta(seconds=item.seconds) for end, item in zip(ends, measured, strict=True)
    ]
    return max((max(ends) - min(starts)).total_seconds(), 0.0)


class Meter:
    """Admits requests as long as the budget covers them; an ``Allowance`` for the generator.

    While a request is open, the most that it may cost is set aside: its estimated input, and
    ``max_tokens`` of output.  Where no ``max_tokens`` is set nothing is known of the output, and
    the requests that are open at the end may go beyond the budget.  A reply that reports no tokens
    is counted by its characters; a failed request counts as a request and costs nothing.
    """

    def __init__(
        self,
        budget: Budget,
        prices: Iterable[Price],
        spent: Spent,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget = budget
        self._prices = {price.model: price for price in prices}
        self._before = spent.seconds
        self._clock = clock
        self._began: float | None = None
        self._requests, self._tokens, self._cost = spent.requests, spent.tokens, spent.cost
        self._open: dict[str, tuple[int, float]] = {}
        self._stopped = ""

    @property
    def stopped(self) -> str:
        """Which limit refused the last request, in brackets; empty when it was admitted."""
        return self._stopped

    def start(self, request: Request) -> bool:
        """Whether the request may be asked now; what it may cost is then set aside."""
        if self._began is None:
            self._began = self._clock()
        most = _most(request, self._prices)
        budget = self._budget
        seconds = self._before + self._clock() - self._began
        set_aside = [sum(part) for part in zip((0, 0.0), *self._open.values(), strict=True)]
        for name, limit, spent, wanted in (
            ("requests", budget.requests, self._requests, len(self._open) + 1),
            ("tokens", budget.tokens, self._tokens, set_aside[0] + most[0]),
            ("cost", budget.cost, self._cost, set_aside[1] + most[1]),
        ):
            if limit is not None and spent + wanted > limit:
                self._refuse(name, limit, spent)
                return False
        if budget.seconds is not None and seconds >= budget.seconds:
            self._refuse("seconds", budget.seconds, seconds)
            return False
        self._open[request.key] = most
        self._stopped = ""
        return True

    def end(self, request: Request, reply: Reply) -> None:
        """Put what the reply really cost in place of what was set aside."""
        del self._open[request.key]
        read, written = _tokens(request, reply)
        self._requests += 1
        self._tokens += read + written
        self._cost += _cost(self._prices, request.model, read, written)

    def _refuse(self, name: str, limit: float, spent: float) -> None:
        self._stopped = (
            f" (budget.{name} is {limit:,.10g}, {spent:,.6g} are spent, and another request may "
            "need more than what is left; give the study a larger budget)"
        )


def open_meter(config: StudyConfig, folder: Path) -> Meter | None:
    """Return a meter that knows what was spent before; ``None`` for a study without a budget."""
    if config.budget == Budget():
        return None
    prices = named_prices(config)
    return Meter(config.budget, prices, spent_in(folder, prices))


def _estimate(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)


def _most(request: Request, prices: Mapping[str, Price]) -> tuple[int, float]:
    read = _estimate(sum(len(part.content) for part in request.messages))
    limit = json.loads(request.decoding).get("max_tokens")
    written = limit if isinstance(limit, int) else 0
    return read + written, _cost(prices, request.model, read, written)


def _tokens(request: Request, reply: Reply) -> tuple[int, int]:
    """Return tokens read and written, estimated where the provider did not say them."""
    if reply.stop_reason is StopReason.ERROR:
        return 0, 0
    read, written = reply.input_tokens, reply.output_tokens
    if read is None:
        read = _estimate(sum(len(part.content) for part in request.messages))
    if written is None:
        written = _estimate(len(reply.text) + len(reply.reasoning or ""))
    return read, written


def _cost(prices: Mapping[str, Price], model: str, read: int, written: int) -> float:
    price = prices.get(model)
    if price is None:
        return 0.0
    return (price.input * read + price.output * written) / _MILLION
