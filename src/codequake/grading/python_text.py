"""Read Python without running it: does it parse, what does it define, does it read input."""

from __future__ import annotations

import ast
import builtins
import re
import threading
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from codequake.grading.fitness import Fit, other_language
from codequake.grading.prose import is_prose

__all__ = [
    "PYTHON_TAGS",
    "Unparsed",
    "parse_python",
    "python_before_prose",
    "python_fit",
    "python_names",
    "python_regions",
]

PYTHON_TAGS = ("python", "python3", "py", "py3", "python2", "pycon", "ipython", "sage", "cython")
_LONG_NUMBER = "integer string conversion"
_READS = re.compile(r"\binput\s*\(|\bstdin\b|\bopen\s*\(\s*0|\bos\.read\s*\(|\bfileinput\b")
_START = re.compile(
    r"(?:def|class|import|from|async|@|if|for|while|with|try|print\s*\(|[A-Za-z_][\w, ]*=[^=])"
)
_STRINGS = re.compile(
    r"('''|\"\"\")(?:.|\n)*?(?:\1|\Z)|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*"
)
_TEST_BASE = re.compile(r"\w*TestCase")
_TEST_CLASS = re.compile(r"_?Test(?![a-z])\w*|\w*(?:Tests?|TestCases?|TestSuite)")
MAX_PARSED = 1 << 18
"""Characters of a text that is parsed here: a syntax tree takes hundreds of times its text."""
_MOST_PARSED = 2 << 20
_PARSE_COST = 2000
_MOST_CUTS = 12
# Filters of warnings belong to the whole process, and a parse may warn.
_PARSING = threading.Lock()


def python_fit(text: str, entry_point: str | None) -> Fit:
    """Return how well a text fits as the Python program that was asked for.

    ``entry_point`` is ``None`` for a main program on standard input.
    """
    tree = _parse(text)
    if tree is None:
        return _broken_fit(text, entry_point)
    if not any(_is_code(node) for node in tree.body):
        return Fit.NOTHING
    if entry_point is not None:
        return _entry_fit(tree.body, entry_point)
    if not any(isinstance(node, ast.Call) for node in ast.walk(tree)):
        return Fit.NOTHING if all(isinstance(node, ast.Expr) for node in tree.body) else Fit.PARTIAL
    return Fit.WHOLE if _READS.search(text) else Fit.PROGRAM


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A text that has no syntax tree; ``why`` is one clause that says why."""

    why: str


def _parse(text: str) -> ast.Module | None:
    tree = parse_python(text)
    return None if isinstance(tree, Unparsed) else tree


def parse_python(text: str) -> ast.Module | Unparsed:
    """Return the syntax tree of any text, or why it has none; never raises and never runs it.

    Numbers of thousands of digits stand in the tree as 0.
    """
    if "\0" in text:
        return Unparsed("it holds a null byte")
    if len(text) > MAX_PARSED:
        return Unparsed(f"it has {len(text)} characters, and at most {MAX_PARSED} are parsed")
    try:
        with _PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if _LONG_NUMBER in str(error):
            # A number of thousands of digits: only we must not convert it, the sandbox may.
            return parse_python(re.sub(r"\d{4000,}", "0", text))
        return Unparsed(_why(error))


def _why(error: SyntaxError | ValueError | RecursionError | MemoryError) -> str:
    """One clause in our words: the messages of errors differ between versions of Python."""
    match error:
        case SyntaxError(lineno=int() as line):
            return f"its syntax is wrong in line {line}"
        case UnicodeError():
            return "it holds half of a character"
        case RecursionError() | MemoryError():
            return "it is nested too deeply"
        case _:
            return "its syntax is wrong"


def _broken_fit(text: str, entry_point: str | None) -> Fit:
    bare = _STRINGS.sub(" ", text)
    if entry_point is not None and re.search(rf"\bdef\s+{re.escape(entry_point)}\b", bare):
        if re.search(r"^[ \t]*end[ \t]*$", bare, re.MULTILINE):
            return Fit.FOREIGN
        return Fit.BROKEN_ENTRY
    if other_language(bare, own=frozenset({"Python"})) is not None:
        return Fit.FOREIGN
    looks = re.search(
        r"^[ \t]*(?:def \w+|class \w+|import \w|from [\w.]+ import|print\(|for \w[\w, ]{0,80} in "
        r"|while |if [^\n]{1,300}:|[A-Za-z_]\w*[ \t]*=[^=])",
        bare,
        re.MULTILINE,
    )
    return Fit.BROKEN if looks else Fit.NOTHING


def _is_code(node: ast.stmt) -> bool:
    """Whether a statement does anything; sample output may parse as a lone word or number."""
    if not isinstance(node, ast.Expr):
        return True
    return any(
        isinstance(part, ast.Call | ast.Await | ast.Yield | ast.NamedExpr)
        for part in ast.walk(node)
    )


def python_names(text: str) -> tuple[set[str], set[str]]:
    """Return the names that a program uses without defining them, and those that it defines."""
    tree = _parse(text)
    if tree is None:
        return set(), set()
    offered = _bound(tree.body, imports=True)
    used, local = set(), set(offered) | set(dir(builtins))
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                local.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                local.add(name)
            case ast.ExceptHandler(name=str() as name):
                local.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                local |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case _:
                pass
    return used - local, offered


def _entry_fit(body: list[ast.stmt], name: str) -> Fit:
    """Return the fit of a program that parses, by where it defines the entry point.

    The order is that of the sandbox: a function, a method of ``Solution``, a method of the only
    class that has it.  Classes of tests are never the answer.
    """
    # An import of the name is how tests of the answer begin, not the answer.
    if name in _bound(body, imports=False):
        return Fit.WHOLE
    tests: set[str] = set()
    owners: set[str] = set()
    for node in _statements(body):
        if not isinstance(node, ast.ClassDef):
            continue
        if _is_test_class(node, tests):
            tests.add(node.name)
        elif name in _bound(node.body, imports=False):
            owners.add(node.name)
    if "Solution" in owners:
        return Fit.WHOLE
    return Fit.PROGRAM if len(owners) == 1 else Fit.PARTIAL


def _is_test_class(node: ast.ClassDef, known: set[str]) -> bool:
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    return bool(
        _TEST_CLASS.fullmatch(node.name)
        or bases & known
        or any(_TEST_BASE.fullmatch(base) for base in bases)
    )


def _bound(body: Iterable[ast.stmt], *, imports: bool) -> set[str]:
    """The names that module-level code binds; methods of its classes are none of them."""
    names: set[str] = set()
    for node in _statements(body):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases) if imports:
                names |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case ast.Assign() | ast.AnnAssign() | ast.Expr() | ast.AugAssign():
                names |= {
                    part.id
                    for part in ast.walk(node)
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                }
            case _:
                pass
    return names


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of one scope, with those inside of its branches and loops."""
    for node in body:
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, field, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(part.body)


def python_before_prose(text: str, _entry_point: str | None) -> str | None:
    """Return the program in front of prose that ends a text; ``None`` where no prose ends it."""
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    end = _longest(lines, start, [_MOST_PARSED])
    if end in (start, len(lines)) or not is_prose("".join(lines[end:])):
        return None
    return "".join(lines[:end])


def python_regions(text: str, entry_point: str | None) -> list[tuple[str, bool]]:
    """Return pieces of mixed text that parse as Python, and whether each reaches the end.

    A piece starts at a line that looks like code and is cut before the line at which parsing
    stops; prose after code ends it, prose before it is passed over.
    """
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if _START.match(line.lstrip())]
    regions: list[tuple[str, bool]] = []
    position, budget = 0, [_MOST_PARSED]
    for start in starts:
        if start < position or budget[0] <= 0:
            continue
        end = _longest(lines, start, budget)
        if end > start:
            piece = _dedented(lines[start:end])
            regions.append((piece, not "".join(lines[end:]).strip()))
            position = end
    return regions


def _longest(lines: list[str], start: int, budget: list[int]) -> int:
    """Return the line before which a program that starts at ``start`` ends.

    Every parse is paid from ``budget``, in characters.
    """
    end = len(lines)
    for _ in range(_MOST_CUTS):
        text = _dedented(lines[start:end])
        budget[0] -= len(text) + _PARSE_COST
        if len(text) > MAX_PARSED or budget[0] <= 0:
            return start
        try:
            with _PARSING, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except SyntaxError as error:
            cut = start + (error.lineno or 1) - 1
            end = min(end - 1, max(cut, start))
            while end > start and not lines[end - 1].strip():
                end -= 1
        except (ValueError, RecursionError, MemoryError):
            return start
        else:
            return end
        if end <= start:
            return start
    return start


def _dedented(lines: list[str]) -> str:
    first = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))] if lines else ""
    if not first:
        return "".join(lines)
    return "".join(line[len(first) :] if line.startswith(first) else line for line in lines)
