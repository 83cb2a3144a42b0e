"""The referee: SymPy in a process of its own, for what the two fast methods leave open.

The process gets the tree of a formula, node by node, and never its text, so that nothing that
anybody wrote is read by a parser that evaluates.  It is killed when its time is up.  No answer is
no proof of anything: only a yes counts.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum

from codequake.formula.assumptions import Assumption
from codequake.formula.comparisons import Sign, comparisons_of
from codequake.formula.nodes import Node

__all__ = ["REFEREE_SECONDS", "Answer", "Question", "Ruling", "ask_referee"]

REFEREE_SECONDS = 10.0
"""How long the referee computes by default, its start included."""

_MEGABYTES = 2048
_COMMAND = ("-P", "-s", "-m", "codequake.formula.referee_process")


class Ruling(StrEnum):
    """What the referee says."""

    EQUAL = "equal"
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Question:
    """Are two expressions, or two equations or relations, equal where the facts hold?"""

    first: Node
    second: Node
    facts: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A ruling, why there is none, and what computed it (empty when it was not asked)."""

    ruling: Ruling
    reason: str
    version: str = ""


def ask_referee(question: Question, seconds: float = REFEREE_SECONDS) -> Answer:
    """Ask the referee, for at most ``seconds``; 0 asks nothing.

    A process that fails, is killed or says anything unexpected has given no answer.
    """
    if seconds <= 0:
        return Answer(
            Ruling.NO_ANSWER, "the fast methods do not decide, and the referee was not asked"
        )
    limits = {"cpu": math.ceil(seconds) + 1, "megabytes": _MEGABYTES}
    try:
        done = subprocess.run(
            [sys.executable, *_COMMAND],
            input=json.dumps(_as_data(question) | limits),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            env={
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                "PYTHONHASHSEED": "0",  # the order in which SymPy tries things
            },
        )
        found = json.loads(done.stdout)
        equal, version = found["equal"] is True, f"sympy {found['version']}"
    except subprocess.TimeoutExpired:
        reason = f"the fast methods do not decide, and the referee ran out of its {seconds:g} s"
        return Answer(Ruling.NO_ANSWER, reason)
    except (OSError, ValueError, KeyError, TypeError):
        return Answer(Ruling.NO_ANSWER, "the fast methods do not decide, and the referee failed")
    if equal:
        return Answer(Ruling.EQUAL, "", version)
    return Answer(
        Ruling.NO_ANSWER, "neither the fast methods nor the referee found a proof", version
    )


def _as_data(question: Question) -> dict[str, object]:
    """Return a question as lists of numbers and words: each node once, kids before parents."""
    steps: list[tuple[str, str, list[int]]] = []
    places: dict[Node, int] = {}

    def place(node: Node) -> int:
        if node not in places:
            kids = [place(kid) for kid in node.kids]
            places[node] = len(steps)
            steps.append((node.op.value, node.text, kids))
        return places[node]

    first, second = _difference(question.first), _difference(question.second)
    kinds = {sign for _, sign in (first, second)}
    return {
        "first": place(first[0]),
        "second": place(second[0]),
        "kind": kinds.pop() if len(kinds) == 1 else "unlike",
        "facts": [
            (place(one.left), one.relation.value, place(one.right)) for one in question.facts
        ],
        "steps": steps,
    }


def _difference(formula: Node) -> tuple[Node, str]:
    """Return what is compared with 0, and how; an expression by its value."""
    atoms = comparisons_of(formula)
    if atoms is None:
        return formula, "value"
    if len(atoms) != 1:
        return formula, "several"
    sign = atoms[0].sign
    zero = "zero" if sign in (Sign.EQUAL, Sign.NOT_EQUAL) else "order"
    return atoms[0].difference, f"{zero} {sign.value}"
