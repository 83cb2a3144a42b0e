"""Read Python prompts, signatures and assertions by their syntax tree; nothing is run."""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from codequake.canonical import canonical_json
from codequake.errors import DataError
from codequake.problems.foreign import Row

__all__ = [
    "Signature",
    "annotations_of",
    "defines",
    "keyword_values",
    "opening_of",
    "parse_python",
    "shown_calls",
    "shown_results",
    "signature_of",
    "tested_name",
    "with_body",
    "with_check_apart",
]

_MOST_CALL = 20_000  # characters of one call in a prompt
_MOST_CALLS = 200
_MOST_ENDS = 100
_CHECK, _CHECK_APART = "check", "check_of_the_test"

Signature = tuple[tuple[str, ...], int]
"""The names of the parameters (without ``self``), and how many of them must be given."""


def parse_python(source: str, row: Row, what: str) -> ast.Module:
    """Parse a program.  Raises ``DataError`` that says ``what`` is not Python, and why."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        raise row.fault(f"{what} is not Python: {error.msg} in its line {error.lineno}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise row.fault(f"{what} is not Python: {error or type(error).__name__}") from error


def with_body(prompt: str) -> str:
    """Return a prompt that ends in an open function, closed by an empty body.

    The body stands as deep as the last line of the prompt does, in blanks or tabs.
    """
    text = prompt.rstrip()
    last = text.rpartition("\n")[2]
    depth = last[: len(last) - len(last.lstrip())] or "    "
    return f"{text}\n{depth}pass\n"


def _functions(body: Sequence[ast.stmt], name: str) -> Iterator[tuple[ast.FunctionDef, bool]]:
    """Yield the functions of a name and whether each is a method; the last one counts."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            yield node, False
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == name:
                    yield inner, True


def defines(tree: ast.Module, name: str) -> bool:
    """Tell whether module-level code defines a function, or a class has it as a method."""
    return any(True for _ in _functions(tree.body, name))


def signature_of(tree: ast.Module, name: str, row: Row) -> Signature:
    """Return the parameters of a function or method.  Raises ``DataError`` when it is not there."""
    found = list(_functions(tree.body, name))
    if not found:
        raise row.fault(f"the function {name!r} is not defined in the row's own program")
    node, is_method = found[-1]
    plain = [item.arg for item in (*node.args.posonlyargs, *node.args.args)]
    plain = plain[1:] if is_method else plain
    return tuple(plain), len(plain) - len(node.args.defaults)


def annotations_of(tree: ast.Module, name: str) -> tuple[tuple[str | None, ...], str | None]:
    """Return the annotations of a function's parameters (without ``self``) and of its result.

    ``None`` stands for each that is not there, also when there is no such function.
    """
    found = list(_functions(tree.body, name))
    if not found:
        return (), None
    node, is_method = found[-1]
    plain = [*node.args.posonlyargs, *node.args.args][is_method:]
    return tuple(_unparsed(item.annotation) for item in plain), _unparsed(node.returns)


def _unparsed(node: ast.expr | None) -> str | None:
    return None if node is None else ast.unparse(node)


def keyword_values(text: str) -> dict[str, Any]:
    """Return the plain values in a text such as ``nums = [1, 2], k = 3``; empty for another."""
    node = _call_of(text) if len(text) <= _MOST_CALL else None
    found = {}
    for item in node.keywords if node is not None else ():
        try:
            found[item.arg or ""] = ast.literal_eval(item.value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            continue  # not a plain value
    return found


def _call_of(text: str) -> ast.Call | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return node if isinstance(node, ast.Call) else None


def opening_of(prompt: str, name: str, row: Row) -> str:
    """Return what stands in a prompt before the function to be written: imports and helpers.

    A prompt is Python that ends in the open function ``name``: signature and docstring.
    """
    tree = parse_python(with_body(prompt), row, "the prompt")
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.FunctionDef) or last.name != name:
        raise row.fault(f"the prompt does not end in the function {name!r}")
    first = min([last.lineno, *(item.lineno for item in last.decorator_list)])
    return "".join(prompt.splitlines(keepends=True)[: first - 1]).strip("\n")


def with_check_apart(test: str, tree: ast.Module, entry_point: str) -> tuple[str, str]:
    """Return a test with its function ``check`` out of the program's way, and that function's name.

    ``tree`` is the parsed test.  Where the function calls a ``check`` itself, or the entry point
    has that name, the program's is meant: MBPP/349 asks for a function ``check``.  There the
    test's own gets another name, where it is defined and where the test calls it at its end.  All
    other tests stay as they are.
    """
    own = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == _CHECK]
    means_program = any(
        isinstance(inner, ast.Name) and inner.id == _CHECK
        for node in own
        for statement in node.body
        for inner in ast.walk(statement)
    )
    if not own or not (means_program or entry_point == _CHECK):
        return test, _CHECK
    name = _CHECK_APART
    while name in test:
        name += "_"
    lines = test.encode("utf-8").splitlines(keepends=True)
    places = [_name_of_function(node, lines) for node in own]
    places += [
        (node.value.func.lineno, node.value.func.col_offset)
        for node in tree.body
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == _CHECK
    ]
    for number, start in sorted(places, reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:start] + name.encode() + line[start + len(_CHECK) :]
    return b"".join(lines).decode("utf-8"), name


def _name_of_function(node: ast.FunctionDef, lines: Sequence[bytes]) -> tuple[int, int]:
    """The line and the column, in bytes, of the name after ``def``; they may be lines apart."""
    number, start = node.lineno, node.col_offset + len("def")
    while (found := lines[number - 1].find(node.name.encode(), start)) < 0:
        number, start = number + 1, 0
    return number, found


def shown_calls(text: str, name: str) -> set[str]:
    """Return the arguments, in canonical JSON, of the calls with plain values in a text."""
    found = set()
    for match in islice(re.finditer(rf"(?<![\w.]){re.escape(name)}\s*\(", text), _MOST_CALLS):
        call = _call_at(text[match.start() : match.start() + _MOST_CALL])
        if call is not None and not call.keywords:
            try:
                values = [ast.literal_eval(item) for item in call.args]
                found.add(canonical_json(values))
            except (ValueError, TypeError, DataError, RecursionError, MemoryError):
                continue  # not plain values: this call shows no test input
    return found


def shown_results(prompt: str, name: str) -> dict[str, str]:
    """Return arguments -> result, in canonical JSON, of the examples in a function's docstring.

    Examples are written as a session (``>>> f(1)``); those that are not a call with plain values
    and a plain result are left out.  ``prompt`` is Python that ends in the open function.
    """
    docstring = _docstring(prompt, name)
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return {}  # its lines are not indented as a session must be
    found = {}
    for example in examples:
        call = _call_at(example.source)
        if call is None or call.keywords or ast.unparse(call.func) != name:
            continue
        try:
            values = [ast.literal_eval(item) for item in call.args]
            found[canonical_json(values)] = canonical_json(ast.literal_eval(example.want.strip()))
        except (ValueError, TypeError, SyntaxError, DataError, RecursionError, MemoryError):
            continue  # not plain values: this example shows no result
    return found


def _docstring(prompt: str, name: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(with_body(prompt))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.FunctionDef) or last.name != name:
        return ""
    return ast.get_docstring(last) or ""


def _call_at(text: str) -> ast.Call | None:
    """Parse the shortest beginning of a text that is a call."""
    for closing in islice(re.finditer(r"\)", text), _MOST_ENDS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                node = ast.parse(text[: closing.end()], mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return node if isinstance(node, ast.Call) else None
    return None


def tested_name(assertions: Sequence[ast.Module], program: ast.Module) -> str | None:
    """Return the name that all assertions call; ``None`` when there is not exactly one.

    Where several are called by all, those count that the program defines, and of these the one
    that is called first.  Names of Python itself count only when the program defines them anew.
    """
    called = [_called(tree) for tree in assertions]
    common = [
        name for name in (called[0] if called else ()) if all(name in names for names in called)
    ]
    for name in common:
        if defines(program, name):
            return name
    foreign = [name for name in common if not hasattr(builtins, name)]
    return foreign[0] if len(foreign) == 1 else None


def _called(tree: ast.Module) -> tuple[str, ...]:
    names = [
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return tuple(dict.fromkeys(names))
