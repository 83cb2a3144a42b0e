"""What the stages need from outside, as protocols: models, execution and workers.

``perturb``, ``attack`` and ``problems check`` are given these; ``study`` and ``cli`` wire them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from codequake.records import JsonText, Problem, Reference, Reply, Request

__all__ = ["Allowance", "Answer", "Ask", "Oracle", "Pool", "Progress"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Allowance(Protocol):
    """Decides whether there is enough left for one more request."""

    def start(self, request: Request) -> bool:
        """Whether the request may be asked now; it then counts as open."""
        ...

    def end(self, request: Request, reply: Reply) -> None:
        """Told of the reply to a request that was open."""
        ...


class Ask(Protocol):
    """Requests to replies: each request is answered exactly once, in any order."""

    def __call__(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """Yield one reply a request, as they come."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reference gives for one input; exactly one of the two is given.

    ``output`` is JSON (for programs on standard input: a JSON string of what they printed).  For
    a problem that is tested by statements it is ``true``: the statements of the input ended.
    ``problem`` says in one sentence why there is no output, or which statement raised;
    ``exhausted`` that this is time or memory, which this input or an earlier one used up.
    """

    output: JsonText | None
    problem: str | None
    exhausted: bool = False


class Oracle(Protocol):
    """Runs a trusted-but-verified program on inputs, in the sandbox like any other program."""

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        """Return one answer an input, in order.  Raises ``MachineError`` when it cannot run."""
        ...

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        """Return ``count`` inputs of the problem's own generator, the same for the same seed.

        Input number ``i`` (from 0) is ``generate(random.Random(s), i)`` with ``s`` being
        ``seed_for(seed, "generate", i)``, so that every oracle draws the same.  Raises
        ``DataError`` when the generator fails or returns something that is not data.
        """
        ...


class Pool(Protocol):
    """A map over independent items; results come back in the order of the items."""

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Apply ``work`` to every item."""
        ...


class Progress(Protocol):
    """Told how far a long piece of work has come."""

    def __call__(self, done: int, total: int) -> None:
        """``done`` of ``total`` items are finished."""
        ...
