"""Problems of LiveCodeBench whose tests are known to judge wrongly, each with who found it.

A problem is named by its ``question_id`` or, for LeetCode, by its title.  What can be repaired is
repaired (another order of a list, a wider tolerance) and stays in the set; the others are left out
unless somebody asks for them.  The text of a problem tells, too: where it says that any of several
answers is right, tests that know one answer cannot judge it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from codequake.records import Comparison, OutputOrder

__all__ = [
    "ERRATA",
    "Defect",
    "Erratum",
    "comparison_in",
    "erratum_in_text",
    "known_erratum",
]

_FILE = "LiveCodeBench, ERRATA.md"
_LIST = "listed by projects that use LiveCodeBench's ERRATA.md"
_GRADED = "a solution that the contest accepts fails (samuki-hf/ocaml-reference-solutions)"


class Defect(StrEnum):
    """What is wrong.  The first three leave a problem out, the others are repaired."""

    SEVERAL_ANSWERS = "several answers are right and the tests know one"
    INTERACTIVE = "the program would have to talk with a judge"
    WRONG_TESTS = "tests contradict the text"
    ANY_ORDER = "the answer may stand in any order"
    TOLERANCE = "the answer may differ within a tolerance"


@dataclass(frozen=True, slots=True)
class Erratum:
    """One defect: the problem's name, what is wrong, and where it was reported."""

    name: str
    defect: Defect
    source: str
    digits: int | None = None

    @property
    def leaves_out(self) -> bool:
        """Whether the tests cannot judge the problem at all."""
        return self.defect in (Defect.SEVERAL_ANSWERS, Defect.INTERACTIVE, Defect.WRONG_TESTS)


def _table() -> tuple[Erratum, ...]:
    several, wrong = Defect.SEVERAL_ANSWERS, Defect.WRONG_TESTS
    rows = [
        *((name, several, _FILE) for name in ("abc311_c", "abc326_d", "abc327_b", "abc333_e")),
        *((name, several, _FILE) for name in ("abc343_e", "abc362_c")),
        ("arc185_c", several, _LIST),
        ("abc343_a", several, "LiveCodeBench, issue 106"),
        *((name, Defect.INTERACTIVE, _FILE) for name in ("abc337_e", "abc355_e")),
        ("abc350_c", wrong, _FILE),
        ("apply-operations-to-make-string-empty", wrong, f"{_FILE}: a test with an empty string"),
        ("most-frequent-ids", wrong, f"{_FILE}: an input outside the constraints"),
        ("arc189_a", wrong, _LIST),
        *((name, several, _GRADED) for name in ("abc363_f", "abc366_g", "abc373_g", "abc396_e")),
        *((name, several, _GRADED) for name in ("abc397_d", "arc181_c", "arc183_d", "arc188_c")),
        *((name, several, _GRADED) for name in ("arc190_a", "arc191_c", "arc195_c")),
        *((name, wrong, _GRADED) for name in ("abc392_f", "arc192_b")),
        *(
            (name, Defect.ANY_ORDER, _FILE)
            for name in (
                "find-words-containing-character",
                "find-the-peaks",
                "generate-binary-strings-without-adjacent-zeros",
            )
        ),
    ]
    tolerance = Erratum("abc315_f", Defect.TOLERANCE, "LiveCodeBench, issue 129", digits=5)
    return (*(Erratum(*row) for row in rows), tolerance)


ERRATA = _table()
_KNOWN = {item.name: item for item in ERRATA}


def known_erratum(question_id: str, title: str) -> Erratum | None:
    """Return what is known about a problem by its id, or by its title."""
    return _KNOWN.get(question_id) or _KNOWN.get(title)


_ANY = re.compile(
    r"\b(?:print|output|return|report|find|give)\s+any(?:\s+one)?"
    r"(?:\s+of\s+(?:them|these|those)|\s+(?:such|valid|possible|correct|acceptable|solution|answer))"
    r"|\bany(?:\s+one)?\s+of\s+(?:them|these|those|the\s+(?:solutions|answers))"
    r"(?:\s+(?:is|are|will\s+be))?\s+(?:accepted|considered|acceptable|allowed)"
    r"|\b(?:any|all)(?:\s+(?:valid|correct|such|possible))?\s+(?:solution|answer|output)s?"
    r"\s+(?:is|are|will\s+be)\s+(?:accepted|considered)"
    r"|\b(?:multiple|several|more\s+than\s+one)(?:\s+(?:valid|correct|possible))?"
    r"\s+(?:solution|answer)s?\b[^.]{0,80}\bany\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\breturn(?:ed)?\b[^.\n]{0,60}\bin\s+any\s+order|"
    r"\breturned\s+\w+\s+(?:may|can)\s+be\s+in\s+any\s+order",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:error|within|differs?)\b[^.]{0,120}?"
    r"\b(?:10\s*\^?\s*\{?\s*[-\u2212\u2013]\s*\{?\s*|1e-)(?P<digits>\d{1,2})\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\brelative\b", re.IGNORECASE)
_MOST_DIGITS = 15


def erratum_in_text(name: str, statement: str) -> Erratum | None:
    """Return the defect that a statement tells of itself: it takes any of several answers."""
    match = _ANY.search(statement)
    if match is None:
        return None
    words = " ".join(match[0].split())
    return Erratum(name, Defect.SEVERAL_ANSWERS, f"its text says {words!r}")


def comparison_in(statement: str, erratum: Erratum | None, *, lists: bool) -> Comparison:
    """Return how a statement asks to compare outputs: in any order, and within which tolerance.

    ``lists`` says that every expected output is a list, so that it can be compared in any order.
    A statement without either asks for the output as it is.
    """
    digits: int | None = None
    relative = Comparison().relative
    match = _ERROR.search(statement)
    if match is not None and 0 < int(match["digits"]) <= _MOST_DIGITS:
        digits = int(match["digits"])
        if _RELATIVE.search(statement):
            relative = 10.0**-digits
    elif erratum is not None and erratum.digits is not None:
        digits, relative = erratum.digits, 10.0**-erratum.digits
    free = erratum is not None and erratum.defect is Defect.ANY_ORDER
    unordered = lists and (free or _ORDER.search(statement) is not None)
    order = OutputOrder.UNORDERED if unordered else OutputOrder.ORDERED
    return Comparison(digits=digits, relative=relative, order=order)
