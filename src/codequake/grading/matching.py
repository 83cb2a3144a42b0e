"""From the id that another tool gave to a problem of the set that is graded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from codequake.errors import DataError
from codequake.grading.given import Given, NamedBy, shown
from codequake.problems.livecodebench import STARTER_LEAD
from codequake.records import Problem

__all__ = ["Matcher"]

_FUNCTION = re.compile(r"^def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)


class Matcher:
    """Finds the problem that a row answers.

    An id is that of a problem, or its part after the set's name (``HumanEval/0`` is
    ``humaneval/HumanEval/0``), or that part with the set's name in another case (``MBPP/11`` is
    ``mbpp/11``).  A statement is the problem's without the code to start from, blanks aside.  A
    prompt is that of the problem with the same entry point whose statement begins most like it.
    ``subset`` says that the problems are a part of their set.
    """

    def __init__(self, problems: Sequence[Problem], set_name: str, *, subset: bool = False) -> None:
        self._set_name = set_name
        self._subset = subset
        self._ids: dict[str, list[Problem]] = {}
        self._folders: dict[str, list[Problem]] = {}
        self._functions: dict[str, list[Problem]] = {}
        self._problems = problems
        self._statements: list[tuple[str, Problem]] | None = None
        self._known: dict[str, list[Problem]] = {}
        for problem in problems:
            own = problem.problem_id.partition("/")[2]
            for name in dict.fromkeys((problem.problem_id, own)):
                self._ids.setdefault(name, []).append(problem)
                self._folders.setdefault(name.replace("/", "_"), []).append(problem)
            if problem.entry_point is not None:
                self._functions.setdefault(problem.entry_point, []).append(problem)

    def find(self, row: Given) -> Problem | None:
        """Return the problem of a row; ``None`` when only a part of the set is here and lacks it.

        Raises ``DataError`` when it is not exactly one.
        """
        match row.named_by:
            case NamedBy.ID:
                found, what = self._by_id(row.problem), "problem"
            case NamedBy.FOLDER:
                found, what = self._folders.get(row.problem, []), "the problem of the folder"
            case NamedBy.PROMPT:
                found, what = self._by_prompt(row.problem), "the problem with the prompt"
            case NamedBy.STATEMENT:
                found, what = self._by_statement(row.problem), "the problem with the text"
        if len(found) == 1:
            return found[0]
        name = shown(row.problem)
        if not found and self._subset:
            return None
        if not found:
            raise DataError(f"{what} {name} is not in {self._set_name}", place=row.place)
        several = ", ".join(problem.problem_id for problem in found[:3])
        raise DataError(f"{what} {name} may be each of {several}", place=row.place)

    def _by_id(self, name: str) -> list[Problem]:
        if name in self._ids:
            return self._ids[name]
        head, _, rest = name.partition("/")
        return self._ids.get(f"{head.lower()}/{rest}", [])

    def _by_prompt(self, prompt: str) -> list[Problem]:
        names = _FUNCTION.findall(prompt)
        found = self._functions.get(names[-1], []) if names else []
        if len(found) < 2:
            return found
        alike = [_shared(prompt.split(), item.statement.split()) for item in found]
        return [item for item, length in zip(found, alike, strict=True) if length == max(alike)]

    def _by_statement(self, text: str) -> list[Problem]:
        words = _words(text)
        if self._statements is None:
            self._statements = [(_words(item.statement), item) for item in self._problems]
        if words not in self._known:
            self._known[words] = [
                item
                for statement, item in self._statements
                if words and statement.partition(f" {STARTER_LEAD} ")[0] == words
            ]
        return self._known[words]


def _words(text: str) -> str:
    """The text with one blank between words, so that line ends do not matter."""
    return " ".join(text.split())


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two texts have in common at their beginning."""
    count = 0
    for count, (left, right) in enumerate(zip(one, other, strict=False), start=1):
        if left != right:
            return count - 1
    return count
