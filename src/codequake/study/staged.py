"""Completions that take several calls: followed through the journal, call by call.

Each call is a request like any other, journaled under the key of the messages that really were
sent; those of a later call hold the replies to the earlier ones, so its key is not known before.
The plan names such a completion by its *chain*: the messages of all its calls with places for the
replies.  ``chains.parquet`` keeps the chains, so that a study can be graded again without the code
that made its prompts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from codequake.canonical import content_key, list_key
from codequake.codec import to_plain
from codequake.journal import Replies, read_journal
from codequake.keys import new_request
from codequake.models import Stage, fill_stage
from codequake.records import JsonText, Request
from codequake.store import read_parquet, write_parquet
from codequake.study.folder import StudyFolder

__all__ = [
    "Chain",
    "call_key",
    "calls_of",
    "new_chain",
    "next_call",
    "read_chains",
    "read_replies",
    "with_chains",
    "write_chains",
]

_STAGE = "chains"


@dataclass(frozen=True, slots=True)
class Chain:
    """The calls of one planned completion that takes several; other fields as in ``Request``.

    ``key`` is the content key of all other fields, and ``Planned.key`` of the completion.
    """

    key: str
    model: str
    engine: str
    stages: tuple[Stage, ...]
    decoding: JsonText
    sample: int


def new_chain(
    model: str, engine: str, stages: Sequence[Stage], decoding: JsonText, sample: int
) -> Chain:
    """Return a chain with its key."""
    chain = Chain("", model, engine, tuple(stages), decoding, sample)
    fields = {name: value for name, value in to_plain(chain).items() if name != "key"}
    return dataclasses.replace(chain, key=content_key(fields))


def call_key(chain: Chain, number: int) -> str:
    """Return a key of call ``number`` (from 1) that is known before anything is asked.

    The first call has the key of its request; of later ones only what leads up to them is known.
    Equal keys mean that one request serves both.
    """
    if number == 1:
        return _first_call(chain).key
    begun = chain.stages[:number]
    return new_chain(chain.model, chain.engine, begun, chain.decoding, chain.sample).key


def _first_call(chain: Chain) -> Request:
    messages = fill_stage(chain.stages[0], ())
    return new_request(chain.model, chain.engine, messages, chain.decoding, chain.sample)


def calls_of(chain: Chain, known: Replies) -> tuple[Request, ...]:
    """Return the calls whose messages are known, in order: answered ones, then at most one more.

    A call whose reply is an error is not answered.  One that was cut off or refused is: what came
    back is put into the next call, as it would be without us.
    """
    calls: list[Request] = []
    replies: list[str] = []
    for stage in chain.stages:
        messages = fill_stage(stage, replies)
        call = new_request(chain.model, chain.engine, messages, chain.decoding, chain.sample)
        calls.append(call)
        if not _answered(call, known):
            break
        if len(calls) < len(chain.stages):
            replies.append(known[call.key].reply.text)
    return tuple(calls)


def next_call(chain: Chain, known: Replies) -> Request | None:
    """Return the call that is to be asked next; ``None`` when all of them are answered."""
    last = calls_of(chain, known)[-1]
    return None if _answered(last, known) else last


def _answered(call: Request, known: Replies) -> bool:
    return call.key in known and not known.failed(call.key)


def with_chains(known: Replies, chains: Iterable[Chain]) -> Replies:
    """Return replies in which a chain has the reply to its last call under its own key.

    A chain that stopped at a call whose reply is an error has that reply, so that the reason is
    seen; one that waits for a call has none.
    """
    also: dict[str, str] = {}
    for chain in chains:
        calls = calls_of(chain, known)
        if calls[-1].key in known:
            also[chain.key] = calls[-1].key
    return known.named(also)


def write_chains(folder: StudyFolder, chains: Mapping[str, Chain]) -> None:
    """Write ``chains.parquet`` unless it holds exactly these; a study without any has no file."""
    if not chains and not folder.chains.exists():
        return
    rows = [chains[key] for key in sorted(chains)]
    key = list_key(to_plain(row) for row in rows)
    if folder.stage_key(_STAGE) != key:
        write_parquet(folder.chains, Chain, rows)
        folder.set_stage_key(_STAGE, key)


def read_chains(folder: StudyFolder) -> dict[str, Chain]:
    """Return the chains of a study by key.  Raises ``DataError`` for a damaged file."""
    if not folder.chains.exists():
        return {}
    return {chain.key: chain for chain in read_parquet(folder.chains, Chain)}


def read_replies(folder: StudyFolder) -> Replies:
    """Return the replies of a study by the keys of its plan, and by those of all its requests."""
    known = read_journal(folder.completions)
    chains = read_chains(folder)
    return with_chains(known, chains.values()) if chains else known
