"""What a program did instead of the task: labels by rule, for a clean and a changed program.

The rules are asked in the order of ``Behaviour``.  The first that holds names the pair, and all
that hold are kept.  A rule that cannot be asked says why, which is not the same as "does not hold".
``docs/behaviour.md`` has each with its precision and recall on a labelled sample.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from codequake.errors import UsageError
from codequake.grading.counts import Unmeasured
from codequake.grading.digests import RIGHT
from codequake.grading.measures import measure_program
from codequake.grading.signatures import Signature, SignatureKind
from codequake.metrics.program_pairs import ProgramPair
from codequake.records import TaskKind

__all__ = ["Behaviour", "Finding", "Labelled", "label_pair"]


class Behaviour(StrEnum):
    """What a failing program of a changed prompt did; a closed set, in the order of the rules.

    - ``restated_right_coded_wrong``: it is an archetype override, and the prose of the reply has
      three words in a row that only the changed prompt has, and none that only the clean one has.
    - ``archetype_override``: the task was changed, and on every test the program gives what the
      reference of the original task gives.
    - ``oversimplified``: on every test it gives what a program of a simpler task gives.
    - ``known_mistake``: on every test it gives what a program with a foreseen mistake gives.
    - ``partial_adaptation``: the task was changed, and it passes some but not all of the tests on
      which the two tasks differ.
    - ``instability``: the replies to the changed prompt pass and fail, those to the clean one all
      end alike.
    - ``original_names``: it uses a name that only the clean prompt has.
    - ``new_names``: it uses a name that only the changed prompt has.
    - ``other``: none of these holds.
    """

    RESTATED_RIGHT_CODED_WRONG = "restated_right_coded_wrong"
    ARCHETYPE_OVERRIDE = "archetype_override"
    OVERSIMPLIFIED = "oversimplified"
    KNOWN_MISTAKE = "known_mistake"
    PARTIAL_ADAPTATION = "partial_adaptation"
    INSTABILITY = "instability"
    ORIGINAL_NAMES = "original_names"
    NEW_NAMES = "new_names"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of a pair: ``holds`` is ``None`` where it cannot be asked.

    ``why`` is the evidence where it holds, and the reason where it cannot be asked.
    """

    behaviour: Behaviour
    holds: bool | None
    why: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A pair with what each rule says of it, in their order, and the first that holds."""

    pair: ProgramPair
    first: Behaviour
    findings: tuple[Finding, ...]

    @property
    def holding(self) -> tuple[Behaviour, ...]:
        """All labels that hold, in the order of the rules."""
        return tuple(item.behaviour for item in self.findings if item.holds)


def label_pair(pair: ProgramPair, signatures: Sequence[Signature]) -> Labelled:
    """Ask every rule about a pair whose changed program fails.

    ``signatures`` are those of the problem that judges the changed program, see
    ``codequake.grading.signatures``; others are passed over.  Raises ``UsageError`` for a changed
    program that passes or is pending: there is nothing to explain.
    """
    if pair.changed.passed is not False:
        raise UsageError(
            f"the program of variant {pair.variant_id!r}, sample {pair.sample} did not fail; "
            "allowed: pairs whose changed program fails"
        )
    own = [item for item in signatures if item.problem_id == pair.oracle_id]
    found = [_ask(name, pair, own) for name in Behaviour if name is not Behaviour.OTHER]
    matched = any(item.holds for item in found)
    findings = (*found, Finding(Behaviour.OTHER, not matched, ""))
    first = next(item.behaviour for item in findings if item.holds)
    return Labelled(pair, first, findings)


def _ask(name: Behaviour, pair: ProgramPair, signatures: Sequence[Signature]) -> Finding:
    match name:
        case Behaviour.RESTATED_RIGHT_CODED_WRONG:
            holds, why = _restated(pair, signatures)
        case Behaviour.ARCHETYPE_OVERRIDE:
            holds, why = _overrides(pair, signatures)
        case Behaviour.OVERSIMPLIFIED:
            holds, why = _behaves_as(pair, signatures, SignatureKind.RELAXED)
        case Behaviour.KNOWN_MISTAKE:
            holds, why = _behaves_as(pair, signatures, SignatureKind.WRONG)
        case Behaviour.PARTIAL_ADAPTATION:
            holds, why = _adapts_in_part(pair, signatures)
        case Behaviour.INSTABILITY:
            holds, why = _is_unstable(pair)
        case Behaviour.ORIGINAL_NAMES:
            holds, why = _uses(pair, pair.names.original)
        case Behaviour.NEW_NAMES:
            holds, why = _uses(pair, pair.names.new)
        case Behaviour.OTHER:
            holds, why = None, "it is what is left"
        case _:
            assert_never(name)
    return Finding(name, holds, why)


_Said = tuple[bool | None, str]
_KEPT = "the task is kept, so there is no second oracle"
_NO_MARKS = "it is not known what the program gave on each test"
_MISSING = {
    SignatureKind.ORIGINAL: "it is not known what the original task gives on the tests",
    SignatureKind.RELAXED: "the problem has no program of a simpler task",
    SignatureKind.WRONG: "the problem has no program with a foreseen mistake",
}


def _behaves_as(pair: ProgramPair, signatures: Sequence[Signature], kind: SignatureKind) -> _Said:
    known = [item for item in signatures if item.kind is kind and item.outputs]
    if not known:
        return None, _MISSING[kind]
    if pair.changed.vector is None:
        return None, _NO_MARKS
    same = [item.name for item in known if item.outputs == pair.changed.vector]
    return bool(same), ", ".join(same)


def _overrides(pair: ProgramPair, signatures: Sequence[Signature]) -> _Said:
    if pair.task is TaskKind.KEPT:
        return None, _KEPT
    return _behaves_as(pair, signatures, SignatureKind.ORIGINAL)


def _adapts_in_part(pair: ProgramPair, signatures: Sequence[Signature]) -> _Said:
    if pair.task is TaskKind.KEPT:
        return None, _KEPT
    original = [item for item in signatures if item.kind is SignatureKind.ORIGINAL]
    if not original or not original[0].outputs:
        return None, _MISSING[SignatureKind.ORIGINAL]
    if pair.changed.vector is None:
        return None, _NO_MARKS
    pairs = zip(original[0].outputs, pair.changed.vector, strict=True)
    telling = [got == RIGHT for old, got in pairs if old != RIGHT]
    passed = sum(telling)
    return 0 < passed < len(telling), f"{passed} of {len(telling)} telling tests"


def _is_unstable(pair: ProgramPair) -> _Said:
    clean, changed = pair.clean.samples, pair.changed.samples
    if min(len(clean), len(changed)) < 2:
        return None, "a prompt has fewer than 2 finished replies"
    why = f"{sum(changed)} of {len(changed)} pass, {sum(clean)} of {len(clean)} clean ones"
    return len(set(changed)) == 2 and len(set(clean)) == 1, why


def _uses(pair: ProgramPair, names: frozenset[str]) -> _Said:
    if not names:
        return None, "the change renames nothing"
    measured = measure_program(pair.changed.program, pair.language)
    if isinstance(measured, Unmeasured):
        return None, measured.reason
    used = sorted(names & set(measured.names))
    return bool(used), ", ".join(used)


def _restated(pair: ProgramPair, signatures: Sequence[Signature]) -> _Said:
    overrides, why = _overrides(pair, signatures)
    if overrides is None:
        # Only where the task was changed is it known which words the program goes against.
        return None, why
    prose = _prose(pair.changed.reply, pair.changed.program)
    if prose is None:
        return None, "the program is not one piece of the reply"
    said = _phrases(prose)
    new, old = _phrases(pair.changed.prompt), _phrases(pair.clean.prompt)
    if not new - old:
        return None, "the two prompts do not differ in three words in a row"
    restated = sorted(said & (new - old))
    if not overrides or not restated or said & (old - new):
        return False, ""
    return True, " ".join(restated[0])


def _prose(reply: str, program: str) -> str | None:
    """The reply without its program, ``None`` where it is not one piece of it."""
    if not program or reply.count(program) != 1:
        return None
    before, _, after = reply.partition(program)
    return f"{before}\n\n{after}"


def _phrases(text: str) -> set[tuple[str, str, str]]:
    """All three words in a row within a sentence; numbers and code marks part words."""
    found = set()
    for piece in re.split(r"[^\w\s'-]|[\d_]", text.lower()):
        words = piece.split()
        found |= set(zip(words, words[1:], words[2:], strict=False))
    return found
