"""The examples of a docstring: sessions, comparisons, arrows, and inputs with outputs.

Read are ``>>> f(1)`` with its result on the next lines; on one line ``f(1) == 2``, ``f(1) = 2``,
``assert f(1) == 2``, ``f(1) ➞ 2``, ``f(1) => 2``, ``f(1) -> 2``, ``f(1) → 2`` (also with longer
arrows), ``f(1) # 2`` and ``f(1) returns 2`` (also ``should return``, ``must return``); ``Input: 1``
or ``Input: x = 1`` with ``Output: 2`` below; and ``For x = 1 the output should be 2``.  Arguments
and result have to be plain values; nothing is run.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from codequake.canonical import canonical_json
from codequake.errors import DataError

__all__ = ["DocExample", "DocExamples", "is_example_line", "read_doc_examples"]

_MOST = 20_000  # characters of one example
_MOST_ENDS = 100
_SESSION = re.compile(r"\s*(?:>>>|>>|>)\s*(?=[A-Za-z_])")
_BETWEEN = re.compile(
    r"\s*(?:#?\s*(?:[=-]+>|➞|➜|→|⇒)|==|=|#\s*returns?\b|#|(?:should|must|will)\s+return\b"
    r"|returns?\b)\s*"
)
_INPUT = re.compile(r"\s*input\s*:\s*(?P<given>\S.*)", re.IGNORECASE)
_OUTPUT = re.compile(r"\s*output\s*:\s*(?P<result>\S.*)", re.IGNORECASE)
_FOR = re.compile(
    r"\s*for\s+(?P<given>\S.*?),?\s+the\s+(?:output|result)\s+should\s+be\s+(?P<result>\S.*)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\s*(?:for\s+)?(?:examples?|examble|e\.g\.?|(?:\[input/output\]\s+)?samples?)\s*\d*\s*[:.]?\s*",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:[-*•]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class DocExample:
    """One example: the list of its arguments and its result, both in canonical JSON."""

    arguments: str
    result: str


@dataclass(frozen=True, slots=True)
class DocExamples:
    """The examples in some lines, in order, and the lines that belong to none."""

    examples: tuple[DocExample, ...]
    others: tuple[str, ...]


def is_example_line(line: str, name: str | None) -> bool:
    """Tell whether a line begins the examples: a header of its own, or an example."""
    if _HEADER.fullmatch(line) or re.match(r"\s*(?:>>>|assert\s)", line) or _INPUT.match(line):
        return True
    return name is not None and _one_line(line, name) is not None


def read_doc_examples(lines: Sequence[str], name: str | None) -> DocExamples:
    """Read the examples of function ``name``; without a name those of any function."""
    examples: list[DocExample] = []
    others: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        used, found = 1, _one_line(line, name)
        if found is None and _SESSION.match(line):
            used, found = _session(lines, at, name)
        elif found is None and _INPUT.match(line):
            used, found = _input_output(lines, at)
        if found is not None:
            examples.append(found)
        else:
            others += [
                one for one in lines[at : at + used] if one.strip() and not _HEADER.fullmatch(one)
            ]
        at += used
    return DocExamples(tuple(examples), tuple(others))


def _session(lines: Sequence[str], at: int, name: str | None) -> tuple[int, DocExample | None]:
    """Read a call and the result on the lines below it; tell how many lines that are."""
    start = _SESSION.match(lines[at])
    assert start is not None
    source = lines[at][start.end() :]
    end = at + 1
    while end < len(lines) and lines[end].lstrip().startswith("..."):
        source += "\n" + lines[end].lstrip()[3:]
        end += 1
    results = end
    while end < len(lines) and lines[end].strip() and not _SESSION.match(lines[end]):
        end += 1
    values = _arguments(source, name, whole=True)
    # A result may go on over lines; what follows it in the same paragraph is prose.
    for last in range(results + 1, end + 1) if values is not None else ():
        result = _value("\n".join(lines[results:last]).strip())
        if result is not None and values is not None:
            return last - at, DocExample(values[0], result)
    return 1, None


def _input_output(lines: Sequence[str], at: int) -> tuple[int, DocExample | None]:
    """Read an input and the output below it, on one line each."""
    given = _INPUT.match(lines[at])
    assert given is not None
    result = _OUTPUT.match(lines[at + 1]) if at + 1 < len(lines) else None
    values = None if result is None else _given(given["given"])
    output = None if result is None else _leading_value(result["result"].strip())
    if values is None or output is None:
        return 1, None
    return 2, DocExample(values, output)


def _given(text: str) -> str | None:
    """Return the arguments that are written as ``1``, ``x = 1`` or ``x = 1, y = 2``."""
    node = _parsed(f"f({text})") if len(text) <= _MOST else None
    if not isinstance(node, ast.Call) or any(item.arg is None for item in node.keywords):
        return None
    values = [*node.args, *(item.value for item in node.keywords)]
    try:
        return canonical_json([ast.literal_eval(item) for item in values]) if values else None
    except (ValueError, TypeError, DataError, RecursionError, MemoryError):
        return None


def _one_line(line: str, name: str | None) -> DocExample | None:
    """Read a call that is followed by its result."""
    text = line[:_MOST]
    listed = _LISTED.match(text)
    text = text[listed.end() :] if listed else text.strip()
    told = _FOR.fullmatch(text)
    if told is not None:
        given, output = _given(told["given"]), _leading_value(told["result"].strip())
        return None if given is None or output is None else DocExample(given, output)
    text = re.sub(r"^(?:>>>|>>|>|assert\b|for\b)\s*", "", text.strip())
    found = _arguments(text, name, whole=False)
    if found is None:
        return None
    values, rest = found
    between = _BETWEEN.match(rest)
    if between is None:
        return None
    result = _leading_value(rest[between.end() :].strip())
    return None if result is None else DocExample(values, result)


def _arguments(text: str, name: str | None, *, whole: bool) -> tuple[str, str] | None:
    """Return the arguments of the call that a text begins with, and what stands behind it."""
    begin = re.escape(name) if name is not None else r"[A-Za-z_]\w*"
    if not re.match(rf"{begin}\s*\(", text):
        return None
    for closing in islice(re.finditer(r"\)", text), _MOST_ENDS):
        node = _parsed(text[: closing.end()])
        if node is None:
            continue
        rest = text[closing.end() :]
        if not isinstance(node, ast.Call) or node.keywords or (whole and rest.strip()):
            return None
        try:
            return canonical_json([ast.literal_eval(item) for item in node.args]), rest
        except (ValueError, TypeError, DataError, RecursionError, MemoryError):
            return None
    return None


def _leading_value(text: str) -> str | None:
    """Return the value that a text begins with; behind it a comment or the end of a sentence."""
    # A point at the end ends the sentence, not the number.
    for candidate in (text.rstrip(".,; "), re.split(r"\s+#", text)[0]):
        value = _value(candidate.rstrip(",;").strip())
        if value is not None:
            return value
    match = re.match(r"(.+?)\s*(?:\(|,\s|\.\s|\bbecause\b|\bsince\b|//|\bas\b)", text)
    return None if match is None else _value(match[1].strip())


def _value(text: str) -> str | None:
    if text in ("true", "false"):  # as other languages write it
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return canonical_json(ast.literal_eval(text))
    except (ValueError, TypeError, SyntaxError, DataError, RecursionError, MemoryError):
        return None


def _parsed(text: str) -> ast.expr | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
