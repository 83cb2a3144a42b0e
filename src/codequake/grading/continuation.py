"""Replies that go on where a prompt of code stops: the prompt is put in front of them.

HumanEval and its kin ask for the continuation of a prompt that ends in an open function, and
models answer with its body, or chat and write the function anew.  The rules, in order:

1. A reply whose first line is indented continues the prompt, unless that line defines the entry
   point, or nothing that follows can be the body of a function: the program is prompt + reply.
2. A reply that holds a whole program (by the rules of ``codequake.grading.extract``) is that
   program.  Where it uses imports or helpers that the prompt, or the set, gives and that it does
   not define, those are put in front.
3. A last fenced block that continues the prompt is put behind it.
4. Anything else stays as it is, for extraction to judge.
"""

from __future__ import annotations

import ast
import re
import warnings

from codequake.grading.extract import MAX_REPLY, extract
from codequake.grading.fences import fenced_blocks
from codequake.grading.fitness import Fit
from codequake.grading.python_text import python_fit, python_names
from codequake.problems.python_prompts import with_body
from codequake.records import Interface, Language, Problem, StopReason

__all__ = ["Continuation", "Continuations"]


class Continuations:
    """What the prompts of many problems give to the replies to them; each prompt is read once.

    Files of completions and the replies of a study both come through here, so that a reply is
    judged as the same program wherever it stands.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str | None, str | None], Continuation] = {}

    def complete(
        self,
        problem: Problem,
        reply: str,
        stop_reason: StopReason = StopReason.UNKNOWN,
        *,
        prompt: str | None = None,
        entry_point: str | None = None,
    ) -> str:
        """Return the reply with what it leaves to the prompt; see ``Continuation``.

        Problems are told apart by their ids.
        """
        key = (problem.problem_id, prompt, entry_point)
        if key not in self._known:
            self._known[key] = Continuation(problem, prompt, entry_point)
        return self._known[key].complete(reply, stop_reason)


class Continuation:
    """What one prompt gives to the replies to it.

    ``prompt`` and ``entry_point`` are what a variant of the problem has in place of the problem's
    own; ``None`` for those.
    """

    def __init__(
        self, problem: Problem, prompt: str | None = None, entry_point: str | None = None
    ) -> None:
        self._problem = problem
        self._name = ""
        self._prompt = ""
        self._opening = ""
        if problem.language is Language.PYTHON and problem.interface is Interface.FUNCTION:
            self._name = entry_point or problem.entry_point or ""
            statement = problem.statement if prompt is None else prompt
            opening = _opening(statement, self._name)
            self._prompt = "" if opening is None else f"{statement.rstrip()}\n"
            self._opening = opening or problem.assertions or ""

    def complete(self, reply: str, stop_reason: StopReason = StopReason.UNKNOWN) -> str:
        """Return the reply with what it leaves to the prompt; unchanged where that is nothing."""
        if not (self._prompt or self._opening) or len(reply) > MAX_REPLY or not reply.strip():
            return reply
        if self._prompt and self._goes_on(reply):
            joined = self._prompt + reply
            if _has_body(self._extracted(joined, stop_reason), self._name):
                return joined
        program = self._extracted(reply, stop_reason)
        if python_fit(program, self._name) in (Fit.WHOLE, Fit.PROGRAM):
            missing, _ = python_names(program) if self._opening else (set(), set())
            _, offered = python_names(self._opening)
            return f"{self._opening}\n\n{program}" if missing & offered else reply
        return self._continued_in_fence(reply) or reply

    def _extracted(self, text: str, stop_reason: StopReason) -> str:
        return extract(
            text,
            language=self._problem.language,
            entry_point=self._name,
            stop_reason=stop_reason,
        ).program

    def _goes_on(self, reply: str) -> bool:
        first = next(line for line in reply.splitlines() if line.strip())
        if first[:1] not in (" ", "\t"):
            return False
        anew = rf"\s*(?:async\s+)?(?:def\s+{re.escape(self._name)}\b|class\s+Solution\b)"
        fence = re.match(r"\s*(?:```|~~~)", first)
        return re.match(anew, first) is None and fence is None

    def _continued_in_fence(self, reply: str) -> str | None:
        if not self._prompt:
            return None
        for block in reversed(fenced_blocks(reply, None).blocks):
            text = self._prompt + block.text
            if block.closed and block.text[:1] in (" ", "\t") and _parses(text):
                return text
        return None


def _opening(statement: str, name: str) -> str | None:
    """What a prompt of code has before its last, open function; ``None`` for other statements."""
    tree = _parsed(with_body(statement))
    last = tree.body[-1] if tree is not None and tree.body else None
    if not isinstance(last, ast.FunctionDef) or last.name != name:
        return None
    first = min([last.lineno, *(item.lineno for item in last.decorator_list)])
    return "".join(statement.splitlines(keepends=True)[: first - 1]).strip("\n")


def _has_body(program: str, name: str) -> bool:
    """Whether the last function of a name does more than to describe itself."""
    tree = _parsed(program)
    found = [
        node
        for node in (tree.body if tree is not None else ())
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return bool(found) and any(
        not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in found[-1].body
    )


def _parses(text: str) -> bool:
    return _parsed(text) is not None


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
